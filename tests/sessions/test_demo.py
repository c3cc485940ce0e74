"""The demo sessions: what `manage.py demo` tells is true and can be told again."""

from __future__ import annotations

import pytest

from sessions_app.demo.telling import tell_sessions
from sessions_app.models import Session, SessionEvent
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EventKind

pytestmark = pytest.mark.django_db(transaction=True)


class TestTellingTheDemo:
    def test_two_sessions_live_through_twenty_turns_and_are_clean(self) -> None:
        said: list[str] = []

        tell_sessions(said.append)
        tell_sessions(said.append)

        sessions = Session.objects.order_by("created_at")
        assert [each.title for each in sessions] == ["雨夜书店（演示）", "The lighthouse (demo)"]
        for session in sessions:
            kinds = list(SessionEvent.objects.filter(session=session).values_list("kind", flat=True))
            assert kinds.count(EventKind.TURN_COMMITTED) >= 20
            assert EventKind.MESSAGES_DELETED in kinds
            assert check_session(session.pk) == []
