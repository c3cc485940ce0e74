"""What needs a person: runs that were lost, of the workspaces that an account can read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from fabric_app.access import visible_workspaces
from fabric_app.models import Run, RunStatus


def lost_runs(user: Any, *, now: datetime) -> QuerySet[Run]:
    """Return runs that ended by an error of their own or whose worker is silent past its lease, the newest first."""
    lease_end = now - timedelta(seconds=settings.STATEHOUSE["RUN_LEASE_SECONDS"])
    broken = Q(status=RunStatus.ERROR, error__isnull=False)
    silent = Q(status=RunStatus.RUNNING, heartbeat_at__lt=lease_end)
    rows = Run.objects.filter(broken | silent, workspace__in=visible_workspaces(user))
    return rows.select_related("workspace").order_by("-created_at", "-id")
