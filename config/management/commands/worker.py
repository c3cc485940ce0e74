"""`manage.py worker`: become a worker."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.services import default_worker_count, worker_argv


class Command(BaseCommand):
    help = (
        "Run a worker alone, for the group that STATEHOUSE_WORKER_GROUP names; SIGTERM ends it once its runs are over."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workers", type=int, default=default_worker_count(), help="runs to execute at once")

    def handle(self, *args: Any, **options: Any) -> None:
        argv = worker_argv(workers=options["workers"])
        os.execv(argv[0], argv)
