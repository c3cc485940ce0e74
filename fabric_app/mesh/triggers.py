"""Database triggers that refuse to change or delete rows of append-only tables, on PostgreSQL and on SQLite.

They are installed after every migration, since SQLite drops the triggers of a table that a migration rebuilds.
"""

from __future__ import annotations

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from fabric_app.mesh.models import AppendOnly

_FUNCTION = """
CREATE OR REPLACE FUNCTION statehouse_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append-only: % refuses %', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""


def protected_tables() -> list[str]:
    """Return the names of all append-only tables, of every app."""
    concrete: list[type[models.Model]] = [model for model in apps.get_models() if issubclass(model, AppendOnly)]
    return sorted(model._meta.db_table for model in concrete)


def install(connection: BaseDatabaseWrapper) -> None:
    """Create the triggers of every append-only table that exists; those that are there stay."""
    existing = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION)
        for table in protected_tables():
            if table in existing:
                for statement in _create_statements(connection.vendor, table):
                    cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper) -> None:
    """Drop the triggers. For test databases alone, which have to be emptied."""
    with connection.cursor() as cursor:
        for table, operation in _guards(connection.vendor):
            on_table = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {_name(table, operation)}{on_table}")


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of triggers that should be there and are not."""
    source = (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(source)
        present = {row[0] for row in cursor.fetchall()}
    return [name for table, operation in _guards(connection.vendor) if (name := _name(table, operation)) not in present]


def _guards(vendor: str) -> list[tuple[str, str]]:
    operations = ("update", "delete", "truncate") if vendor == "postgresql" else ("update", "delete")
    return [(table, operation) for table in protected_tables() for operation in operations]


def _name(table: str, operation: str) -> str:
    return f"{table}_refuses_{operation}"


def _create_statements(vendor: str, table: str) -> list[str]:
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {_name(table, operation)} BEFORE {operation.upper()} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} refuses {operation.upper()}'); END"
            for operation in ("update", "delete")
        ]
    level = {"update": "ROW", "delete": "ROW", "truncate": "STATEMENT"}
    return [
        f"CREATE OR REPLACE TRIGGER {_name(table, operation)} BEFORE {operation.upper()} ON {table} "
        f"FOR EACH {level[operation]} EXECUTE FUNCTION statehouse_append_only()"
        for operation in level
    ]
