"""Make tokens worthless from now on: one by its id, or all of an account.

python3 manage.py revoke_token TOKEN_ID | --account NAME
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import ServiceToken
from fabric_app.operations.accounts import revoke_token


class Command(BaseCommand):
    help = "Revoke a token, or every token of an account."

    def add_arguments(self, parser: CommandParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("token_id", nargs="?", type=UUID)
        chosen.add_argument("--account", help="the name of an account")

    def handle(self, *args: Any, **options: Any) -> None:
        ids = [options["token_id"]] if options["token_id"] else _tokens_of(options["account"])
        for token_id in ids:
            try:
                token = revoke_token(token_id=token_id, now=timezone.now())
            except StatehouseError as refused:
                raise CommandError(refused.sentence()) from refused
            self.stdout.write(f"Token {token.pk} of {token.user.username} is revoked.")


def _tokens_of(account: str) -> list[UUID]:
    tokens = ServiceToken.objects.filter(user__username=account, revoked_at=None)
    ids = list(tokens.values_list("pk", flat=True))
    if not ids:
        raise CommandError(f"There is no account {account!r} with a token that could be revoked.")
    return ids
