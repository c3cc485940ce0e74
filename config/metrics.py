"""Numbers for Prometheus at `/metrics`: requests and how long they took, open runs, workers seen.

For operators and auditors who are signed in, and for a scraper that sends `STATEHOUSE_METRICS_TOKEN` as a bearer token.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from hmac import compare_digest

from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from fabric_app.models import Run, RunStatus, WorkerSeen

READERS = ("operator", "auditor")
OPEN = (RunStatus.QUEUED, RunStatus.RUNNING)

requests_total = Counter("statehouse_requests", "Requests answered", ["method", "status"])
request_seconds = Histogram("statehouse_request_seconds", "Time until an answer began", ["method"])


def count_request(*, method: str, status: int, seconds: float) -> None:
    """Add one answered request; unknown methods are counted as one, so that a caller cannot make up series."""
    known = method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"
    requests_total.labels(known, str(status)).inc()
    request_seconds.labels(known).observe(seconds)


class StoredNumbers(Collector):
    """Numbers that are in the database, read when somebody asks."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        runs = GaugeMetricFamily("statehouse_open_runs", "Runs that are not over", labels=["status"])
        counted = dict(Run.objects.filter(status__in=OPEN).values_list("status").annotate(Count("pk")))
        for status in OPEN:
            runs.add_metric([status.value], counted.get(status.value, 0))
        yield runs
        since = timezone.now() - timedelta(seconds=settings.STATEHOUSE["WORKER_SEEN_SECONDS"])
        seen = WorkerSeen.objects.filter(seen_at__gte=since).count()
        yield GaugeMetricFamily("statehouse_workers_seen", "Workers that were seen lately", value=seen)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Name nothing beforehand: registering must not touch the database."""
        return iter(())


REGISTRY.register(StoredNumbers())


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus' text format, or 403."""
    if not (_has_token(request) or _may_read(request)):
        return HttpResponse("Operators and auditors can read this, and who has the metrics token.\n", status=403)
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return bool(token) and compare_digest(sent.encode(), token.encode())


def _may_read(request: HttpRequest) -> bool:
    user = request.user
    return user.is_active and (user.is_superuser or user.groups.filter(name__in=READERS).exists())
