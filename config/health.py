"""Is the process alive, and could the product do its work now?

`/healthz` touches nothing. `/readyz` looks at each part and says in a sentence what to do about one that is missing; it
tells strangers no more than that. 503 until all of them are there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config import broker
from fabric_app.mesh import triggers
from fabric_app.models import WorkerSeen

Look = Callable[[], bool]


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer as soon as the process can answer at all."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer `{"status", "parts": {name: {"state", "sentence"}}}`: 200 if all are "ok", 503 if one is "missing"."""
    parts = {name: _part(look, there, missing) for name, (look, there, missing) in PARTS.items()}
    ready = all(part["state"] == "ok" for part in parts.values())
    return JsonResponse({"status": "ready" if ready else "not ready", "parts": parts}, status=200 if ready else 503)


def _part(look: Look, there: str, missing: str) -> dict[str, str]:
    try:
        found = look()
    except DatabaseError:
        found = False
    return {"state": "ok", "sentence": there} if found else {"state": "missing", "sentence": missing}


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return cursor.fetchone() == (1,)


def migrations_are_applied() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def triggers_are_there() -> bool:
    return not triggers.missing_triggers(connection)


def broker_answers() -> bool:
    return broker.is_reachable(settings.REDIS_URL, settings.BROKER_FOLDER)


def worker_was_seen() -> bool:
    since = timezone.now() - timedelta(seconds=settings.STATEHOUSE["WORKER_SEEN_SECONDS"])
    return WorkerSeen.objects.filter(seen_at__gte=since).exists()


PARTS: dict[str, tuple[Look, str, str]] = {
    "database": (
        database_answers,
        "The database answers.",
        "The database does not answer. Look at DATABASE_URL and at the server.",
    ),
    "migrations": (
        migrations_are_applied,
        "All migrations are applied.",
        "The database is not at this version. Run: python3 manage.py migrate",
    ),
    "triggers": (
        triggers_are_there,
        "The database itself protects the log.",
        "Triggers that protect the log are missing. Run: python3 manage.py migrate",
    ),
    "broker": (
        broker_answers,
        "Jobs can be sent.",
        "Jobs cannot be sent. Look at REDIS_URL and at the server, or at the folder below STATEHOUSE_HOME.",
    ),
    "worker": (
        worker_was_seen,
        "A worker was seen lately.",
        "No worker was seen lately. Start one: python3 manage.py worker",
    ),
}
