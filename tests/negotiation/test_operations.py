"""Performing operations: the same answer to the same request, and refusals that leave nothing behind. Section 1."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import NotFound, StatehouseError, VersionConflict
from negotiation_app.errors import KeyReused, NegotiationExists
from negotiation_app.models import Negotiation, TermRow
from negotiation_app.operations.check import check_negotiation
from negotiation_app.operations.performing import Asked, create_negotiation
from negotiation_app.protocol.decide import SUBJECTS
from negotiation_app.protocol.errors import RoleForbidden
from negotiation_app.protocol.forms import MAX_NAME
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.refusals import BodyInvalid
from negotiation_app.stored_state import current_state
from tests.negotiation.deals import Deal, every_operation, learned, with_something_of_everything
from tests.negotiation.protocol.talks import MONDAY, RENEWAL, usd
from tests.negotiation.stored import stored_rows

KEY_CHARS = TermRow._meta.get_field("key").max_length
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def deal() -> Deal:
    return Deal()


def note(version: int, text: str = "They called.") -> dict[str, Any]:
    return {"stateVersion": version, "event": {"type": "COUNTERPART_MESSAGE", "text": text}}


def fact_at(version: int, ref: str = "list") -> dict[str, Any]:
    return {"stateVersion": version, "event": {"type": "NEW_FACT"}, "operations": [learned(ref, "110")]}


class TestTheSameRequestAgain:
    def test_gets_the_first_answer_and_stores_nothing(self, deal: Deal) -> None:
        asked = Asked("record_event", fact_at(1), "k1")
        first = deal.ask(asked, Role.ORCHESTRATOR)
        stored = stored_rows(deal.ref)

        again = deal.ask(asked, Role.ORCHESTRATOR)

        assert again == {**first, "replayed": True}
        assert "replayed" not in first
        assert stored_rows(deal.ref) == stored

    def test_gets_it_after_others_went_on(self, deal: Deal) -> None:
        asked = Asked("record_event", fact_at(1), "k1")
        first = deal.ask(asked, Role.ORCHESTRATOR)
        deal.learn(learned("later", "110"))

        assert deal.ask(asked, Role.ORCHESTRATOR) == {**first, "replayed": True}
        assert deal.version == 3

    def test_gets_it_whoever_of_that_role_sends_it(self, deal: Deal) -> None:
        asked = Asked("record_simulation", {"simulation": _simulation()}, "k1")
        first = deal.ask(asked, Role.SPECIALIST)

        assert deal.ask(asked, Role.ORCHESTRATOR) == {**first, "replayed": True}

    def test_is_refused_to_those_who_could_not_have_sent_it(self, deal: Deal) -> None:
        asked = Asked("record_event", fact_at(1), "k1")
        deal.ask(asked, Role.ORCHESTRATOR)

        with pytest.raises(RoleForbidden):
            deal.ask(asked, Role.SPECIALIST)

    @pytest.mark.parametrize(
        "other",
        [
            Asked("record_event", note(1), "k1"),
            Asked("record_event", fact_at(2), "k1"),
            Asked("define_attribute", {"stateVersion": 1, "attribute": {"name": "a"}}, "k1"),
        ],
        ids=["another body", "another version", "another operation"],
    )
    def test_under_a_key_of_another_is_refused(self, deal: Deal, other: Asked) -> None:
        deal.ask(Asked("record_event", fact_at(1), "k1"), Role.ORCHESTRATOR)

        with pytest.raises(KeyReused):
            deal.ask(other, Role.ORCHESTRATOR)

    def test_in_another_negotiation_is_another_request(self, deal: Deal) -> None:
        other = Deal(ref="other")
        asked = Asked("record_event", fact_at(1), "k1")
        deal.ask(asked, Role.ORCHESTRATOR)

        assert "replayed" not in other.ask(asked, Role.ORCHESTRATOR)

    def test_without_a_key_is_done_again(self, deal: Deal) -> None:
        asked = Asked("record_event", note(1))

        assert deal.ask(asked, Role.ORCHESTRATOR)["event"]["ref"] == "event-2"
        assert deal.ask(asked, Role.ORCHESTRATOR)["event"]["ref"] == "event-3"

    def test_that_was_refused_is_looked_at_anew(self, deal: Deal) -> None:
        body = {"stateVersion": 1, "proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"term": usd("1")}}}
        with pytest.raises(StatehouseError) as refused:
            deal.ask(Asked("record_proposal", body, "k1"), Role.ORCHESTRATOR)
        assert refused.value.code == "UNKNOWN_ISSUE"

        issue = {"ref": "term", "label": "Term", "type": "money", "direction": "NONE"}
        deal.say("define_issue", {"issue": issue})
        answer = deal.ask(Asked("record_proposal", {**body, "stateVersion": 2}, "k1"), Role.ORCHESTRATOR)

        assert answer["stateVersion"] == 3

    def test_to_open_a_negotiation_gets_the_first_answer(self, deal: Deal) -> None:
        body = {**RENEWAL, "ref": "opened-twice"}

        first, again = (_opened(deal, body, "k1") for _ in range(2))

        assert again == {**first, "replayed": True}
        assert Negotiation.objects.filter(ref="opened-twice").count() == 1

    @pytest.mark.parametrize("key", [None, "k2"])
    def test_to_open_what_somebody_opened_is_refused(self, deal: Deal, key: str | None) -> None:
        body = {**RENEWAL, "ref": "opened-twice"}
        _opened(deal, body, "k1")

        with pytest.raises(NegotiationExists):
            _opened(deal, body, key)

    def test_to_open_another_under_its_key_is_refused(self, deal: Deal) -> None:
        body = {**RENEWAL, "ref": "opened-twice"}
        _opened(deal, body, "k1")

        with pytest.raises(KeyReused):
            _opened(deal, {**body, "title": "Another"}, "k1")


class TestTheLongestName:
    def test_is_stored_and_a_longer_one_refused(self, deal: Deal) -> None:
        deal.say("define_attribute", {"attribute": {"name": "n" * MAX_NAME, "multiValued": True}})

        with pytest.raises(BodyInvalid):
            deal.say("define_attribute", {"attribute": {"name": "n" * (MAX_NAME + 1)}})
        assert max(len(f"{row.TABLE}/{row.key}") for row in current_state(deal.row).rows()) <= KEY_CHARS


class TestAStaleVersion:
    def test_is_told_what_changed_since_and_applies_nothing(self, deal: Deal) -> None:
        deal.learn(learned("list", "110"))
        deal.say("record_proposal", {"proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("115")}}})
        stored = stored_rows(deal.ref)

        with pytest.raises(VersionConflict) as refused:
            deal.ask(Asked("record_event", fact_at(2, "other"), "k1"), Role.ORCHESTRATOR)

        assert (refused.value.details["expected"], refused.value.details["current"]) == (2, 3)
        assert {"offers/COUNTERPART", "proposals/c1"} <= set(refused.value.details["changedFields"])
        assert "propositions/list" not in refused.value.details["changedFields"]
        assert stored_rows(deal.ref) == stored

    def test_from_the_future_is_one_too(self, deal: Deal) -> None:
        with pytest.raises(VersionConflict) as refused:
            deal.ask(Asked("record_event", fact_at(7)), Role.ORCHESTRATOR)

        assert refused.value.details["changedFields"] == []


class TestARefusedOperation:
    def test_changes_no_row_whatever_refuses_it(self) -> None:
        deal = with_something_of_everything()
        deal.say("change_status", {"to": "PAUSED", "causeEvent": "event-2"})
        stored = stored_rows(deal.ref)

        for operation, refused in _refusals():
            with pytest.raises(StatehouseError) as error:
                deal.say(operation, refused, key="k1")
            assert error.value.status < 500, (operation, error.value.code)
            assert stored_rows(deal.ref) == stored, (operation, error.value.code)
        assert check_negotiation(deal.ref) == []

    def test_of_an_event_leaves_none_of_its_parts(self, deal: Deal) -> None:
        stored = stored_rows(deal.ref)
        weak = {
            **learned("weak", "1")["proposition"],
            "evidence": [{"ref": "x", "kind": "PUBLIC_SOURCE", "locator": "x"}],
        }

        with pytest.raises(StatehouseError) as refused:
            deal.learn(learned("list", "110"), {"op": "ADD", "proposition": weak})

        assert refused.value.code == "EVIDENCE_TOO_WEAK"
        assert stored_rows(deal.ref) == stored

    def test_to_open_leaves_no_negotiation_and_no_role(self, deal: Deal) -> None:
        with pytest.raises(StatehouseError):
            _opened(deal, {**RENEWAL, "ref": "half", "parties": []}, "k1")

        assert not Negotiation.objects.filter(ref="half").exists()

    @pytest.mark.parametrize("title", ["", "a\0b", "x" * 201])
    def test_to_open_names_a_title_that_cannot_be_one(self, deal: Deal, title: str) -> None:
        with pytest.raises(BodyInvalid, match="/title"):
            _opened(deal, {**RENEWAL, "ref": "half", "title": title}, None)

    def test_of_a_negotiation_that_is_not_there_is_not_found(self, deal: Deal) -> None:
        deal.id = uuid.uuid4()

        with pytest.raises(NotFound):
            deal.ask(Asked("take_snapshot", {}), Role.ORCHESTRATOR)


def _refusals() -> list[tuple[str, dict[str, Any]]]:
    """Return each operation with bodies that have to be refused: nothing in it, too much in it, what is not there."""
    found = []
    for operation, _, body in every_operation():
        member = next(iter(body), None)
        found.append((operation, {**body, "unheardOf": 1}))
        if operation in SUBJECTS:
            found.append((operation, {**body, SUBJECTS[operation][0]: "not-there"}))
        elif isinstance(body.get(member or ""), dict):
            found.append((operation, {**body, member: {**body[member], "ref": "-not a ref-"}}))
    taken = {"proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("1")}}}
    own = {"proposal": {"ref": "own", "side": "OWN", "terms": {"fee": usd("1")}}}
    return [*found, ("record_proposal", taken), ("record_proposal", own)]


def _simulation() -> dict[str, Any]:
    statements = [{"ref": "s1", "speaker": "Acme (simulated)", "text": "Eighty, perhaps."}]
    return {"ref": "rp1", "kind": "ROLE_PLAY", "statements": statements}


def _opened(deal: Deal, body: dict[str, Any], key: str | None) -> dict[str, Any]:
    maker = deal.people[Role.ORCHESTRATOR]
    return create_negotiation(body=body, user=maker, actor=actor_of(maker), now=MONDAY, key=key)
