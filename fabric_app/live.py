"""The live streams of the fabric: a run's entries, a workspace's events, and changes that a page wants to hear of.

| stream | woken by | position |
|---|---|---|
| `RunStream` | `run:<id>` | number of the entry |
| `EventStream` | `workspace:<id>` | sequence of the event |
| `WorkspaceChanges`, `FabricChanges` | `workspace:<id>`, `fabric` | a fingerprint of what is shown |
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from fabric_app.mesh import topics
from fabric_app.mesh.changes import Changes, rows_mark
from fabric_app.mesh.http.home import WAKE_UP, watched
from fabric_app.mesh.models import LogHead, Workspace
from fabric_app.mesh.streams import Item, item
from fabric_app.models import Activity, Event, Run, RunEntry, RunEntryKind
from fabric_app.queries_runs import entries_after, entry_json


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
            "runs": rows_mark(_watched_runs().filter(workspace_id=self.workspace_id)),
            "activity": rows_mark(_watched_activity().filter(workspace_id=self.workspace_id)),
        }


@dataclass(frozen=True)
class FabricChanges(Changes):
    """Whatever the home page shows, over all workspaces: the same members, and what other apps have watched."""

    name: str = WAKE_UP

    def shown(self) -> dict[str, Any]:
        # Sums of counters that only grow: any commit changes them, in whatever order commits become visible.
        sums = LogHead.objects.aggregate(events=Sum("event_sequence", default=0), keys=Sum("key_sequence", default=0))
        version = Workspace.objects.aggregate(version=Sum("version", default=0))
        return {
            **sums,
            **version,
            "runs": rows_mark(_watched_runs()),
            "activity": rows_mark(_watched_activity()),
            **watched(),
        }


def _watched_runs() -> Any:
    rows = Run.objects.order_by("-created_at", "-id")
    return rows.values_list("id", "status", "command_index", "cancel_requested_at")


def _watched_activity() -> Any:
    return Activity.objects.order_by("-id").values_list("id")


def _last(rows: Any) -> int:
    first = rows.first()
    return 0 if first is None else int(first[0])
