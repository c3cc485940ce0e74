"""JSON Schemas of what the API sends, by the names that operations refer to. Members may be added, never taken away."""

from __future__ import annotations

from fabric_app.mesh.http.schemas import (
    ADDRESS,
    ANYTHING,
    BOOLEAN,
    DIGEST,
    MILLISECONDS,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    UUID,
    WHOLE,
    Schema,
    list_of,
    nullable,
    page_of,
    ref,
    sent,
)  # fmt: skip
from fabric_app.models import RunAction, RunEntryKind, RunStatus

_MOVE = {"label": TEXT, "to": TEXT, "summary": TEXT}
_MOVE_OPTIONS = {
    "from": TEXT,
    "evidence": list_of(TEXT),
    "tags": list_of(TEXT),
    "kind": {"type": "string", "enum": ["state", "representation"]},
    "complexity": OBJECT,
    "certificationStatus": TEXT,
    "certificate": ref("Certificate"),
    "ts": MILLISECONDS,
}

COMPONENTS: dict[str, Schema] = {
    "Workspace": sent(
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
    "WorkspacePage": page_of("Workspace"),
    "Activity": sent(
        {"id": WHOLE, "kind": TEXT, "name": TEXT, "outcome": TEXT, "actor": ref("Actor"), "createdAt": TIME},
        {"detail": OBJECT, "runId": UUID, "eventSequence": WHOLE},
    ),
    "ActivityPage": page_of("Activity"),
    "Event": sent(
        {"id": TEXT, "sequence": WHOLE, "topic": TEXT, "kind": TEXT, "from": ANYTHING, "createdAt": MILLISECONDS},
        {"to": TEXT, "text": TEXT, "data": ANYTHING},
    ),
    "EventPage": page_of("Event"),
    "KeyEntry": sent(
        {"key": TEXT, "value": ANYTHING, "version": WHOLE, "updatedAt": MILLISECONDS, "updatedBy": ANYTHING}
    ),
    "KeyPage": page_of("KeyEntry"),
    "Deleted": sent({"deleted": BOOLEAN}, {"version": WHOLE}),
    "Certificate": sent(
        {
            "certificateId": TEXT,
            "targets": list_of(OBJECT),
            "head": nullable(OBJECT),
            "evidenceDigest": TEXT,
            "resultDigest": TEXT,
            "current": BOOLEAN,
        },
        {"sequence": WHOLE, "certificationStatus": TEXT, "ts": MILLISECONDS},
    ),
    "Head": sent(
        {"version": WHOLE},
        {**_MOVE, **_MOVE_OPTIONS, "transitionId": TEXT, "transitionSequence": WHOLE, "protocolVersion": WHOLE},
        "The latest committed transition, with the version that a write names.",
    ),
    "Transition": sent({"transitionId": TEXT, "sequence": WHOLE, **_MOVE}, _MOVE_OPTIONS),
    "State": sent(
        {
            "head": nullable(ref("Head")),
            "quarantine": nullable(sent({"reason": TEXT, "explanation": TEXT, "version": WHOLE})),
            "goal": ANYTHING,
            "complexity": sent({"files": WHOLE, "decisionPoints": WHOLE, "lastNetDelta": NUMBER}),
            "certification": sent({"current": nullable(ref("Certificate")), "recent": list_of(ref("Certificate"))}),
            "recentLabels": list_of(TEXT),
        }
    ),
    "History": sent(
        {
            "transitions": list_of(ref("Transition")),
            "labels": list_of(TEXT),
            "certifications": list_of(ref("Certificate")),
            "next": ADDRESS,
        }
    ),
    "Recorded": sent({"event": ref("Event"), "head": ref("Head")}),
    "Complexity": sent({"files": list_of(sent({"file": TEXT, "supported": BOOLEAN})), "netDelta": NUMBER}),
    "Run": sent(
        {
            "id": UUID,
            "workspace": TEXT,
            "action": {"type": "string", "enum": RunAction.values},
            "arguments": OBJECT,
            "status": {"type": "string", "enum": RunStatus.values},
            "requestedBy": ref("Actor"),
            "createdAt": TIME,
            "startedAt": nullable(TIME),
            "endedAt": nullable(TIME),
            "plan": nullable(OBJECT),
            "progress": sent({"commandIndex": WHOLE, "commandCount": WHOLE, "outputBytes": WHOLE}),
            "report": nullable(OBJECT),
            "error": nullable(OBJECT),
        }
    ),
    "RunPage": page_of("Run"),
    "RunPreview": sent(
        {
            "head": nullable(OBJECT),
            "targets": list_of(ref("Transition")),
            "commands": list_of(sent({"command": TEXT}, {"claim": TEXT, "transitionId": TEXT, "label": TEXT})),
            "evidenceDigest": DIGEST,
            "timeoutMs": NUMBER,
        },
        {"root": TEXT},
    ),
    "RunEntry": sent(
        {"sequence": WHOLE, "kind": {"type": "string", "enum": RunEntryKind.values}, "createdAt": TIME},
        {"commandIndex": WHOLE, "data": ANYTHING, "text": TEXT, "bytes": WHOLE},
    ),
    "RunEntryPage": page_of("RunEntry"),
}
