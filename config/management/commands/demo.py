"""`manage.py demo`: something real to see of every app, made by the operations that everybody else uses."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from fabric_app.demo.telling import SLUG, tell
from fabric_app.mesh.demos import registered


class Command(BaseCommand):
    help = "Make a workspace of a small real project and drive it through claims, runs, certificates and a goal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--slug", default=SLUG, help="name of the workspace to make")

    def handle(self, *_args: Any, **options: Any) -> None:
        tell(options["slug"], self._say)
        for _, run in registered():
            run(self._say)

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()
