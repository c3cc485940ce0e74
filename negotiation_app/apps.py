"""The negotiation app's place in Django."""

from django.apps import AppConfig


class NegotiationConfig(AppConfig):
    name = "negotiation_app"
