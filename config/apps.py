"""The house itself as a Django app: system checks and the commands `up` and `test`."""

from __future__ import annotations

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers the system checks once all apps are loaded."""

    name = "config"
    label = "config"
    verbose_name = "Statehouse"

    def ready(self) -> None:
        # Imported for their effect: checks register themselves, and a task that is sent needs Celery's app.
        from config import celery, checks  # noqa: F401  # that effect
