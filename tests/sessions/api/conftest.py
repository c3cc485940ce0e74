"""Somebody who makes sessions, and a session of theirs."""

from __future__ import annotations

import pytest

from tests.sessions.api.talking import Api, creator, in_group


@pytest.fixture
def api(db: None) -> Api:
    """Return the API as somebody has it who makes sessions, and may do with them what their maker may."""
    return Api(creator("mei"))


@pytest.fixture
def operator(db: None) -> Api:
    return Api(in_group("olga", "operator"))


@pytest.fixture
def here(api: Api) -> str:
    """Return the address of a session with one namespace, below `/api/v1/`."""
    return api.new_session()
