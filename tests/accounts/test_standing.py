"""Who may stay in a stream: whatever let somebody in has to hold for as long as the stream does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from fabric_app.access import reader_of
from fabric_app.mesh.http.standing import standing_of
from fabric_app.models import ServiceToken, Workspace
from fabric_app.operations.accounts import create_service_account, revoke_token
from fabric_app.operations.grants import withdraw
from tests.factories import MAYA, make_workspace

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workspace() -> Workspace:
    return make_workspace()


@pytest.fixture
def agent(workspace: Workspace) -> User:
    return create_service_account(
        name="scribe",
        workspaces=[workspace],
        permissions=["write"],
        expires_in=timedelta(days=1),
        now=timezone.now(),
    )[0]


@pytest.fixture
def token(agent: User) -> ServiceToken:
    return ServiceToken.objects.get(user=agent)


@pytest.fixture
def stands(agent: User, token: ServiceToken, workspace: Workspace) -> Callable[[], bool]:
    return standing_of(agent, token=token, still_readable=reader_of(workspace))


class TestAToken:
    def test_that_is_valid_stands(self, stands: Callable[[], bool]) -> None:
        assert stands()

    def test_that_was_revoked_does_not(self, stands: Callable[[], bool], token: ServiceToken) -> None:
        revoke_token(token_id=token.pk, now=timezone.now())

        assert not stands()

    def test_that_expired_does_not(self, stands: Callable[[], bool], token: ServiceToken) -> None:
        ServiceToken.objects.filter(pk=token.pk).update(expires_at=timezone.now())

        assert not stands()

    def test_of_an_account_that_is_switched_off_does_not(self, stands: Callable[[], bool], agent: User) -> None:
        User.objects.filter(pk=agent.pk).update(is_active=False)

        assert not stands()

    def test_whose_permission_was_withdrawn_does_not(
        self, stands: Callable[[], bool], agent: User, workspace: Workspace
    ) -> None:
        assert stands()
        withdraw(user=agent, workspace=workspace, permissions=["read", "write"], actor=MAYA, now=timezone.now())

        assert not stands()


class TestASession:
    def test_stands_until_it_is_ended(self, agent: User, workspace: Workspace) -> None:
        session = SessionStore()
        session.create()
        stands = standing_of(agent, session=session, still_readable=reader_of(workspace))
        assert stands()

        SessionStore(session.session_key).delete()

        assert not stands()
