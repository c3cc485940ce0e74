"""The sessions' place in Django: what groups may do, what `check_state` proves, what the demo tells."""

from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        post_migrate.connect(_install_groups, dispatch_uid="statehouse.sessions.groups")
        _register()


def _register() -> None:
    from fabric_app.mesh import checking, demos  # noqa: PLC0415 - models are loaded by now
    from fabric_app.mesh.http import home, navigation  # noqa: PLC0415 - as above
    from sessions_app.demo.telling import tell_sessions  # noqa: PLC0415 - as above
    from sessions_app.pages.home import home_mark, home_part  # noqa: PLC0415 - as above
    from sessions_app.state_check import SESSIONS  # noqa: PLC0415 - as above

    checking.register(SESSIONS)
    demos.register("sessions", tell_sessions)
    navigation.add("Sessions", "sessions", "sessions")
    home.contribute(home_part)
    home.watch("sessions", home_mark)


def _install_groups(*, sender: AppConfig, using: str, **_: Any) -> None:
    from fabric_app.mesh.groups import install_groups  # noqa: PLC0415 - models are loaded by now
    from sessions_app.operations.groups import PERMISSIONS_OF  # noqa: PLC0415 - as above

    # The signal comes once for each app with models; permissions are there once the last one has its turn.
    if sender == [config for config in apps.get_app_configs() if config.models_module][-1]:
        install_groups(using, PERMISSIONS_OF)
