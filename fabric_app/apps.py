"""The fabric's place in Django: append-only triggers are put back after every migration."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class FabricConfig(AppConfig):
    name = "fabric_app"

    def ready(self) -> None:
        # Once, after the last app: the tables of every app exist by then.
        post_migrate.connect(_install_triggers, dispatch_uid="statehouse.append_only")


def _install_triggers(*, using: str, **_: Any) -> None:
    from fabric_app.mesh.triggers import install  # noqa: PLC0415 - models are loaded by now

    install(connections[using])
