"""The sessions app's place in Django."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"
