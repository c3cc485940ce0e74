"""System checks: settings that cannot be right together, each with an id and what to do about it.

Errors keep every command from starting that looks at the checks, `up` among them; warnings are said and go on.
"""

from __future__ import annotations

import os
import pwd
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as WarningMessage
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from fabric_app.mesh.triggers import missing_triggers
from fabric_app.protocol.bounds import DEFAULT_TIMEOUT_MS

LOOPBACK = {"127.0.0.1", "localhost", "[::1]", "::1", ".localhost"}
# RETURNING and UPSERT; Python 3.11 on a current Debian, Ubuntu or macOS has a newer one.
OLDEST_SQLITE = (3, 35, 0)
SHORTEST_SECRET = 32
GROUP_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}", re.ASCII)


@register(Tags.security)
def secret_key_is_given(**_: Any) -> list[CheckMessage]:
    """E001: everything that is signed depends on the secret key."""
    if len(_secret_key()) >= SHORTEST_SECRET:
        return []
    hint = "Set SECRET_KEY to a long random text, or run `python3 manage.py up`, which makes one and keeps it."
    return [Error(f"There is no secret key of at least {SHORTEST_SECRET} characters.", hint=hint, id="statehouse.E001")]


@register(Tags.security)
def debug_stays_at_home(**_: Any) -> list[CheckMessage]:
    """E002: error pages of DEBUG show settings and source to whoever can reach them."""
    others = _hosts_beyond_this_machine()
    if not settings.DEBUG or not others:
        return []
    hint = "Unset DEBUG, or leave ALLOWED_HOSTS to its default."
    return [Error(f"DEBUG is on and ALLOWED_HOSTS has {', '.join(others)}.", hint=hint, id="statehouse.E002")]


@register(Tags.compatibility)
def sqlite_is_new_enough(**_: Any) -> list[CheckMessage]:
    """E003: older SQLite libraries lack statements that the product uses."""
    if not settings.ON_SQLITE or sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return []
    wanted = ".".join(map(str, OLDEST_SQLITE))
    hint = "Use a Python that was built with a newer SQLite, or PostgreSQL by DATABASE_URL."
    return [Error(f"SQLite is {sqlite3.sqlite_version}; {wanted} is needed.", hint=hint, id="statehouse.E003")]


@register(Tags.security)
def commands_can_run_as_that_user(**_: Any) -> list[CheckMessage]:
    """E004, E005: only root can run commands as somebody else, and that somebody has to exist."""
    name = settings.STATEHOUSE["RUN_AS_USER"]
    if not name:
        return []
    found: list[CheckMessage] = []
    if os.geteuid() != 0:
        hint = "Start the worker as root, or unset STATEHOUSE_RUN_AS_USER."
        found.append(Error("STATEHOUSE_RUN_AS_USER is set, but this is not root.", hint=hint, id="statehouse.E004"))
    try:
        pwd.getpwnam(name)
    except KeyError:
        hint = "Create the user, or unset STATEHOUSE_RUN_AS_USER."
        found.append(
            Error(f"STATEHOUSE_RUN_AS_USER names {name!r}, who is unknown here.", hint=hint, id="statehouse.E005")
        )
    return found


@register(Tags.security)
def workspaces_do_not_hold_the_home(**_: Any) -> list[CheckMessage]:
    """E006: a command works inside a workspace root; database, secret key and broker must not lie there."""
    inner = [settings.HOME]
    if settings.ON_SQLITE:
        inner.append(Path(settings.DATABASE["NAME"]).resolve())
    hint = "Choose STATEHOUSE_WORKSPACE_ROOTS beside or below STATEHOUSE_HOME, not above it."
    return [
        Error(f"The workspace root {root} holds {path}.", hint=hint, id="statehouse.E006")
        for root in settings.STATEHOUSE["WORKSPACE_ROOTS"]
        for path in inner
        if path.is_relative_to(root.resolve())
    ]


@register(Tags.compatibility)
def redis_url_is_one(**_: Any) -> list[CheckMessage]:
    """E007: other brokers are not supported."""
    if not settings.REDIS_URL or urlsplit(settings.REDIS_URL).scheme in {"redis", "rediss", "unix"}:
        return []
    hint = "For example redis://127.0.0.1:6379/0; unset it for the broker that needs no server."
    return [Error("REDIS_URL does not begin with redis://, rediss:// or unix://.", hint=hint, id="statehouse.E007")]


@register(Tags.compatibility)
def limits_fit_together(**_: Any) -> list[CheckMessage]:
    """E008: a maximum below the documented default would forbid every run that asks for nothing."""
    if settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"] >= DEFAULT_TIMEOUT_MS:
        return []
    text = f"STATEHOUSE_MAX_COMMAND_TIMEOUT_MS is below {DEFAULT_TIMEOUT_MS}, the time that a command has by default."
    return [Error(text, hint="Raise it, or leave it unset.", id="statehouse.E008")]


@register(Tags.compatibility)
def worker_group_names_a_queue(**_: Any) -> list[CheckMessage]:
    """E009: the group's name is part of a queue's and of a file's name."""
    if GROUP_NAME.fullmatch(settings.STATEHOUSE["WORKER_GROUP"]):
        return []
    hint = "Use letters, digits, hyphens and underscores, at most 60."
    return [Error("STATEHOUSE_WORKER_GROUP cannot name a queue.", hint=hint, id="statehouse.E009")]


@register(Tags.security)
def strangers_come_by_tls(**_: Any) -> list[CheckMessage]:
    """W001: session cookies of a server that others can reach should not travel in clear."""
    others = _hosts_beyond_this_machine()
    if settings.BEHIND_TLS or not others:
        return []
    hint = "Put a proxy that speaks TLS in front and set STATEHOUSE_TLS=true."
    return [WarningMessage(f"ALLOWED_HOSTS has {', '.join(others)} without TLS.", hint=hint, id="statehouse.W001")]


@register(Tags.database)
def log_is_protected(databases: Sequence[str] | None, **_: Any) -> list[CheckMessage]:
    """W002: a log table that exists has its triggers; `migrate`, which puts them back, must not be kept from it."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        existing = set(connections[alias].introspection.table_names())
        missing = [name for name in missing_triggers(connections[alias]) if name.split("_refuses_")[0] in existing]
        if missing:
            text = f"Triggers that protect the log are missing: {', '.join(missing)}."
            found.append(WarningMessage(text, hint="Run: python3 manage.py migrate", id="statehouse.W002"))
    return found


def _secret_key() -> str:
    try:
        return settings.SECRET_KEY
    except ImproperlyConfigured:  # this is how Django says that it is empty
        return ""


def _hosts_beyond_this_machine() -> list[str]:
    return sorted(set(settings.ALLOWED_HOSTS) - LOOPBACK)
