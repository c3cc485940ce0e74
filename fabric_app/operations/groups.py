"""What the groups of the product may do on everything that is the fabric's.

- operator: all of a workspace's permissions, its creation and change, the accounts; reads every model in admin.
- auditor: reads everything, changes nothing.
- host, agent: nothing; each account is granted permissions workspace by workspace.
"""

from __future__ import annotations

from django.db.models import Q

from fabric_app.access import ADD, CHANGE, PERMISSIONS, READ
from fabric_app.mesh.groups import AGENT, AUDITOR, HOST, OPERATOR

_VIEW = Q(content_type__app_label="fabric_app", codename__startswith="view_")
_OPERATOR = (
    _VIEW
    | Q(content_type__app_label="fabric_app", codename__in=[*PERMISSIONS.values(), ADD, CHANGE])
    | Q(content_type__app_label="auth", codename__in=["view_user", "add_user", "change_user", "view_group"])
)
_AUDITOR = _VIEW | Q(content_type__app_label="fabric_app", codename=READ)

PERMISSIONS_OF: dict[str, Q | None] = {OPERATOR: _OPERATOR, AUDITOR: _AUDITOR, HOST: None, AGENT: None}
