"""Workspaces as `manage.py check_state` proves them."""

from __future__ import annotations

from django.utils import timezone

from fabric_app.mesh.actors import SYSTEM
from fabric_app.mesh.checking import BadRow, StateCheck
from fabric_app.mesh.models import Workspace
from fabric_app.operations.check import check_workspace, repair_projection


def _names() -> list[str]:
    return list(Workspace.objects.order_by("slug").values_list("slug", flat=True))


def _check(slug: str) -> list[BadRow]:
    return check_workspace(Workspace.objects.get(slug=slug).pk)


def _repair(slug: str) -> None:
    repair_projection(Workspace.objects.get(slug=slug).pk, actor=SYSTEM, now=timezone.now())


WORKSPACES = StateCheck("workspace", names=_names, check=_check, repair=_repair)
