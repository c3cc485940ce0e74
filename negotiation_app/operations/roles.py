"""Giving an account a role in a negotiation, and taking it back; both leave a row that says who did it and why.

Operators alone do it, so that no agent can make itself the principal. Source: canonical negotiation state, section 2.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction
from guardian.shortcuts import assign_perm, get_users_with_perms, remove_perm

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import NotFound
from negotiation_app.access import ADD, PERMISSION_OF
from negotiation_app.models import Negotiation, RoleGrant
from negotiation_app.operations.reasons import reason_of
from negotiation_app.protocol.names import Role

Json = dict[str, Any]


@transaction.atomic(durable=True)
def grant_role(*, negotiation: Negotiation, account: str, role: Role, reason: str, actor: Actor, now: datetime) -> None:
    """Give an account a role. Raises NotFound, InvalidArguments."""
    user = _account(account)
    _record(negotiation, account, role, reason, is_granted=True, actor=actor, now=now)
    assign_perm(PERMISSION_OF[role], user, negotiation)


@transaction.atomic(durable=True)
def withdraw_role(
    *, negotiation: Negotiation, account: str, role: Role, reason: str, actor: Actor, now: datetime
) -> None:
    """Take a role back from an account. Raises NotFound, InvalidArguments. What a group gives stays."""
    user = _account(account)
    _record(negotiation, account, role, reason, is_granted=False, actor=actor, now=now)
    remove_perm(PERMISSION_OF[role], user, negotiation)


def grant_opening(user: Any) -> None:
    """Let an account open negotiations; it is the orchestrator of what it opens."""
    user.user_permissions.add(Permission.objects.get(content_type__app_label="negotiation_app", codename=ADD))


def role_holders(negotiation: Negotiation) -> list[Json]:
    """Return `{account, roles}` for each account that was given a role in this negotiation."""
    held: Any = get_users_with_perms(negotiation, attach_perms=True, with_group_users=False)
    by_permission = {permission: role for role, permission in PERMISSION_OF.items()}
    told = [
        {
            "account": user.get_username(),
            "roles": sorted(by_permission[name].value for name in names if name in by_permission),
        }
        for user, names in held.items()
    ]
    return sorted((each for each in told if each["roles"]), key=lambda each: str(each["account"]))


def _account(name: str) -> Any:
    # No account's name has a NUL, and PostgreSQL does not even take the question.
    user = None if "\0" in name else get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None:
        raise NotFound(what="account", name=name[:150])
    return user


def _record(
    negotiation: Negotiation,
    account: str,
    role: Role,
    reason: str,
    *,
    is_granted: bool,
    actor: Actor,
    now: datetime,
) -> None:
    why = reason_of(reason)
    RoleGrant.objects.create(
        negotiation=negotiation,
        account=account,
        role=role,
        is_granted=is_granted,
        reason=why,
        actor=actor.as_json(),
        created_at_ms=to_ms(now),
    )
