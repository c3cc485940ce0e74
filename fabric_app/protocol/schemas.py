"""The published JSON Schema of each action's arguments.

`name` texts (labels, destinations, paths) are stored as columns and looked up, so that NUL is refused in them;
`pattern` is only ever "something that is not blank", or the form of a digest.

Source: fabric 2.
"""

from __future__ import annotations

from fabric_app.mesh.validation import DIGEST_PATTERN, Schema
from fabric_app.protocol.bounds import MAX_EVENT_BYTES
from fabric_app.protocol.digests import DIGEST_CHARS
from fabric_app.protocol.records import REPRESENTATION, STATE

NOT_BLANK = "\\S"
NAME_FORMAT = "name"
# Far above what any event can hold: the log refuses by bytes, this only bounds the work of looking.
MAX_TEXT_CHARS = 16 * MAX_EVENT_BYTES
MAX_ITEMS = 10_000
MAX_PATH_CHARS = 4_096

_TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT_CHARS}
_NAME: Schema = {**_TEXT, "format": NAME_FORMAT}
_PATH: Schema = {"type": "string", "maxLength": MAX_PATH_CHARS, "format": NAME_FORMAT}
_BOOLEAN: Schema = {"type": "boolean"}
_DIGEST: Schema = {"type": "string", "pattern": DIGEST_PATTERN, "maxLength": DIGEST_CHARS}


def _not_blank(text: Schema) -> Schema:
    return {**text, "pattern": NOT_BLANK}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item, "maxItems": MAX_ITEMS}


def _object(properties: Schema, *, required: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_TIMEOUT: Schema = {"type": "number", "minimum": 1}

SCHEMAS: dict[str, Schema] = {
    "transition": _object(
        {
            "label": _not_blank(_NAME),
            "from": _NAME,
            "to": _not_blank(_NAME),
            "summary": _TEXT,
            "evidence": _list_of(_TEXT),
            "tags": _list_of(_TEXT),
            "kind": {"type": "string", "enum": [STATE, REPRESENTATION]},
            "complexity": _object({"files": _list_of(_PATH)}, required=("files",)),
            "force": _BOOLEAN,
        },
        required=("label", "to", "summary"),
    ),
    "get": _object({}),
    "history": _object({"label": _NAME, "limit": {"type": "number", "minimum": 1}, "includeArchived": _BOOLEAN}),
    "complexity": _object({"files": _list_of(_PATH)}),
    "verify": _object(
        {
            "labels": _list_of(_NAME),
            "includeArchived": _BOOLEAN,
            "timeoutMs": _TIMEOUT,
            "expectedEvidenceDigest": _DIGEST,
        }
    ),
    "goal": _object({"check": _not_blank(_TEXT), "description": _TEXT}, required=("check",)),
    "checkGoal": _object({"timeoutMs": _TIMEOUT, "expectedEvidenceDigest": _DIGEST}),
}


def schema_of(action: str, *, max_timeout_ms: int) -> Schema:
    """Return the schema of an action, with the server's longest timeout in it."""
    schema = SCHEMAS[action]
    if "timeoutMs" not in schema["properties"]:
        return schema
    timeout = {**_TIMEOUT, "maximum": max_timeout_ms}
    return {**schema, "properties": {**schema["properties"], "timeoutMs": timeout}}
