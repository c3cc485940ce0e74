"""What happened, in words: names of fields, changes, events, and the difference between two versions.

Everything works on wire forms; what people wrote is kept in their own language. Source: sections 1, 6 and 14.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from negotiation_app.protocol.row_words import content_of, part_in_words, standing_of
from negotiation_app.protocol.value_words import Json, cut, word


def field_in_words(path: str) -> str:
    """Return the path of a field as a short name: `boundaries/fee/TARGET` is `target of fee`."""
    family, _, rest = path.partition("/")
    first, _, second = rest.partition("/")
    if path == "negotiation/expectedToContinue":
        return "whether it is expected to continue"
    if family == "boundaries" and second:
        return f"{second.lower()} of {first}"
    if family == "facts":
        return f"{second} of {first}" if second else f"facts of {first}"
    if family == "offers" and first:
        return "our current offer" if first == "OWN" else "their current offer"
    if family == "derived" and rest:
        return _computed_in_words(rest.split("/"))
    return f"{_FAMILIES.get(family, family)} {rest}".strip()


def change_in_words(change: Json) -> str:
    """Return one change `{field, before, after}` as a sentence, which says only what is different."""
    path, before, after = change["field"], change.get("before"), change.get("after")
    name = _capital(field_in_words(path))
    if before is None and after is None:
        return f"{name}: recorded."
    if before is None:
        return f"{name}: now {_said(path, after)}."
    if after is None:
        return f"{name}: {_said(path, before)} is gone."
    if isinstance(before, list) and isinstance(after, list):
        return f"{name}: {_lists_in_words(before, after)}."
    if content_of(before) != content_of(after):
        return f"{name}: {_said(path, before)}, now {_said(path, after)}."
    return _standing_in_words(name, before, after)


def event_in_words(event: Json) -> str:
    """Return a history event as a paragraph: what it was, whose words, and what it changed."""
    party = f" of {event['party']}" if event.get("party") else ""
    source = f" ({event['locator']})" if event.get("locator") else ""
    said = [_sentence(event[name]) for name in ("text", "reason") if (event.get(name) or "").strip()]
    effect = [change_in_words(change) for change in event["changes"]] or ["Nothing changed."]
    version = f"version {event['stateVersion']}" if event["material"] else f"still version {event['stateVersion']}"
    head = f"{_capital(word(event['type']))}{party}{source}, {event['occurredAt']}, {version}."
    return " ".join((head, *said, *effect))


def differences(before: Json, after: Json) -> list[Json]:
    """Return what is different between two state documents: `{field, before, after, words}`, in their order."""
    found = []
    for family in _COMPARED:
        old, new = dict(_rows(family, before.get(family))), dict(_rows(family, after.get(family)))
        for path in dict.fromkeys([*old, *new]):
            if old.get(path) != new.get(path):
                change = {"field": path, "before": old.get(path), "after": new.get(path)}
                found.append({**change, "words": change_in_words(change)})
    return found


_COMPARED = (
    "negotiation", "process", "parties", "issues", "attributes", "rates", "propositions", "evidence", "contradictions",
    "offers", "proposals", "boundaries", "batna", "criteria", "concessions", "reviews", "overrides", "judgements",
    "strategy", "patches", "findings", "decisions",
)  # fmt: skip
_FAMILIES = {
    "negotiation": "the negotiation's",
    "process": "the process'",
    "parties": "party",
    "issues": "issue",
    "attributes": "attribute",
    "rates": "rate of",
    "propositions": "proposition",
    "evidence": "evidence of",
    "contradictions": "contradiction",
    "proposals": "proposal",
    "batna": "BATNA",
    "criteria": "criterion",
    "concessions": "concession",
    "reviews": "review",
    "overrides": "override",
    "judgements": "judgement",
    "patches": "patch",
    "findings": "finding",
    "decisions": "decision",
    "derived": "what is computed",
}
_AGAINST = {"vsTarget": "against the target", "vsFloor": "against the floor", "vsBatna": "against the BATNA"}
# Fields that hold nothing but one of the protocol's own words.
_OWN_WORDS = ("negotiation/status", "negotiation/mode", "process/counterpart")


def _computed_in_words(path: list[str]) -> str:
    family, *rest = path
    if family == "offers" and rest:
        return " ".join((_whose(rest[0]), "offer:", *(_AGAINST.get(each, each) for each in rest[1:])))
    if family == "concessions" and rest:
        return f"{_whose(rest[0])} moves on {' '.join(rest[1:])}"
    return f"{family} of {' '.join(rest)}" if rest else family


def _whose(side: str) -> str:
    return "our" if side == "OWN" else "their"


def _said(path: str, part: Any) -> str:
    if isinstance(part, bool):
        return "yes" if part else "no"
    is_own_word = path in _OWN_WORDS or path.startswith("derived/")
    return word(part) if is_own_word and isinstance(part, str) else part_in_words(part)


def _lists_in_words(before: list[Any], after: list[Any]) -> str:
    told = {
        "added": [each for each in after if each not in before],
        "gone": [each for each in before if each not in after],
    }
    return cut("; ".join(f"{content_of(items)} {name}" for name, items in told.items() if items) or "in another order")


def _standing_in_words(name: str, before: Any, after: Any) -> str:
    """Say what became of a row that says the same as before."""
    content, old, new = content_of(after), standing_of(before), standing_of(after)
    told = f"{name} ({content})" if content else name
    if old == new:
        return f"{told}: {f'{old} as before' if old else 'as before'}; something that belongs to it changed."
    if not new:
        return f"{told}: no longer {old}."
    return f"{told}: {old}, now {new}." if old else f"{told}: now {new}."


def _rows(family: str, part: Any) -> Iterator[tuple[str, Any]]:
    """Yield the rows of one member of a state document under their field paths."""
    if family == "rates":
        for row in part or ():
            yield f"rates/{row['base']}/{row['quote']}/{row['asOf']}", row
    elif family == "boundaries":
        for issue, bounds in (part or {}).items():
            yield from ((f"boundaries/{issue}/{kind}", row) for kind, row in bounds.items())
    elif family in {"batna", "strategy"}:
        yield family, part
    else:
        place = "evidence item" if family == "evidence" else family
        yield from ((f"{place}/{key}", row) for key, row in (part or {}).items())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    told = cut(" ".join(text.split()))
    return told if told.endswith((".", "!", "?", "…", "。")) else f"{told}."
