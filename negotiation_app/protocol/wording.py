"""What a state says, in words: values, changes of fields, and the difference between two versions.

Works on the wire forms of values and fields; whatever has another form is shown as JSON. Source: sections 4 and 6.
"""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.canonical import dumps

Json = dict[str, Any]
MOST_CHARS = 400
NOTHING = "nothing"


def value_in_words(value: Any) -> str:
    """Return a value of section 4 as people write it: `182,000 USD a year`, `5 %`, `from 90,000 CNY`."""
    if value is None:
        return NOTHING
    if not _is_value(value):
        return _cut(value if isinstance(value, str) else dumps(value))
    return _cut(_WRITERS[value["type"]](value))


def field_in_words(path: str) -> str:
    """Return the path of a field as a short name: `boundaries/fee/TARGET` is `target of fee`."""
    family, _, rest = path.partition("/")
    first, _, second = rest.partition("/")
    if family == "boundaries" and second:
        return f"{second.lower()} of {first}"
    if family == "facts":
        return f"{second} of {first}" if second else f"facts of {first}"
    if family == "offers":
        return "our current offer" if first == "OWN" else "their current offer"
    return f"{_FAMILIES.get(family, family)} {rest}".strip()


def change_in_words(change: Json) -> str:
    """Return one change `{field, before, after}` as a sentence."""
    name = field_in_words(change["field"])
    before, after = change.get("before"), change.get("after")
    if before is None:
        return f"{_capital(name)}: now {part_in_words(after)}."
    if after is None:
        return f"{_capital(name)}: {part_in_words(before)} is gone."
    return f"{_capital(name)}: {part_in_words(before)}, now {part_in_words(after)}."


def part_in_words(part: Any) -> str:
    """Return the content of a field in short: its value, its words, or its status."""
    if not isinstance(part, dict) or _is_value(part):
        return value_in_words(part)
    for name in ("value", "terms", "description", "label", "text", "name", "status", "proposal"):
        if part.get(name) is not None:
            return terms_in_words(part[name]) if name == "terms" else value_in_words(part[name])
    return _cut(dumps(part))


def terms_in_words(terms: Any) -> str:
    """Return the terms of a proposal: `fee 182,000 USD a year, seats 500`."""
    if not isinstance(terms, dict):
        return value_in_words(terms)
    return ", ".join(f"{issue} {value_in_words(value)}" for issue, value in terms.items()) or NOTHING


def differences(before: Json, after: Json) -> list[Json]:
    """Return what is different between two state documents: `{field, before, after, words}`, in their order."""
    found = []
    for family in _COMPARED:
        old, new = _rows(before.get(family)), _rows(after.get(family))
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                change = {"field": f"{family}/{key}".rstrip("/"), "before": old.get(key), "after": new.get(key)}
                found.append({**change, "words": change_in_words(change)})
    return found


_COMPARED = (
    "negotiation", "process", "issues", "propositions", "contradictions", "offers", "proposals", "boundaries", "batna",
    "criteria", "concessions", "reviews", "overrides", "judgements", "findings",
)  # fmt: skip
_CONTENT = {"amount", "value", "low", "high"}
_FAMILIES = {
    "propositions": "proposition",
    "contradictions": "contradiction",
    "proposals": "proposal",
    "batna": "BATNA",
    "criteria": "criterion",
    "concessions": "concession",
    "reviews": "review",
    "overrides": "override",
    "judgements": "judgement",
    "findings": "finding",
    "evidence": "evidence",
    "negotiation": "the negotiation's",
    "process": "the process'",
    "issues": "issue",
}


def _is_value(part: Any) -> bool:
    """Tell a value of section 4 from another row that has a type."""
    return isinstance(part, dict) and part.get("type") in _WRITERS and bool(_CONTENT & part.keys())


def _rows(family: Any) -> Json:
    if not isinstance(family, dict):
        return {} if family is None else {"": family}
    is_one = "description" in family
    return {"": family} if is_one else family


def _amount(text: str) -> str:
    """Return a decimal text with its thousands apart."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, mark, decimals = digits.partition(".")
    return f"{sign}{int(whole):,}{mark}{decimals}" if whole.isdecimal() else text


def _money(value: Json) -> str:
    per = f" a {value['per']}" if value.get("per") else ""
    return f"{_amount(value['amount'])} {value['currency']}{per}{_qualified(value)}"


def _number(value: Json) -> str:
    return f"{_amount(value['amount'])} {value.get('unit') or ''}".strip() + _qualified(value)


def _percent(value: Json) -> str:
    return f"{_amount(value['amount'])} {value.get('unit') or '%'}{_qualified(value)}"


def _duration(value: Json) -> str:
    plural = "" if value["amount"] in {"1", "-1"} else "s"
    return f"{_amount(value['amount'])} {value['unit'].replace('_', ' ')}{plural}"


def _plain(value: Json) -> str:
    return str(value["value"])


def _boolean(value: Json) -> str:
    return "yes" if value["value"] else "no"


def _range(value: Json) -> str:
    low, high = value.get("low"), value.get("high")
    if high is None:
        return f"from {value_in_words(low)}"
    return f"up to {value_in_words(high)}" if low is None else f"{value_in_words(low)} to {value_in_words(high)}"


def _qualified(value: Json) -> str:
    return f" {value['qualifier']}" if value.get("qualifier") else ""


_WRITERS = {
    "money": _money,
    "number": _number,
    "percent": _percent,
    "duration": _duration,
    "date": _plain,
    "text": _plain,
    "boolean": _boolean,
    "range": _range,
}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
