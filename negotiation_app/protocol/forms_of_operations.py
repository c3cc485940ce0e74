"""The forms of the operations inside an event or a patch: four words, one payload each. Source: sections 7 and 11."""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol import forms, forms_of_rows, names, refusals
from negotiation_app.protocol.forms import Problems, Reader, note
from negotiation_app.protocol.forms_of_rows import CERTAINTY, EVIDENCE, stated
from negotiation_app.protocol.names import BoundaryKind, Side, Word

PAYLOADS: dict[str, Reader] = {
    "proposition": forms_of_rows.proposition,
    "judgement": forms_of_rows.JUDGEMENT,
    "boundary": forms_of_rows.BOUNDARY,
    "batna": forms_of_rows.BATNA,
    "proposal": forms_of_rows.PROPOSAL,
}
PROTECTED = frozenset(("criteria", "concessions", "reviews", "history", "negotiation"))
PROTECTED_PAYLOADS = frozenset(("criterion", "concession", "review", "override")) | PROTECTED
_FAMILY_OF = {
    "propositions": "proposition",
    "judgements": "judgement",
    "boundaries": "boundary",
    "batna": "batna",
    "offers": "proposal",
}
_COMMON: dict[str, Reader] = {"id": forms.ref, "reads": forms.listed(forms.text)}


def operation(raw: Any, path: str, problems: Problems) -> Any:
    """Read one operation; its payload stands under `payload`, the payload's kind under `kind`."""
    if not isinstance(raw, dict):
        return note(problems, path, "has to be an object")
    word = raw.get("op")
    if not isinstance(word, str) or word not in _READERS:
        permitted = ", ".join(_READERS)
        return note(problems, path + "/op", f"has to be one of {permitted}", refusals.OperationNotPermitted.code)
    if _is_protected(raw, path, problems):
        return None
    found = _READERS[word]({name: value for name, value in raw.items() if name != "op"}, path, problems)
    if found is None:
        return None
    return {**found, "op": Word(word)}


def patch_operation(raw: Any, path: str, problems: Problems) -> Any:
    found = operation(raw, path, problems)
    if found is not None and found.get("id") is None:
        return note(problems, path + "/id", "is required in a patch")
    return found


def _is_protected(raw: dict[str, Any], path: str, problems: Problems) -> bool:
    target = raw.get("target")
    family = target.partition("/")[0] if isinstance(target, str) else None
    places = ["target"] if family in PROTECTED else []
    places += [name for name in raw if name in PROTECTED_PAYLOADS]
    for name in places:
        detail = "is protected history; use its own operation"
        note(problems, pointer(path, name), detail, refusals.ProtectedTarget.code)
    return bool(places)


def _with_payload(required: dict[str, Reader], optional: dict[str, Reader]) -> Reader:
    def read_with_payload(raw: Any, path: str, problems: Problems) -> Any:
        kinds = [name for name in PAYLOADS if raw.get(name) is not None]
        if len(kinds) != 1:
            return note(problems, path, f"has to have exactly one of {', '.join(PAYLOADS)}")
        kind = kinds[0]
        found = forms.members({kind: PAYLOADS[kind], **required}, optional)(raw, path, problems)
        if found is None or found.get(kind) is None:
            return None
        payload = found.pop(kind)
        target = found.get("target")
        if target is not None and not _fits(target, kind, payload):
            return note(problems, path + "/target", f"is not where this {kind} belongs")
        return {**found, "kind": kind, "payload": payload}

    return read_with_payload


def _fits(target: tuple[str, str], kind: str, payload: dict[str, Any]) -> bool:
    family, rest = target
    if _FAMILY_OF[family] != kind:
        return False
    if kind == "boundary":
        return rest == f"{payload.get('issue')}/{payload.get('kind')}"
    return kind != "proposal" or rest == payload.get("side")


def _target(*families: str) -> Reader:
    """A target as `(family, rest)`."""

    def read_target(raw: Any, path: str, problems: Problems) -> Any:
        family, _, rest = raw.partition("/") if isinstance(raw, str) else ("", "", "")
        if family not in families or not _is_place(family, rest):
            return note(problems, path, f"has to be a path of {', '.join(families)}")
        return family, rest

    return read_target


def _is_place(family: str, rest: str) -> bool:
    if family == "batna":
        return rest == ""
    if family == "offers":
        return rest in (Side.OWN, Side.COUNTERPART)
    if family == "boundaries":
        issue, _, kind = rest.partition("/")
        return forms.REF.fullmatch(issue) is not None and kind in tuple(BoundaryKind)
    return forms.REF.fullmatch(rest) is not None


_ANY_TARGET = _target(*_FAMILY_OF)

_READERS: dict[str, Reader] = {
    Word.ADD: _with_payload({}, {**_COMMON, "target": _ANY_TARGET, "reason": forms.text}),
    Word.UPDATE_WITH_EVIDENCE: forms.members(
        {"target": _target("propositions")},
        {**_COMMON, "status": CERTAINTY, "evidence": EVIDENCE, "rationale": forms.words, "value": stated},
    ),
    Word.SUPERSEDE: _with_payload(
        {"target": _ANY_TARGET, "reason": forms.text}, {**_COMMON, "because": forms.one_of(names.Because)}
    ),
    Word.FLAG_CONTRADICTION: forms.members(
        {"between": forms.listed(forms.ref, at_least=2, key=forms.itself), "reason": forms.text}, _COMMON
    ),
}
OPERATIONS = forms.listed(operation)
PATCH_OPERATIONS = forms.listed(patch_operation, at_least=1, key=lambda found: found.get("id"))
