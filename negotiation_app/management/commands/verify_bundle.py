"""Prove an audit bundle by itself, without a database: `python3 manage.py verify_bundle FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.strict_json import loads
from negotiation_app.bundles import verify

MOST_DEPTH = 200


class Command(BaseCommand):
    help = "Verify every digest of an audit bundle, and that its entries lead to the state in it; reads no database."
    requires_system_checks: tuple[str, ...] = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            bundle = loads(file.read_bytes(), max_depth=MOST_DEPTH)
        except OSError as unreadable:
            raise CommandError(f"{file}: {unreadable.strerror}") from unreadable
        except StatehouseError as refused:
            raise CommandError(refused.sentence()) from refused
        problems = verify(bundle)
        if problems:
            raise CommandError("\n".join(problems))
        last = bundle["entries"][-1]
        self.stdout.write(
            f"{bundle['ref']}: {len(bundle['entries'])} entries, whole; the last digest is {last['digest']}"
        )
