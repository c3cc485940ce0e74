"""Taking back what was granted to an account on a workspace. Granting stands in `operations.accounts`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from guardian.shortcuts import get_user_perms, remove_perm

from fabric_app.access import PERMISSIONS
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.models import Workspace
from fabric_app.operations.activity import record_activity

READ = "read"


@transaction.atomic(durable=True)
def withdraw(*, user: Any, workspace: Workspace, permissions: Sequence[str], actor: Actor, now: datetime) -> list[str]:
    """Take permissions (short names) back and return those that the account held; without read it keeps none.

    Raises InvalidArguments. What a group gives stays.
    """
    unknown = [name for name in permissions if name not in PERMISSIONS]
    if unknown or not permissions:
        detail = f"must be some of: {', '.join(PERMISSIONS)}."
        raise InvalidArguments([Problem("/permissions", "not_allowed", detail)])
    wanted = PERMISSIONS if READ in permissions else permissions
    held = set(get_user_perms(user, workspace))
    withdrawn = [name for name in PERMISSIONS if name in wanted and PERMISSIONS[name] in held]
    for name in withdrawn:
        remove_perm(PERMISSIONS[name], user, workspace)
    if withdrawn:
        record_activity(
            workspace.pk,
            kind="permission.withdrawn",
            name=user.get_username(),
            actor=actor,
            now=now,
            detail={"permissions": withdrawn},
        )
    return withdrawn
