"""JSON Schemas that every API shares: atoms, what bodies and answers are made of, and common components."""

from __future__ import annotations

from fabric_app.mesh.strict_json import MAX_SAFE_INTEGER
from fabric_app.mesh.validation import DIGEST_PATTERN, Schema

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
ANYTHING: Schema = {}
TIME: Schema = {"type": "string", "format": "date-time"}
MILLISECONDS: Schema = {"type": "number", "description": "Milliseconds since 1970."}
UUID: Schema = {"type": "string", "format": "uuid"}
DIGEST: Schema = {"type": "string", "pattern": DIGEST_PATTERN}
ADDRESS: Schema = {"type": ["string", "null"], "description": "The address of the next page, or null."}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 500}
SEQUENCE: Schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999}
VERSION: Schema = {"type": "number", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
ETAG: Schema = {"type": "string", "pattern": '^"[0-9]{1,15}"$'}
IDEMPOTENCY_KEY: Schema = {"type": "string", "pattern": "^[!-~]{1,200}$"}
# One event of a stream; `data` is the JSON of an entry or event as the lists show it.
SERVER_SENT_EVENT: Schema = {
    "type": "object",
    "properties": {"id": TEXT, "event": TEXT, "data": TEXT},
    "required": ["data"],
}


def ref(component: str) -> Schema:
    """Return a reference to a component of the document."""
    return {"$ref": f"#/components/schemas/{component}"}


def text_up_to(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def nullable(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}


def list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def taken(properties: Schema, *, required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object in a request: other members than these are refused."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def sent(required: Schema, optional: Schema | None = None, description: str = "") -> Schema:
    """Return the schema of an object in an answer: members may be added later, never taken away."""
    schema: Schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return {**schema, "description": description} if description else schema


def page_of(component: str) -> Schema:
    """Return the schema of a page of a list."""
    return sent({"results": list_of(ref(component)), "next": ADDRESS})


# Those of an app stand in its module `api.components`.
COMPONENTS: dict[str, Schema] = {
    "Actor": sent({"id": TEXT, "name": TEXT, "kind": TEXT}),
    "Problem": sent(
        {"type": TEXT, "title": TEXT, "status": WHOLE, "code": TEXT, "detail": TEXT},
        {"errors": list_of(sent({"path": TEXT, "code": TEXT, "detail": TEXT}))},
        "An error: `code` never changes, `detail` says what to do, `errors` lists every problem by JSON Pointer.",
    ),
}
