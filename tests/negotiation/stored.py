"""Every row that is stored of one negotiation, to be held against itself later."""

from __future__ import annotations

from typing import Any

from django.apps import apps

from negotiation_app.models import Negotiation


def stored_rows(ref: str) -> dict[str, list[dict[str, Any]]]:
    """Return every column of every row of a negotiation, by table."""
    own = Negotiation.objects.filter(ref=ref)
    found = {"Negotiation": list(own.values())}
    for model in apps.get_app_config("negotiation_app").get_models():
        if model is not Negotiation:
            rows = model._default_manager.filter(negotiation_id__in=own.values("pk"))
            found[model.__name__] = list(rows.order_by("pk").values())
    return found
