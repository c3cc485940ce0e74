"""The state as it was: at a version, and at a time. Source: issue "Negotiation", "As it was"."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from negotiation_app.protocol.names import Role
from tests.negotiation.deals import Deal, learned

pytestmark = pytest.mark.django_db


def read(deal: Deal, **query: Any) -> Any:
    client = APIClient()
    client.force_authenticate(deal.people[Role.AUDITOR])
    return client.get(deal.address("state/"), query)


class TestAtATime:
    def test_what_came_later_is_not_in_it(self) -> None:
        # given a fact at one o'clock and another one at two
        deal = Deal()
        deal.learn(learned("first", "100"))
        between: datetime = deal.clock + timedelta(minutes=30)
        deal.learn(learned("second", "101"))

        # when the state of half past one is read
        then = read(deal, at=between.isoformat()).json()

        # then it is the state of that version
        at_version = read(deal, version=then["negotiation"]["stateVersion"]).json()
        assert sorted(then["propositions"]) == sorted(at_version["propositions"]) == ["first"]
        assert sorted(read(deal).json()["propositions"]) == ["first", "second"]

    def test_a_time_to_come_is_now(self) -> None:
        deal = Deal()

        for later in ("2999-01-01T00:00:00Z", "9999-12-31T23:59:59+00:00"):
            assert read(deal, at=later).json()["negotiation"] == read(deal).json()["negotiation"]

    def test_before_the_opening_there_is_nothing(self) -> None:
        deal = Deal()

        for early in ((deal.clock - timedelta(days=1)).isoformat(), "0001-01-01T00:00:00Z"):
            assert read(deal, at=early).status_code == 404

    @pytest.mark.parametrize(
        "at", ["yesterday", "2026-12-01", "2026-12-01T10:00:00", "2026-13-01T10:00:00Z", "0001-01-01T00:00:00+14:00"]
    )
    def test_another_text_is_refused(self, at: str) -> None:
        refused = read(Deal(), at=at)

        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "/at")

    def test_not_beside_a_version(self) -> None:
        refused = read(Deal(), at="2026-12-01T10:00:00Z", version=1)

        assert refused.json()["code"] == "INVALID_ARGUMENTS"
