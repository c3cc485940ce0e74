"""Workspaces: created, changed and archived, each in one transaction with its activity row. Operators alone may.

A root is a folder that commands run in. It lies at or below a configured root once links are resolved, and never among
the product's own files. It need not exist where this runs: the workers of its group have it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.validators import slug_re
from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.swap import swap
from fabric_app.models import LogHead, Workspace
from fabric_app.operations.activity import record_activity

MAX_SLUG_CHARS = 80
MAX_TITLE_CHARS = 200
MAX_ROOT_CHARS = 1024
MAX_GROUP_CHARS = 60
DEFAULT_GROUP = "default"
# The one folder of the product's home that workspaces may lie in.
FOLDER_IN_HOME = "workspaces"


class WorkspaceExists(StatehouseError):
    """The name of a workspace is taken."""

    code, status = "WORKSPACE_EXISTS", 409
    message = "There is a workspace {slug!r} already. Choose another name."


class RootNotAllowed(StatehouseError):
    """A root lies outside of the configured roots, or among the product's own files."""

    code, status = "ROOT_NOT_ALLOWED", 422
    message = "{root!r} is not below an allowed root ({allowed}). Choose a folder there, or extend the list."


@dataclass(frozen=True)
class WorkspaceChange:
    """What is to change; None stands for what stays."""

    title: str | None = None
    root: str | None = None
    worker_group: str | None = None
    is_archived: bool | None = None

    def given(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@transaction.atomic(durable=True)
def create_workspace(
    *,
    slug: str,
    title: str,
    actor: Actor,
    now: datetime,
    root: str = "",
    worker_group: str = DEFAULT_GROUP,
) -> Workspace:
    """Create a workspace with an empty log. Raises InvalidArguments, RootNotAllowed, WorkspaceExists."""
    _check({"slug": slug, "title": title, "root": root, "workerGroup": worker_group})
    resolved = allowed_root(root)
    workspace, is_new = Workspace.objects.get_or_create(
        slug=slug,
        defaults={"title": title, "root": resolved, "worker_group": worker_group, "created_at": now},
    )
    if not is_new:
        raise WorkspaceExists(slug=slug)
    LogHead.objects.create(workspace=workspace)
    _note("created", workspace, {"root": resolved, "workerGroup": worker_group}, actor, now)
    return workspace


@transaction.atomic(durable=True)
def change_workspace(
    *, workspace: Workspace, expected: int, change: WorkspaceChange, actor: Actor, now: datetime
) -> Workspace:
    """Apply a change to the workspace at version `expected`; where nothing differs, nothing is written.

    Raises InvalidArguments, RootNotAllowed, VersionConflict.
    """
    given = change.given()
    _check({WIRE.get(name, name): value for name, value in given.items()})
    if "root" in given:
        given["root"] = allowed_root(given["root"])
    before = {WIRE.get(name, name): getattr(workspace, name) for name in given}
    swap(workspace, expected=expected, **given)
    after = {WIRE.get(name, name): value for name, value in given.items()}
    _note("changed", workspace, {"before": before, "after": after}, actor, now)
    return workspace


def rename_workspace(*, workspace: Workspace, expected: int, title: str, actor: Actor, now: datetime) -> Workspace:
    """Give the workspace another title; its slug, which addresses name, stays."""
    return change_workspace(
        workspace=workspace, expected=expected, change=WorkspaceChange(title=title), actor=actor, now=now
    )


def set_root(*, workspace: Workspace, expected: int, root: str, actor: Actor, now: datetime) -> Workspace:
    """Name the folder that commands run in; an empty text takes it away."""
    return change_workspace(
        workspace=workspace, expected=expected, change=WorkspaceChange(root=root), actor=actor, now=now
    )


def set_worker_group(
    *, workspace: Workspace, expected: int, worker_group: str, actor: Actor, now: datetime
) -> Workspace:
    """Name the workers that have the workspace's files."""
    return change_workspace(
        workspace=workspace, expected=expected, change=WorkspaceChange(worker_group=worker_group), actor=actor, now=now
    )


def archive_workspace(*, workspace: Workspace, expected: int, actor: Actor, now: datetime) -> Workspace:
    """Close the workspace to everything but reading and repair."""
    return change_workspace(
        workspace=workspace, expected=expected, change=WorkspaceChange(is_archived=True), actor=actor, now=now
    )


def unarchive_workspace(*, workspace: Workspace, expected: int, actor: Actor, now: datetime) -> Workspace:
    """Open an archived workspace again."""
    return change_workspace(
        workspace=workspace, expected=expected, change=WorkspaceChange(is_archived=False), actor=actor, now=now
    )


def allowed_root(root: str) -> str:
    """Return the folder with every link resolved, or an empty text for none. Raises RootNotAllowed."""
    if root == "":
        return ""
    resolved = Path(os.path.realpath(root))
    allowed = [Path(os.path.realpath(each)) for each in settings.STATEHOUSE["WORKSPACE_ROOTS"]]
    is_below = any(resolved.is_relative_to(each) for each in allowed)
    if not is_below or _is_internal(resolved) or len(str(resolved)) > MAX_ROOT_CHARS:
        raise RootNotAllowed(root=root[:200], allowed=", ".join(map(str, allowed)))
    return str(resolved)


def _is_internal(folder: Path) -> bool:
    """Tell whether commands in the folder would stand above or among the product's own files."""
    home = Path(os.path.realpath(settings.HOME))
    return home.is_relative_to(folder) or (
        folder.is_relative_to(home) and not folder.is_relative_to(home / FOLDER_IN_HOME)
    )


def _is_slug(value: str, limit: int) -> bool:
    return len(value) <= limit and value.isascii() and slug_re.match(value) is not None and "\n" not in value


def _is_title(value: str) -> bool:
    return 1 <= len(value) <= MAX_TITLE_CHARS and value.strip() != "" and value.isprintable()


def _is_root(value: str) -> bool:
    return len(value) <= MAX_ROOT_CHARS and "\0" not in value and (value == "" or value.startswith("/"))


WIRE = {"worker_group": "workerGroup", "is_archived": "isArchived"}
RULES: dict[str, tuple[Callable[[str], bool], str]] = {
    "slug": (
        lambda value: _is_slug(value, MAX_SLUG_CHARS),
        f"must be 1 to {MAX_SLUG_CHARS} letters, digits, - and _.",
    ),
    "title": (_is_title, f"must be 1 to {MAX_TITLE_CHARS} printable characters, not all blank."),
    "root": (_is_root, f"must be an absolute path of at most {MAX_ROOT_CHARS} characters, or empty."),
    "workerGroup": (
        lambda value: _is_slug(value, MAX_GROUP_CHARS),
        f"must be 1 to {MAX_GROUP_CHARS} letters, digits, - and _.",
    ),
}


def _check(values: dict[str, Any]) -> None:
    problems = [
        Problem(f"/{name}", "not_allowed", RULES[name][1])
        for name, value in values.items()
        if name in RULES and not RULES[name][0](value)
    ]
    if problems:
        raise InvalidArguments(problems)


def _note(what: str, workspace: Workspace, detail: dict[str, Any], actor: Actor, now: datetime) -> None:
    record_activity(workspace.pk, kind=f"workspace.{what}", name=workspace.slug, actor=actor, now=now, detail=detail)
