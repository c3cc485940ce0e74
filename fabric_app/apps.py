"""The fabric's place in Django: append-only triggers and the product's groups are put back after every migration."""

from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.models.signals import post_migrate


class FabricConfig(AppConfig):
    name = "fabric_app"
    verbose_name = "Fabric"

    def ready(self) -> None:
        # Once, after the last app: the tables and permissions of every app exist by then.
        post_migrate.connect(_install_triggers, dispatch_uid="statehouse.append_only")
        post_migrate.connect(_install_groups, dispatch_uid="statehouse.groups")
        _register_checks()


def _register_checks() -> None:
    from fabric_app.mesh.checking import register  # noqa: PLC0415 - models are loaded by now
    from fabric_app.state_check import WORKSPACES  # noqa: PLC0415 - as above

    register(WORKSPACES)


def _install_triggers(*, using: str, **_: Any) -> None:
    from fabric_app.mesh.triggers import install  # noqa: PLC0415 - models are loaded by now

    install(connections[using])


def _install_groups(*, sender: AppConfig, using: str, **_: Any) -> None:
    from fabric_app.mesh.groups import install_groups  # noqa: PLC0415 - models are loaded by now
    from fabric_app.operations.groups import PERMISSIONS_OF  # noqa: PLC0415 - as above

    # The signal comes once for each app with models; permissions are there once the last one has its turn.
    if sender == [config for config in apps.get_app_configs() if config.models_module][-1]:
        install_groups(using, PERMISSIONS_OF)
