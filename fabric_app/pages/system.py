"""The system page: workers, queues, database, broker, guards of the log, version."""

from __future__ import annotations

import sys
from datetime import timedelta
from importlib import metadata
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.access import visible_workspaces
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import State, moment
from fabric_app.mesh.triggers import missing_triggers
from fabric_app.pages.rows import lines
from fabric_app.queries_watch import activity_page, queues, workers

UP, DOWN = State("up", "good", "good"), State("silent", "idle", "idle")
PRESENT, ABSENT = State("present", "good", "good"), State("missing", "bad", "halt")
LISTENING, NOBODY = State("listening", "good", "good"), State("no worker", "bad", "halt")
AUDIT_LINES = 10
SHOWN_WORKERS = 100


@page
@require_safe
def system(request: HttpRequest) -> HttpResponse:
    """Show what the product runs on. The account has to be on the staff, or able to read all workspaces."""
    if not (request.user.is_staff or request.user.has_perm("fabric_app.read_workspace")):
        raise PermissionDenied
    now = timezone.now()
    seen = settings.STATEHOUSE["WORKER_SEEN_SECONDS"]
    absent = missing_triggers(connection)
    context = {
        "title": "System",
        "place": "system",
        "workers": [_worker(each, now, seen) for each in workers()[:SHOWN_WORKERS]],
        "queues": [
            {
                "group": queue.group,
                "state": LISTENING if queue.worker_count else NOBODY,
                "worker_count": queue.worker_count,
                "queued": queue.queued_count,
                "running": queue.running_count,
                "oldest_at": moment(queue.oldest_at),
            }
            for queue in queues(now=now, alive_seconds=seen)
        ],
        "database": connection.vendor,
        "broker": "Redis" if settings.REDIS_URL else "folder on this machine",
        "triggers": ABSENT if absent else PRESENT,
        "missing_triggers": absent,
        "versions": _versions(),
        "audit": lines(
            activity_page([each.pk for each in visible_workspaces(request.user)], size=AUDIT_LINES),
            with_workspace=True,
        ),
        "refresh_seconds": 10,
    }
    return show(request, "fabric_app/system", context, live=address("home-live"))


def _worker(row: Any, now: Any, seen: int) -> dict[str, Any]:
    is_alive = row.seen_at >= now - timedelta(seconds=seen)
    return {
        "name": row.name,
        "group": row.worker_group,
        "state": UP if is_alive else DOWN,
        "seen_at": moment(row.seen_at),
        "started_at": moment(row.started_at),
    }


def _versions() -> list[tuple[str, str]]:
    python = ".".join(map(str, sys.version_info[:3]))
    return [("Python", python), ("Django", django.get_version()), ("Celery", metadata.version("celery"))]
