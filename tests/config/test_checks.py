"""Settings that cannot be right together are named by an id."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.checks import run_checks

from config.checks import log_is_protected
from fabric_app.mesh import triggers


def ids() -> set[str]:
    return {message.id for message in run_checks() if (message.id or "").startswith("statehouse.")}


@pytest.fixture
def _no_test_host(settings):
    # Django's test environment adds a host of its own.
    settings.ALLOWED_HOSTS = ["127.0.0.1"]


@pytest.mark.usefixtures("_no_test_host")
class TestChecks:
    def test_the_test_settings_have_nothing_to_say(self):
        assert ids() == set()

    def test_a_missing_secret_key(self, settings):
        settings.SECRET_KEY = ""

        assert "statehouse.E001" in ids()

    def test_debug_for_strangers(self, settings):
        settings.DEBUG = True
        settings.ALLOWED_HOSTS = ["statehouse.example"]

        assert ids() == {"statehouse.E002", "statehouse.W001"}

    def test_a_broker_of_another_kind(self, settings):
        settings.REDIS_URL = "amqp://127.0.0.1"

        assert ids() == {"statehouse.E007"}

    @pytest.mark.parametrize(
        ("name", "value", "expected"),
        [
            ("RUN_AS_USER", "no-such-user-here", "statehouse.E005"),
            ("MAX_COMMAND_TIMEOUT_MS", 29_999, "statehouse.E008"),
            ("WORKER_GROUP", "a/b", "statehouse.E009"),
            ("WORKSPACE_ROOTS", [Path("/")], "statehouse.E006"),
        ],
    )
    def test_a_limit_that_cannot_be(self, settings, name, value, expected):
        settings.STATEHOUSE = settings.STATEHOUSE | {name: value}

        assert expected in ids()


@pytest.mark.django_db
class TestLogProtection:
    def test_triggers_that_are_missing_are_named(self):
        from django.db import connection

        assert log_is_protected(databases=["default"]) == []
        triggers.remove(connection)

        found = log_is_protected(databases=["default"])

        assert [message.id for message in found] == ["statehouse.W002"]
        triggers.install(connection)


@pytest.mark.django_db(transaction=True)
class TestEmptyingTheTestDatabase:
    """The suite's own fixture: append-only rows go between tests, and their triggers stay."""

    @pytest.mark.parametrize("turn", [1, 2])
    def test_triggers_are_there_in_every_test(self, turn):
        from django.db import connection

        assert triggers.missing_triggers(connection) == []
