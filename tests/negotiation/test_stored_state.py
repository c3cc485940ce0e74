"""The states that a process keeps: never behind the log, never ahead of it, never beside it."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app import stored_state
from negotiation_app.models import NegotiationEntry
from negotiation_app.operations.check import repair_negotiation
from negotiation_app.protocol.fold import fold
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.stored_state import Known, States, current_state, folded, state_at
from tests.negotiation.deals import Deal, learned, with_something_of_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def deal(monkeypatch: pytest.MonkeyPatch) -> Deal:
    states_here(monkeypatch)
    return Deal()


def states_here(monkeypatch: pytest.MonkeyPatch) -> States:
    """Begin as a process that has kept nothing yet."""
    fresh = States()
    for name in (
        "negotiation_app.stored_state",
        "negotiation_app.operations.storing",
        "negotiation_app.operations.check",
    ):
        monkeypatch.setattr(f"{name}.states", fresh)
    return fresh


def rows_of(state: State) -> list[Any]:
    return sorted(((row.TABLE, row.key, row_json(row)) for row in state.rows()), key=lambda each: each[:2])


def known_at(deal: Deal, sequence: int) -> Known:
    """What another process, that did not hear of the later entries, would keep."""
    entries = list(stored_state.stored_entries(deal.row))[:sequence]
    digest = NegotiationEntry.objects.get(negotiation=deal.row, sequence=sequence).digest
    return Known(sequence, digest, fold(entries))


class TestAKeptState:
    def test_is_the_one_after_the_last_write(self, deal: Deal) -> None:
        deal.learn(learned("list", "110"))

        kept = stored_state.states.get(deal.id)
        assert kept is not None
        assert (kept.sequence, kept.digest) == (deal.row.log_sequence, deal.row.log_digest)
        assert current_state(deal.row) is kept.state

    def test_is_brought_up_to_what_others_wrote(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        for ref in ("one", "two", "three"):
            deal.learn(learned(ref, "110"))
        behind = known_at(deal, 2)
        states_here(monkeypatch).keep(deal.id, behind)

        state = current_state(deal.row)

        assert rows_of(state) == rows_of(folded(deal.row))
        deal.learn(learned("four", "110"))
        assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))

    def test_is_kept_where_it_was_brought_up_to_by_reading(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        deal.learn(learned("one", "110"))
        deal.learn(learned("two", "110"))
        fresh = states_here(monkeypatch)
        fresh.keep(deal.id, known_at(deal, 2))

        state = current_state(deal.row)

        assert fresh.get(deal.id) == Known(deal.row.log_sequence, deal.row.log_digest, state)

    def test_is_kept_where_it_was_read_from_its_rows(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        fresh = states_here(monkeypatch)

        state = current_state(deal.row)

        assert fresh.get(deal.id) == Known(deal.row.log_sequence, deal.row.log_digest, state)

    def test_is_not_kept_where_the_log_went_on_meanwhile(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        read_before = deal.row
        deal.learn(learned("one", "110"))
        fresh = states_here(monkeypatch)

        state = current_state(read_before)

        assert "one" in state.propositions
        assert fresh.get(deal.id) is None

    def test_of_a_log_that_is_another_is_dropped(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        deal.learn(learned("one", "110"))
        deal.learn(learned("two", "110"))
        right = known_at(deal, 2)
        for wrong in (
            Known(2, "sha256:" + "0" * 64, State()),
            Known(deal.row.log_sequence, "sha256:" + "0" * 64, State()),
            Known(99, right.digest, State()),
        ):
            fresh = states_here(monkeypatch)
            fresh.keep(deal.id, wrong)

            assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))
            assert fresh.get(deal.id) == Known(deal.row.log_sequence, deal.row.log_digest, current_state(deal.row))

    def test_never_holds_what_was_rolled_back(self, deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
        before = deal.row

        def fails(*_args: Any, **_named: Any) -> None:
            raise RuntimeError("the disk is full")

        monkeypatch.setattr("negotiation_app.operations.performing._keep", fails)
        with pytest.raises(RuntimeError):
            deal.learn(learned("lost", "110"))
        monkeypatch.undo()

        assert deal.row.log_sequence == before.log_sequence
        assert "lost" not in current_state(deal.row).propositions
        deal.learn(learned("kept", "110"))
        assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))

    def test_is_dropped_by_a_repair(self, deal: Deal) -> None:
        repair_negotiation(deal.ref)

        assert stored_state.states.get(deal.id) is None
        assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))

    def test_gives_way_to_a_later_one_alone(self, deal: Deal) -> None:
        deal.learn(learned("one", "110"))
        first, second = known_at(deal, 1), known_at(deal, 2)
        kept = States()

        kept.keep(deal.id, second)
        kept.keep(deal.id, first)

        assert kept.get(deal.id) is second

    def test_is_forgotten_when_many_others_were_used_since(self) -> None:
        kept, ids = States(most=2), [object(), object(), object()]
        for each in ids[:2]:
            kept.keep(each, Known(1, "", State()))  # type: ignore[arg-type]
        kept.get(ids[0])  # type: ignore[arg-type]

        kept.keep(ids[2], Known(1, "", State()))  # type: ignore[arg-type]

        assert [kept.get(each) is None for each in ids] == [False, True, False]  # type: ignore[arg-type]


class TestReadingFromTheDatabase:
    def test_gives_what_the_log_leads_to(self, monkeypatch: pytest.MonkeyPatch) -> None:
        deal = with_something_of_everything()
        states_here(monkeypatch)

        assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))

    def test_goes_on_like_a_process_that_knew_the_state(self, monkeypatch: pytest.MonkeyPatch) -> None:
        deal = with_something_of_everything()
        stored_state.states.drop(deal.id)

        deal.learn(learned("list-3", "130"))

        assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row))

    def test_gives_every_version_as_it_was(self, deal: Deal) -> None:
        seen = {deal.version: rows_of(current_state(deal.row))}
        for ref in ("one", "two", "three"):
            deal.learn(learned(ref, "110"))
            seen[deal.version] = rows_of(current_state(deal.row))

        assert {version: rows_of(state_at(deal.row, version)) for version in seen} == seen
