"""The forms of what bodies bring along: evidence, propositions, bases, proposals and so on. Sections 3 to 12."""

from __future__ import annotations

from typing import Any

from negotiation_app.protocol import forms, names
from negotiation_app.protocol.currencies import is_currency
from negotiation_app.protocol.forms import Problems, Reader, note
from negotiation_app.protocol.intervals import read_as_of
from negotiation_app.protocol.refusals import ValueFormat
from negotiation_app.protocol.times import day_or_instant, instant
from negotiation_app.protocol.value_forms import read_value

VALUE_TYPES = ("money", "number", "percent", "duration", "date", "text", "boolean")
SIDES = forms.one_of(names.Side, without=(names.Side.THIRD,))
CERTAINTY = forms.one_of(names.Certainty)
_FACT_PARTS = 2


def single(raw: Any, path: str, problems: Problems) -> Any:
    """A value that is no range: ranges are for propositions only."""
    if isinstance(raw, dict) and raw.get("type") == "range":
        return note(problems, path, "must not be a range here", ValueFormat.code)
    return read_value(raw, path, problems)


def one_or_more(raw: Any, path: str, problems: Problems) -> Any:
    """The value of a criterion, as a tuple: ONE_OF lists several."""
    if isinstance(raw, list):
        found = forms.listed(single, at_least=1)(raw, path, problems)
        return None if found is None else tuple(found)
    found = single(raw, path, problems)
    return None if found is None else (found,)


_NEW_EVIDENCE = forms.members(
    {"ref": forms.ref, "kind": forms.one_of(names.EvidenceKind)},
    {
        "locator": forms.words,
        "quote": forms.words,
        "statedAs": forms.one_of(names.StatedAs),
        "event": forms.ref,
        "premises": forms.listed(forms.ref, key=forms.itself),
        "simulation": forms.ref,
    },
)
_NAMED_EVIDENCE = forms.members({"ref": forms.ref})


def evidence_item(raw: Any, path: str, problems: Problems) -> Any:
    """An item: with its ref alone an existing one, otherwise a new one."""
    reader = _NAMED_EVIDENCE if isinstance(raw, dict) and set(raw) == {"ref"} else _NEW_EVIDENCE
    return reader(raw, path, problems)


EVIDENCE = forms.listed(evidence_item, key=forms.ref_of)


def stated(raw: Any, path: str, problems: Problems) -> Any:
    """A value together with how it was stated."""
    value = read_value(raw, path, problems)
    return None if value is None else (value, raw)


_PROPOSITION = forms.members(
    {"ref": forms.ref, "subject": forms.name, "attribute": forms.name},
    {
        "value": stated,
        "asOf": read_as_of,
        "party": forms.ref,
        "status": CERTAINTY,
        "rationale": forms.words,
        "evidence": EVIDENCE,
    },
)


def proposition(raw: Any, path: str, problems: Problems) -> Any:
    found = _PROPOSITION(raw, path, problems)
    if found is not None and found.get("status") not in (None, names.Certainty.UNKNOWN) and raw.get("value") is None:
        return note(problems, path + "/value", "is required above UNKNOWN")
    return found


BASIS = forms.members(
    {},
    {
        "reason": forms.words,
        "evidence": EVIDENCE,
        "propositions": forms.listed(forms.ref, key=forms.itself),
        "decision": forms.ref,
    },
)
TERMS = forms.by_ref(single, at_least=1)

BOUNDARY = forms.members(
    {"issue": forms.ref, "kind": forms.one_of(names.BoundaryKind), "value": single}, {"basis": BASIS}
)
RETIRED_BOUNDARY = forms.members({"issue": forms.ref, "kind": forms.one_of(names.BoundaryKind)}, {"basis": BASIS})
RETIRED_BATNA = forms.members({}, {"basis": BASIS})
BATNA = forms.members(
    {"description": forms.text, "terms": forms.by_ref(single)}, {"validUntil": day_or_instant, "basis": BASIS}
)
PROPOSAL = forms.members(
    {"ref": forms.ref, "side": SIDES, "terms": TERMS},
    {
        "amends": forms.ref,
        "madeAt": instant,
        "validUntil": day_or_instant,
        "conditions": forms.listed(forms.text),
        "locator": forms.words,
    },
)
JUDGEMENT = forms.members(
    {
        "ref": forms.ref,
        "kind": forms.one_of(names.JudgementKind),
        "text": forms.text,
        "dependsOn": forms.listed(forms.text, key=forms.itself),
    },
    {"recommendation": forms.text, "supersedes": forms.ref},
)
_OTHER_STATES = tuple(state for state in names.ConcessionState if state not in ("OFFERED", "GRANTED"))
CONCESSION = forms.members(
    {
        "ref": forms.ref,
        "side": SIDES,
        "issue": forms.ref,
        "from": single,
        "to": single,
        "state": forms.one_of(names.ConcessionState, without=_OTHER_STATES),
    },
    {
        "inExchangeFor": forms.listed(forms.ref, key=forms.itself),
        "proposal": forms.ref,
        "condition": forms.text,
        "locator": forms.words,
    },
)


