"""Create a workspace.

python3 manage.py create_workspace SLUG [--title TITLE] [--root FOLDER] [--worker-group NAME]
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.mesh.actors import SYSTEM
from fabric_app.mesh.errors import StatehouseError
from fabric_app.operations.workspaces import DEFAULT_GROUP, create_workspace


class Command(BaseCommand):
    help = "Create a workspace, with the folder that its commands run in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the name in addresses: letters, digits, - and _")
        parser.add_argument("--title", help="the name for people; the slug by default")
        parser.add_argument("--root", default="", help="an absolute path below a configured root")
        parser.add_argument("--worker-group", default=DEFAULT_GROUP, help="the workers that have its files")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            workspace = create_workspace(
                slug=options["slug"],
                title=options["title"] or options["slug"],
                root=options["root"],
                worker_group=options["worker_group"],
                actor=SYSTEM,
                now=timezone.now(),
            )
        except StatehouseError as refused:
            raise CommandError(refused.sentence()) from refused
        self.stdout.write(f"Workspace {workspace.slug} is at /workspaces/{workspace.slug}/.")
