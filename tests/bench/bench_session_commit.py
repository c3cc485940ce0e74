"""What the protocol costs: commits of a turn as an operation, as their own ORM statements alone, and as bare SQL.

    python -m tests.bench.bench_session_commit

Three changes on a namespace of 200 keys with 20 rules, as a game makes them. On the database that DATABASE_URL names
(an empty one), or on SQLite in a folder of its own. The three are measured in turns in one run. Prints JSON, and fails
where the operation reaches less than 0.7 of the rate of its ORM statements.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from typing import Any

from tests.bench.bench_changes import SCHEMAS, VALUES, rule
from tests.bench.bench_transition import UUID_TEXT, Recorder
from tests.bench.own_product import own_product

ROUNDS = 7
COUNT = 100
KEYS = 200
TARGET = 0.7
Json = dict[str, Any]


def main() -> int:
    with own_product():
        figures = _figures()
    print(json.dumps(figures))
    return int(figures["operation_to_orm"] < TARGET)


def _figures() -> Json:
    operation, orm = Operation(), OrmAlone()
    bare = Bare(*_recorded())
    ways: dict[str, Callable[[], None]] = {"operation": operation.once, "orm": orm.once, "bare": bare.once}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, once in ways.items():
            began = time.perf_counter()
            for _ in range(COUNT):
                once()
            seconds[name].append((time.perf_counter() - began) / COUNT)
    median = {name: statistics.median(each) for name, each in seconds.items()}
    return {
        "statements": bare.statement_count,
        "operation_ms": round(median["operation"] * 1000, 2),
        "orm_ms": round(median["orm"] * 1000, 2),
        "operation_to_orm": round(median["orm"] / median["operation"], 2),
        "operation_to_bare": round(median["bare"] / median["operation"], 2),
    }


def bootstrap() -> Json:
    """Return the first namespace of a session: 200 keys, 20 rules, of which two are due each turn."""
    names = [f"key{number}" for number in range(KEYS)]
    schema = {
        "type": "object",
        "properties": {name: SCHEMAS[number % 4] for number, name in enumerate(names)},
        "required": names,
        "additionalProperties": False,
    }
    definition = {
        "title": "story",
        "updateMode": "rules-required",
        "schema": schema,
        "rules": [rule(number) for number in range(20)],
    }
    value = {name: VALUES[number % 4] for number, name in enumerate(names)}
    story = {"namespace": "story", "initialValue": value, "definition": definition, "diagnostics": {"lastCommit": []}}
    return {"version": 2, "namespaces": [story]}


def effects(number: int) -> list[Json]:
    """Return the effects of the commit with this number, counted from 1."""
    by, mood = (1, "glad") if number % 2 else (-1, "calm")
    changes = [
        {"op": "increment", "path": "/key0", "by": by, "ruleId": "rule-0", "reason": "She told what she had hidden."},
        {"op": "set", "path": "/key1", "value": mood, "ruleId": "rule-1", "reason": "The news is good."},
        {"op": "increment", "path": "/key7/trust", "by": by, "ruleId": "rule-7", "reason": "A promise was kept."},
    ]
    named = {"kind": "state.update", "namespace": "story", "expectedRevision": number}
    return [{**named, "payload": {"changes": changes}}]


class Operation:
    """`commit_turn`, on turns that were begun before the clock runs."""

    def __init__(self, turns: int = ROUNDS * COUNT) -> None:
        from django.contrib.auth import get_user_model
        from django.utils import timezone

        from fabric_app.mesh.actors import actor_of
        from sessions_app.operations.sessions import create_session
        from sessions_app.operations.turns import begin_turn

        user, self.now = get_user_model().objects.create_user(username=uuid.uuid4().hex), timezone.now()
        self.actor = actor_of(user)
        made = create_session(title="Bench", bootstrap=bootstrap(), user=user, actor=self.actor, now=self.now)
        self.session_id = uuid.UUID(made["id"])
        self.here: Json = {"session_id": self.session_id, "actor": self.actor, "now": self.now}
        self.turns = [begin_turn(**self.here)["turn"] for _ in range(turns)]
        self.number = 0

    def once(self) -> None:
        from sessions_app.operations.commits import Content, commit_turn

        content = Content(effects(self.number + 1), text="She nods, and tells what she had hidden.")
        commit_turn(**self.here, number=self.turns[self.number], content=content)
        self.number += 1


class OrmAlone:
    """The same statements by the same ORM calls, with values that were made before: no protocol, digests or checks."""

    def __init__(self) -> None:
        from sessions_app.models import Entity, Namespace, Session, SessionEvent, Snapshot, Turn

        pattern = Operation()
        # As many as it takes to have a snapshot.
        for _ in range(40):
            pattern.once()
        mine = {"session_id": pattern.session_id}
        self.session = Session.objects.get(pk=pattern.session_id)
        self.turns = iter(pattern.turns[40:] * 2)
        self.event = SessionEvent.objects.filter(**mine).latest("sequence")
        self.entity = Entity.objects.filter(**mine).latest("sequence")
        self.turn = Turn.objects.filter(**mine, status="committed").latest("number")
        self.namespace = Namespace.objects.get(**mine)
        self.projection = Snapshot.objects.filter(**mine).latest("sequence").projection
        self.text = "She nods, and tells what she had hidden."
        self.tail = 0

    def once(self) -> None:
        from django.db import transaction
        from django.db.models import F

        from fabric_app.mesh.wakeups import wake_on_commit
        from sessions_app.models import (
            CommitDraft,
            Entity,
            Message,
            Namespace,
            Session,
            SessionEvent,
            Snapshot,
            Turn,
            Variant,
        )
        from sessions_app.protocol.reckoning import SNAPSHOT_EVERY

        session_id, number = self.session.pk, next(self.turns)
        with transaction.atomic(durable=True):
            session = Session.objects.select_for_update().filter(pk=session_id).first()
            turn = Turn.objects.filter(session_id=session_id, number=number).first()
            assert session is not None
            assert turn is not None
            list(Namespace.objects.filter(session_id=session_id).order_by("position"))
            sequence = session.log_sequence + 1
            entity = {
                each: getattr(self.entity, each)
                for each in ("kind", "message", "variant", "turn", "body", "status", "since")
            }
            Entity.objects.create(session=session, sequence=sequence, **entity)
            self.tail += 1
            if self.tail == SNAPSHOT_EVERY:
                Snapshot.objects.create(session=session, sequence=sequence, projection=self.projection)
                self.tail = 0
            Namespace.objects.filter(session_id=session_id, name="story").update(
                revision=self.namespace.revision, value=self.namespace.value, last_commit=self.namespace.last_commit
            )
            Turn.objects.filter(pk=turn.pk).update(
                status=self.turn.status, committed_sequence=sequence, fingerprints=self.turn.fingerprints
            )
            CommitDraft.objects.filter(turn=turn).delete()
            reply = Message.objects.filter(session_id=session_id, number=turn.message)
            reply.update(version=F("version") + 1)
            Variant.objects.filter(message__in=reply, index=turn.variant).update(text=self.text)
            Session.objects.filter(pk=session_id, version=session.version).update(
                title=session.title,
                version=session.version + 1,
                revision=session.revision,
                epoch=session.epoch,
                tail_count=self.tail,
                log_sequence=sequence,
                log_digest=session.log_digest,
                updated_at=session.updated_at,
            )
            SessionEvent.objects.bulk_create(
                [
                    SessionEvent(
                        session=session,
                        sequence=sequence,
                        previous_digest=session.log_digest,
                        digest=session.log_digest,
                        kind=self.event.kind,
                        data=self.event.data,
                        actor=self.event.actor,
                        created_at_ms=self.event.created_at_ms,
                    )
                ],
                batch_size=500,
            )
            wake_on_commit(f"session:{session_id}", "sessions")


class Bare:
    """The recorded SQL itself, by the driver's own cursor, for another session and with new identifiers."""

    def __init__(self, source: uuid.UUID, recorded: list[list[tuple[str, Any]]]) -> None:
        from django.db import connection

        self.commits = iter(recorded)
        self.statement_count = len(recorded[0])
        self.is_sqlite = connection.vendor == "sqlite"
        mine = Operation()
        self.new_ids: dict[str, uuid.UUID] = {source.hex: mine.session_id}
        self.new_turns = dict(zip(_turn_keys(source), _turn_keys(mine.session_id), strict=True))

    def once(self) -> None:
        from django.db import connection

        connection.ensure_connection()
        raw = connection.connection
        assert raw is not None
        commit = [(sql, self._renewed_all(sql, given or ())) for sql, given in next(self.commits)]
        with closing(raw.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            for sql, given in commit:
                cursor.execute(sql, given)
                if sql.startswith("SELECT") or "RETURNING" in sql:
                    cursor.fetchall()
            cursor.execute("COMMIT")

    def _renewed_all(self, sql: str, given: tuple[Any, ...]) -> tuple[Any, ...]:
        renewed = list(map(self._renewed, given))
        if sql.startswith(('UPDATE "sessions_app_turn"', 'DELETE FROM "sessions_app_commitdraft"')):
            renewed[-1] = self.new_turns[given[-1]]
        return tuple(renewed)

    def _renewed(self, value: Any) -> Any:
        if isinstance(value, list):
            # Many rows at once, as arrays.
            return [self._renewed(each) for each in value]
        if isinstance(value, uuid.UUID):
            return self._new_id(value)
        if isinstance(value, str) and UUID_TEXT.fullmatch(value):
            new = self._new_id(uuid.UUID(value))
            return str(new) if "-" in value else new.hex
        return value

    def _new_id(self, old: uuid.UUID) -> uuid.UUID:
        return self.new_ids.setdefault(old.hex, uuid.uuid4())


def _turn_keys(session_id: uuid.UUID) -> list[int]:
    from sessions_app.models import Turn

    return list(Turn.objects.filter(session_id=session_id).order_by("number").values_list("pk", flat=True))


def _recorded() -> tuple[uuid.UUID, list[list[tuple[str, Any]]]]:
    """Return a session and the SQL of as many commits of it as will be replayed, each with its parameters."""
    from django.db import connection

    placeholder = "?" if connection.vendor == "sqlite" else "%s"
    subject, found = Operation(), []
    for _ in range(ROUNDS * COUNT):
        recorder = Recorder(placeholder)
        with connection.execute_wrapper(recorder):
            subject.once()
        found.append(recorder.statements)
    return subject.session_id, found


if __name__ == "__main__":
    sys.exit(main())
