"""Import a file: a character card, a world book, a chat, or a session that was exported.

python3 manage.py import_session FILE [--preview] [--into SESSION] [--title TITLE] [--user NAME]
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.groups import OPERATOR
from sessions_app.models import Session
from sessions_app.operations.imports import import_file, import_into_session, preview_import


class Command(BaseCommand):
    help = "Import a card (JSON, PNG, charx), a world book, a chat or an exported session, and say what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--preview", action="store_true", help="only say what it would bring")
        parser.add_argument("--into", metavar="SESSION", help="the id of a session that lives already")
        parser.add_argument("--title", help="of the new session, instead of the file's own")
        parser.add_argument("--user", metavar="NAME", help="who owns it; else the first operator")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            told = self._imported(options)
        except StatehouseError as refused:
            raise CommandError(refused.sentence()) from refused
        for notice in told.pop("notices"):
            self.stderr.write(f"{notice['severity']}: {notice['message']}")
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))

    def _imported(self, options: dict[str, Any]) -> dict[str, Any]:
        file: Path = options["file"]
        try:
            given: dict[str, Any] = {"content": file.read_bytes(), "filename": file.name}
        except OSError as unreadable:
            raise CommandError(f"{file}: {unreadable.strerror}") from unreadable
        session = None if options["into"] is None else _session(options["into"])
        if options["preview"]:
            return preview_import(**given, session=session)
        user = _user(options["user"])
        caller: dict[str, Any] = {"user": user, "actor": actor_of(user), "now": timezone.now()}
        if session is not None:
            return import_into_session(session_id=session.pk, **given, **caller)
        return import_file(title=options["title"], **given, **caller)


def _session(given: str) -> Session:
    try:
        return Session.objects.get(pk=UUID(given))
    except (ValueError, Session.DoesNotExist) as missing:
        raise CommandError(f"There is no session {given!r}.") from missing


def _user(name: str | None) -> Any:
    users = get_user_model().objects.filter(is_active=True).order_by("pk")
    found = users.filter(groups__name=OPERATOR).first() if name is None else users.filter(username=name).first()
    if found is None:
        raise CommandError(
            "There is no such account. `manage.py up` makes the first operator; --user names another one."
        )
    return found
