"""JSON Schemas of what the API takes. What it sends is in `components`."""

from __future__ import annotations

from fabric_app.mesh.strict_json import MAX_SAFE_INTEGER
from fabric_app.models import RunAction
from fabric_app.operations.mesh_writes import MAX_KIND_CHARS, MAX_RECIPIENT_CHARS
from fabric_app.operations.workspaces import MAX_GROUP_CHARS, MAX_ROOT_CHARS, MAX_SLUG_CHARS, MAX_TITLE_CHARS
from fabric_app.protocol.schemas import MAX_TEXT_CHARS, SCHEMAS, Schema

MAX_REASON_CHARS = 2_000

TEXT: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 500}
SEQUENCE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999}
ETAG: Schema = {"type": "string", "pattern": '^"[0-9]{1,15}"$'}
IDEMPOTENCY_KEY: Schema = {"type": "string", "pattern": "^[!-~]{1,200}$"}
# One event of a stream; `data` is the JSON of an entry or event as the lists show it.
SERVER_SENT_EVENT: Schema = {
    "type": "object",
    "properties": {"id": TEXT, "event": TEXT, "data": TEXT},
    "required": ["data"],
}


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _object(properties: Schema, *, required: tuple[str, ...] = ()) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_VERSION: Schema = {"type": "number", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
_EXPECTED: Schema = {"expectedVersion": _VERSION}
_ROOT: Schema = _text(MAX_ROOT_CHARS)
_GROUP: Schema = _text(MAX_GROUP_CHARS)

NEW_WORKSPACE = _object(
    {"slug": _text(MAX_SLUG_CHARS), "title": _text(MAX_TITLE_CHARS), "root": _ROOT, "workerGroup": _GROUP},
    required=("slug", "title"),
)
WORKSPACE_CHANGE = _object({"title": _text(MAX_TITLE_CHARS), "root": _ROOT, "workerGroup": _GROUP, **_EXPECTED})
VERSION_ONLY = _object(_EXPECTED)
NEW_EVENT = _object(
    {
        "topic": _text(128),
        "kind": _text(MAX_KIND_CHARS),
        "to": _text(MAX_RECIPIENT_CHARS),
        "text": _text(MAX_TEXT_CHARS),
        "data": {},
    },
    required=("topic",),
)
NEW_VALUE = _object({"value": {}, "ifVersion": _VERSION}, required=("value",))
CANCELLATION = _object(
    {"reason": {**_text(MAX_REASON_CHARS), "pattern": "\\S", "format": "name"}}, required=("reason",)
)


def action(name: str) -> Schema:
    """Return the published schema of an action's arguments."""
    return SCHEMAS[name]


def _run_request(name: RunAction) -> Schema:
    schema = SCHEMAS[name]
    chosen: Schema = {"type": "string", "enum": [name.value]}
    return {**schema, "properties": {"action": chosen, **schema["properties"]}, "required": ["action"]}


RUN_REQUEST: Schema = {"oneOf": [_run_request(RunAction.VERIFY), _run_request(RunAction.CHECK_GOAL)]}
