"""Artefacts: written with every event that the mode wants one for, and read as they were then. Section 16."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from rest_framework.test import APIClient

from fabric_app.mesh.canonical import digest, dumps
from negotiation_app.models import Artefact, NegotiationEntry
from negotiation_app.protocol.document import document
from negotiation_app.protocol.names import Role
from negotiation_app.stored_state import current_state
from tests.negotiation.deals import Deal, learned

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal() -> Deal:
    return Deal(mode="FULL")


@pytest.fixture
def client(deal: Deal) -> APIClient:
    client = APIClient()
    client.force_authenticate(deal.people[Role.AUDITOR])
    return client


def limited_to(limit: int) -> Any:
    return override_settings(STATEHOUSE={**settings.STATEHOUSE, "ARTEFACT_MAX_BYTES": limit})


def shown(deal: Deal) -> Any:
    """Return the state document as it reads at the moment."""
    return json.loads(dumps(document(current_state(deal.row), deal.clock)))


class TestAnArtefact:
    def test_reads_as_the_state_was_when_it_was_written(self, deal: Deal, client: APIClient) -> None:
        deal.learn(learned("one", "110"))
        as_it_was = shown(deal)
        deal.learn(learned("two", "120"))

        told = client.get(deal.address("artefacts/2/")).json()
        assert (told["sequence"], told["stateVersion"], told["form"]) == (2, 2, "FULL")
        assert told["state"] == as_it_was

    def test_is_stored_as_version_and_digest_of_the_log_alone(self, deal: Deal) -> None:
        deal.learn(learned("one", "110"))

        stored = Artefact.objects.latest("sequence")
        assert stored.text is None
        assert stored.digest == NegotiationEntry.objects.latest("sequence").digest

    def test_that_is_too_large_is_kept_in_brief(self, deal: Deal, client: APIClient) -> None:
        with limited_to(600):
            answer = deal.learn(learned("one", "110"))

        told = client.get(deal.address("artefacts/2/")).json()
        assert (answer["artefact"], told["form"]) == ("CONCISE", "CONCISE")
        assert told["digest"] == digest(told["state"])
        assert told["state"]["stateVersion"] == 2

    def test_asked_for_has_the_digest_that_the_answer_told(self, deal: Deal, client: APIClient) -> None:
        for form in ("FULL", "CONCISE"):
            answer = deal.say("take_snapshot", {"form": form})

            told = client.get(deal.address(f"artefacts/{deal.row.log_sequence}/")).json()
            assert told["form"] == form
            assert told["digest"] == answer["digest"] == digest(told["state"])

    @pytest.mark.parametrize("sequence", ["0", "9", "9" * 30, "-1", "x"])
    def test_that_was_not_written_is_not_found(self, deal: Deal, client: APIClient, sequence: str) -> None:
        assert client.get(deal.address(f"artefacts/{sequence}/")).status_code == 404


class TestTheList:
    def test_has_one_for_each_event_and_pages(self, deal: Deal, client: APIClient) -> None:
        deal.learn(learned("one", "110"))
        deal.say("record_event", {"event": {"type": "USER_MESSAGE", "text": "Well."}})

        first = client.get(deal.address("artefacts/?limit=2")).json()
        second = client.get(first["next"]).json()

        found = [*first["results"], *second["results"]]
        assert [(each["sequence"], each["stateVersion"], each["form"]) for each in found] == [
            (1, 1, "FULL"),
            (2, 2, "FULL"),
            (3, 2, "FULL"),
        ]
