"""`manage.py change_workspace`: rename a workspace, give it a root or a worker group, archive it or open it again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.mesh.actors import SYSTEM
from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import Workspace
from fabric_app.operations.workspaces import WorkspaceChange, change_workspace


class Command(BaseCommand):
    help = "Change a workspace; what is not named stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--title", help="another name for people")
        parser.add_argument("--root", help="an absolute path below a configured root; an empty text takes it away")
        parser.add_argument("--worker-group", help="the workers that have its files")
        archive = parser.add_mutually_exclusive_group()
        archive.add_argument("--archive", action="store_true", default=None, help="close it to all but reading")
        archive.add_argument("--unarchive", action="store_false", dest="archive", help="open it again")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["slug"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['slug']!r}.")
        change = WorkspaceChange(
            title=options["title"],
            root=options["root"],
            worker_group=options["worker_group"],
            is_archived=options["archive"],
        )
        if not change.given():
            raise CommandError("Say what is to change: --title, --root, --worker-group, --archive or --unarchive.")
        try:
            change_workspace(
                workspace=workspace, expected=workspace.version, change=change, actor=SYSTEM, now=timezone.now()
            )
        except StatehouseError as refused:
            raise CommandError(refused.sentence()) from refused
        self.stdout.write(f"Workspace {workspace.slug} is changed: {', '.join(sorted(change.given()))}.")
