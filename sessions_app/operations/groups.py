"""What the groups of the product may do on everything that is the sessions'.

- operator: all of it, creating and erasing included; reads every model in admin.
- auditor: reads everything, changes nothing.
"""

from __future__ import annotations

from django.db.models import Q

from fabric_app.mesh.groups import AUDITOR, OPERATOR

_OURS = Q(content_type__app_label="sessions_app")
_VIEW = _OURS & Q(codename__startswith="view_")
_OPERATOR = _VIEW | _OURS & Q(
    codename__in=[
        "add_session",
        "read_session",
        "write_session",
        "configure_session",
        "correct_session",
        "erase_session",
        "repair_session",
        "add_worldbook",
        "read_worldbook",
        "write_worldbook",
    ]
)
_AUDITOR = _VIEW | _OURS & Q(codename__in=["read_session", "read_worldbook"])

PERMISSIONS_OF: dict[str, Q | None] = {OPERATOR: _OPERATOR, AUDITOR: _AUDITOR}
