"""As-ofs: what may be stated, and for which moments it stands. Section 4."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.mesh.errors import Problem
from negotiation_app.protocol.intervals import Interval, interval, read_as_of

LAST = {"hour": 23, "minute": 59, "second": 59, "microsecond": 999_999}


def start(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def end(year: int, month: int, day: int) -> datetime:
    return start(year, month, day).replace(**LAST)


HELD: tuple[tuple[Any, Interval], ...] = (
    (None, Interval()),
    ("2026", Interval(start(2026), end(2026, 12, 31))),
    ("2026-Q1", Interval(start(2026), end(2026, 3, 31))),
    ("2026-Q4", Interval(start(2026, 10), end(2026, 12, 31))),
    ("2026-03", Interval(start(2026, 3), end(2026, 3, 31))),
    ("2024-02", Interval(start(2024, 2), end(2024, 2, 29))),
    ("2026-03-14", Interval(start(2026, 3, 14), end(2026, 3, 14))),
    ("2026-03-14T12:00:00+02:00", Interval(*[start(2026, 3, 14).replace(hour=10)] * 2)),
    ({"from": "2026-Q2"}, Interval(start(2026, 4), None)),
    ({"to": "2026"}, Interval(None, end(2026, 12, 31))),
    ({"from": "2026-02", "to": "2026-Q2"}, Interval(start(2026, 2), end(2026, 6, 30))),
    ({"from": "2026", "to": "2026"}, Interval(start(2026), end(2026, 12, 31))),
    ({"from": "2026-03", "to": None}, Interval(start(2026, 3), None)),
)
REFUSED: tuple[Any, ...] = (
    "last spring",
    "",
    "26",
    "2026-Q0",
    "2026-Q5",
    "2026-q1",
    "2026-00",
    "2026-13",
    "2026-3",
    "2026-02-30",
    "2025-02-29",
    "0000",
    "٢٠٢٦",
    "2026-03-14T12:00:00",
    "2026-03-14T25:00:00Z",
    "2026 ",
    "2026\n",
    "9" * 100_000,
    2026,
    True,
    [],
    ["2026"],
    {},
    {"from": None},
    {"from": "2026-04", "to": "2026-03"},
    {"from": "2026", "until": "2027"},
    {"from": {"from": "2026"}},
    {"from": 2026},
)


def refusals_of(raw: Any) -> list[Problem]:
    problems: list[Problem] = []
    assert read_as_of(raw, "/asOf", problems) is None
    return problems


class TestReadingAnAsOf:
    @pytest.mark.parametrize(("raw", "held"), HELD[1:], ids=repr)
    def test_it_stands_for_an_interval_with_both_ends(self, raw, held):
        problems: list[Problem] = []

        found = read_as_of(raw, "/asOf", problems)

        assert (interval(found), problems) == (held, [])

    def test_none_is_always(self):
        assert interval(None) == Interval(None, None)

    @pytest.mark.parametrize("raw", REFUSED, ids=lambda each: repr(each)[:40])
    def test_anything_else_is_refused_with_its_place(self, raw):
        assert [(problem.path, problem.code) for problem in refusals_of(raw)] == [("/asOf", "VALUE_FORMAT")]

    @given(
        st.text(alphabet="0123456789-QTZ:+.", max_size=26)
        | st.dictionaries(st.sampled_from(("from", "to")), st.from_regex(r"\A[0-9]{4}(-Q[1-4]|-[0-9]{2})?\Z"))
    )
    def test_what_is_taken_starts_before_it_ends(self, raw):
        problems: list[Problem] = []

        found = read_as_of(raw, "", problems)

        assert (found is None) == bool(problems)
        if found is not None:
            held = interval(found)
            assert held.start is None or held.end is None or held.start <= held.end
