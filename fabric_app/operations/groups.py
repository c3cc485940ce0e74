"""The groups that come with the fabric, and the permissions that each holds on everything.

- operator: all of a workspace's permissions, its creation and change, the accounts; reads every model in admin.
- auditor: reads everything, changes nothing.
- host, agent: nothing by themselves; each account is granted permissions workspace by workspace. An account in `agent`
  is shown as an agent on everything that it writes.

Installed after every migration; permissions that an administrator added to a group stay.
"""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

from fabric_app.access import ADD, CHANGE, PERMISSIONS, READ

OPERATOR, AUDITOR, HOST, AGENT = "operator", "auditor", "host", "agent"

_VIEW = Q(content_type__app_label="fabric_app", codename__startswith="view_")
_OPERATOR = (
    _VIEW
    | Q(content_type__app_label="fabric_app", codename__in=[*PERMISSIONS.values(), ADD, CHANGE])
    | Q(content_type__app_label="auth", codename__in=["view_user", "add_user", "change_user", "view_group"])
)
_AUDITOR = _VIEW | Q(content_type__app_label="fabric_app", codename=READ)

PERMISSIONS_OF: dict[str, Q | None] = {OPERATOR: _OPERATOR, AUDITOR: _AUDITOR, HOST: None, AGENT: None}


def install_groups(using: str) -> None:
    """Create the groups that are missing and give each what it lacks; may be called any number of times."""
    for name, wanted in PERMISSIONS_OF.items():
        group, _ = Group.objects.using(using).get_or_create(name=name)
        if wanted is not None:
            group.permissions.add(*Permission.objects.using(using).filter(wanted))
