"""Addresses of the negotiations' pages."""

from __future__ import annotations

from django.urls import path

from fabric_app.mesh.http import converters  # noqa: F401 - registers `number`
from negotiation_app.pages import (
    brief,
    contradictions,
    inbox,
    listing,
    operate,
    patches,
    position,
    registers,
    settings,
    timeline,
)

NEGOTIATION = "negotiations/<str:ref>/"

urlpatterns = [
    path("negotiations/", listing.listing, name="negotiations"),
    path("negotiations/live/", listing.live, name="negotiations-live"),
    path("new-negotiation/", settings.create, name="negotiation-new"),
    path(NEGOTIATION, position.position, name="negotiation"),
    path(f"{NEGOTIATION}live/", position.live, name="negotiation-live"),
    path(f"{NEGOTIATION}evidence/", registers.evidence, name="negotiation-evidence"),
    path(f"{NEGOTIATION}deal/", registers.deal, name="negotiation-deal"),
    path(f"{NEGOTIATION}role-play/", registers.simulations, name="negotiation-simulations"),
    path(f"{NEGOTIATION}patches/", patches.patches, name="negotiation-patches"),
    path(f"{NEGOTIATION}patches/<str:name>/", patches.patch, name="negotiation-patch"),
    path(f"{NEGOTIATION}contradictions/<str:name>/", contradictions.contradiction, name="negotiation-contradiction"),
    path(f"{NEGOTIATION}inbox/", inbox.inbox, name="negotiation-inbox"),
    path(f"{NEGOTIATION}timeline/", timeline.timeline, name="negotiation-timeline"),
    path(f"{NEGOTIATION}timeline/<number:seq>/", timeline.event, name="negotiation-event"),
    path(f"{NEGOTIATION}as-it-was/", timeline.past, name="negotiation-past"),
    path(f"{NEGOTIATION}act/<slug:name>/", operate.operate, name="negotiation-act"),
    path(f"{NEGOTIATION}brief/", brief.brief_page, name="negotiation-brief"),
    path(f"{NEGOTIATION}brief/markdown/", brief.markdown, name="negotiation-brief-markdown"),
    path(f"{NEGOTIATION}bundle/", brief.bundle, name="negotiation-bundle"),
    path(f"{NEGOTIATION}settings/", settings.settings, name="negotiation-settings"),
]
