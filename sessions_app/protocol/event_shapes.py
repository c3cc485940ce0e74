"""The shape of each event of a log that comes from elsewhere: what `protocol.events` says, as JSON Schemas.

Members of the protocol's own (bootstraps, requests, effects) are only looked at as far as pages and folds rely on; that
they are legal is for the protocol to say. Unknown members are refused, so that nothing is stored that nobody reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from fabric_app.mesh.errors import Problem
from sessions_app.protocol.events import EventKind, Role

Json = dict[str, Any]
MOST_PROBLEMS = 50

WHOLE: Json = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
NUMBER: Json = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}
TEXT: Json = {"type": "string"}
LINE: Json = {"type": "string", "maxLength": 200}
DIGEST: Json = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}\\Z"}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _object(required: Mapping[str, Json], optional: Mapping[str, Json] | None = None) -> Json:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


_REASON: Json = {
    "type": "object",
    "properties": {"code": TEXT, "message": TEXT},
    "required": ["code", "message"],
}
_ENTITIES = _object(
    {},
    {
        "retracted": _list(NUMBER),
        "reinstated": _list(NUMBER),
        "released": _list(NUMBER),
        "skipped": _list(NUMBER),
        "quarantined": _list(_object({"sequence": NUMBER, "reason": _REASON})),
    },
)
_RECKONED = {"entities": _ENTITIES, "cancelledTurns": _list(NUMBER)}
_CHANGE = _object(
    {"op": {"enum": ["set", "increment", "append", "remove"]}, "path": TEXT, "reason": TEXT},
    {"ruleId": TEXT, "value": {}, "by": {"type": "number"}},
)
_EFFECT = _object(
    {
        "kind": {"const": "state.update"},
        "namespace": TEXT,
        "expectedRevision": WHOLE,
        "payload": _object({"changes": {**_list(_CHANGE), "minItems": 1}}),
    }
)
_CHANGED = _object(
    {"namespace": TEXT, "path": TEXT, "op": TEXT, "reason": TEXT, "ruleId": {"type": ["string", "null"]}},
    {"before": {}, "after": {}},
)
_DIAGNOSTIC = _object(
    {"code": TEXT, "severity": TEXT, "message": TEXT}, {"namespace": TEXT, "ruleId": TEXT, "path": TEXT}
)

_DATA: Mapping[str, Json] = {
    EventKind.CREATED: _object(
        {"title": LINE, "sessionId": LINE},
        {"forkedFrom": _object({"sessionId": LINE, "message": {"type": ["integer", "null"]}, "digest": DIGEST})},
    ),
    EventKind.RENAMED: _object({"title": LINE}),
    EventKind.BOOTSTRAPPED: _object({"bootstrap": {"type": "object"}}),
    EventKind.MESSAGE_ADDED: _object(
        {"role": {"enum": [each.value for each in Role]}, "text": TEXT},
        {"name": LINE, "hidden": {"type": "boolean"}, "others": _list(TEXT), "selected": NUMBER},
    ),
    EventKind.MESSAGE_EDITED: _object({"message": NUMBER, "variant": NUMBER, "version": NUMBER, "text": TEXT}),
    EventKind.MESSAGES_DELETED: _object({"messages": _list(NUMBER)}, {"reason": TEXT, **_RECKONED}),
    EventKind.TURN_BEGUN: _object({}, {"name": LINE, "message": NUMBER, "variant": NUMBER, **_RECKONED}),
    EventKind.TURN_CANCELLED: _object({"turn": NUMBER}, {"text": TEXT, "reason": TEXT, **_RECKONED}),
    EventKind.TURN_COMMITTED: _object(
        {
            "turn": NUMBER,
            "message": NUMBER,
            "variant": NUMBER,
            "effects": _list(_EFFECT),
            "changed": _list(_CHANGED),
            "diagnostics": _list(_DIAGNOSTIC),
            "fingerprints": _list(DIGEST),
        },
        {"text": TEXT},
    ),
    EventKind.VARIANT_SELECTED: _object({"message": NUMBER, "variant": NUMBER}, _RECKONED),
    EventKind.CONFIGURED: _object(
        {"request": {"type": "object"}, "message": NUMBER, "variant": NUMBER}, {"turn": NUMBER}
    ),
    EventKind.RELEASED: _object({"sequence": NUMBER, "reason": TEXT}, _RECKONED),
    EventKind.SKIPPED: _object({"sequence": NUMBER, "reason": TEXT}, _RECKONED),
    EventKind.REBUILT: _object({"reason": TEXT}, {"entities": _ENTITIES}),
    EventKind.BOOK_ATTACHED: _object({"book": LINE}),
    EventKind.BOOK_DETACHED: _object({"book": LINE}),
}
_ACTOR = _object({"id": LINE, "name": LINE, "kind": {"enum": ["main", "agent"]}})
_EVENT = _object(
    {
        "sequence": NUMBER,
        "kind": {"enum": [each.value for each in EventKind]},
        "data": {"type": "object"},
        "actor": _ACTOR,
        "createdAtMs": {"type": "integer", "minimum": 0, "maximum": 253_402_300_799_000},
        "previousDigest": DIGEST,
        "digest": DIGEST,
    }
)


def event_problems(event: Any, path: str) -> list[Problem]:
    """Return what is wrong with the form of one event, at most `MOST_PROBLEMS`; `path` points to it."""
    found = list(_found(_validator(None), event, path))
    return found or list(_found(_validator(event["kind"]), event["data"], f"{path}/data"))


def _found(validator: Draft202012Validator, value: Any, path: str) -> Iterator[Problem]:
    for error, _ in zip(validator.iter_errors(value), range(MOST_PROBLEMS), strict=False):
        place = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.absolute_path)
        yield Problem(path + place, "wrong_form", f"{error.message[:200]}.")


@lru_cache
def _validator(kind: str | None) -> Draft202012Validator:
    return _Validator(_EVENT if kind is None else _DATA[kind])


def _is_whole(_checker: object, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# `1.0` is an integer to JSON Schema. Here it would be kept as 1, which has another digest.
_Validator = extend(Draft202012Validator, type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole))
