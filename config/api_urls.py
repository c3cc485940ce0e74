"""Addresses below `/api/`: each app's resources, the schema, and the page that shows it."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView

from config.docs import reference

urlpatterns = [
    path("v1/", include("fabric_app.api.urls")),
    path("v1/", include("sessions_app.api.urls")),
    path("v1/", include("negotiation_app.api.urls")),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("docs/", reference, name="api-docs"),
]
