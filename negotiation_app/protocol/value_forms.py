"""Reading a value as a client states it: its members, each in its form, and nothing guessed.

- Amounts are plain decimal texts; their digits are kept. No JSON number, exponent, plus sign or grouping mark.
- Instead of `amount` there may be `text` with `locale`; it is stored as the plain amount that the locale makes of it.
- Currencies are those of ISO 4217; units of numbers, periods of prices and qualifiers are free words.

Source: section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol import forms, refusals
from negotiation_app.protocol.comparison import Comparison, compare
from negotiation_app.protocol.currencies import is_currency
from negotiation_app.protocol.forms import MAX_TEXT, Problems
from negotiation_app.protocol.locales import amount_in
from negotiation_app.protocol.units import DURATION_UNITS, PERCENT_UNITS
from negotiation_app.protocol.values import DAY, Value, parsed_instant

Json = dict[str, Any]
Reader = Callable[[Json, str, Problems], Any]

MOST_DIGITS = 40
_AMOUNT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_WORD = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,62}[^\s\x00-\x1f\x7f])?")
_INSTANT = re.compile(
    DAY.pattern + r"T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)
_ORDERED = ("money", "number", "percent", "duration", "date")
# No rate is asked for between the two ends of one range.
_NO_TIME = datetime.max.replace(tzinfo=UTC)


def read_value(raw: Any, path: str, problems: Problems) -> Value | None:
    """Return the value that `raw` states, or None and problems (VALUE_FORMAT) with their places.

    `read_value(value.as_json(), …) == value` for every value that this returned.
    """
    if not isinstance(raw, dict):
        _note(problems, path, "has to be an object with a type")
        return None
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        _note(problems, f"{path}/type", f"has to be one of {', '.join(_KINDS)}")
        return None
    names, reader = _KINDS[kind]
    found = len(problems)
    for name in raw:
        if name not in names and name != "type":
            _note(problems, pointer(path, name), f"is no member of a value of type {kind}: {', '.join(names)}")
    members = reader(raw, path, problems)
    return None if len(problems) > found else Value(kind, tuple(members.items()))


def _note(problems: Problems, path: str, detail: str) -> Any:
    return forms.note(problems, path, detail, refusals.ValueFormat.code)


def _money(raw: Json, path: str, problems: Problems) -> Any:
    amount, currency = _amount(raw, path, problems), raw.get("currency")
    if not is_currency(currency):
        _note(problems, f"{path}/currency", "has to be an ISO 4217 code in upper case, such as EUR")
    return {"amount": amount, "currency": currency, **_words(raw, ("per", "qualifier"), path, problems)}


def _number(raw: Json, path: str, problems: Problems) -> Any:
    return {"amount": _amount(raw, path, problems), **_words(raw, ("unit", "qualifier"), path, problems)}


def _percent(raw: Json, path: str, problems: Problems) -> Any:
    members = _number(raw, path, problems)
    if isinstance(members.get("unit", "%"), str) and members.get("unit", "%") not in PERCENT_UNITS:
        _note(problems, f"{path}/unit", "has to be % or bps")
    return members


def _duration(raw: Json, path: str, problems: Problems) -> Any:
    unit = raw.get("unit")
    if not isinstance(unit, str) or unit not in DURATION_UNITS:
        _note(problems, f"{path}/unit", f"has to be one of {', '.join(sorted(DURATION_UNITS))}")
    return {"amount": _amount(raw, path, problems), "unit": unit}


def _date(raw: Json, path: str, problems: Problems) -> Any:
    text = raw.get("value")
    if not isinstance(text, str) or not _is_date(text):
        _note(problems, f"{path}/value", "has to be a day (2026-09-30) or an RFC 3339 instant with an offset")
    return {"value": text}


def _text(raw: Json, path: str, problems: Problems) -> Any:
    text = raw.get("value")
    if not isinstance(text, str) or len(text) > MAX_TEXT or not text.strip():
        _note(problems, f"{path}/value", f"has to be a text that says something, of at most {MAX_TEXT} characters")
    return {"value": text, **_words(raw, ("lang",), path, problems)}


def _boolean(raw: Json, path: str, problems: Problems) -> Any:
    if not isinstance(raw.get("value"), bool):
        _note(problems, f"{path}/value", "has to be true or false")
    return {"value": raw.get("value")}


def _range(raw: Json, path: str, problems: Problems) -> Any:
    if "low" not in raw or "high" not in raw:
        return _note(problems, path, "has both low and high; one of them may be null")
    if raw["low"] is None and raw["high"] is None:
        return _note(problems, path, "has at least one end")
    low, high = (_end(raw[name], f"{path}/{name}", problems) for name in ("low", "high"))
    if low is not None and high is not None and not _is_forward(low, high):
        _note(problems, path, "has two ends of one kind that compare, the low one first")
    return {"low": low, "high": high}


def _end(raw: Any, path: str, problems: Problems) -> Value | None:
    if raw is None:
        return None
    if isinstance(raw, dict) and isinstance(raw.get("type"), str) and raw["type"] not in _ORDERED:
        _note(problems, f"{path}/type", f"has to be one of {', '.join(_ORDERED)}")
        return None
    return read_value(raw, path, problems)


def _is_forward(low: Value, high: Value) -> bool:
    return compare(low, high, (), _NO_TIME) in {Comparison.EQUAL, Comparison.LESS, Comparison.COMPATIBLE}


def _amount(raw: Json, path: str, problems: Problems) -> Any:
    amount, text, locale = raw.get("amount"), raw.get("text"), raw.get("locale")
    if text is not None or locale is not None:
        return _localised(amount, text, locale, path, problems)
    if not isinstance(amount, str) or len(amount) > MOST_DIGITS or not _AMOUNT.fullmatch(amount):
        return _note(
            problems, f"{path}/amount", f"has to be a plain decimal text of at most {MOST_DIGITS} marks: 1250.50"
        )
    return amount


def _localised(amount: Any, text: Any, locale: Any, path: str, problems: Problems) -> Any:
    if amount is not None or not isinstance(text, str) or not isinstance(locale, str):
        return _note(problems, f"{path}/text", "goes with a locale, and takes the place of amount")
    amount = amount_in(text, locale)
    if amount is None or len(amount) > MOST_DIGITS:
        return _note(problems, f"{path}/text", f"is no amount as {locale[:20]!r} writes it")
    return amount


def _words(raw: Json, names: tuple[str, ...], path: str, problems: Problems) -> Json:
    """Return the optional words that are there."""
    words = {name: raw[name] for name in names if raw.get(name) is not None}
    for name, word in words.items():
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            _note(problems, f"{path}/{name}", "has to be a short text")
    return words


def _is_date(text: str) -> bool:
    try:
        if DAY.fullmatch(text):
            return bool(date.fromisoformat(text))
        return bool(_INSTANT.fullmatch(text) and parsed_instant(text))
    except ValueError:
        return False


_STATED = ("amount", "text", "locale")
# Type -> its members besides the type, and what reads them.
_KINDS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "money": ((*_STATED, "currency", "per", "qualifier"), _money),
    "number": ((*_STATED, "unit", "qualifier"), _number),
    "percent": ((*_STATED, "unit", "qualifier"), _percent),
    "duration": ((*_STATED, "unit"), _duration),
    "date": (("value",), _date),
    "text": (("value", "lang"), _text),
    "boolean": (("value",), _boolean),
    "range": (("low", "high"), _range),
}
