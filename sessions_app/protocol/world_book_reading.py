"""The entries of a world book in wire form: read with every problem found, kept in one normal form.

`{id, title, content, keys, order, enabled, constant, caseSensitive, wholeWords, secondaryKeys, secondaryLogic,
stateCondition?, original?}`. Only `content` is needed. `id` is made where it is missing, and is there once. A condition
has to compile. `original` is the entry as it was imported, for export; nothing here reads it.

Source: rp.state, section 12, "World-book entries".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.errors import WorldBookInvalid
from sessions_app.protocol.findings import Findings
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import is_safe_integer
from sessions_app.protocol.text import has_surrogate, trimmed
from sessions_app.protocol.values import normalised
from sessions_app.protocol.world_book import Entry, SecondaryLogic, checked_condition

Json = dict[str, Any]
MEMBERS = (
    "id", "title", "content", "keys", "order", "enabled", "constant", "caseSensitive", "wholeWords", "secondaryKeys",
    "secondaryLogic", "stateCondition", "original",
)  # fmt: skip
MOST_ENTRIES = 5_000
MOST_KEYS = 256
CONTENT_CHARS = 200_000
KEY_CHARS = 1_000
_FLAGS = {"enabled": True, "constant": False, "caseSensitive": False, "wholeWords": False}


def read_entries(raw: Any, limits: Limits) -> list[Json]:
    """Return the entries of a world book in normal form. Raises WorldBookInvalid or ConditionInvalid, all problems."""
    findings = Findings(limits)
    if not isinstance(raw, list) or len(raw) > MOST_ENTRIES:
        findings.add("/entries", f"Give a list of at most {MOST_ENTRIES} entries.", WorldBookInvalid)
        findings.raise_if_any()
    read = [_entry(each, index, findings) for index, each in enumerate(raw)]
    _check_ids(read, findings)
    findings.raise_if_any()
    return read


def entry_of(wire: Mapping[str, Any]) -> Entry:
    """Return an entry from its normal form."""
    return Entry(
        entry_id=wire["id"],
        content=wire["content"],
        keys=tuple(wire["keys"]),
        title=wire["title"],
        order=wire["order"],
        state_condition=wire.get("stateCondition"),
        enabled=wire["enabled"],
        constant=wire["constant"],
        case_sensitive=wire["caseSensitive"],
        whole_words=wire["wholeWords"],
        secondary_keys=tuple(wire["secondaryKeys"]),
        secondary_logic=SecondaryLogic(wire["secondaryLogic"]),
    )


def _entry(raw: Any, index: int, findings: Findings) -> Json:
    path = f"/entries/{index}"
    if not isinstance(raw, dict):
        findings.add(path, "An entry is an object.", WorldBookInvalid)
        return {}
    for name in raw:
        if name not in MEMBERS:
            findings.add(f"{path}/{str(name)[:100]}", "An entry has no such member.", WorldBookInvalid)
    entry: Json = {
        "id": _text(raw, "id", path, findings, default=str(index + 1), most=128),
        "title": _text(raw, "title", path, findings, default="", most=KEY_CHARS),
        "content": _text(raw, "content", path, findings, default=None, most=CONTENT_CHARS),
        "keys": _keys(raw, "keys", path, findings),
        "order": _order(raw, path, findings),
        **{name: _flag(raw, name, default, path, findings) for name, default in _FLAGS.items()},
        "secondaryKeys": _keys(raw, "secondaryKeys", path, findings),
        "secondaryLogic": _logic(raw, path, findings),
    }
    condition = raw.get("stateCondition")
    if condition not in (None, "") and _compiles(condition, path, findings):
        entry["stateCondition"] = trimmed(condition)
    if raw.get("original") is not None:
        entry["original"] = _original(raw["original"], path, findings)
    return entry


def _check_ids(entries: list[Json], findings: Findings) -> None:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        name = entry.get("id", "")
        if name in seen and isinstance(name, str):
            findings.add(f"/entries/{index}/id", "Another entry has this id.", WorldBookInvalid)
        seen.add(name)


def _text(raw: Json, name: str, path: str, findings: Findings, *, default: str | None, most: int) -> str:
    value = raw.get(name, default)
    if not isinstance(value, str) or len(value) > most or has_surrogate(value):
        findings.add(f"{path}/{name}", f"It is a text of at most {most} characters.", WorldBookInvalid)
        return ""
    return value


def _keys(raw: Json, name: str, path: str, findings: Findings) -> list[str]:
    value = raw.get(name, [])
    if not isinstance(value, list) or len(value) > MOST_KEYS:
        findings.add(f"{path}/{name}", f"It is a list of at most {MOST_KEYS} texts.", WorldBookInvalid)
        return []
    for place, key in enumerate(value):
        if not isinstance(key, str) or len(key) > KEY_CHARS or has_surrogate(key):
            detail = f"It is a text of at most {KEY_CHARS} characters."
            findings.add(f"{path}/{name}/{place}", detail, WorldBookInvalid)
    return value


def _order(raw: Json, path: str, findings: Findings) -> int:
    value = raw.get("order", 100)
    if not is_safe_integer(value):
        findings.add(f"{path}/order", "It is a whole number.", WorldBookInvalid)
        return 0
    return int(value)


def _flag(raw: Json, name: str, default: bool, path: str, findings: Findings) -> bool:
    value = raw.get(name, default)
    if not isinstance(value, bool):
        findings.add(f"{path}/{name}", "It is true or false.", WorldBookInvalid)
        return default
    return value


def _logic(raw: Json, path: str, findings: Findings) -> str:
    value = raw.get("secondaryLogic", SecondaryLogic.AND_ANY.value)
    if not isinstance(value, str) or value not in set(SecondaryLogic):
        findings.add(f"{path}/secondaryLogic", f"It is one of {', '.join(SecondaryLogic)}.", WorldBookInvalid)
    return str(value)


def _compiles(condition: Any, path: str, findings: Findings) -> bool:
    try:
        checked_condition(condition)
    except ConditionInvalid as refused:
        findings.add(f"{path}/stateCondition", refused.problems[0].detail, ConditionInvalid)
        return False
    return True


def _original(value: Any, path: str, findings: Findings) -> Any:
    if not isinstance(value, dict):
        findings.add(f"{path}/original", "It is the object that was imported.", WorldBookInvalid)
        return None
    return findings.asked(f"{path}/original", lambda: normalised(value, findings.limits))
