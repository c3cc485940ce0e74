"""Create a service account, grant it permissions, and print its first token, once.

python3 manage.py create_agent NAME --workspace SLUG [--workspace SLUG ...] [--may read write] [--days 90] [--host]
python3 manage.py create_agent NAME --sessions | --session ID [--session ID ...] [--may-session read write ...]
python3 manage.py create_agent NAME --negotiations | --negotiation REF --role specialist [principal ...]
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.access import PERMISSIONS
from fabric_app.mesh.actors import SYSTEM
from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.models import ServiceToken, Workspace
from fabric_app.operations.accounts import create_service_account
from negotiation_app.models import Negotiation
from negotiation_app.operations.roles import grant_opening, grant_role
from negotiation_app.protocol.names import Role
from sessions_app.models import Session
from sessions_app.operations.grants import PERMISSIONS as SESSION_PERMISSIONS
from sessions_app.operations.grants import grant_creation, grant_on_session

AGENT_MAY = ["read", "write"]
HOST_MAY = ["read", "write", "execute"]
MAY_IN_SESSIONS = ["read", "write", "configure"]
ROLES = [role.value for role in Role]


class Command(BaseCommand):
    help = "Create a service account and print its token, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--workspace", action="append", default=[], help="may be repeated")
        parser.add_argument(
            "--may", nargs="+", choices=PERMISSIONS, help="read and write by default; hosts run as well"
        )
        parser.add_argument("--sessions", action="store_true", help="it may make sessions and world books of its own")
        parser.add_argument("--session", action="append", default=[], metavar="ID", help="may be repeated")
        parser.add_argument(
            "--may-session", nargs="+", choices=SESSION_PERMISSIONS, help="read, write and configure by default"
        )
        parser.add_argument("--negotiations", action="store_true", help="it may open negotiations of its own")
        parser.add_argument("--negotiation", action="append", default=[], metavar="REF", help="may be repeated")
        parser.add_argument("--role", nargs="+", choices=ROLES, default=[], help="in the negotiations that are named")
        parser.add_argument("--days", type=int, default=90, help="how long the token lives")
        parser.add_argument("--host", action="store_true", help="a program that acts for people, not a model")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        may = options["may"] or (HOST_MAY if options["host"] else AGENT_MAY)
        sessions = [_session(given) for given in options["session"]]
        negotiations = [_negotiation(ref) for ref in options["negotiation"]]
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
        in_sessions = options["may_session"] or MAY_IN_SESSIONS
        for session in sessions:
            grant_on_session(user=user, session=session, permissions=in_sessions)
        if options["sessions"]:
            grant_creation(user)
        for negotiation in negotiations:
            for role in options["role"]:
                _give_role(negotiation, user, Role(role), now=now)
        if options["negotiations"]:
            grant_opening(user)
        token = ServiceToken.objects.get(user=user)
        granted = (
            "; ".join(
                words
                for words in (
                    f"{', '.join(may)} in workspaces" if options["workspace"] else "",
                    f"{', '.join(in_sessions)} in sessions" if sessions else "",
                    "make sessions" if options["sessions"] else "",
                    f"act as {', '.join(options['role'])} in negotiations" if negotiations else "",
                    "open negotiations" if options["negotiations"] else "",
                )
                if words
            )
            or "nothing yet: name a --workspace, a --session, a --negotiation, or what it may make"
        )
        # The secret alone goes to standard output, so that a script can keep it: TOKEN=$(… create_agent …).
        self.stderr.write(f"Account {user.username} may {granted}.", self.style.NOTICE)
        self.stderr.write(f"Token {token.pk} is valid until {token.expires_at:%Y-%m-%d %H:%M} UTC:", self.style.NOTICE)
        self.stdout.write(secret)


def _workspace(slug: str) -> Workspace:
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise NotFound(what="workspace", name=slug)
    return workspace


def _session(given: str) -> Session:
    try:
        return Session.objects.get(pk=UUID(given))
    except (ValueError, Session.DoesNotExist) as missing:
        raise CommandError(NotFound(what="session", name=given).sentence()) from missing


def _negotiation(ref: str) -> Negotiation:
    negotiation = Negotiation.objects.filter(ref=ref).first()
    if negotiation is None:
        raise CommandError(NotFound(what="negotiation", name=ref).sentence())
    return negotiation


def _give_role(negotiation: Negotiation, user: Any, role: Role, *, now: datetime) -> None:
    name, reason = user.get_username(), "Given by manage.py create_agent."
    grant_role(negotiation=negotiation, account=name, role=role, reason=reason, actor=SYSTEM, now=now)
