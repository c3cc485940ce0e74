"""What the groups of the product may do on everything that is the negotiations'.

- operator: makes negotiations, grants roles, reads everything, repairs projections; persists nothing.
- auditor: reads everything, changes nothing.
- orchestrator, specialist, principal: nothing by themselves; each account gets its role negotiation by negotiation.
"""

from __future__ import annotations

from django.db.models import Q

from fabric_app.mesh.groups import AUDITOR, OPERATOR

ORCHESTRATOR, SPECIALIST, PRINCIPAL = "orchestrator", "specialist", "principal"

_OURS = Q(content_type__app_label="negotiation_app")
_VIEW = _OURS & Q(codename__startswith="view_")
_OPERATOR = _VIEW | _OURS & Q(
    codename__in=["add_negotiation", "change_negotiation", "audit_negotiation", "repair_negotiation"]
)
_AUDITOR = _VIEW | _OURS & Q(codename="audit_negotiation")

PERMISSIONS_OF: dict[str, Q | None] = {
    OPERATOR: _OPERATOR,
    AUDITOR: _AUDITOR,
    ORCHESTRATOR: None,
    SPECIALIST: None,
    PRINCIPAL: None,
}
