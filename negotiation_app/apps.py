"""The negotiations' place in Django: groups, what `check_state` proves, the demo, and their part of the home page."""

from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class NegotiationConfig(AppConfig):
    name = "negotiation_app"
    verbose_name = "Negotiations"

    def ready(self) -> None:
        post_migrate.connect(_install_groups, dispatch_uid="statehouse.negotiations.groups")
        _register()


def _register() -> None:
    from fabric_app.mesh import checking, demos  # noqa: PLC0415 - models are loaded by now
    from fabric_app.mesh.http import home, navigation  # noqa: PLC0415 - as above
    from negotiation_app.demo.telling import tell_negotiations  # noqa: PLC0415 - as above
    from negotiation_app.live import negotiations_mark  # noqa: PLC0415 - as above
    from negotiation_app.pages.home import home_part  # noqa: PLC0415 - as above
    from negotiation_app.state_check import NEGOTIATIONS  # noqa: PLC0415 - as above

    checking.register(NEGOTIATIONS)
    demos.register("negotiations", tell_negotiations)
    navigation.add("Negotiations", "negotiations", "negotiations")
    home.contribute(home_part)
    home.watch("negotiations", negotiations_mark)


def _install_groups(*, sender: AppConfig, using: str, **_: Any) -> None:
    from fabric_app.mesh.groups import install_groups  # noqa: PLC0415 - models are loaded by now
    from negotiation_app.operations.groups import PERMISSIONS_OF  # noqa: PLC0415 - as above

    # The signal comes once for each app with models; permissions are there once the last one has its turn.
    if sender == [config for config in apps.get_app_configs() if config.models_module][-1]:
        install_groups(using, PERMISSIONS_OF)
