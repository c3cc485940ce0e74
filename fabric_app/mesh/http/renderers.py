"""What else than JSON a client may ask for. Streams and downloads are written by their views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from fabric_app.mesh.canonical import dumps


class EventStreamRenderer(BaseRenderer):
    """Lets a client ask for `text/event-stream`; what is rendered by it are errors alone, as JSON."""

    media_type = "text/event-stream"
    format = "events"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return dumps(data).encode()


class PlainTextRenderer(EventStreamRenderer):
    """Lets a client ask for `text/plain`; what is rendered by it are errors alone, as JSON."""

    media_type = "text/plain"
    format = "text"
