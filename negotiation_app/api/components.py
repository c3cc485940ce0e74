"""JSON Schemas of what the negotiations' API sends, by the names that operations refer to."""

from __future__ import annotations

from fabric_app.mesh.http.schemas import (
    ANYTHING,
    BOOLEAN,
    MILLISECONDS,
    OBJECT,
    TEXT,
    TIME,
    WHOLE,
    Schema,
    list_of,
    page_of,
    ref,
    sent,
)

_STEP = sent({"step": WHOLE, "name": TEXT, "result": ANYTHING})
_ARTEFACT: dict[str, Schema] = {"sequence": WHOLE, "stateVersion": WHOLE, "form": TEXT, "digest": TEXT}

COMPONENTS: dict[str, Schema] = {
    "Negotiation": sent(
        {
            "ref": TEXT,
            "title": TEXT,
            "mode": TEXT,
            "status": TEXT,
            "stateVersion": WHOLE,
            "logSequence": WHOLE,
            "logDigest": TEXT,
            "createdAt": TIME,
            "updatedAt": TIME,
        }
    ),
    "NegotiationPage": page_of("Negotiation"),
    "NegotiationAnswer": sent(
        {},
        {
            "stateVersion": WHOLE,
            "material": BOOLEAN,
            "event": OBJECT,
            "steps": list_of(_STEP),
            "changes": list_of(OBJECT),
            "contradictionsOpened": list_of(TEXT),
            "recomputed": list_of(TEXT),
            "needsReview": list_of(TEXT),
            "notifications": list_of(ANYTHING),
            "artefact": ANYTHING,
            "warnings": list_of(TEXT),
            "replayed": BOOLEAN,
        },
        "What an operation did, part by part.",
    ),
    "NegotiationEntry": sent(
        {
            "sequence": WHOLE,
            "operation": TEXT,
            "actor": ref("Actor"),
            "createdAtMs": MILLISECONDS,
            "digest": TEXT,
            "previousDigest": TEXT,
            "data": OBJECT,
        },
        {"event": OBJECT},
    ),
    "NegotiationArtefact": sent(_ARTEFACT, {"state": OBJECT}),
    "NegotiationArtefactPage": page_of("NegotiationArtefact"),
    "NegotiationRoles": sent({"results": list_of(sent({"account": TEXT, "roles": list_of(TEXT)}))}),
    "NegotiationEntryPage": page_of("NegotiationEntry"),
    "NegotiationEventPage": sent({"results": list_of(OBJECT), "next": {"type": ["string", "null"]}}),
}