def value_type(raw: Any, path: str, problems: Problems) -> Any:
    return raw if raw in VALUE_TYPES else note(problems, path, f"has to be one of {', '.join(VALUE_TYPES)}")


def currency(raw: Any, path: str, problems: Problems) -> Any:
    if is_currency(raw):
        return raw
    return note(problems, path, "has to be an ISO 4217 code in upper case, such as EUR", ValueFormat.code)


def fact(raw: Any, path: str, problems: Problems) -> Any:
    """`subject/attribute`, as a pair."""
    parts = raw.split("/") if isinstance(raw, str) else ()
    if len(parts) != _FACT_PARTS:
        return note(problems, path, "has to be subject/attribute")
    found = tuple(forms.name(part, path, problems) for part in parts)
    return None if None in found else found


_ISSUE = forms.members(
    {
        "ref": forms.ref,
        "label": forms.text,
        "type": value_type,
        "direction": forms.one_of(names.Direction),
    },
    {"options": forms.listed(forms.text, at_least=1, key=forms.itself), "weight": forms.decimal},
)


def issue(raw: Any, path: str, problems: Problems) -> Any:
    found = _ISSUE(raw, path, problems)
    if found is not None and found.get("options") and found.get("type") != "text":
        return note(problems, path + "/options", "belong to issues of type text")
    return found


ATTRIBUTE = forms.members({"name": forms.name}, {"multiValued": forms.flag})
_RATE = forms.members(
    {"from": currency, "to": currency, "rate": forms.decimal, "asOf": day_or_instant}, {"basis": BASIS}
)


def rate(raw: Any, path: str, problems: Problems) -> Any:
    found = _RATE(raw, path, problems)
    if found is not None and found.get("from") is not None and found.get("from") == found.get("to"):
        return note(problems, path + "/to", "has to be another currency")
    return found


PARTY = forms.members({"ref": forms.ref, "name": forms.text, "side": forms.one_of(names.Side)})


def parties(raw: Any, path: str, problems: Problems) -> Any:
    """The parties: `user` is of the own side, and somebody is on the other."""
    found = forms.listed(PARTY, key=forms.ref_of)(raw, path, problems)
    if not found or None in found:
        return found or note(problems, path, "has to name the parties")
    sides = {party.get("ref"): party.get("side") for party in found}
    if sides.get("user") != names.Side.OWN:
        note(problems, path, "has to have a party `user` of side OWN")
    if names.Side.COUNTERPART not in sides.values():
        note(problems, path, "has to have a party of side COUNTERPART")
    return found


_ON_ISSUE = forms.members({"issue": forms.ref})
_ON_FACT = forms.members({"fact": fact})


def criterion_on(raw: Any, path: str, problems: Problems) -> Any:
    reader: Reader = _ON_FACT if isinstance(raw, dict) and "fact" in raw else _ON_ISSUE
    return reader(raw, path, problems)


_CRITERION = forms.members(
    {"ref": forms.ref, "label": forms.text, "comparator": forms.one_of(names.Comparator)},
    {"on": criterion_on, "value": one_or_more, "mandatory": forms.flag},
)
_VALUELESS = (names.Comparator.PRESENT, names.Comparator.MANUAL)


def criterion(raw: Any, path: str, problems: Problems) -> Any:
    """A criterion: MANUAL reads nothing, PRESENT takes no value, ONE_OF a list, the others one value."""
    found = _CRITERION(raw, path, problems)
    if found is None or found.get("comparator") is None:
        return found
    comparator = found["comparator"]
    if (comparator == names.Comparator.MANUAL) == (raw.get("on") is not None):
        note(problems, path + "/on", "belongs to every comparator but MANUAL")
    if (comparator in _VALUELESS) == (raw.get("value") is not None):
        note(problems, path + "/value", "belongs to comparators that compare")
    elif raw.get("value") is not None and (comparator == names.Comparator.ONE_OF) != isinstance(raw["value"], list):
        note(problems, path + "/value", "has to be a list for ONE_OF, and one value otherwise")
    return found
