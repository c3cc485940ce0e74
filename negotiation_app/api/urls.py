"""Addresses of the negotiations' API, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from fabric_app.mesh.http import converters  # noqa: F401 - registers `number`
from negotiation_app.api import artefacts, negotiations, roles
from negotiation_app.api.operations import NEGOTIATION, operation_paths

app_name = "negotiations-api"

urlpatterns = [
    path("negotiations/", negotiations.Negotiations.as_view(), name="negotiations"),
    path(NEGOTIATION, negotiations.OneNegotiation.as_view(), name="negotiation"),
    path(f"{NEGOTIATION}state/", negotiations.State.as_view(), name="state"),
    path(f"{NEGOTIATION}history/", negotiations.History.as_view(), name="history"),
    path(f"{NEGOTIATION}log/", negotiations.Log.as_view(), name="log"),
    path(f"{NEGOTIATION}log/stream/", negotiations.LogTail.as_view(), name="log-stream"),
    path(f"{NEGOTIATION}artefacts/", artefacts.Artefacts.as_view(), name="artefacts"),
    path(f"{NEGOTIATION}artefacts/<number:sequence>/", artefacts.OneArtefact.as_view(), name="artefact"),
    path(f"{NEGOTIATION}roles/", roles.Roles.as_view(), name="roles"),
    path(f"{NEGOTIATION}bundle/", roles.Bundle.as_view(), name="bundle"),
    *operation_paths(),
    # Last: any other place in the state.
    path(f"{NEGOTIATION}<path:target>/", negotiations.Row.as_view(), name="row"),
]
