"""The stream of a run: entries in one gapless sequence, bounded output, characters whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.models import RunStatus
from fabric_app.operations.run_output import PIECE_BYTES, StoredOutput
from fabric_app.queries_runs import entries_after, entry_json, stored_output
from tests.factories import move
from tests.runs.conftest import request, verified

pytestmark = pytest.mark.timeout(60)


def entries(run) -> list:
    return entries_after(run.pk, 0, 10_000)


class TestEntries:
    def test_they_tell_the_whole_story_in_one_gapless_sequence(self, workspace):
        move(workspace, "rotation", "locked", evidence=["printf one", "printf two; exit 1"])

        run = verified(workspace)

        told = entries(run)
        assert [entry.sequence for entry in told] == list(range(1, len(told) + 1))
        assert run.entry_count == len(told)
        assert [entry.kind for entry in told if entry.kind != "progress"] == [
            "status",
            "status",
            "command.started",
            "output",
            "command.finished",
            "command.started",
            "output",
            "command.finished",
            "ended",
        ]
        assert [entry_json(entry)["text"] for entry in told if entry.kind == "output"] == ["one", "two"]
        assert told[-1].data == {"status": "violated", "certified": False}

    def test_output_beyond_the_bound_is_counted_and_not_stored(self, workspace, settings):
        settings.STATEHOUSE = {**settings.STATEHOUSE, "RUN_STORED_OUTPUT_BYTES": 100_000}
        move(workspace, "rotation", "locked", evidence=["head -c 3000000 /dev/zero", "printf after"])

        run = verified(workspace)

        assert run.status == RunStatus.CONFIRMED
        assert run.output_bytes == 3_000_005
        assert sum(len(piece) for piece in stored_output(run.pk)) == 100_000
        assert [entry.data for entry in entries(run) if entry.data and "omittedAfterBytes" in entry.data] == [
            {"omittedAfterBytes": 100_000}
        ]
        assert run.report["results"][0]["outputBytes"] == 3_000_000

    def test_a_queued_run_already_has_a_first_entry(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        run = request(workspace)

        assert [entry.data for entry in entries(run)] == [{"status": "queued"}]


class TestStoredOutput:
    @given(st.lists(st.one_of(st.text(max_size=20).map(str.encode), st.binary(max_size=9)), max_size=20))
    def test_pieces_are_the_stream_and_split_no_character_however_it_came(self, chunks):
        output, pieces = StoredOutput(1_000_000), []

        for chunk in chunks:
            output.feed(chunk)
            pieces += output.pieces(is_end=False)
        pieces += output.pieces(is_end=True)

        whole = b"".join(chunks)
        assert b"".join(pieces) == whole
        assert "".join(piece.decode(errors="replace") for piece in pieces) == whole.decode(errors="replace")

    @given(st.lists(st.binary(max_size=50), max_size=20), st.integers(0, 300))
    def test_no_more_than_the_bound_is_kept_and_the_whole_is_counted(self, chunks, limit):
        output = StoredOutput(limit)

        for chunk in chunks:
            output.feed(chunk)

        whole = b"".join(chunks)
        assert b"".join(output.pieces(is_end=True)) == whole[:limit]
        assert (output.total_bytes, output.is_cut) == (len(whole), len(whole) > limit)

    def test_a_piece_has_a_bounded_size(self):
        output = StoredOutput(10**6)
        output.feed("ü".encode() * PIECE_BYTES)

        pieces = output.pieces(is_end=True)

        assert max(map(len, pieces)) <= PIECE_BYTES
        assert b"".join(pieces).decode() == "ü" * PIECE_BYTES
