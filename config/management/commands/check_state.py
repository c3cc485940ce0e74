"""`manage.py check_state`: prove that logs are whole and projections agree with them; exits with 1 where not."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fabric_app.mesh.checking import BadRow, StateCheck, check_database, registered

WORKSPACE = "workspace"


class Command(BaseCommand):
    """Prints a line for each workspace and whatever else keeps a log: `clean`, or the first bad row of each check."""

    help = "Verify hash chains, sequences, keys and projections of everything, and name the first bad row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--workspace", metavar="SLUG", help="check this one alone")
        which.add_argument("--only", metavar="KIND:NAME", help="check this one alone, as in session:NAME")
        parser.add_argument(
            "--repair-projection", action="store_true", help="first make the projections anew from the logs"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        bad = check_database()
        for row in bad:
            self.stdout.write(str(row))
        only = f"{WORKSPACE}:{options['workspace']}" if options["workspace"] is not None else options["only"]
        for kind, name in _chosen(only):
            if options["repair_projection"]:
                kind.repair(name)
            bad += self._check(kind, name)
        if bad:
            raise CommandError(f"{bad[0]} ({len(bad)} in all)" if len(bad) > 1 else str(bad[0]))

    def _check(self, kind: StateCheck, name: str) -> list[BadRow]:
        shown = name if kind.name == WORKSPACE else f"{kind.name} {name}"
        found = kind.check(name)
        for row in found:
            self.stdout.write(f"{shown}: {row}")
        if not found:
            self.stdout.write(f"{shown}: clean")
        return found


def _chosen(only: str | None) -> Iterator[tuple[StateCheck, str]]:
    """Yield what is to be checked: everything, or what `KIND:NAME` names."""
    if only is None:
        yield from ((kind, name) for kind in registered() for name in kind.names())
        return
    kind_name, _, name = only.partition(":")
    kind = {each.name: each for each in registered()}.get(kind_name)
    if kind is None:
        known = ", ".join(each.name for each in registered())
        raise CommandError(f"{only!r} is not KIND:NAME with a KIND of: {known}.")
    if name not in kind.names():
        raise CommandError(f"There is no {kind_name} {name!r}.")
    yield kind, name
