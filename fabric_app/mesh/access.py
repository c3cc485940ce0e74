"""Who may do what on an object: model-level permissions of groups, or object-level grants. Doors ask here."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from guardian.shortcuts import get_objects_for_user

Row = TypeVar("Row", bound=Model)


def may(user: Any, permission: str, target: Model) -> bool:
    """Tell whether the account holds a permission (`app_label.codename`) on an object, by its groups or by a grant."""
    return bool(user.has_perm(permission) or user.has_perm(permission, target))


def visible(user: Any, permission: str, rows: QuerySet[Row] | type[Row]) -> QuerySet[Row]:
    """Return those of the rows (or of all of a model) on which the account holds a permission."""
    found: QuerySet[Row] = get_objects_for_user(user, permission, klass=rows, accept_global_perms=True)
    return found
