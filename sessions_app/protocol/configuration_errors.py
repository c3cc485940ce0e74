"""Why a configuration, or a read, is refused before its definition or values are looked at.

Source: rp.state, sections 7, 10 and 12.
"""

from __future__ import annotations

from typing import ClassVar

from fabric_app.mesh.errors import StatehouseError


class InvalidStateRequest(StatehouseError):
    """A request on a session's state does not have the documented members; `path` says where."""

    code, status = "INVALID_REQUEST", 400
    message = "{path}: {detail}"


class NamespaceNotFound(StatehouseError):
    """There is no namespace of this id in the session."""

    code, status = "NAMESPACE_NOT_FOUND", 404
    message = "There is no namespace {namespace!r} in this session; there are {namespaces}."


class RevisionConflict(StatehouseError):
    """The namespace is at another revision than the caller decided on, or exists where it must not."""

    code, status = "REVISION_CONFLICT", 409
    message: ClassVar[str] = (
        "Namespace {namespace!r} is at revision {current}, not {expected}. Read it and decide again."
    )
