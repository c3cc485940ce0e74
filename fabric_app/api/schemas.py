"""JSON Schemas of what the API takes. What it sends is in `components`."""

from __future__ import annotations

from fabric_app.mesh.http.schemas import VERSION, taken, text_up_to
from fabric_app.mesh.validation import Schema
from fabric_app.models import RunAction
from fabric_app.operations.mesh_writes import MAX_KIND_CHARS, MAX_RECIPIENT_CHARS
from fabric_app.operations.workspaces import MAX_GROUP_CHARS, MAX_ROOT_CHARS, MAX_SLUG_CHARS, MAX_TITLE_CHARS
from fabric_app.protocol.schemas import MAX_TEXT_CHARS, SCHEMAS

MAX_REASON_CHARS = 2_000

_EXPECTED: Schema = {"expectedVersion": VERSION}
_ROOT: Schema = text_up_to(MAX_ROOT_CHARS)
_GROUP: Schema = text_up_to(MAX_GROUP_CHARS)

NEW_WORKSPACE = taken(
    {"slug": text_up_to(MAX_SLUG_CHARS), "title": text_up_to(MAX_TITLE_CHARS), "root": _ROOT, "workerGroup": _GROUP},
    required=("slug", "title"),
)
WORKSPACE_CHANGE = taken({"title": text_up_to(MAX_TITLE_CHARS), "root": _ROOT, "workerGroup": _GROUP, **_EXPECTED})
VERSION_ONLY = taken(_EXPECTED)
NEW_EVENT = taken(
    {
        "topic": text_up_to(128),
        "kind": text_up_to(MAX_KIND_CHARS),
        "to": text_up_to(MAX_RECIPIENT_CHARS),
        "text": text_up_to(MAX_TEXT_CHARS),
        "data": {},
    },
    required=("topic",),
)
NEW_VALUE = taken({"value": {}, "ifVersion": VERSION}, required=("value",))
CANCELLATION = taken(
    {"reason": {**text_up_to(MAX_REASON_CHARS), "pattern": "\\S", "format": "name"}}, required=("reason",)
)


def action(name: str) -> Schema:
    """Return the published schema of an action's arguments."""
    return SCHEMAS[name]


def _run_request(name: RunAction) -> Schema:
    schema = SCHEMAS[name]
    chosen: Schema = {"type": "string", "enum": [name.value]}
    return {**schema, "properties": {"action": chosen, **schema["properties"]}, "required": ["action"]}


RUN_REQUEST: Schema = {"oneOf": [_run_request(RunAction.VERIFY), _run_request(RunAction.CHECK_GOAL)]}
