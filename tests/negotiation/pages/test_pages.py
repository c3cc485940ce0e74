"""The pages of negotiations: each opens, each form does what the operation does, a refusal keeps what was typed."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from negotiation_app.demo.telling import tell_negotiations
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import check_negotiation
from negotiation_app.pages.operation_forms import FORMS

pytestmark = pytest.mark.django_db(transaction=True)
REF = "cloudbridge-renewal"
HERE = f"/negotiations/{REF}/"
PAGES = (
    "", "evidence/", "deal/", "role-play/", "patches/", "patches/benchmark/", "contradictions/contradiction-1/",
    "inbox/", "timeline/", "timeline/3/", "as-it-was/?version=4", "brief/", "brief/markdown/", "bundle/", "settings/",
)  # fmt: skip


@pytest.fixture
def operator() -> Client:
    user = get_user_model().objects.create_user(username="olga", is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))
    tell_negotiations(lambda _sentence: None)
    return signed_in(user)


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


class TestLooking:
    def test_every_page_opens(self, operator: Client) -> None:
        opened = {page: operator.get(HERE + page).status_code for page in (*PAGES, *(f"act/{name}/" for name in FORMS))}

        assert set(opened.values()) == {200}, opened

    def test_who_has_no_role_finds_nothing(self, operator: Client) -> None:
        stranger = signed_in(get_user_model().objects.create_user(username="stranger"))

        assert {stranger.get(HERE + page).status_code for page in PAGES} == {404}
        assert REF not in stranger.get("/negotiations/").content.decode()
        assert REF in operator.get("/negotiations/").content.decode()

    def test_the_position_asks_as_many_queries_for_a_long_history_as_for_a_short_one(self, operator: Client) -> None:
        operator.get(HERE)
        with CaptureQueriesContext(
            connection,
        ) as few:
            operator.get(HERE)
        for number in range(12):
            sent = act(operator, "event", type="USER_MESSAGE", text=f"Note {number}.")
            assert sent.status_code == 302, sent.content.decode()[:3000]
        operator.get(HERE)
        with CaptureQueriesContext(connection) as many:
            operator.get(HERE)

        assert len(many) == len(few)


class TestActing:
    def test_an_event_with_a_proposition_is_recorded(self, operator: Client) -> None:
        sent = act(
            operator,
            "event",
            type="COUNTERPART_MESSAGE",
            party="cloudbridge",
            locator="Mail of 30 November",
            ref="discount",
            subject="cloudbridge",
            attribute="discount.max",
            value="12 %",
            status="HYPOTHESIS",
            rationale="They hinted at it.",
        )

        assert sent.status_code == 302
        assert "12 %" in operator.get(HERE + "evidence/").content.decode()
        assert check_negotiation(REF) == []

    def test_a_version_that_moved_on_comes_back_with_what_was_typed(self, operator: Client) -> None:
        seen = Negotiation.objects.get(ref=REF).state_version
        act(operator, "boundary", issue="fee", kind="TARGET", value="159000 USD/year", basisReason="Again.",
            basisPropositions="seats-used")  # fmt: skip

        late = act(operator, "boundary", version=seen, issue="fee", kind="TARGET", value="161000 USD/year",
                   basisReason="My own view.", basisPropositions="seats-used")  # fmt: skip

        told = late.content.decode()
        assert late.status_code == 409
        assert "My own view." in told
        assert "target of fee" in told

    def test_a_stale_patch_is_partly_applied(self, operator: Client) -> None:
        page = operator.get(HERE + "patches/benchmark/").content.decode()
        version = Negotiation.objects.get(ref=REF).state_version

        sent = operator.post(
            HERE + "patches/benchmark/",
            {"what": "reconcile", "accept": ["market-discount"], "stateVersion": version, "formKey": "a" * 36},
        )

        assert "would overwrite what is newer" in page
        assert sent.status_code == 302
        assert "partially applied" in operator.get(HERE + "patches/").content.decode()

    def test_a_contradiction_is_resolved_by_new_evidence(self, operator: Client) -> None:
        version = Negotiation.objects.get(ref=REF).state_version

        sent = operator.post(
            HERE + "contradictions/contradiction-1/",
            {
                "resolution": "UPHOLD", "winner": "fy-end-filed", "reason": "Confirmed by their investor relations.",
                "evidenceRef": "ir-mail", "evidenceKind": "OFFICIAL_RECORD", "evidenceLocator": "Register extract",
                "stateVersion": version, "formKey": "b" * 36,
            },
        )  # fmt: skip

        assert sent.status_code == 302, sent.content.decode()[:2000]
        assert check_negotiation(REF) == []

    def test_the_principal_acknowledges_and_an_operator_grants(self, operator: Client) -> None:
        inbox = operator.get(HERE + "inbox/").content.decode()
        assert "Acknowledge" in inbox

        sent = operator.post(HERE + "inbox/", {"what": "acknowledge", "name": "notification-1"})
        given = operator.post(
            HERE + "settings/",
            {"what": "grant", "account": "demo-specialist", "role": "auditor", "reason": "Reads along."},
        )
        unknown = operator.post(
            HERE + "settings/", {"what": "grant", "account": "nobody", "role": "auditor", "reason": "Reads along."}
        )

        assert (sent.status_code, given.status_code, unknown.status_code) == (302, 302, 404)


def act(client: Client, form: str, version: int | None = None, **typed: str) -> Any:
    at = Negotiation.objects.get(ref=REF).state_version if version is None else version
    return client.post(f"{HERE}act/{form}/", {"stateVersion": at, **typed})


class TestLedger:
    def test_a_concession_shows_what_became_of_it_and_why(self, operator: Client) -> None:
        shown = operator.get(HERE + "deal/").content.decode()

        assert "They did not move below 175,000 for it." in shown
