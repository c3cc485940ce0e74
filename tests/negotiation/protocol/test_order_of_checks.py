"""The first group of checks that fails gives the code; everything of that group is listed. Section 1."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_app.mesh.errors import NotFound, StatehouseError, VersionConflict
from negotiation_app.protocol.bodies import FORMS
from negotiation_app.protocol.conflicts import NegotiationClosed, RefTaken
from negotiation_app.protocol.decide import decide, prepare
from negotiation_app.protocol.errors import RoleForbidden
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.refusals import BodyInvalid, UnknownRef, ValueFormat
from negotiation_app.protocol.requests import Operation
from tests.negotiation.protocol.talks import Talks, fact, item, usd


@pytest.fixture
def talks() -> Talks:
    return Talks()


def refused(talks: Talks, operation: str, body: Any, role: Role = Role.ORCHESTRATOR) -> StatehouseError:
    with pytest.raises(StatehouseError) as caught:
        decide(talks.state, Operation(operation, body), talks.context(role))
    return caught.value


class TestTheFirstGroupThatFails:
    def test_a_role_is_looked_at_before_the_form(self, talks: Talks) -> None:
        error = refused(talks, "record_event", "nonsense", Role.AUDITOR)

        assert isinstance(error, RoleForbidden)
        assert error.details["allowed"] == ["orchestrator"]

    def test_the_form_before_the_version(self, talks: Talks) -> None:
        error = refused(talks, "set_boundary", {"stateVersion": 7, "boundary": {"issue": "fee"}})

        assert isinstance(error, BodyInvalid)
        assert [problem.path for problem in error.problems] == ["/boundary/kind", "/boundary/value"]

    def test_the_version_before_the_subject_of_the_route(self, talks: Talks) -> None:
        body = {"proposal": "nothing", "status": "WITHDRAWN", "reason": "gone"}

        assert isinstance(refused(talks, "set_proposal_status", {**body, "stateVersion": 7}), VersionConflict)
        assert isinstance(refused(talks, "set_proposal_status", {**body, "stateVersion": 1}), NotFound)

    def test_the_status_before_the_refs(self, talks: Talks) -> None:
        talks.say("decide", {"decision": {"ref": "d1", "kind": "CLOSE", "seenVersion": 1, "reason": "cancelled"}})
        talks.say("change_status", {"to": "CLOSED", "outcome": "OTHER", "decision": "d1"})
        review = {"stateVersion": 2, "review": {"ref": "r1", "proposal": "nothing"}}

        assert isinstance(refused(talks, "review_deal", review), NegotiationClosed)

    def test_refs_before_rules(self, talks: Talks) -> None:
        too_weak = fact("p1", usd("1"), item("e1", "PUBLIC_SOURCE"))
        unknown = {"op": "UPDATE_WITH_EVIDENCE", "target": "propositions/nothing", "evidence": [item("e1")]}
        body = {"stateVersion": 1, "event": {"type": "NEW_FACT"}, "operations": [too_weak, unknown]}

        error = refused(talks, "record_event", body)

        assert isinstance(error, UnknownRef)
        assert [(problem.path, problem.code) for problem in error.problems] == [
            ("/operations/1/target", "UNKNOWN_REF"),
            ("/operations/1/evidence/0/ref", "REF_TAKEN"),
        ]

    def test_several_values_in_wrong_form_are_listed_with_their_places(self, talks: Talks) -> None:
        wrong = {"type": "money", "amount": "1,250", "currency": "USD"}
        terms = {"fee": wrong, "seats": {"type": "number", "amount": 3}}
        body = {"stateVersion": 1, "proposal": {"ref": "o1", "side": "OWN", "terms": terms}}

        error = refused(talks, "record_proposal", body)

        assert isinstance(error, ValueFormat)
        assert {problem.path for problem in error.problems} == {
            "/proposal/terms/fee/amount",
            "/proposal/terms/seats/amount",
        }


class TestRefs:
    def test_an_event_may_not_take_a_ref_that_the_server_counts(self, talks: Talks) -> None:
        body = {"stateVersion": 1, "event": {"type": "USER_MESSAGE", "ref": "event-9"}}

        assert isinstance(refused(talks, "record_event", body), BodyInvalid)

    def test_an_event_ref_is_taken_once(self, talks: Talks) -> None:
        talks.say("record_event", {"event": {"type": "USER_MESSAGE", "ref": "mail-1"}})
        body = {"stateVersion": 1, "event": {"type": "USER_MESSAGE", "ref": "mail-1"}}

        assert isinstance(refused(talks, "record_event", body), RefTaken)

    def test_a_later_operation_knows_what_an_earlier_one_makes(self, talks: Talks) -> None:
        judgement = {"ref": "s1", "kind": "RISK", "text": "dear", "dependsOn": ["facts/Acme/List.Fee"]}

        talks.learn(fact("list", usd("100"), item("e1")), {"op": "ADD", "judgement": judgement})

        assert talks.state.judgements["s1"].depends_on == ("facts/acme/list.fee",)


@pytest.mark.parametrize("name", sorted(FORMS))
@pytest.mark.parametrize("role", sorted(Role))
def test_only_the_roles_of_an_operation_may_send_it(name: str, role: Role, talks: Talks) -> None:
    allowed = role in FORMS[name].roles

    error: type[StatehouseError] = BodyInvalid if allowed else RoleForbidden
    with pytest.raises(error):
        prepare(Operation(name, []), talks.context(role))
