"""JSON Schemas of what the API sends, by the names that operations refer to. Members may be added, never taken away."""

from __future__ import annotations

from typing import Any

from fabric_app.models import RunAction, RunEntryKind, RunStatus
from fabric_app.protocol.schemas import Schema

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
TIME: Schema = {"type": "string", "format": "date-time"}
MILLISECONDS: Schema = {"type": "number", "description": "Milliseconds since 1970."}
UUID: Schema = {"type": "string", "format": "uuid"}
DIGEST: Schema = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
ADDRESS: Schema = {"type": ["string", "null"], "description": "The address of the next page, or null."}
OBJECT: Schema = {"type": "object"}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _nullable(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None, description: str = "") -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return {**schema, "description": description} if description else schema


def _page(item: str) -> Schema:
    return _object({"results": _list(_ref(item)), "next": ADDRESS})


_MOVE = {"label": TEXT, "to": TEXT, "summary": TEXT}
_MOVE_OPTIONS = {
    "from": TEXT,
    "evidence": _list(TEXT),
    "tags": _list(TEXT),
    "kind": {"type": "string", "enum": ["state", "representation"]},
    "complexity": OBJECT,
    "certificationStatus": TEXT,
    "certificate": _ref("Certificate"),
    "ts": MILLISECONDS,
}

COMPONENTS: dict[str, Schema] = {
    "Actor": _object({"id": TEXT, "name": TEXT, "kind": TEXT}),
    "Workspace": _object(
        {
            "id": UUID,
            "slug": TEXT,
            "title": TEXT,
            "root": TEXT,
            "workerGroup": TEXT,
            "isArchived": BOOLEAN,
            "version": WHOLE,
            "createdAt": TIME,
        }
    ),
    "WorkspacePage": _page("Workspace"),
    "Activity": _object(
        {"id": WHOLE, "kind": TEXT, "name": TEXT, "outcome": TEXT, "actor": _ref("Actor"), "createdAt": TIME},
        {"detail": OBJECT, "runId": UUID, "eventSequence": WHOLE},
    ),
    "ActivityPage": _page("Activity"),
    "Event": _object(
        {"id": TEXT, "sequence": WHOLE, "topic": TEXT, "kind": TEXT, "from": ANYTHING, "createdAt": MILLISECONDS},
        {"to": TEXT, "text": TEXT, "data": ANYTHING},
    ),
    "EventPage": _page("Event"),
    "KeyEntry": _object(
        {"key": TEXT, "value": ANYTHING, "version": WHOLE, "updatedAt": MILLISECONDS, "updatedBy": ANYTHING}
    ),
    "KeyPage": _page("KeyEntry"),
    "Deleted": _object({"deleted": BOOLEAN}, {"version": WHOLE}),
    "Certificate": _object(
        {
            "certificateId": TEXT,
            "targets": _list(OBJECT),
            "head": _nullable(OBJECT),
            "evidenceDigest": TEXT,
            "resultDigest": TEXT,
            "current": BOOLEAN,
        },
        {"sequence": WHOLE, "certificationStatus": TEXT, "ts": MILLISECONDS},
    ),
    "Head": _object(
        {"version": WHOLE},
        {**_MOVE, **_MOVE_OPTIONS, "transitionId": TEXT, "transitionSequence": WHOLE, "protocolVersion": WHOLE},
        "The latest committed transition, with the version that a write names.",
    ),
    "Transition": _object({"transitionId": TEXT, "sequence": WHOLE, **_MOVE}, _MOVE_OPTIONS),
    "State": _object(
        {
            "head": _nullable(_ref("Head")),
            "quarantine": _nullable(_object({"reason": TEXT, "explanation": TEXT, "version": WHOLE})),
            "goal": ANYTHING,
            "complexity": _object({"files": WHOLE, "decisionPoints": WHOLE, "lastNetDelta": NUMBER}),
            "certification": _object({"current": _nullable(_ref("Certificate")), "recent": _list(_ref("Certificate"))}),
            "recentLabels": _list(TEXT),
        }
    ),
    "History": _object(
        {
            "transitions": _list(_ref("Transition")),
            "labels": _list(TEXT),
            "certifications": _list(_ref("Certificate")),
            "next": ADDRESS,
        }
    ),
    "Recorded": _object({"event": _ref("Event"), "head": _ref("Head")}),
    "Complexity": _object({"files": _list(_object({"file": TEXT, "supported": BOOLEAN})), "netDelta": NUMBER}),
    "Run": _object(
        {
            "id": UUID,
            "workspace": TEXT,
            "action": {"type": "string", "enum": RunAction.values},
            "arguments": OBJECT,
            "status": {"type": "string", "enum": RunStatus.values},
            "requestedBy": _ref("Actor"),
            "createdAt": TIME,
            "startedAt": _nullable(TIME),
            "endedAt": _nullable(TIME),
            "plan": _nullable(OBJECT),
            "progress": _object({"commandIndex": WHOLE, "commandCount": WHOLE, "outputBytes": WHOLE}),
            "report": _nullable(OBJECT),
            "error": _nullable(OBJECT),
        }
    ),
    "RunPage": _page("Run"),
    "RunPreview": _object(
        {
            "head": _nullable(OBJECT),
            "targets": _list(_ref("Transition")),
            "commands": _list(_object({"command": TEXT}, {"claim": TEXT, "transitionId": TEXT, "label": TEXT})),
            "evidenceDigest": DIGEST,
            "timeoutMs": NUMBER,
        },
        {"root": TEXT},
    ),
    "RunEntry": _object(
        {"sequence": WHOLE, "kind": {"type": "string", "enum": RunEntryKind.values}, "createdAt": TIME},
        {"commandIndex": WHOLE, "data": ANYTHING, "text": TEXT, "bytes": WHOLE},
    ),
    "RunEntryPage": _page("RunEntry"),
    "Problem": _object(
        {"type": TEXT, "title": TEXT, "status": WHOLE, "code": TEXT, "detail": TEXT},
        {"errors": _list(_object({"path": TEXT, "code": TEXT, "detail": TEXT}))},
        "An error: `code` never changes, `detail` says what to do, `errors` lists every problem by JSON Pointer.",
    ),
}
