"""When statements hold: overlapping as-ofs, later starts, and what holds at a moment. Sections 4 and 8."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from negotiation_app.protocol.intervals import Interval, interval
from negotiation_app.protocol.rows import Proposition


def overlap(one: Proposition, other: Proposition) -> bool:
    """Tell whether there is a moment for which both statements are made."""
    left, right = interval(one.as_of), interval(other.as_of)
    return not (_ends_before(left, right) or _ends_before(right, left))


def starts_at(proposition: Proposition) -> datetime | None:
    """Return when the statement begins to hold; None for always."""
    return interval(proposition.as_of).start


def begins_later(new: Proposition, old: Proposition) -> bool:
    """Tell whether `new` begins to hold after the start of `old`."""
    start, earlier = starts_at(new), starts_at(old)
    return start is not None and (earlier is None or start > earlier)


def holding(propositions: Sequence[Proposition], at: datetime) -> tuple[list[Proposition], bool]:
    """Return those that hold at `at`; else those that held last before it, and True for carried forward."""
    held = {each.ref: interval(each.as_of) for each in propositions}
    covering = [each for each in propositions if _covers(held[each.ref], at)]
    if covering:
        return covering, False
    over = {ref: each.end for ref, each in held.items() if each.end is not None and each.end < at}
    if not over:
        return [], False
    last = max(over.values())
    return [each for each in propositions if over.get(each.ref) == last], True


def _covers(held: Interval, at: datetime) -> bool:
    return (held.start is None or held.start <= at) and (held.end is None or at <= held.end)


def _ends_before(one: Interval, other: Interval) -> bool:
    return one.end is not None and other.start is not None and one.end < other.start
