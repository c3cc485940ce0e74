"""JSON Schemas of what the sessions' API sends, by the names that operations refer to."""

from __future__ import annotations

from fabric_app.mesh.http.schemas import (
    ANYTHING,
    BOOLEAN,
    MILLISECONDS,
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
)

_BEFORE_AFTER = sent({}, {"before": WHOLE, "after": WHOLE})
_DIFFERENCE = sent(
    {"namespace": TEXT, "change": TEXT, "revision": _BEFORE_AFTER, "values": list_of(sent({"path": TEXT}))},
    {"definition": BOOLEAN, "initialValue": BOOLEAN},
)
_EFFECT_OF_ACT = {
    "entities": OBJECT,
    "cancelledTurns": list_of(WHOLE),
    "changes": list_of(ref("StateDifference")),
    "revision": _BEFORE_AFTER,
    "projection": ref("Projection"),
}
_TURN = {"turn": WHOLE, "message": WHOLE, "variant": WHOLE}
_OUTCOME = {"projection": ref("Projection"), "changed": list_of(OBJECT), "diagnostics": list_of(ref("Diagnostic"))}
_CONFIGURED = {
    "action": TEXT,
    "namespace": TEXT,
    "changes": list_of(ref("StateDifference")),
    "projection": ref("Projection"),
}
_EVENT = {
    "sequence": WHOLE,
    "kind": TEXT,
    "data": OBJECT,
    "actor": ref("Actor"),
    "createdAtMs": MILLISECONDS,
    "digest": TEXT,
}
_SESSION = {
    "id": UUID,
    "title": TEXT,
    "revision": WHOLE,
    "epoch": WHOLE,
    "version": WHOLE,
    "logSequence": WHOLE,
    "logDigest": TEXT,
    "origin": nullable(OBJECT),
    "createdAt": TIME,
    "updatedAt": TIME,
}
_COUNTS = {"messageCount": WHOLE, "quarantinedCount": WHOLE}
_BOOK = {
    "id": UUID,
    "title": TEXT,
    "version": WHOLE,
    "isArchived": BOOLEAN,
    "entryCount": WHOLE,
    "createdAt": TIME,
    "updatedAt": TIME,
}

COMPONENTS: dict[str, Schema] = {
    "Diagnostic": sent(
        {"code": TEXT, "severity": TEXT, "message": TEXT}, {"namespace": TEXT, "ruleId": TEXT, "path": TEXT}
    ),
    "Namespace": sent(
        {
            "revision": WHOLE,
            "initialValue": ANYTHING,
            "value": ANYTHING,
            "definition": OBJECT,
            "diagnostics": sent({"setup": list_of(ref("Diagnostic")), "lastCommit": list_of(ref("Diagnostic"))}),
        }
    ),
    "Projection": sent({"protocolVersion": WHOLE, "revision": WHOLE, "namespaces": OBJECT}),
    "StateDifference": _DIFFERENCE,
    "Session": sent({**_SESSION, **_COUNTS}),
    "SessionPage": page_of("Session"),
    "SessionWithState": sent({**_SESSION, **_COUNTS, "projection": ref("Projection")}),
    "NewSession": sent({"id": UUID}),
    "ErasedSession": sent({"id": UUID, "eventCount": WHOLE, "logDigest": TEXT, "copies": list_of(UUID)}),
    "Message": sent(
        {
            "message": WHOLE,
            "role": TEXT,
            "name": TEXT,
            "text": TEXT,
            "variant": WHOLE,
            "variants": WHOLE,
            "version": WHOLE,
            "hidden": BOOLEAN,
            "createdAtMs": MILLISECONDS,
        },
        {"activeTurn": WHOLE},
    ),
    "MessagePage": page_of("Message"),
    "NewMessage": sent({"message": WHOLE, "variant": WHOLE}),
    "EditedMessage": sent({"message": WHOLE, "version": WHOLE}),
    "Variants": sent({"results": list_of(sent({"variant": WHOLE, "text": TEXT, "selected": BOOLEAN}))}),
    "ActPreview": sent({"version": WHOLE, **_EFFECT_OF_ACT}),
    "Act": sent(_EFFECT_OF_ACT, {"sequence": WHOLE, "event": WHOLE}),
    "Turn": sent({**_TURN, "status": TEXT}, {"sequence": WHOLE}),
    "BegunTurn": sent({**_TURN, "epoch": WHOLE, "revision": ANYTHING}),
    "Regeneration": sent({**_TURN, "epoch": WHOLE, **_EFFECT_OF_ACT}),
    "CommittedTurn": sent({**_TURN, "sequence": WHOLE, "replayed": BOOLEAN, **_OUTCOME}),
    "CommitPreview": sent({**_TURN, "dryRun": BOOLEAN, **_OUTCOME}),
    "Configured": sent({"sequence": WHOLE, "message": WHOLE, "epoch": WHOLE, **_CONFIGURED}),
    "ConfigurationPreview": sent({"dryRun": BOOLEAN, **_CONFIGURED}),
    "SessionEvent": sent(_EVENT),
    "SessionEventPage": page_of("SessionEvent"),
    "SessionEventWithChanges": sent(
        {**_EVENT, "previousDigest": TEXT, "revision": _BEFORE_AFTER, "changes": list_of(ref("StateDifference"))}
    ),
    "Entity": sent(
        {"sequence": WHOLE, "kind": TEXT, "status": TEXT, "since": WHOLE, "body": ANYTHING},
        {"message": WHOLE, "variant": WHOLE, "turn": WHOLE, "reason": OBJECT},
    ),
    "EntityPage": page_of("Entity"),
    "ConditionAnswer": sent(
        {
            "active": BOOLEAN,
            "reads": list_of(
                sent({"namespace": TEXT, "path": TEXT, "found": BOOLEAN}, {"value": ANYTHING, "kind": TEXT})
            ),
        },
        {"diagnostic": OBJECT},
    ),
    "Activations": sent({"entries": list_of(OBJECT), "notConsidered": list_of(TEXT)}),
    "WorldBook": sent({**_BOOK, "entries": list_of(OBJECT)}),
    "WorldBookInShort": sent(_BOOK),
    "WorldBookPage": page_of("WorldBookInShort"),
    "NewWorldBook": sent({"id": UUID, "version": WHOLE}),
    "AttachedBook": sent({"sequence": WHOLE, "book": UUID}),
    "AttachedBooks": sent(
        {"results": list_of(sent({"id": UUID, "isHere": BOOLEAN}, {"title": TEXT, "version": WHOLE}))}
    ),
    "Imported": sent(
        {"kind": TEXT, "session": nullable(UUID), "book": nullable(UUID), "notices": list_of(OBJECT)},
        {"message": WHOLE},
    ),
    "SessionDocument": sent(
        {"format": TEXT, "formatVersion": WHOLE, "events": list_of(OBJECT), "books": list_of(OBJECT)}
    ),
}
