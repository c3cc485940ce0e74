"""Database triggers that refuse to change or delete rows of append-only tables, on PostgreSQL and on SQLite.

A model with `erasable_by = (table, column)` may lose the rows for which that table has a row with the same value in
that column: the tombstone that says what was erased. It cannot be changed even then.

They are installed after every migration, since SQLite drops the triggers of a table that a migration rebuilds.
"""

from __future__ import annotations

from collections.abc import Collection

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
_REFUSE = "statehouse_append_only()"
_ERASABLE_FUNCTION = """
CREATE OR REPLACE FUNCTION statehouse_erasable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE is_erased boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %I = ($1).%I)', TG_ARGV[0], TG_ARGV[1], TG_ARGV[1])
        INTO is_erased USING OLD;
    IF is_erased THEN
        RETURN OLD;
    END IF;
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
            cursor.execute(_ERASABLE_FUNCTION)
        for table in protected_tables():
            if table in existing:
                for statement in _create_statements(connection.vendor, table):
                    cursor.execute(statement)


def remove(connection: BaseDatabaseWrapper, tables: Collection[str] | None = None) -> None:
    """Drop the triggers, of these tables or of all. For test databases alone, which have to be emptied."""
    with connection.cursor() as cursor:
        for table, operation in _guards(connection.vendor):
            if tables is not None and table not in tables:
                continue
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
    tombstones = _erasable().get(table)
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {_name(table, operation)} BEFORE {operation.upper()} ON {table} "
            f"{_unless_erased(tombstones) if operation == 'delete' else ''}"
            f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} refuses {operation.upper()}'); END"
            for operation in ("update", "delete")
        ]
    level = {"update": "ROW", "delete": "ROW", "truncate": "STATEMENT"}
    return [
        f"CREATE OR REPLACE TRIGGER {_name(table, operation)} BEFORE {operation.upper()} ON {table} "
        f"FOR EACH {level[operation]} EXECUTE FUNCTION "
        + ("statehouse_erasable('{}', '{}')".format(*tombstones) if tombstones and operation == "delete" else _REFUSE)
        for operation in level
    ]


def _erasable() -> dict[str, tuple[str, str]]:
    """Return the tables whose rows can be erased, with the table and column of their tombstones."""
    concrete = [model for model in apps.get_models() if issubclass(model, AppendOnly)]
    return {model._meta.db_table: model.erasable_by for model in concrete if model.erasable_by is not None}


def _unless_erased(tombstones: tuple[str, str] | None) -> str:
    if tombstones is None:
        return ""
    table, column = tombstones
    # Names of our own tables and columns, never what a client sends.
    return f"WHEN NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.{column} = OLD.{column}) "  # noqa: S608
