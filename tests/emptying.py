"""Emptying the test database after a test that committed: quickly, and past the append-only triggers.

Django's own way truncates every table and then makes permissions, groups and triggers anew, for each test. Here the
rows of the tables that have any are deleted; what migrations make stays, as long as the test left it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection
from django.test import TransactionTestCase

from fabric_app.mesh import triggers

MADE_BY_MIGRATIONS = ("auth_group", "auth_group_permissions", "auth_permission", "django_content_type")
NEVER_EMPTIED = (*MADE_BY_MIGRATIONS, "django_migrations", "sqlite_sequence")
Teardown = Callable[[TransactionTestCase], None]


class Emptying:
    """Takes the place of `TransactionTestCase._fixture_teardown`, which it falls back to."""

    def __init__(self, full: Teardown) -> None:
        self._full = full
        self._made: dict[str, int] | None = None

    def empty(self, case: TransactionTestCase) -> None:
        """Leave the database as a migration leaves it."""
        if self._made is None or self._counts() != self._made or not _may_bypass():
            self._empty_whole(case)
            self._made = self._counts()
            return
        with _unguarded(_filled_tables()) as filled, connection.cursor() as cursor:
            for table in filled:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")

    def _empty_whole(self, case: TransactionTestCase) -> None:
        triggers.remove(connection)
        try:
            self._full(case)
        finally:
            triggers.install(connection)

    @staticmethod
    def _counts() -> dict[str, int]:
        with connection.cursor() as cursor:
            counted = " UNION ALL ".join(f"SELECT '{table}', COUNT(*) FROM {table}" for table in MADE_BY_MIGRATIONS)
            cursor.execute(counted)
            return dict(cursor.fetchall())


def _may_bypass() -> bool:
    """Tell whether triggers can be passed without dropping them: on PostgreSQL that is for superusers."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


def _filled_tables() -> list[str]:
    tables = [name for name in connection.introspection.table_names() if name not in NEVER_EMPTIED]
    quoted = [(name, connection.ops.quote_name(name)) for name in tables]
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {table})" for name, table in quoted)
        )
        return [row[0] for row in cursor.fetchall()]


@contextmanager
def _unguarded(filled: list[str]) -> Iterator[list[str]]:
    """Yield the tables while neither append-only triggers nor foreign keys hold deletions up."""
    postgresql = connection.vendor == "postgresql"
    off, on = (
        ("SET session_replication_role = replica", "SET session_replication_role = DEFAULT")
        if postgresql
        else ("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON")
    )
    guarded = [] if postgresql else [name for name in triggers.protected_tables() if name in filled]
    with connection.cursor() as cursor:
        cursor.execute(off)
    triggers.remove(connection, guarded)
    try:
        yield filled
    finally:
        if guarded:
            triggers.install(connection)
        with connection.cursor() as cursor:
            cursor.execute(on)
