"""What a worker does beside its jobs: it says that it is there, and sweeps up after workers that are not."""

from __future__ import annotations

import time
from typing import Any

from celery import bootsteps
from django.conf import settings
from django.utils import timezone

from config.broker import sweep_claims
from config.housekeeping import Housekeeping, Round

SEEN_EVERY_SECONDS = 3.0
MAIL_EVERY_SECONDS = 15.0
SWEEP_EVERY_SECONDS = 5.0
SWEEP_CLAIMS_EVERY_SECONDS = 600.0
STOP_SECONDS = 5.0


class Housekeeper(bootsteps.StartStopStep):
    """A step of the worker's main process; it starts after the pool, so that no child is forked out of its thread."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **_: Any) -> None:
        super().__init__(worker)
        self._housekeeping: Housekeeping | None = None

    def start(self, worker: Any) -> None:
        self._housekeeping = Housekeeping(rounds_of(worker.hostname))
        self._housekeeping.start()

    def stop(self, worker: Any) -> None:
        if self._housekeeping:
            self._housekeeping.stop(wait_seconds=STOP_SECONDS)


def rounds_of(name: str) -> list[Round]:
    """Return the rounds of the worker called `name`."""
    from fabric_app.operations.runs import worker_seen

    def say_that_we_are_here() -> None:
        worker_seen(name=name, group=settings.STATEHOUSE["WORKER_GROUP"], now=timezone.now())

    rounds = [Round("worker seen", SEEN_EVERY_SECONDS, say_that_we_are_here), sweep_round(), mail_round()]
    if not settings.REDIS_URL:
        rounds.append(Round("claimed messages", SWEEP_CLAIMS_EVERY_SECONDS, _sweep_claims))
    return rounds


def sweep_round() -> Round:
    """Return the round that ends runs whose worker was lost and sends waiting ones again."""
    from fabric_app.operations.runs import sweep

    return Round("sweep of runs", SWEEP_EVERY_SECONDS, lambda: sweep(now=timezone.now()))


def _sweep_claims() -> None:
    sweep_claims(settings.BROKER_FOLDER, now=time.time())


def mail_round() -> Round:
    """Return the round that sends the notifications that are due by e-mail."""
    from negotiation_app.operations.mails import send_due

    return Round("notification mails", MAIL_EVERY_SECONDS, send_due)
