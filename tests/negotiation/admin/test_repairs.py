"""What the admin shows of negotiations that need a person, and what it repairs: the projection, and nothing else."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, NotFound, VersionConflict
from negotiation_app.bundles import bundle_of, verify
from negotiation_app.models import CurrentRow, Negotiation, NegotiationEntry
from negotiation_app.operations.check import check_negotiation
from negotiation_app.operations.repairs import rebuild_projection
from negotiation_app.protocol.names import Role
from negotiation_app.queries import entry_json, state_document
from negotiation_app.stored_state import state_at, states
from tests.negotiation.admin.test_rows import signed_in
from tests.negotiation.deals import Deal, with_something_of_everything
from tests.negotiation.stored import stored_rows

pytestmark = pytest.mark.django_db(transaction=True)

WAITING = "admin:negotiation_app_negotiation_waiting"
PROJECTED = {"CurrentRow", "Negotiation", "NegotiationEntry"}


@pytest.fixture
def deal() -> Deal:
    return with_something_of_everything()


@pytest.fixture
def operator() -> Client:
    return signed_in("olga", "operator")


def compare(deal: Deal) -> str:
    return reverse("admin:negotiation_app_negotiation_compare", args=[deal.id])


def damage(deal: Deal) -> None:
    """Change a projected floor, lose another row, invent a third, and rename the negotiation."""
    rows = CurrentRow.objects.filter(negotiation=deal.row)
    rows.filter(table="boundaries", key="fee/FLOOR").update(row={"issue": "fee"})
    rows.filter(table="judgements").delete()
    CurrentRow.objects.create(negotiation=deal.row, table="proposals", key="c9", sequence=1, row={})
    Negotiation.objects.filter(pk=deal.id).update(title="Other", state_version=1)
    states.drop(deal.id)


def rebuilt(deal: Deal, **changed: Any) -> Any:
    told = {"negotiation_id": deal.id, "reason": "Disk trouble.", "actor": actor_of(deal.people[Role.AUDITOR])}
    return rebuild_projection(**{**told, "now": deal.clock, **changed})


class TestRebuilding:
    def test_writes_what_the_log_says_and_says_why(self, deal: Deal) -> None:
        before = state_document(deal.row, now=deal.clock)
        damage(deal)
        assert check_negotiation(deal.ref) != []

        answer = rebuilt(deal)

        assert check_negotiation(deal.ref) == []
        assert state_document(deal.row, now=deal.clock) == before
        entry = NegotiationEntry.objects.get(negotiation=deal.row, sequence=answer["sequence"])
        assert (entry.operation, entry.data["reason"], entry.data["rows"]) == (
            "rebuild_projection",
            "Disk trouble.",
            [],
        )
        assert "event" not in entry_json(entry)
        assert entry.actor["name"] == "anil"

    def test_of_what_is_whole_changes_no_row_but_the_log(self, deal: Deal) -> None:
        before = stored_rows(deal.ref)

        rebuilt(deal)

        after = stored_rows(deal.ref)
        assert {name for name in before if before[name] != after[name]} <= PROJECTED
        assert after["NegotiationEntry"][:-1] == before["NegotiationEntry"]

    def test_is_passed_over_by_earlier_versions_bundles_and_what_follows(self, deal: Deal) -> None:
        version = deal.version
        rebuilt(deal)

        deal.say("set_deadline", {"deadline": "2026-06-30", "reason": "Their year ends."})

        assert state_at(deal.row, version).version == version
        assert deal.version == version + 1
        assert verify(bundle_of(deal.row, now=deal.clock)) == []
        states.drop(deal.id)
        assert check_negotiation(deal.ref) == []

    def test_is_refused_where_the_log_itself_was_cut(self, deal: Deal) -> None:
        Negotiation.objects.filter(pk=deal.id).update(log_sequence=deal.row.log_sequence + 1)
        before = stored_rows(deal.ref)

        with pytest.raises(Exception, match="is not whole") as refused:
            rebuilt(deal)

        assert getattr(refused.value, "code", None) == "NEGOTIATION_LOG_DAMAGED"
        assert stored_rows(deal.ref) == before

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 4_097, "a\0b", "\ud800"])
    def test_asks_for_a_reason_that_can_be_kept(self, deal: Deal, reason: str) -> None:
        before = stored_rows(deal.ref)

        with pytest.raises(InvalidArguments):
            rebuilt(deal, reason=reason)

        assert stored_rows(deal.ref) == before

    def test_is_bound_to_the_version_that_was_seen(self, deal: Deal) -> None:
        with pytest.raises(VersionConflict):
            rebuilt(deal, expected_version=deal.row.version - 1)

    def test_of_no_negotiation_is_not_found(self, deal: Deal) -> None:
        with pytest.raises(NotFound):
            rebuilt(deal, negotiation_id=uuid.uuid4())


class TestComparing:
    def test_shows_what_differs_and_writes_it_anew(self, deal: Deal, operator: Client) -> None:
        damage(deal)

        page = operator.get(compare(deal)).content.decode()
        sent = operator.post(compare(deal), {"reason": "Disk trouble.", "version": deal.row.version})

        assert "is not what the log says" in page
        assert "is in no entry" in page
        assert "is missing" in page
        assert sent.status_code == 302
        assert check_negotiation(deal.ref) == []
        assert "agree" in operator.get(compare(deal)).content.decode()

    def test_keeps_the_reason_where_the_version_moved_on(self, deal: Deal, operator: Client) -> None:
        sent = operator.post(compare(deal), {"reason": "Disk trouble.", "version": deal.row.version - 1})

        assert sent.status_code == 409
        assert "Disk trouble." in sent.content.decode()
        assert "VERSION_CONFLICT" in sent.content.decode()

    def test_offers_no_repair_of_a_log_that_is_not_whole(self, deal: Deal, operator: Client) -> None:
        Negotiation.objects.filter(pk=deal.id).update(log_digest="sha256:" + "0" * 64)

        page = operator.get(compare(deal)).content.decode()
        sent = operator.post(compare(deal), {"reason": "Disk trouble.", "version": deal.row.version})

        assert "<fieldset disabled>" in page
        assert sent.status_code == 409

    def test_lets_an_auditor_look_and_not_repair(self, deal: Deal) -> None:
        auditor = signed_in("alan", "auditor")

        page = auditor.get(compare(deal))
        sent = auditor.post(compare(deal), {"reason": "Disk trouble.", "version": deal.row.version})

        assert (page.status_code, sent.status_code) == (200, 403)
        assert "needs the permission repair_negotiation" in page.content.decode()
        assert not NegotiationEntry.objects.filter(operation="rebuild_projection").exists()

    def test_is_not_there_for_staff_without_a_role(self, deal: Deal) -> None:
        assert signed_in("stan").get(compare(deal)).status_code == 404


class TestWaiting:
    def test_lists_contradictions_and_patches_with_the_ways_to_settle_them(self, deal: Deal, operator: Client) -> None:
        page = operator.get(reverse(WAITING)).content.decode()

        assert f"/negotiations/{deal.ref}/contradictions/contradiction-1/" in page
        assert f"/negotiations/{deal.ref}/patches/patch-1/" in page
        assert reverse(WAITING) in operator.get(reverse("admin:index")).content.decode()

    def test_lists_no_more_what_was_settled(self, deal: Deal, operator: Client) -> None:
        deal.say("reject_patch", {"patch": "patch-1", "reason": "Not now."})
        deal.say("resolve_contradiction", {"contradiction": "contradiction-1", "resolution": "DEMOTE", "reason": "-"})

        page = operator.get(reverse(WAITING)).content.decode()

        assert "contradiction-1" not in page
        assert "patch-1" not in page
        assert "patch-2" in page

    def test_shows_a_row_that_cannot_be_read_with_the_way_to_its_repair(self, deal: Deal, operator: Client) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                """UPDATE negotiation_app_currentrow SET "row" = '{"status":"OPEN"' WHERE "table" = 'contradictions'"""
            )

        page = operator.get(reverse(WAITING)).content.decode()

        assert "cannot be read" in page
        assert compare(deal) in page

    def test_shows_staff_what_they_have_a_role_in(self, deal: Deal) -> None:
        assert "Nothing waits" in signed_in("stan").get(reverse(WAITING)).content.decode()
