"""Answers: compact JSON in UTF-8, members in the order in which they were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from fabric_app.mesh.canonical import dumps


class ExactJSONRenderer(BaseRenderer):
    """Writes the text that digests are taken of: what was stored comes back byte for byte."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else dumps(data).encode()
