"""Copies of a session that has lived through anything: forks at any message, and documents that are read in again."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from fabric_app.mesh.canonical import dumps
from sessions_app.models import Entity, Message, Session, Variant
from sessions_app.operations import documents, entity_rows, forks, rows_from_log
from sessions_app.operations.check import check_session
from sessions_app.protocol import reckoning
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.replay import Entity as Replayed
from sessions_app.protocol.replay import EntityKind, fold
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.session_machine import SessionMachine, picks
from tests.sessions.operations.stored_rows import stored_rows

Json = dict[str, Any]
BOUNDS = settings(
    max_examples=8 if django_settings.ON_SQLITE else 3,
    stateful_step_count=25,
    deadline=None,
    # Making a failure smaller would outlast the time that a test has.
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class CopiedSession(SessionMachine):
    """Anything done in any order, and copies made on the way."""

    @rule(pick=picks)
    def fork_at_a_message(self, pick: int) -> None:
        if present := self._messages():
            self._fork(self._one(present, pick))

    @rule()
    def fork_as_it_is(self) -> None:
        fork = self._fork(None)
        assert stored_projection(fork).as_json() == stored_projection(self.place.session).as_json()

    @rule()
    def write_out_and_read_in(self) -> None:
        before = stored_rows(self.place.id)
        document = documents.export_session(self.place.session)
        read = json.loads(dumps(document))
        foreseen = documents.preview_document(read)

        made = documents.import_document(document=read, user=self.place.user, **self.place.who)

        copy = Session.objects.get(pk=made["id"])
        assert dumps(documents.export_session(copy)) == dumps(document)
        assert stored_projection(copy).as_json() == stored_projection(self.place.session).as_json()
        assert check_session(copy.pk) == []
        assert made == {"id": made["id"], **foreseen}
        assert stored_rows(self.place.id) == before

    def _fork(self, message: int | None) -> Session:
        before = stored_rows(self.place.id)

        made = forks.fork_session(
            session=self.place.session, message=message, title="Fork", user=self.place.user, **self.place.who
        )

        fork = Session.objects.get(pk=made["id"])
        assert stored_rows(self.place.id) == before
        assert check_session(fork.pk) == []
        assert stored_projection(fork).as_json() == self._owned_up_to(message)
        assert _said(fork.pk) == _said(self.place.id)[: len(_said(fork.pk))]
        return fork

    def _owned_up_to(self, message: int | None) -> Json:
        """Return what the entities that count lead to, of the bootstrap and of messages up to one."""
        rows = Entity.objects.filter(session_id=self.place.id, status=EntityStatus.EFFECTIVE).order_by("sequence")
        owned = [each for each in rows if message is None or each.message is None or each.message <= message]
        return fold(Replayed(each.sequence, EntityKind(each.kind), each.body) for each in owned).projection.as_json()


def _said(session_id: uuid.UUID) -> list[tuple[str, str, str, bool]]:
    """Return who says what, in order."""
    rows = Message.objects.filter(session_id=session_id, is_deleted=False).order_by("number")
    return [
        (row.role, row.name, Variant.objects.get(message=row, index=row.selected).text, row.is_hidden) for row in rows
    ]


@pytest.mark.django_db(transaction=True)
class TestCopiesOfAnySession:
    @pytest.mark.slow
    def test_are_sessions_that_say_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # So that these short sessions have snapshots too.
        for module in (reckoning, entity_rows, rows_from_log):
            monkeypatch.setattr(module, "SNAPSHOT_EVERY", 3)

        run_state_machine_as_test(CopiedSession, settings=BOUNDS)
