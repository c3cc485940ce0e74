"""What the protocol costs: transitions as an operation, as their own ORM statements alone, and as bare SQL.

    python -m tests.bench.bench_transition

On the database that DATABASE_URL names (an empty one), or on SQLite in a folder of its own. The three are measured in
turns in one run. Prints JSON, and fails where the operation reaches less than 0.7 of the rate of its ORM statements.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from typing import Any

from tests.bench.own_product import own_product

ROUNDS = 7
COUNT = 150
KEY = "state/current"
UUID_TEXT = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")


def main() -> int:
    with own_product():
        figures = _figures()
    print(json.dumps(figures))
    return int(figures["operation_to_orm"] < 0.7)


def _figures() -> dict[str, Any]:
    operation, orm = Operation("measured"), OrmAlone("alone")
    bare = Bare("bare", recorded=_recorded("recorded"))
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
        "operation_to_orm": round(median["orm"] / median["operation"], 2),
        "operation_to_bare": round(median["bare"] / median["operation"], 2),
    }


class Operation:
    """`record_transition`, each from where the last one led."""

    def __init__(self, slug: str) -> None:
        from tests.factories import make_workspace

        self.workspace = make_workspace(slug=slug)
        self.number = 0

    def once(self) -> None:
        from tests.factories import move

        origin = {"from_": f"state-{self.number}"} if self.number else {}
        self.number += 1
        move(self.workspace, f"step-{self.number}", f"state-{self.number}", tags=["bench"], **origin)


class OrmAlone:
    """The same rows by the same ORM calls, with values that were made before: no protocol, no digests, no checks."""

    def __init__(self, slug: str) -> None:
        from fabric_app.models import Activity, Event, KeyVersion, TransitionState

        pattern = Operation(slug)
        for _ in range(2):
            pattern.once()
        self.workspace_id = pattern.workspace.pk
        last = {"workspace_id": self.workspace_id}
        self.events = list(Event.objects.filter(**last).order_by("-sequence")[:2])[::-1]
        self.versions = list(KeyVersion.objects.filter(**last).order_by("-sequence")[:2])[::-1]
        self.activity = Activity.objects.filter(**last).latest("pk")
        self.state = TransitionState.objects.filter(**last).latest("sequence")
        self.sequence = self.events[-1].sequence

    def once(self) -> None:
        from django.db import transaction
        from django.db.models import F

        from fabric_app.models import Activity, Event, KeyEntry, KeyVersion, LogHead, TransitionState
        from fabric_app.operations.projection import UPDATED

        KeyEntry.objects.filter(workspace_id=self.workspace_id, key=KEY).first()
        self._renumber()
        head = self.versions[-1]
        with transaction.atomic(durable=True):
            log_head = LogHead.objects.filter(pk=self.workspace_id)
            log_head.update(event_sequence=F("event_sequence"))
            log_head.get()
            KeyEntry.objects.filter(workspace_id=self.workspace_id, key=KEY, version=head.version - 2).update(
                version=head.version,
                value=head.value,
                is_deleted=False,
                updated_by=head.actor,
                updated_at_ms=head.created_at_ms,
            )
            Activity.objects.create(
                workspace_id=self.workspace_id,
                kind=self.activity.kind,
                name=self.activity.name,
                outcome=self.activity.outcome,
                detail=self.activity.detail,
                actor=self.activity.actor,
                event_sequence=self.sequence,
                created_at_ms=self.activity.created_at_ms,
            )
            Event.objects.bulk_create(self.events)
            KeyVersion.objects.bulk_create(self.versions)
            log_head.update(
                event_sequence=self.sequence,
                event_digest=head.digest,
                key_sequence=self.sequence,
                key_digest=head.digest,
            )
            list(TransitionState.objects.filter(workspace_id=self.workspace_id, transition_id__in=["none"]))
            TransitionState.objects.bulk_create(
                [self.state],
                update_conflicts=True,
                unique_fields=("workspace", "transition_id"),
                update_fields=UPDATED,
            )

    def _renumber(self) -> None:
        for event, version in zip(self.events, self.versions, strict=True):
            self.sequence += 1
            event.pk, event.sequence = uuid.uuid4(), self.sequence
            version.pk, version.sequence, version.version = None, self.sequence, version.version + 2
            # As new rows, not as loaded ones.
            event._state.adding = version._state.adding = True
        self.state.pk, self.state.transition_id, self.state.sequence = None, str(uuid.uuid4()), self.sequence


class Bare:
    """The recorded SQL itself, by the driver's own cursor, for another workspace and with new identifiers."""

    def __init__(self, slug: str, *, recorded: list[list[tuple[str, Any]]]) -> None:
        from django.db import connection

        self.transitions = iter(recorded)
        self.statement_count = len(recorded[0])
        self.is_sqlite = connection.vendor == "sqlite"
        self.new_ids: dict[str, uuid.UUID] = {}
        first = Operation(slug)
        old_id = next(value for value in recorded[0][0][1] if UUID_TEXT.fullmatch(str(value)))
        self.new_ids[_hex(old_id)] = first.workspace.pk
        first.once()

    def once(self) -> None:
        from django.db import connection

        connection.ensure_connection()
        raw = connection.connection
        assert raw is not None
        (read, *writes) = [(sql, tuple(map(self._renewed, given or ()))) for sql, given in next(self.transitions)]
        with closing(raw.cursor()) as cursor:
            cursor.execute(*read)
            cursor.fetchall()
            cursor.execute("BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            for sql, given in writes:
                cursor.execute(sql, given)
                if sql.startswith("SELECT"):
                    cursor.fetchall()
            cursor.execute("COMMIT")

    def _renewed(self, value: Any) -> Any:
        if isinstance(value, list):
            # Many rows at once, as arrays.
            return [self._renewed(each) for each in value]
        if isinstance(value, uuid.UUID):
            return self._new_id(value)
        if isinstance(value, str) and UUID_TEXT.fullmatch(value):
            new = self._new_id(value)
            return str(new) if "-" in value else new.hex
        return value

    def _new_id(self, old: Any) -> uuid.UUID:
        return self.new_ids.setdefault(_hex(old), uuid.uuid4())


class Recorder:
    """Keeps the SQL of the statements that are executed, in the driver's own form."""

    def __init__(self, placeholder: str) -> None:
        self.placeholder = placeholder
        self.statements: list[tuple[str, Any]] = []

    def __call__(self, execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE", "BEGIN")):
            self.statements.append((sql.replace("%s", self.placeholder), params))
        return execute(sql, params, *rest)


def _recorded(slug: str) -> list[list[tuple[str, Any]]]:
    """Return the SQL of as many transitions as will be replayed, each with its parameters."""
    from django.db import connection

    placeholder = "?" if connection.vendor == "sqlite" else "%s"
    subject, found = Operation(slug), []
    subject.once()
    for _ in range(ROUNDS * COUNT):
        recorder = Recorder(placeholder)
        with connection.execute_wrapper(recorder):
            subject.once()
        found.append(recorder.statements)
    return found


def _hex(identifier: Any) -> str:
    return str(identifier).replace("-", "")


if __name__ == "__main__":
    sys.exit(main())
