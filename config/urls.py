"""Every address of the product."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from config.health import healthz, readyz
from config.metrics import metrics

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/", include("config.api_urls")),
    path("admin/", admin.site.urls),
    path("", include("fabric_app.pages.urls")),
    path("", include("negotiation_app.pages.urls")),
    path("", include("sessions_app.pages.urls")),
]

handler400 = "config.problem.bad_request"
handler403 = "config.problem.permission_denied"
handler404 = "config.problem.page_not_found"
handler500 = "config.problem.server_error"
