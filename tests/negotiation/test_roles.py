"""Roles: given and taken back by operators, each time with a reason, and a row that stays. Section 2."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm
from rest_framework.test import APIClient

from fabric_app.mesh.actors import SYSTEM, actor_of
from fabric_app.mesh.errors import InvalidArguments, NotFound
from negotiation_app.access import roles_of
from negotiation_app.models import RoleGrant
from negotiation_app.operations.performing import create_negotiation
from negotiation_app.operations.roles import grant_role, role_holders, withdraw_role
from negotiation_app.protocol.names import Role
from tests.negotiation.deals import Deal
from tests.negotiation.protocol.talks import MONDAY, RENEWAL
from tests.people import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal() -> Deal:
    return Deal()


@pytest.fixture
def otto() -> User:
    return User.objects.create_user(username="otto")


def who(deal: Deal, role: Role = Role.SPECIALIST, account: str = "otto", reason: str = "He drafts.") -> dict[str, Any]:
    return {
        "negotiation": deal.row,
        "account": account,
        "role": role,
        "reason": reason,
        "actor": SYSTEM,
        "now": deal.clock,
    }


def fresh(user: User) -> User:
    """Return the account as the next request has it: without what it remembers of permissions."""
    return User.objects.get(pk=user.pk)


class TestGranting:
    @pytest.mark.parametrize("role", Role)
    def test_gives_this_role_in_this_negotiation_alone(self, deal: Deal, otto: User, role: Role) -> None:
        other = Deal(ref="other")

        grant_role(**who(deal, role))

        assert roles_of(fresh(otto), deal.row) == {role}
        assert roles_of(fresh(otto), other.row) == frozenset()

    def test_gives_one_account_several(self, deal: Deal, otto: User) -> None:
        for role in (Role.SPECIALIST, Role.PRINCIPAL):
            grant_role(**who(deal, role))

        assert roles_of(fresh(otto), deal.row) == {Role.SPECIALIST, Role.PRINCIPAL}
        assert {"account": "otto", "roles": ["principal", "specialist"]} in role_holders(deal.row)

    def test_leaves_a_row_that_says_who_and_why(self, deal: Deal, otto: User) -> None:
        grant_role(**who(deal))

        row = RoleGrant.objects.latest("pk")
        assert (row.account, row.role, row.is_granted, row.reason) == ("otto", "specialist", True, "He drafts.")
        assert row.actor == SYSTEM.as_json()


class TestWithdrawing:
    def test_takes_the_role_and_leaves_the_others(self, deal: Deal, otto: User) -> None:
        for role in (Role.SPECIALIST, Role.PRINCIPAL):
            grant_role(**who(deal, role))

        withdraw_role(**who(deal, reason="He left."))

        assert roles_of(fresh(otto), deal.row) == {Role.PRINCIPAL}

    def test_leaves_both_rows(self, deal: Deal, otto: User) -> None:
        grant_role(**who(deal))
        withdraw_role(**who(deal, reason="He left."))

        rows = RoleGrant.objects.filter(account="otto").order_by("pk")
        assert list(rows.values_list("is_granted", "reason")) == [(True, "He drafts."), (False, "He left.")]

    def test_from_an_agent_ends_its_access_at_once(self, deal: Deal, otto: User) -> None:
        client = APIClient()
        client.force_authenticate(otto)
        grant_role(**who(deal))
        assert client.get(deal.address()).status_code == 200

        withdraw_role(**who(deal))

        client.force_authenticate(fresh(otto))
        assert client.get(deal.address()).status_code == 404


class TestBoth:
    @pytest.mark.parametrize("change", [grant_role, withdraw_role])
    @pytest.mark.parametrize("reason", ["", " \t", "a\0b", "x" * 4_097])
    def test_need_a_reason(self, deal: Deal, otto: User, change: Any, reason: str) -> None:
        rows = RoleGrant.objects.count()

        with pytest.raises(InvalidArguments):
            change(**who(deal, reason=reason))

        assert RoleGrant.objects.count() == rows
        assert roles_of(fresh(otto), deal.row) == frozenset()

    @pytest.mark.parametrize("change", [grant_role, withdraw_role])
    def test_need_an_account_that_is_there(self, deal: Deal, otto: User, change: Any) -> None:
        otto.is_active = False
        otto.save()

        for account in ("otto", "nobody-at-all", ""):
            with pytest.raises(NotFound):
                change(**who(deal, account=account))


class TestOpening:
    def test_makes_the_opener_the_orchestrator_and_nothing_else(self, deal: Deal, otto: User) -> None:
        create_negotiation(body={**RENEWAL, "ref": "his"}, user=otto, actor=actor_of(otto), now=MONDAY)

        his = type(deal.row).objects.get(ref="his")
        assert roles_of(fresh(otto), his) == {Role.ORCHESTRATOR}


class TestAskingForRoles:
    def test_takes_as_few_queries_for_four_as_for_none(self, deal: Deal, otto: User) -> None:
        for role in Role:
            grant_role(**who(deal, role))
        row = deal.row
        roles_of(fresh(otto), row)

        with CaptureQueriesContext(connection) as asked:
            assert roles_of(User.objects.get(username="otto"), row) == frozenset(Role)

        assert len(asked) <= 5

    def test_finds_none_for_those_who_are_not_signed_in_or_whose_account_is_closed(
        self, deal: Deal, otto: User
    ) -> None:
        grant_role(**who(deal))
        otto.is_active = False

        assert roles_of(otto, deal.row) == roles_of(AnonymousUser(), deal.row) == frozenset()

    def test_finds_what_a_group_gives(self, deal: Deal, otto: User) -> None:
        team = Group.objects.create(name="deal team")
        otto.groups.add(team)
        assign_perm("propose_negotiation", team, deal.row)

        assert roles_of(fresh(otto), deal.row) == {Role.SPECIALIST}

    def test_finds_all_for_a_superuser(self, deal: Deal) -> None:
        assert roles_of(User.objects.create_superuser(username="root"), deal.row) == frozenset(Role)


class TestAnOperator:
    def test_reads_as_an_auditor_and_persists_nothing(self, deal: Deal) -> None:
        assert roles_of(person("oona", "operator"), deal.row) == {Role.AUDITOR}

    def test_sends_bad_grants_and_hears_what_is_wrong(self, deal: Deal) -> None:
        client = APIClient(raise_request_exception=False)
        client.force_authenticate(person("oona", "operator"))
        body = {"account": "stig", "role": "specialist", "isGranted": True, "reason": "He is."}

        wrong = [
            {**body, "role": "boss"},
            {**body, "account": 5},
            {**body, "account": "a\0"},
            {**body, "account": "a" * 151},
            {**body, "isGranted": "yes"},
            {**body, "reason": ""},
            {**body, "more": 1},
            {},
            [],
            None,
        ]
        found = [client.post(deal.address("roles/"), each, format="json").status_code for each in wrong]

        assert [status for status in found if not 400 <= status < 500] == []
        assert client.post(deal.address("roles/"), body, format="json").status_code == 200
