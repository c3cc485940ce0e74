"""What one plain transition costs the database. A statement more is a decision, not an accident."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fabric_app.models import Workspace
from tests.factories import move

# Read the head; lock the log; swap the head; note, append, chain; project.
EXPECTED = [
    "SELECT fabric_app_keyentry",
    "UPDATE fabric_app_loghead",
    "SELECT fabric_app_loghead",
    "UPDATE fabric_app_keyentry",
    "INSERT fabric_app_activity",
    "INSERT fabric_app_event",
    "INSERT fabric_app_keyversion",
    "UPDATE fabric_app_loghead",
    "SELECT fabric_app_transitionstate",
    "INSERT fabric_app_transitionstate",
]


def statements(queries: CaptureQueriesContext) -> list[str]:
    """Return verb and table of each statement that touches a table of ours."""
    texts = (query["sql"] for query in queries.captured_queries)
    found = (re.match(r"(\w+)\b.*?\"(fabric_app_\w+)\"", text, re.DOTALL) for text in texts)
    return [f"{match[1]} {match[2]}" for match in found if match]


@pytest.mark.django_db(transaction=True)
class TestStatements:
    def test_a_plain_transition_has_these_and_no_others(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        with CaptureQueriesContext(connection) as queries:
            move(workspace, "apply", "applied", from_="planned")

        assert statements(queries) == EXPECTED
