"""Who is what in a negotiation: roles are permissions on it, never a field of a body. Doors ask here.

What an account has no role in does not exist for it. Source: canonical negotiation state, section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from guardian.core import ObjectPermissionChecker
from guardian.shortcuts import get_objects_for_user

from fabric_app.mesh.access import may
from fabric_app.mesh.errors import NotFound, NotPermitted
from negotiation_app.models import Negotiation
from negotiation_app.protocol.names import Role

PERMISSION_OF = {
    Role.ORCHESTRATOR: "orchestrate_negotiation",
    Role.SPECIALIST: "propose_negotiation",
    Role.PRINCIPAL: "decide_negotiation",
    Role.AUDITOR: "audit_negotiation",
}
REPAIR, ADD, CHANGE = "repair_negotiation", "add_negotiation", "change_negotiation"


def roles_of(user: Any, negotiation: Negotiation) -> frozenset[Role]:
    """Return the roles that an account has in a negotiation; one account may have several."""
    if not user.is_active:
        return frozenset()
    # All of them in one question: asked for one by one they cost more than most operations.
    held = ObjectPermissionChecker(user).get_perms(negotiation)
    return frozenset(
        role for role, name in PERMISSION_OF.items() if name in held or user.has_perm(f"negotiation_app.{name}")
    )


def visible_negotiations(user: Any) -> QuerySet[Negotiation]:
    """Return the negotiations in which the account has a role."""
    names = [f"negotiation_app.{name}" for name in PERMISSION_OF.values()]
    found: QuerySet[Negotiation] = get_objects_for_user(
        user, names, klass=Negotiation, any_perm=True, accept_global_perms=True
    )
    return found


def negotiation_for(user: Any, ref: str) -> tuple[Negotiation, frozenset[Role]]:
    """Return a negotiation with the account's roles in it. Raises NotFound where it has none."""
    negotiation = Negotiation.objects.filter(ref=ref).first()
    roles = frozenset() if negotiation is None else roles_of(user, negotiation)
    if negotiation is None or not roles:
        raise NotFound(what="negotiation", name=ref[:100])
    return negotiation, roles


def require(user: Any, permission: str, negotiation: Negotiation) -> None:
    """Return where the account holds a permission beside the roles. Raises NotPermitted."""
    if not may(user, f"negotiation_app.{permission}", negotiation):
        raise NotPermitted(permission=permission, target=f"negotiation {negotiation.ref}")


def require_everywhere(user: Any, permission: str) -> None:
    """Return where the account holds a permission on all negotiations, such as making one. Raises NotPermitted."""
    if not user.has_perm(f"negotiation_app.{permission}"):
        raise NotPermitted(permission=permission, target="negotiations")


def reader_of(negotiation: Negotiation) -> Callable[[Any], bool]:
    """Return a question for open streams: may this account, read afresh, still read the negotiation?"""
    negotiation_id = negotiation.pk

    def reads(user: Any) -> bool:
        found = Negotiation.objects.filter(pk=negotiation_id).first()
        return found is not None and bool(roles_of(user, found))

    return reads
