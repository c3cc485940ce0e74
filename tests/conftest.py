"""What every test can ask for: a database that can be emptied again, and the servers where they answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import TransactionTestCase
from hypothesis import settings as hypothesis_settings

from config.broker import is_reachable
from tests.emptying import Emptying

# No property depends on how fast the machine is.
hypothesis_settings.register_profile("statehouse", deadline=None)
hypothesis_settings.load_profile("statehouse")


@pytest.fixture(scope="session", autouse=True)
def _emptying_passes_the_triggers() -> Iterator[None]:
    """Let tests with `transaction=True` empty append-only tables, and do it quickly."""
    with pytest.MonkeyPatch.context() as patch:
        emptying = Emptying(TransactionTestCase._fixture_teardown)

        def emptied(case: TransactionTestCase) -> None:
            emptying.empty(case)

        patch.setattr(TransactionTestCase, "_fixture_teardown", emptied)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a server that this run was not given."""
    reasons = {
        "postgresql": None if not settings.ON_SQLITE else "needs PostgreSQL by DATABASE_URL",
        "sqlite": None if settings.ON_SQLITE else "needs SQLite",
        "redis": None if _has_redis() else "needs Redis by REDIS_URL",
    }
    for item in items:
        for marker, reason in reasons.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def _has_redis() -> bool:
    return bool(settings.REDIS_URL) and is_reachable(settings.REDIS_URL, settings.BROKER_FOLDER)
