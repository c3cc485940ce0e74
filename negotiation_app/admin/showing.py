"""How the negotiations' own pages of the admin are shown."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from negotiation_app.models import Negotiation


def show(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    full = {**admin.site.each_context(request), "opts": Negotiation._meta, **context}
    return TemplateResponse(request, f"admin/negotiation_app/{template}.html", full, status=status)
