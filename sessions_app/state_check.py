"""How `manage.py check_state` proves sessions."""

from __future__ import annotations

import uuid

from fabric_app.mesh.checking import BadRow, StateCheck
from sessions_app.operations import check


def _check(name: str) -> list[BadRow]:
    return check.check_session(uuid.UUID(name))


def _repair(name: str) -> None:
    check.repair_session(uuid.UUID(name))


SESSIONS = StateCheck("session", check.session_names, _check, _repair)
