"""Where refusals of the protocol stand in the body: pointers into what the caller sent, in `errors` as everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from fabric_app.mesh.errors import Problem
from sessions_app.errors import DocumentRefused
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.configuration_errors import InvalidStateRequest
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.retry_patches import RetryPatchInvalid

ROOT = "/"


@contextmanager
def within(base: str) -> Iterator[None]:
    """Say of what the protocol refuses in one member of the body where it stands in the body. base: a JSON Pointer."""
    try:
        yield
    except ConditionInvalid as refused:
        raise ConditionInvalid(_moved(refused.problems, base), position=refused.position) from refused
    except (ProtocolRefusal, DocumentRefused) as refused:
        raise type(refused)(_moved(refused.problems, base)) from refused
    except (InvalidStateRequest, RetryPatchInvalid) as refused:
        path = "" if refused.details["path"] == ROOT else refused.details["path"]
        raise type(refused)(**{**refused.details, "path": base + path}) from refused


def errors_of(refused: Exception) -> list[dict[str, Any]]:
    """Return the problems of a refusal that keeps them in a form of its own, in the form of all others."""
    if isinstance(refused, CommitRefused):
        return [Problem(issue.path, issue.code.value, issue.message).as_json() for issue in refused.issues]
    if isinstance(refused, InvalidStateRequest | RetryPatchInvalid):
        told = refused.details
        return [Problem("" if told["path"] == ROOT else told["path"], refused.code, told["detail"]).as_json()]
    return []


def _moved(problems: tuple[Problem, ...], base: str) -> list[Problem]:
    return [replace(each, path=base + each.path) for each in problems]
