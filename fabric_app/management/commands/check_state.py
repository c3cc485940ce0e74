"""`manage.py check_state`: prove that logs are whole and projections agree with them; exits with 1 where not."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from fabric_app.mesh.actors import SYSTEM
from fabric_app.models import Workspace
from fabric_app.operations.check import BadRow, check_database, check_workspace, repair_projection


class Command(BaseCommand):
    """Prints a line a workspace: `clean`, or the first bad row of each check."""

    help = "Verify hash chains, sequences, keys and projections of every workspace, and name the first bad row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="check this one alone")
        parser.add_argument(
            "--repair-projection", action="store_true", help="first make the projections anew from the logs"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        bad = check_database()
        for row in bad:
            self.stdout.write(str(row))
        for workspace in _workspaces(options["workspace"]):
            if options["repair_projection"]:
                repair_projection(workspace.id, actor=SYSTEM, now=timezone.now())
            bad += self._check(workspace)
        if bad:
            raise CommandError(f"{bad[0]} ({len(bad)} in all)" if len(bad) > 1 else str(bad[0]))

    def _check(self, workspace: Workspace) -> list[BadRow]:
        found = check_workspace(workspace.id)
        for row in found:
            self.stdout.write(f"{workspace.slug}: {row}")
        if not found:
            self.stdout.write(f"{workspace.slug}: clean")
        return found


def _workspaces(slug: str | None) -> list[Workspace]:
    workspaces = Workspace.objects.order_by("slug")
    if slug is None:
        return list(workspaces)
    found = list(workspaces.filter(slug=slug))
    if not found:
        raise CommandError(f"There is no workspace {slug!r}.")
    return found
