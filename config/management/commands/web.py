"""`manage.py web`: become the web process."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.services import web_argv


class Command(BaseCommand):
    help = "Run the web process alone, for an image or a unit of one's own; `up` runs it with a worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")

    def handle(self, *args: Any, **options: Any) -> None:
        argv = web_argv(host=options["host"], port=options["port"])
        os.execv(argv[0], argv)
