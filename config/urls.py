"""Every address of the product."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from config.health import healthz, readyz
from config.metrics import metrics

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
]
