"""What `rp_state_read` answers: all namespaces in short, or everything of one.

Source: rp.state, section 12.
"""

from __future__ import annotations

from typing import Any

from sessions_app.protocol.configuration_errors import InvalidStateRequest, NamespaceNotFound
from sessions_app.protocol.definition_reading import namespace_id
from sessions_app.protocol.projection import PROTOCOL_VERSION, Namespace, Projection
from sessions_app.protocol.text import shown

LIST, GET = "list", "get"

_MEMBERS = {LIST: {"action"}, GET: {"action", "namespace"}}


def read_state(projection: Projection, request: Any) -> dict[str, Any]:
    """Return the answer to `{action: "list"}` or `{action: "get", namespace}`.

    Raises InvalidStateRequest, DefinitionInvalid for what is no namespace id, NamespaceNotFound.
    """
    action = request.get("action") if isinstance(request, dict) else None
    if action not in (LIST, GET):
        raise InvalidStateRequest(path="/action", detail="action is list or get.")
    unknown = sorted(request.keys() - _MEMBERS[action], key=str)
    if unknown:
        raise InvalidStateRequest(path="/", detail=f"{action} has no member {shown(str(unknown[0]))}.")
    if action == LIST:
        return _listed(projection)
    return _one(projection, namespace_id(request.get("namespace"), "/namespace"))


def _listed(projection: Projection) -> dict[str, Any]:
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "revision": projection.revision,
        "namespaces": [_in_short(name, namespace) for name, namespace in projection.namespaces.items()],
    }


def _in_short(name: str, namespace: Namespace) -> dict[str, Any]:
    return {
        "namespace": name,
        "title": namespace.definition.title,
        "revision": namespace.revision,
        "updateMode": namespace.definition.update_mode.value,
        "diagnostics": namespace.as_json()["diagnostics"],
    }


def _one(projection: Projection, name: str) -> dict[str, Any]:
    namespace = projection.namespaces.get(name)
    if namespace is None:
        raise NamespaceNotFound(namespace=name, namespaces=list(projection.namespaces))
    head = {"protocolVersion": PROTOCOL_VERSION, "stateRevision": projection.revision, "namespace": name}
    return head | namespace.as_json()
