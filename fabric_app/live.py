"""The live streams of the fabric: a run's entries, a workspace's events, and changes that a page wants to hear of.

| stream | woken by | position |
|---|---|---|
| `RunStream` | `run:<id>` | number of the entry |
| `EventStream` | `workspace:<id>` | sequence of the event |
| `WorkspaceChanges`, `FabricChanges` | `workspace:<id>`, `fabric` | a fingerprint of what is shown |

A change stream does not list what happened; it says `changed` whenever what a page would show is different from what it
was at the position, so that nothing is missed whatever order transactions become visible in.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from fabric_app.mesh import topics
from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.models import LogHead, Workspace
from fabric_app.mesh.streams import Item, item
from fabric_app.models import Activity, Event, Run, RunEntry, RunEntryKind
from fabric_app.queries_runs import entries_after, entry_json

# How far back a change of an older row is noticed.
WATCHED_ROWS = 30


@dataclass(frozen=True)
class RunStream:
    """The entries of a run; over once the run has ended."""

    run_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"run:{self.run_id}"

    def fetch(self, after: int, limit: int) -> list[Item]:
        return [
            item(entry.sequence, entry_json(entry), is_last=entry.kind == RunEntryKind.ENDED)
            for entry in entries_after(self.run_id, after, limit)
        ]

    def latest(self) -> int:
        return _last(RunEntry.objects.filter(run_id=self.run_id).order_by("-sequence").values_list("sequence")[:1])

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id > position

    def is_over(self, position: int) -> bool:
        run = Run.objects.filter(pk=self.run_id).only("status", "entry_count").first()
        return run is None or (run.is_over and position >= run.entry_count)


@dataclass(frozen=True)
class EventStream:
    """The events of a workspace, all or of one topic; it has no end."""

    workspace_id: uuid.UUID
    topic: str | None = None

    @property
    def name(self) -> str:
        # One loop for each topic; wake-ups of the workspace reach them all.
        return f"workspace:{self.workspace_id}#{self.topic or ''}"

    def fetch(self, after: int, limit: int) -> list[Item]:
        events = topics.read(self.workspace_id, after=after, topic=self.topic, limit=limit)
        return [item(event.sequence, topics.event_json(event)) for event in events]

    def latest(self) -> int:
        return _last(
            Event.objects.filter(workspace_id=self.workspace_id).order_by("-sequence").values_list("sequence")[:1]
        )

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id > position

    def is_over(self, position: int) -> bool:  # the interface's
        return False


class Changes:
    """Base of the change streams: an item is there as long as the position is not the fingerprint of now."""

    def fetch(self, after: int, limit: int) -> list[Item]:  # the interface's
        shown = self.shown()
        position = fingerprint(shown)
        return [] if position == after else [item(position, shown, event="changed")]

    def latest(self) -> int:
        return fingerprint(self.shown())

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id != position

    def is_over(self, position: int) -> bool:  # the interface's
        return False

    def shown(self) -> dict[str, Any]:
        """Return what a page depends on, small."""
        raise NotImplementedError  # each kind of change says what it depends on


@dataclass(frozen=True)
class WorkspaceChanges(Changes):
    """Whatever a page of one workspace shows: `{events, keys, version, runs, activity}`."""

    workspace_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"workspace:{self.workspace_id}#changes"

    def shown(self) -> dict[str, Any]:
        events, keys = LogHead.objects.values_list("event_sequence", "key_sequence").get(pk=self.workspace_id)
        version = Workspace.objects.values_list("version", flat=True).get(pk=self.workspace_id)
        return {
            "events": events,
            "keys": keys,
            "version": version,
            "runs": _rows_mark(_watched_runs().filter(workspace_id=self.workspace_id)),
            "activity": _rows_mark(_watched_activity().filter(workspace_id=self.workspace_id)),
        }


@dataclass(frozen=True)
class FabricChanges(Changes):
    """Whatever the dashboard shows, over all workspaces: the same members."""

    name: str = "fabric"

    def shown(self) -> dict[str, Any]:
        # Sums of counters that only grow: any commit changes them, in whatever order commits become visible.
        sums = LogHead.objects.aggregate(events=Sum("event_sequence", default=0), keys=Sum("key_sequence", default=0))
        version = Workspace.objects.aggregate(version=Sum("version", default=0))
        return {
            **sums,
            **version,
            "runs": _rows_mark(_watched_runs()),
            "activity": _rows_mark(_watched_activity()),
        }


def fingerprint(shown: dict[str, Any]) -> int:
    """Return a positive number below 2**53 that stands for the value."""
    return int.from_bytes(hashlib.sha256(dumps(shown).encode()).digest()[:8], "big") >> 11 or 1


def _watched_runs() -> Any:
    rows = Run.objects.order_by("-created_at", "-id")
    return rows.values_list("id", "status", "command_index", "cancel_requested_at")


def _watched_activity() -> Any:
    return Activity.objects.order_by("-id").values_list("id")


def _rows_mark(rows: Any) -> str:
    """Return a short digest of the newest rows."""
    newest: Iterable[tuple[Any, ...]] = rows[:WATCHED_ROWS]
    return hashlib.sha256(repr([tuple(map(str, row)) for row in newest]).encode()).hexdigest()[:12]


def _last(rows: Any) -> int:
    first = rows.first()
    return 0 if first is None else int(first[0])
