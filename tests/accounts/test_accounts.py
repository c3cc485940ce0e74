"""Accounts: groups, grants, tokens that expire, and links that work once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from fabric_app.access import PERMISSIONS, may, require, visible_workspaces
from fabric_app.mesh.accounts import AccountExists, InvalidToken, account_of_token
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, NotFound, NotPermitted
from fabric_app.mesh.groups import install_groups
from fabric_app.mesh.sign_in_links import LinkExpired, LinkUnknown, LinkUsed, use_sign_in_link
from fabric_app.models import Activity, ServiceToken, SignInLink, Workspace
from fabric_app.operations.accounts import (
    create_service_account,
    first_operator,
    issue_token,
    make_sign_in_link,
    revoke_token,
)
from fabric_app.operations.groups import PERMISSIONS_OF
from tests.factories import NOON, make_workspace
from tests.people import person

HOUR = timedelta(hours=1)
pytestmark = pytest.mark.django_db


@pytest.fixture
def harbour(db: None) -> Workspace:
    return make_workspace()


def secret_of(path: str) -> str:
    return path.strip("/").rpartition("/")[2]


def allowed(user: User, workspace: Workspace) -> set[str]:
    fresh = User.objects.get(pk=user.pk)
    return {short for short, name in PERMISSIONS.items() if may(fresh, name, workspace)}


class TestTheGroups:
    def test_are_there_after_migration_and_installed_again_without_harm(self) -> None:
        before = list(Group.objects.order_by("name").values_list("name", "permissions__codename"))

        install_groups("default", PERMISSIONS_OF)

        assert list(Group.objects.order_by("name").values_list("name", "permissions__codename")) == before
        assert set(Group.objects.values_list("name", flat=True)) >= {"operator", "auditor", "host", "agent"}

    @pytest.mark.parametrize(
        ("group", "expected"),
        [("operator", set(PERMISSIONS)), ("auditor", {"read"}), ("host", set()), ("agent", set()), (None, set())],
    )
    def test_give_what_they_are_for(self, harbour: Workspace, group: str | None, expected: set[str]) -> None:
        assert allowed(person("maya", group), harbour) == expected

    def test_let_operators_alone_make_workspaces(self) -> None:
        assert person("olga", "operator").has_perm("fabric_app.add_workspace")
        assert not person("arne", "auditor").has_perm("fabric_app.add_workspace")


class TestCreateServiceAccount:
    def test_grants_on_the_named_workspaces_alone(self, harbour: Workspace) -> None:
        quay = make_workspace(slug="quay")

        user, _ = create_service_account(
            name="scribe", workspaces=[harbour], permissions=["write"], expires_in=HOUR, now=NOON
        )

        assert allowed(user, harbour) == {"read", "write"}
        assert allowed(user, quay) == set()
        assert [each.slug for each in visible_workspaces(user)] == ["harbour"]
        assert not user.has_usable_password()

    def test_is_an_agent_unless_it_is_a_host(self, harbour: Workspace) -> None:
        given: dict[str, Any] = {"workspaces": [harbour], "permissions": [], "expires_in": HOUR, "now": NOON}

        agent, _ = create_service_account(name="scribe", **given)
        host, _ = create_service_account(name="ci", is_host=True, **given)

        assert (actor_of(agent).kind, actor_of(host).kind) == ("agent", "main")

    def test_leaves_activity_and_no_secret(self, harbour: Workspace) -> None:
        user, secret = create_service_account(
            name="scribe", workspaces=[harbour], permissions=["write"], expires_in=HOUR, now=NOON
        )

        lines = Activity.objects.filter(kind__in=["account.created", "permission.granted", "token.issued"])
        assert lines.count() == 3
        assert Activity.objects.get(kind="permission.granted").detail == {"permissions": ["read", "write"]}
        assert secret.startswith("sh_")
        assert secret not in repr(list(ServiceToken.objects.filter(user=user).values()) + list(lines.values()))

    def test_refuses_a_name_that_is_taken(self, harbour: Workspace) -> None:
        person("scribe")
        with pytest.raises(AccountExists):
            create_service_account(name="scribe", workspaces=[], permissions=[], expires_in=HOUR, now=NOON)

    def test_refuses_what_it_does_not_know(self) -> None:
        with pytest.raises(InvalidArguments) as refused:
            create_service_account(name="a b", workspaces=[], permissions=["fly"], expires_in=HOUR, now=NOON)

        assert [each.path for each in refused.value.problems] == ["/name", "/permissions/0"]


class TestRequire:
    def test_hides_what_cannot_be_read_and_names_what_is_missing(self, harbour: Workspace) -> None:
        user, _ = create_service_account(
            name="scribe", workspaces=[harbour], permissions=["write"], expires_in=HOUR, now=NOON
        )

        require(user, "write_workspace", harbour)
        with pytest.raises(NotPermitted):
            require(user, "execute_workspace", harbour)
        with pytest.raises(NotFound):
            require(person("otto"), "read_workspace", harbour)


class TestAToken:
    def test_works_until_it_expires(self) -> None:
        user = person("scribe")
        token, secret = issue_token(user=user, name="laptop", expires_in=HOUR, now=NOON)

        assert account_of_token(secret, now=NOON + HOUR - timedelta(seconds=1)).pk == token.pk
        with pytest.raises(InvalidToken):
            account_of_token(secret, now=NOON + HOUR)

    def test_works_until_it_is_revoked_and_others_go_on(self) -> None:
        user = person("scribe")
        token, secret = issue_token(user=user, name="laptop", expires_in=HOUR, now=NOON)
        _, other = issue_token(user=user, name="server", expires_in=HOUR, now=NOON)

        revoke_token(token_id=token.pk, now=NOON)
        revoke_token(token_id=token.pk, now=NOON)

        with pytest.raises(InvalidToken):
            account_of_token(secret, now=NOON)
        assert account_of_token(other, now=NOON).user == user
        assert Activity.objects.filter(kind="token.revoked").count() == 1

    def test_is_worthless_while_its_account_is_off(self) -> None:
        user = person("scribe")
        _, secret = issue_token(user=user, name="laptop", expires_in=HOUR, now=NOON)
        User.objects.filter(pk=user.pk).update(is_active=False)

        with pytest.raises(InvalidToken):
            account_of_token(secret, now=NOON)

    def test_notes_its_use_once_a_minute(self) -> None:
        _, secret = issue_token(user=person("scribe"), name="laptop", expires_in=HOUR, now=NOON)

        for seconds, noted in ((0, 0), (30, 0), (61, 61)):
            account_of_token(secret, now=NOON + timedelta(seconds=seconds))
            assert ServiceToken.objects.get().last_used_at == NOON + timedelta(seconds=noted)

    @pytest.mark.parametrize("life", [timedelta(0), timedelta(days=-1), timedelta(days=400)])
    def test_lives_a_bounded_time(self, life: timedelta) -> None:
        with pytest.raises(InvalidArguments):
            issue_token(user=person("scribe"), name="laptop", expires_in=life, now=NOON)


class TestASignInLink:
    def test_signs_in_once(self) -> None:
        path = first_operator(NOON)
        assert path is not None

        assert use_sign_in_link(secret_of(path), NOON).username == "operator"
        with pytest.raises(LinkUsed):
            use_sign_in_link(secret_of(path), NOON)

    def test_works_for_a_day(self) -> None:
        path = make_sign_in_link(user=person("maya"), now=NOON)

        with pytest.raises(LinkExpired):
            use_sign_in_link(secret_of(path), NOON + timedelta(hours=24))
        assert SignInLink.objects.get().used_at is None

    def test_of_an_account_that_is_off_is_not_known(self) -> None:
        path = make_sign_in_link(user=person("maya"), now=NOON)
        User.objects.update(is_active=False)

        for secret in (secret_of(path), "made-up", "", "\0", "\ud800"):
            with pytest.raises(LinkUnknown):
                use_sign_in_link(secret, NOON)


@pytest.mark.django_db(transaction=True)
class TestManyUsesOfOneLink:
    def test_sign_in_one(self) -> None:
        secret = secret_of(make_sign_in_link(user=person("maya"), now=NOON))

        def use(_: int) -> bool:
            try:
                use_sign_in_link(secret, NOON)
            except LinkUsed:
                return False
            finally:
                connections.close_all()
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(use, range(8))) == [False] * 7 + [True]


class TestTheFirstOperator:
    def test_is_made_where_there_is_none(self) -> None:
        assert first_operator(NOON)
        operator = User.objects.get(username="operator")

        assert operator.is_staff
        assert not operator.is_superuser
        assert not operator.has_usable_password()
        assert first_operator(NOON) is None

    def test_is_not_made_beside_another(self) -> None:
        person("olga", "operator")

        assert first_operator(NOON) is None


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


class TestTheCommands:
    def test_make_a_workspace_and_an_agent_and_revoke_its_token(self) -> None:
        run("create_workspace", "harbour", "--title", "Harbour")
        secret = run("create_agent", "scribe", "--workspace", "harbour")[-1]
        token = account_of_token(secret, now=timezone.now())

        assert allowed(token.user, Workspace.objects.get()) == {"read", "write"}
        assert "revoked" in run("revoke_token", str(token.pk))[0]
        with pytest.raises(InvalidToken):
            account_of_token(secret, now=timezone.now())

    def test_make_a_host_that_may_run(self) -> None:
        run("create_workspace", "harbour")
        run("create_agent", "ci", "--host", "--workspace", "harbour")

        assert allowed(User.objects.get(), Workspace.objects.get()) == {"read", "write", "execute"}

    def test_print_the_secret_alone(self) -> None:
        run("create_workspace", "harbour")

        printed = run("create_agent", "scribe", "--workspace", "harbour")

        assert [line[:3] for line in printed] == ["sh_"]

    def test_change_a_workspace(self) -> None:
        run("create_workspace", "harbour")
        run("change_workspace", "harbour", "--title", "Old harbour", "--worker-group", "quay", "--archive")

        workspace = Workspace.objects.get()
        assert (workspace.title, workspace.worker_group, workspace.is_archived) == ("Old harbour", "quay", True)
        run("change_workspace", "harbour", "--unarchive")
        assert not Workspace.objects.get().is_archived

    def test_print_a_link_that_signs_in(self) -> None:
        path = run("sign_in_link")[-1]

        assert use_sign_in_link(secret_of(path), timezone.now()).username == "operator"
        assert run("sign_in_link", "operator")[-1] != path

    @pytest.mark.parametrize(
        "arguments",
        [
            ("create_workspace", "a b"),
            ("change_workspace", "nowhere", "--archive"),
            ("change_workspace", "there"),
            ("change_workspace", "there", "--root", "/"),
            ("create_agent", "scribe", "--workspace", "nowhere"),
            ("revoke_token", "00000000-0000-0000-0000-000000000000"),
            ("revoke_token", "--account", "nobody"),
            ("sign_in_link", "nobody"),
        ],
    )
    def test_say_what_is_wrong(self, arguments: tuple[str, ...]) -> None:
        run("create_workspace", "there")

        with pytest.raises(CommandError):
            run(*arguments)
