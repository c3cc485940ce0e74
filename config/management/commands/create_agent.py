"""Create a service account, grant it permissions on workspaces, and print its first token, once.

python3 manage.py create_agent NAME --workspace SLUG [--workspace SLUG ...] [--may read write] [--days 90] [--host]
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.access import PERMISSIONS
from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.models import ServiceToken, Workspace
from fabric_app.operations.accounts import create_service_account

AGENT_MAY = ["read", "write"]
HOST_MAY = ["read", "write", "execute"]


class Command(BaseCommand):
    help = "Create a service account and print its token, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--workspace", action="append", default=[], help="may be repeated")
        parser.add_argument(
            "--may", nargs="+", choices=PERMISSIONS, help="read and write by default; hosts run as well"
        )
        parser.add_argument("--days", type=int, default=90, help="how long the token lives")
        parser.add_argument("--host", action="store_true", help="a program that acts for people, not a model")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        may = options["may"] or (HOST_MAY if options["host"] else AGENT_MAY)
        try:
            user, secret = create_service_account(
                name=options["name"],
                workspaces=[_workspace(slug) for slug in options["workspace"]],
                permissions=may,
                expires_in=timedelta(days=options["days"]),
                now=now,
                is_host=options["host"],
            )
        except StatehouseError as refused:
            raise CommandError(refused.sentence()) from refused
        token = ServiceToken.objects.get(user=user)
        granted = ", ".join(may) if options["workspace"] else "nothing yet: name a --workspace"
        # The secret alone goes to standard output, so that a script can keep it: TOKEN=$(… create_agent …).
        self.stderr.write(f"Account {user.username} may {granted}.", self.style.NOTICE)
        self.stderr.write(f"Token {token.pk} is valid until {token.expires_at:%Y-%m-%d %H:%M} UTC:", self.style.NOTICE)
        self.stdout.write(secret)


def _workspace(slug: str) -> Workspace:
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise NotFound(what="workspace", name=slug)
    return workspace
