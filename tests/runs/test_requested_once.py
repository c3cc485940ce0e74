"""A run asked for under a key: one run, whatever is sent twice and whoever dies in between."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from fabric_app.mesh.idempotency import Idempotency
from fabric_app.models import IdempotencyRecord, Run, Workspace
from fabric_app.operations import requested_once
from fabric_app.operations.requested_once import MAKING_SECONDS, RequestInProgress, request_run_once
from tests.factories import MAYA, NOON, move, parsed


@pytest.fixture
def key(workspace: Workspace) -> Idempotency:
    move(workspace, "plan", "planned", evidence=["true"])
    return Idempotency(User.objects.create_user("olga").pk, "verify-1", "sha256:" + "1" * 64)


def asked(workspace: Workspace, key: Idempotency, *, seconds: int = 0) -> Run:
    return request_run_once(
        idempotency=key,
        workspace=workspace,
        action="verify",
        arguments=parsed("verify"),
        user=None,
        actor=MAYA,
        now=NOON + timedelta(seconds=seconds),
    )


class TestAskingUnderAKey:
    def test_twice_gives_the_same_run(self, workspace: Workspace, key: Idempotency) -> None:
        assert asked(workspace, key).pk == asked(workspace, key, seconds=MAKING_SECONDS + 1).pk
        assert Run.objects.count() == 1

    def test_after_a_process_that_died_before_it_made_the_run(
        self, workspace: Workspace, key: Idempotency, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def dying(**_: Any) -> Run:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(requested_once, "request_run", dying)
            with pytest.raises(KeyboardInterrupt):
                asked(workspace, key)

        with pytest.raises(RequestInProgress):
            asked(workspace, key, seconds=1)
        run = asked(workspace, key, seconds=MAKING_SECONDS + 1)

        assert Run.objects.get().pk == run.pk
        assert IdempotencyRecord.objects.get().answer == {"run": str(run.pk)}
