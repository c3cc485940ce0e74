"""The two processes that the product consists of, as command lines: the same for `up`, an image and units."""

from __future__ import annotations

import os
import sys

from django.conf import settings

# An open stream does not keep the web process from stopping for longer than this.
WEB_STREAM_SECONDS = 5
# What `up` gives a process to stop in, before it and all that it started is killed.
WEB_GRACE_SECONDS = 8.0
WORKER_GRACE_SECONDS = 10.0


def default_worker_count() -> int:
    """Return how many runs a worker executes at once if nobody says: one a processor, at least two, at most eight."""
    return max(2, min(8, os.cpu_count() or 2))


def web_argv(*, host: str, port: int) -> list[str]:
    """Return the command line of the web process."""
    server = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)]
    limits = ["--timeout-graceful-shutdown", str(WEB_STREAM_SECONDS), "--lifespan", "on", "--no-access-log"]
    return [*server, *limits, "--log-level", "warning", "--no-server-header"]


def worker_argv(*, workers: int) -> list[str]:
    """Return the command line of a worker that executes `workers` runs at once, for the group that settings name."""
    group = settings.STATEHOUSE["WORKER_GROUP"]
    pool = ["--pool", "prefork", "--concurrency", str(workers), "--prefetch-multiplier", "1"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", settings.LOG_LEVEL]
    names = ["--queues", f"evidence.{group}", "--hostname", f"{group}-{os.getpid()}@%h"]
    return [sys.executable, "-m", "celery", "--app", "config.celery", "--quiet", "worker", *pool, *names, *quiet]
