"""Every operation of the negotiations' API, and every reading, for every kind of caller. Source: section 2."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import URLPattern
from rest_framework.test import APIClient

from negotiation_app.api.routes import ROUTES, Route
from negotiation_app.api.urls import urlpatterns
from negotiation_app.protocol.bodies import FORMS
from negotiation_app.protocol.names import Role
from tests.negotiation.deals import Deal, every_operation, with_something_of_everything
from tests.negotiation.protocol.talks import RENEWAL
from tests.people import person

CALLERS = ("orchestrator", "specialist", "principal", "auditor", "operator", "stranger", "nobody")
READERS = frozenset(CALLERS) - {"stranger", "nobody"}
ORCHESTRATOR = frozenset({"orchestrator"})
# Section 2's table; what is not named here is the orchestrator's alone.
ALLOWED = {
    "submit_patch": frozenset({"specialist"}),
    "record_simulation": frozenset({"orchestrator", "specialist"}),
    "decide": frozenset({"principal"}),
    "revoke_decision": frozenset({"principal"}),
    "acknowledge_notification": frozenset({"principal"}),
    "preview_patch": READERS,
    "take_snapshot": frozenset({"orchestrator", "principal"}),
}
READINGS = (
    "",
    "state/",
    "history/",
    "log/",
    "log/stream/",
    "roles/",
    "bundle/",
    "artefacts/",
    "artefacts/1/",
    "concessions/first/",
)
# Every table of what is append-only, and everything else that is state.
ROWS = (
    "",
    "concessions/first/",
    "proposals/c1/",
    "boundaries/fee/FLOOR/",
    "batna/",
    "criteria/cap/",
    "criteria/cap/revisions/0/",
    "reviews/r1/",
    "overrides/ov1/",
    "propositions/list/",
    "evidence/doc-list/",
    "contradictions/contradiction-1/",
    "judgements/wait/",
    "patches/patch-1/",
    "simulations/rp1/",
    "decisions/approve-cap/",
    "notifications/notification-1/",
    "history/1/",
    "concessions/",
    "history/",
    "log/",
    "state/",
    "nothing/of-this-name/",
)
BODIES = {operation: (subject, body) for operation, subject, body in every_operation()}


@pytest.fixture
def deal(db: None) -> Deal:
    return with_something_of_everything()


@pytest.fixture
def clients(deal: Deal) -> dict[str, APIClient]:
    accounts = {
        **{str(role).lower(): user for role, user in deal.people.items()},
        "operator": person("oona", "operator"),
        "stranger": User.objects.create_user(username="otto"),
    }
    found = {"nobody": APIClient()}
    for name, user in accounts.items():
        found[name] = APIClient()
        found[name].force_authenticate(user)
    return found


def refusal(caller: str, code: str, status: int) -> tuple[int, str]:
    return {"nobody": (401, "NOT_AUTHENTICATED"), "stranger": (404, "NOT_FOUND")}.get(caller, (status, code))


def told(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code") if answer.status_code >= 400 else None


def done(deal: Deal, client: APIClient, route: Route) -> tuple[int, str | None]:
    """Ask for an operation, tell what came of it, and take it back."""
    subject, body = BODIES[route.operation]
    if FORMS[route.operation].writes:
        body = {"stateVersion": deal.version, **body}
    untouched = transaction.savepoint()
    answer = client.post(deal.address(route.path.replace("<str:subject>", subject or "")), body, format="json")
    transaction.savepoint_rollback(untouched)
    return told(answer)


class TestAnOperation:
    def test_is_done_for_those_who_may_and_refused_to_all_others(
        self, deal: Deal, clients: dict[str, APIClient]
    ) -> None:
        found = {(route.operation, name): done(deal, clients[name], route) for route in ROUTES for name in CALLERS}

        assert found == {
            (route.operation, name): (route.status, None)
            if name in ALLOWED.get(route.operation, ORCHESTRATOR)
            else refusal(name, "ROLE_FORBIDDEN", 403)
            for route in ROUTES
            for name in CALLERS
        }

    def test_has_one_address_each_and_every_address_is_tested(self) -> None:
        named = {pattern.name for pattern in urlpatterns if isinstance(pattern, URLPattern)}
        read = {
            "negotiations",
            "negotiation",
            "state",
            "history",
            "log",
            "log-stream",
            "roles",
            "bundle",
            "artefacts",
            "artefact",
            "row",
        }

        assert {route.operation for route in ROUTES} == set(BODIES) == set(FORMS) - {"create_negotiation", "read_state"}
        assert named == read | {route.name for route in ROUTES}

    def test_with_a_bad_body_tells_those_who_may_not_nothing_of_it(
        self, deal: Deal, clients: dict[str, APIClient]
    ) -> None:
        answer = clients["specialist"].post(deal.address("batna/"), {"any": 1}, format="json")

        assert told(answer) == (403, "ROLE_FORBIDDEN")


class TestReading:
    def test_is_for_every_role(self, deal: Deal, clients: dict[str, APIClient]) -> None:
        found = {
            path: {name: clients[name].get(deal.address(path)).status_code for name in CALLERS} for path in READINGS
        }

        assert found == {path: {**dict.fromkeys(READERS, 200), "stranger": 404, "nobody": 401} for path in READINGS}

    def test_of_the_list_shows_each_what_he_has_a_role_in(self, deal: Deal, clients: dict[str, APIClient]) -> None:
        Deal(ref="elsewhere")
        deal.people[Role.AUDITOR].user_permissions.clear()

        lists = {name: clients[name].get("/api/v1/negotiations/") for name in CALLERS}

        shown = {name: [row["ref"] for row in answer.json().get("results", ())] for name, answer in lists.items()}
        both = ["elsewhere", deal.ref]
        assert shown == {**dict.fromkeys(READERS, both), "stranger": [], "nobody": []}


class TestOpening:
    def test_is_for_those_who_may_open_any(self, deal: Deal, clients: dict[str, APIClient]) -> None:
        body = {**RENEWAL, "ref": "another"}

        found = {name: told(clients[name].post("/api/v1/negotiations/", body, format="json")) for name in CALLERS}

        assert found == {
            **dict.fromkeys(CALLERS, (403, "NOT_PERMITTED")),
            "operator": (201, None),
            "nobody": (401, "NOT_AUTHENTICATED"),
        }


class TestRoles:
    def test_are_given_by_operators_alone(self, deal: Deal, clients: dict[str, APIClient]) -> None:
        body = {"account": "otto", "role": str(Role.PRINCIPAL), "isGranted": True, "reason": "He decides."}
        address = deal.address("roles/")

        found = {name: told(clients[name].post(address, body, format="json")) for name in ("stranger", *CALLERS)}

        assert found == {
            **dict.fromkeys(CALLERS, (403, "NOT_PERMITTED")),
            "operator": (200, None),
            "stranger": (403, "NOT_PERMITTED"),
            "nobody": (401, "NOT_AUTHENTICATED"),
        }

    def test_are_not_seen_by_strangers(self, deal: Deal, clients: dict[str, APIClient]) -> None:
        answer = clients["stranger"].post(deal.address("roles/"), {}, format="json")

        assert told(answer) == (404, "NOT_FOUND")


class TestChangingARow:
    @pytest.mark.parametrize("method", ["put", "patch", "delete"])
    def test_is_refused_to_everybody(self, deal: Deal, clients: dict[str, APIClient], method: str) -> None:
        found = {
            (row, name): told(getattr(client, method)(deal.address(row), {}, format="json"))
            for row in ROWS
            for name, client in clients.items()
        }

        assert found == {(row, name): refusal(name, "APPEND_ONLY", 405) for row in ROWS for name in clients}
