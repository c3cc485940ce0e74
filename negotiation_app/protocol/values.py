"""Values: tagged objects, stored as they were stated. Amounts are decimal texts, never floating point.

Instead of `amount` a value may have `text` with `locale`; it is stored as the plain amount that the locale makes of it.
Source: section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from negotiation_app.protocol import refusals
from negotiation_app.protocol.forms import Problems, note
from negotiation_app.protocol.locales import amount_in
from negotiation_app.protocol.units import DURATION_UNITS, PERCENT_UNITS

Json = dict[str, Any]
FORMAT = refusals.ValueFormat.code

AMOUNT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
MOST_DIGITS = 40
# No rate is asked for between the two ends of one range.
_NO_TIME = datetime.max.replace(tzinfo=UTC)
MOST_TEXT = 20_000
_CURRENCY = re.compile("[A-Z]{3}")
_WORD = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,62}[^\s\x00-\x1f\x7f])?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)


@dataclass(frozen=True)
class Value:
    """One value; `type` is its tag, `members` are the others as they are stored."""

    type: str
    members: tuple[tuple[str, Any], ...]

    def as_json(self) -> Json:
        """Return the value as it is stored and sent."""
        return {"type": self.type, **{name: _sent(member) for name, member in self.members}}

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        return dict(self.members)

    def get(self, name: str) -> Any:
        return self.fields.get(name)


Reader = Callable[[Json, str, Problems], Any]


def read_value(raw: Any, path: str, problems: Problems) -> Value | None:
    """Return the value that `raw` states, or None and a problem (VALUE_FORMAT) with its place."""
    if not isinstance(raw, dict):
        note(problems, path, "has to be an object with a type", FORMAT)
        return None
    kind = raw.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None or not isinstance(kind, str):
        note(problems, f"{path}/type", f"has to be one of {', '.join(_READERS)}", FORMAT)
        return None
    found = len(problems)
    unknown = next((name for name in raw if name not in _MEMBERS[kind]), None)
    if unknown is not None:
        note(problems, path, f"a {kind} has only {', '.join(_MEMBERS[kind])}", FORMAT)
    members = reader(raw, path, problems)
    if members is None or len(problems) > found:
        return None
    return Value(kind, tuple(members.items()))


def calendar_day(value: Value) -> date | None:
    """Return the day of a date, of an instant the day at its own offset; None for what is no date."""
    text = value.get("value")
    return date.fromisoformat(text[:10]) if value.type == "date" else None


def instant_of(value: Value) -> datetime | None:
    """Return the instant of a date that is one, None for a day."""
    text = value.get("value")
    if value.type != "date" or _DAY.fullmatch(text):
        return None
    return _parsed(text)


def _sent(member: Any) -> Any:
    return member.as_json() if isinstance(member, Value) else member


def _money(raw: Json, path: str, problems: Problems) -> Any:
    amount = _amount(raw, path, problems)
    currency = raw.get("currency")
    if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
        note(problems, f"{path}/currency", "has to be an ISO 4217 code in upper case, such as EUR", FORMAT)
    return _with(raw, path, problems, {"amount": amount, "currency": currency}, ("per", "qualifier"))


def _number(raw: Json, path: str, problems: Problems) -> Any:
    return _with(raw, path, problems, {"amount": _amount(raw, path, problems)}, ("unit", "qualifier"))


def _percent(raw: Json, path: str, problems: Problems) -> Any:
    if raw.get("unit") is not None and raw["unit"] not in PERCENT_UNITS:
        note(problems, f"{path}/unit", "has to be % or bps", FORMAT)
    return _number(raw, path, problems)


def _duration(raw: Json, path: str, problems: Problems) -> Any:
    unit = raw.get("unit")
    if not isinstance(unit, str) or unit not in DURATION_UNITS:
        note(problems, f"{path}/unit", f"has to be one of {', '.join(sorted(DURATION_UNITS))}", FORMAT)
    return {"amount": _amount(raw, path, problems), "unit": unit}


def _date(raw: Json, path: str, problems: Problems) -> Any:
    text = raw.get("value")
    if isinstance(text, str) and (_DAY.fullmatch(text) or _INSTANT.fullmatch(text)) and _exists(text):
        return {"value": text}
    return note(problems, f"{path}/value", "has to be a day (2026-09-30) or an RFC 3339 instant with an offset", FORMAT)


def _text(raw: Json, path: str, problems: Problems) -> Any:
    text = raw.get("value")
    if not isinstance(text, str) or len(text) > MOST_TEXT or not text.strip():
        note(problems, f"{path}/value", f"has to be a text of at most {MOST_TEXT} characters", FORMAT)
    return _with(raw, path, problems, {"value": text}, ("lang",))


def _boolean(raw: Json, path: str, problems: Problems) -> Any:
    if isinstance(raw.get("value"), bool):
        return {"value": raw["value"]}
    return note(problems, f"{path}/value", "has to be true or false", FORMAT)


def _range(raw: Json, path: str, problems: Problems) -> Any:
    if "low" not in raw or "high" not in raw:
        return note(problems, path, "has both low and high; one of them may be null", FORMAT)
    low, high = (_end(raw[name], f"{path}/{name}", problems) for name in ("low", "high"))
    if raw["low"] is None and raw["high"] is None:
        return note(problems, path, "has at least one end", FORMAT)
    if low is not None and high is not None and not _in_order(low, high):
        return note(problems, path, "has two ends of one kind that compare, the low one first", FORMAT)
    return {"low": low, "high": high}


def _end(raw: Any, path: str, problems: Problems) -> Any:
    if isinstance(raw, dict) and raw.get("type") in ("range", "text", "boolean"):
        return note(problems, f"{path}/type", "is no kind that has an order", FORMAT)
    return None if raw is None else read_value(raw, path, problems)


def _in_order(low: Value, high: Value) -> bool:
    from negotiation_app.protocol.comparison import Comparison, compare  # noqa: PLC0415 - it compares these values

    return compare(low, high, (), _NO_TIME) in {Comparison.EQUAL, Comparison.LESS, Comparison.COMPATIBLE}


def _amount(raw: Json, path: str, problems: Problems) -> Any:
    if "text" in raw or "locale" in raw:
        return _localised(raw, path, problems)
    amount = raw.get("amount")
    if isinstance(amount, str) and len(amount) <= MOST_DIGITS and AMOUNT.fullmatch(amount):
        return amount
    return note(problems, f"{path}/amount", "has to be a plain decimal text, such as 1250.50", FORMAT)


def _localised(raw: Json, path: str, problems: Problems) -> Any:
    text, locale = raw.get("text"), raw.get("locale")
    if "amount" in raw or not isinstance(text, str) or not isinstance(locale, str):
        return note(problems, f"{path}/text", "goes with a locale, and takes the place of amount", FORMAT)
    amount = amount_in(text, locale)
    if amount is None or len(amount) > MOST_DIGITS:
        return note(problems, f"{path}/text", f"is no amount as {locale[:20]} writes it", FORMAT)
    return amount


def _with(raw: Json, path: str, problems: Problems, members: Json, names: tuple[str, ...]) -> Json:
    """Add the optional words of a value that are there."""
    for name in names:
        word = raw.get(name)
        if word is None:
            continue
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            note(problems, f"{path}/{name}", "has to be a short text", FORMAT)
        members[name] = word
    return members


def _exists(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
        _parsed(text)
    except (ValueError, OverflowError):
        return False
    return True


def _parsed(text: str) -> datetime:
    return datetime.fromisoformat(text.upper())


_READERS: dict[str, Reader] = {
    "money": _money,
    "number": _number,
    "percent": _percent,
    "duration": _duration,
    "date": _date,
    "text": _text,
    "boolean": _boolean,
    "range": _range,
}
_STATED = ("type", "amount", "text", "locale")
_MEMBERS: dict[str, tuple[str, ...]] = {
    "money": (*_STATED, "currency", "per", "qualifier"),
    "number": (*_STATED, "unit", "qualifier"),
    "percent": (*_STATED, "unit", "qualifier"),
    "duration": (*_STATED, "unit"),
    "date": ("type", "value"),
    "text": ("type", "value", "lang"),
    "boolean": ("type", "value"),
    "range": ("type", "low", "high"),
}
