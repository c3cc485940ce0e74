"""The negotiation's scenarios, step by step through the API, on the database."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.negotiation_api import ApiPlayer
from tests.conformance.negotiation_vectors import scenarios
from tests.conformance.test_negotiation_vectors import play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("scenario", scenarios())
def test_negotiation_scenario_by_the_api(scenario: dict[str, Any]) -> None:
    play(ApiPlayer(), scenario)
