"""Anything done to a session in any order: see `session_machine` for what has to hold."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from sessions_app.operations import entity_rows, rows_from_log
from sessions_app.protocol import reckoning
from tests.sessions.operations.session_machine import SessionMachine

BOUNDS = settings(
    max_examples=10 if django_settings.ON_SQLITE else 4,
    stateful_step_count=30,
    deadline=None,
    # Making a failure smaller would outlast the time that a test has.
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.django_db(transaction=True)
class TestAnythingInAnyOrder:
    @pytest.mark.slow
    def test_leaves_a_session_that_is_what_its_log_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # So that these short sessions have snapshots too.
        for module in (reckoning, entity_rows, rows_from_log):
            monkeypatch.setattr(module, "SNAPSHOT_EVERY", 3)

        run_state_machine_as_test(SessionMachine, settings=BOUNDS)
