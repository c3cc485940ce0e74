"""What counts mean beside the ledger: the record of a transition and the comparison that is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.protocol.complexity import LANGUAGE, FileCount, comparison, transition_record
from fabric_app.protocol.source_errors import ComplexityFileUnreadable

SUPPORTED = {"supported": True, "language": LANGUAGE}
FILES = st.sampled_from(["a.ts", "src/b.tsx", "[id].js", "@scope/x.jsx"])
LEDGERS = st.dictionaries(FILES, st.integers(0, 50))


def found(file: str, count: int) -> FileCount:
    return FileCount(file=file, supported=True, count=count)


def gone(file: str) -> FileCount:
    return FileCount(file=file, supported=True, count=None, missing=True)


def unsupported(file: str) -> FileCount:
    return FileCount(file=file, supported=False, count=None)


class TestTransitionRecord:
    def test_the_first_count_is_a_baseline(self) -> None:
        record = transition_record([found("a.ts", 3)], {})

        entry = {"file": "a.ts", **SUPPORTED, "current": 3, "delta": 0, "baseline": True}
        assert record == {"files": [entry], "netDelta": 0}

    def test_a_later_count_is_compared_with_the_ledger(self) -> None:
        record = transition_record([found("a.ts", 1), found("b.ts", 4)], {"a.ts": 3, "b.ts": 3})

        first = {"file": "a.ts", **SUPPORTED, "previous": 3, "current": 1, "delta": -2, "baseline": False}
        second = {"file": "b.ts", **SUPPORTED, "previous": 3, "current": 4, "delta": 1, "baseline": False}
        assert record == {"files": [first, second], "netDelta": -1}

    def test_an_unsupported_file_is_reported_and_adds_nothing(self) -> None:
        record = transition_record([unsupported("c.py")], {})

        assert record == {"files": [{"file": "c.py", "supported": False}], "netDelta": 0}

    def test_a_deleted_file_with_a_ledger_is_a_reduction(self) -> None:
        record = transition_record([gone("a.ts")], {"a.ts": 3})

        entry = {"file": "a.ts", **SUPPORTED, "previous": 3, "current": 0, "delta": -3, "baseline": False}
        assert record == {"files": [{**entry, "missing": True}], "netDelta": -3}

    def test_files_without_a_ledger_that_are_gone_are_refused_together(self) -> None:
        with pytest.raises(ComplexityFileUnreadable) as refused:
            transition_record([gone("a.ts"), gone("b.ts"), gone("c.ts")], {"b.ts": 1})

        assert [problem["file"] for problem in refused.value.details["errors"]] == ["a.ts", "c.ts"]

    @given(LEDGERS, LEDGERS)
    def test_the_net_is_what_the_ledgers_change_by(self, ledger: dict[str, int], now: dict[str, int]) -> None:
        record = transition_record([found(file, count) for file, count in now.items()], ledger)

        after = {entry["file"]: entry["current"] for entry in record["files"]}
        assert record["netDelta"] == sum(after[file] - ledger[file] for file in after.keys() & ledger.keys())
        assert transition_record([found(file, count) for file, count in now.items()], after)["netDelta"] == 0


class TestComparison:
    def test_a_recorded_file_shows_both_counts(self) -> None:
        result = comparison([found("a.ts", 5)], {"a.ts": 3}, {"a.ts": -1})

        entry = {"file": "a.ts", **SUPPORTED, "current": 5, "recorded": 3, "delta": 2, "recordedDelta": -1}
        assert result == {"files": [entry], "netDelta": 2}

    def test_a_file_without_a_ledger_has_no_delta(self) -> None:
        result = comparison([found("a.ts", 5), unsupported("c.py")], {}, {})

        entry = {"file": "a.ts", **SUPPORTED, "current": 5, "delta": 0}
        assert result == {"files": [entry, {"file": "c.py", "supported": False}], "netDelta": 0}

    def test_a_deleted_file_is_reported_missing_and_breaks_nothing(self) -> None:
        result = comparison([gone("a.ts"), found("b.ts", 1)], {"a.ts": 3, "b.ts": 1}, {"a.ts": 0, "b.ts": 0})

        missing, kept = result["files"]
        assert (missing["missing"], missing["current"], missing["delta"]) == (True, 0, -3)
        assert "missing" not in kept
        assert result["netDelta"] == -3

    def test_a_file_that_never_was_is_refused(self) -> None:
        with pytest.raises(ComplexityFileUnreadable, match=r"'never\.ts': it does not exist"):
            comparison([gone("never.ts")], {}, {})
