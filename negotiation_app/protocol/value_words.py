"""Values in words, on their wire form: short English around the words and digits that were stated. Section 4."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fabric_app.mesh.canonical import dumps

Json = dict[str, Any]
MOST_CHARS = 400
NOTHING = "nothing"
_PLAIN_AMOUNT = re.compile(r"(-?)([0-9]+)(\.[0-9]+)?")
_THOUSANDS = re.compile(r"(?<=[0-9])(?=(?:[0-9]{3})+$)")


def value_in_words(value: Any) -> str:
    """Return a value as people write it: `182,000 USD a year`, `5 %`, `from 90,000 CNY`.

    A text stands for itself, and what is no value is shown as JSON.
    """
    if value is None:
        return NOTHING
    if is_value(value):
        return cut(_WRITERS[value["type"]][1](value))
    return cut(value if isinstance(value, str) else dumps(value))


def terms_in_words(terms: Any) -> str:
    """Return values by issue: `fee 182,000 USD a year, seats 500`."""
    if not isinstance(terms, dict):
        return value_in_words(terms)
    return ", ".join(f"{issue} {value_in_words(value)}" for issue, value in terms.items()) or NOTHING


def is_value(part: Any) -> bool:
    """Tell a value of section 4 from other objects that have a type."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in _WRITERS and part.keys() >= _WRITERS[kind][0]


def word(name: Any) -> str:
    """Return a name of the protocol as a word: `SUPPORTED_INFERENCE` is `supported inference`."""
    return str(name).replace("_", " ").lower()


def cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


def _amount(text: Any) -> str:
    """Return a decimal with its thousands apart; every digit stays as it was stated."""
    found = _PLAIN_AMOUNT.fullmatch(str(text))
    return str(text) if found is None else f"{found[1]}{_THOUSANDS.sub(',', found[2])}{found[3] or ''}"


def _money(value: Json) -> str:
    per = f" {_article(value['per'])} {value['per']}" if value.get("per") else ""
    return f"{_amount(value['amount'])} {value['currency']}{per}{_qualified(value)}"


def _number(value: Json) -> str:
    return f"{_amount(value['amount'])} {value.get('unit') or ''}".strip() + _qualified(value)


def _percent(value: Json) -> str:
    return f"{_amount(value['amount'])} {value.get('unit') or '%'}{_qualified(value)}"


def _duration(value: Json) -> str:
    plural = "" if value["amount"] in {"1", "-1"} else "s"
    return f"{_amount(value['amount'])} {str(value['unit']).replace('_', ' ')}{plural}"


def _itself(value: Json) -> str:
    return str(value["value"])


def _boolean(value: Json) -> str:
    return "yes" if value["value"] else "no"


def _range(value: Json) -> str:
    low, high = value["low"], value["high"]
    if high is None:
        return f"from {value_in_words(low)}"
    return f"up to {value_in_words(high)}" if low is None else f"{value_in_words(low)} to {value_in_words(high)}"


def _qualified(value: Json) -> str:
    return f" {value['qualifier']}" if value.get("qualifier") else ""


def _article(noun: str) -> str:
    return "an" if noun[:4] == "hour" or noun[:1] in "aeio" else "a"


# Type -> the members that a value of it has in any case, and what writes it.
_WRITERS: dict[str, tuple[frozenset[str], Callable[[Json], str]]] = {
    "money": (frozenset(("amount", "currency")), _money),
    "number": (frozenset(("amount",)), _number),
    "percent": (frozenset(("amount",)), _percent),
    "duration": (frozenset(("amount", "unit")), _duration),
    "date": (frozenset(("value",)), _itself),
    "text": (frozenset(("value",)), _itself),
    "boolean": (frozenset(("value",)), _boolean),
    "range": (frozenset(("low", "high")), _range),
}
