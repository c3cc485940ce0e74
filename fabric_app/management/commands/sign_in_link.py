"""Print a one-time link that signs a person in.

python3 manage.py sign_in_link [NAME]
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.mesh.sign_in_links import LINK_LIFE
from fabric_app.operations.accounts import FIRST_OPERATOR, first_operator, make_sign_in_link


class Command(BaseCommand):
    help = "Print a link that signs an account in, once; the first operator is created if there is none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", default=FIRST_OPERATOR)

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        path = first_operator(now) if options["name"] == FIRST_OPERATOR else None
        if path is None:
            user = User.objects.filter(username=options["name"], is_active=True).first()
            if user is None:
                raise CommandError(f"There is no active account {options['name']!r}.")
            path = make_sign_in_link(user=user, now=now)
        self.stdout.write(f"Open this path of the server once, within {LINK_LIFE.total_seconds() / 3600:.0f} hours:")
        self.stdout.write(path)
