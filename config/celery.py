"""The Celery application: how jobs travel. What a job is, and whether it ran, is in the database alone.

Acknowledged early, prefetch 1, no results: the run's row and lease are the truth, the message is a nudge. A worker
serves the queue of its group, `evidence.<group>`, so that a workspace's runs reach the workers that have its files.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_process_init
from django.conf import settings
from django.db import connections
from kombu import Queue

from config import broker, logs, worker

# Root is a choice here: only root can run commands as another user. Messages are JSON, so nobody can smuggle code in.
warnings.filterwarnings("ignore", category=SecurityWarning)
# A sender hears within about two seconds that the broker is away.
CONNECT_SECONDS = 1.0


def queue_name(group: str) -> str:
    """Return the queue that the workers of `group` serve."""
    return f"evidence.{group}"


def _transport() -> dict[str, Any]:
    if not settings.REDIS_URL:
        return {
            "broker_url": f"{broker.SCHEME}://localhost/",
            "broker_transport_options": broker.folder_options(settings.BROKER_FOLDER),
        }
    return {
        "broker_url": settings.REDIS_URL,
        "broker_transport_options": {
            "socket_connect_timeout": CONNECT_SECONDS,
            "socket_timeout": 5.0,
            "socket_keepalive": True,
            "max_retries": 1,
            "interval_start": 0,
            "interval_step": 0.1,
            "interval_max": 0.1,
        },
    }


app = Celery("statehouse")
app.conf.update(
    **_transport(),
    broker_connection_timeout=CONNECT_SECONDS,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    task_publish_retry=False,
    task_ignore_result=True,
    task_store_errors_even_if_ignored=False,
    task_acks_late=False,
    task_default_queue=queue_name(settings.STATEHOUSE["WORKER_GROUP"]),
    task_queues=[Queue(queue_name(settings.STATEHOUSE["WORKER_GROUP"]))],
    task_create_missing_queues=True,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    timezone="UTC",
)
app.steps["worker"].add(worker.Housekeeper)
app.autodiscover_tasks()


@setup_logging.connect
def _keep_our_logs(**_: Any) -> None:
    logs.configure(settings.LOGGING)


# Held for ever: closing what the parent opened would end its connections as well.
_inherited: list[Any] = []


@worker_process_init.connect
def _leave_the_parents_connections(**_: Any) -> None:
    """Give a new pool child connections of its own."""
    for alias in connections:
        pools = getattr(connections[alias], "_connection_pools", None)
        if pools:
            _inherited.append(dict(pools))
            pools.clear()
