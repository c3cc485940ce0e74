"""Rows of a state in words: what each says, and apart from it how it stands.

Works on the wire forms alike of the state document, of a change's before and after, and of a patch's payload: a row is
known by its members. Source: sections 3 and 13; form: the vectors' README.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fabric_app.mesh.canonical import dumps
from negotiation_app.protocol.value_words import NOTHING, Json, cut, is_value, terms_in_words, value_in_words, word

REVIEW = "to be looked at again"


def part_in_words(part: Any) -> str:
    """Return what stands in a field, in short: `95,000 EUR (hypothesis, disputed)`."""
    content, standing = content_of(part), standing_of(part)
    return cut(f"{content} ({standing})" if content and standing else content or standing or NOTHING)


def content_of(part: Any) -> str:
    """Return what a row says, without its status."""
    if isinstance(part, list):
        return ", ".join(map(content_of, part))
    if not isinstance(part, dict) or is_value(part):
        return value_in_words(part)
    for names, write in _CONTENTS:
        if part.get(names[0]) is not None and part.keys() >= set(names):
            return cut(write(part))
    return "" if standing_of(part) else cut(dumps(part))


def standing_of(part: Any) -> str:
    """Return how a row stands: its status and what is to be known of it; nothing where it has none."""
    if not isinstance(part, dict) or is_value(part):
        return ""
    return ", ".join(dict.fromkeys(_standing(part)))


def criterion_in_words(row: Json) -> str:
    """Return what a criterion asks for: `at least 100 EUR`, `one of Czech, English`, `present`."""
    values = row.get("values", row.get("value"))
    listed = values if isinstance(values, list) else [] if values is None else [values]
    return f"{word(row['comparator'])} {', '.join(map(value_in_words, listed))}".strip()


def gap_in_words(gap: Json) -> str:
    """Return the gap on an issue: `20,000 USD (11.11 %)`, `met`, `undetermined`."""
    if gap.get("amount") is None:
        return word(gap.get("state") or "UNDETERMINED")
    percent = f" ({gap['percent']} %)" if gap.get("percent") is not None else ""
    return value_in_words(gap["amount"]) + percent


def _move(row: Json) -> str:
    start, end = row.get("fromValue", row.get("from")), row.get("toValue", row.get("to"))
    return f"{row['issue']} from {value_in_words(start)} to {value_in_words(end)}"


def _alternative(row: Json) -> str:
    return f"{row['description']}: {terms_in_words(row['terms'])}" if row["terms"] else str(row["description"])


def _offer(row: Json) -> str:
    return f"{row['proposal']}, {terms_in_words(row['terms'])}"


def _contradiction(row: Json) -> str:
    return " against ".join(map(str, row["members"]))


def _rate(row: Json) -> str:
    return f"1 {row['base']} is {row['rate']} {row['quote']} from {row['asOf']}"


def _zone(row: Json) -> str:
    ends = [each for each in (row["low"], row["high"]) if each is not None]
    return word(row["exists"]) + (f", {' to '.join(map(value_in_words, ends))}" if ends else "")


def _pattern(row: Json) -> str:
    total = f", {row['total']} in all" if row.get("total") is not None else ""
    return f"{word(row['pattern'])}, {row['moves']} move{'' if row['moves'] == 1 else 's'}{total}"


def _reciprocity(row: Json) -> str:
    return f"{row['own']} of ours, {row['counterpart']} of theirs, {row['ownSinceLastCounterpart']} of ours since"


def _evidence(row: Json) -> str:
    source = row.get("locator") or ", ".join(row.get("premises") or ()) or row.get("simulation") or "no source"
    quote = f": “{row['quote']}”" if row.get("quote") else ""
    return f"{word(row['kind'])}, {source}{quote}"


def _patch(row: Json) -> str:
    return f"{len(row['operations'])} operations decided on version {row['stateVersion']}"


def _decision(row: Json) -> str:
    subject = f" {row['subject']}" if row.get("subject") else ""
    value = row.get("value")
    told = criterion_in_words(value) if isinstance(value, dict) and value.get("comparator") else content_of(value)
    return f"{word(row['kind'])}{subject}" + ("" if value is None else f", {told}")


def _text_of(name: str) -> Callable[[Json], str]:
    return lambda row: value_in_words(row[name])


# Members that tell a kind of row (the first of them not null) -> what writes it; the first that fits.
_CONTENTS: tuple[tuple[tuple[str, ...], Callable[[Json], str]], ...] = (
    (("comparator",), criterion_in_words),
    (("issue", "fromValue", "toValue"), _move),
    (("issue", "from", "to"), _move),
    (("base", "quote", "rate"), _rate),
    (("state", "amount"), gap_in_words),
    (("exists",), _zone),
    (("pattern", "moves"), _pattern),
    (("own", "counterpart", "ownSinceLastCounterpart"), _reciprocity),
    (("description", "terms"), _alternative),
    (("proposal", "terms"), _offer),
    (("terms",), lambda row: terms_in_words(row["terms"])),
    (("members",), _contradiction),
    (("triggers",), lambda row: ", ".join(map(word, row["triggers"]))),
    (("operations", "stateVersion"), _patch),
    (("kind", "seenVersion"), _decision),
    (("kind", "statedAs"), _evidence),
    (("value",), _text_of("value")),
    *(((name,), _text_of(name)) for name in ("text", "label", "name", "recommendation", "proposal")),
    (("multiValued",), lambda row: "may have several values" if row["multiValued"] else "has one value"),
    (("resolution",), lambda row: " ".join((word(row["resolution"]), str(row.get("winner") or ""))).strip()),
    (("review", "reason"), lambda row: f"{row['review']}, {row['reason']}"),
)


# Flags that are told where they are set, and as what.
_FLAGS = {
    "disputed": "disputed",
    "late": "late",
    "retired": "retired",
    "tainted": "simulated",
    "acknowledged": "acknowledged",
    "carriedForward": "carried forward",
    "reconfirm": "to be reconfirmed",
}


def _standing(part: Json) -> Iterator[str]:
    yield from (REVIEW if each == "NEEDS_REVIEW" else word(each) for each in _states(part) if each is not None)
    yield from (told for name, told in _FLAGS.items() if part.get(name) is True)


def _states(part: Json) -> Iterator[Any]:
    yield part.get("status")
    yield part.get("standing", part.get("result"))
    yield part.get("disposition")
    # The state of a gap is its content; a concession's is how it stands.
    yield part.get("state") if "issue" in part else None
    yield part["resolution"].get("resolution") if isinstance(part.get("resolution"), dict) else None
    yield from (part.get(name) for name in ("lifecycle", "reviewState") if part.get(name) in _TOLD)


_TOLD = ("SUPERSEDED", "NEEDS_REVIEW")
