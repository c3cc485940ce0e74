"""Markdown as an answer: a contract as a model reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from fabric_app.mesh.canonical import dumps


class MarkdownRenderer(BaseRenderer):
    """Sends a text as Markdown; what is no text (an error) is sent as JSON."""

    media_type = "text/markdown"
    format = "markdown"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return (data if isinstance(data, str) else dumps(data)).encode("utf-8", "replace")
