"""The groups that come with the product. What each may do is said by the app whose models it concerns.

- operator: runs the product. auditor: reads everything, changes nothing.
- host, agent: nothing by themselves; each account is granted permissions object by object. An account in `agent` is
  shown as an agent on everything that it writes.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

OPERATOR, AUDITOR, HOST, AGENT = "operator", "auditor", "host", "agent"


def install_groups(using: str, permissions_of: Mapping[str, Q | None]) -> None:
    """Create the groups that are missing and give each what it lacks; may be called any number of times.

    permissions_of: by group, which permissions it holds on everything. What an administrator added to a group stays.
    """
    for name, wanted in permissions_of.items():
        group, _ = Group.objects.using(using).get_or_create(name=name)
        if wanted is not None:
            group.permissions.add(*Permission.objects.using(using).filter(wanted))
