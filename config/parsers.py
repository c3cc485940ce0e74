"""Request bodies: JSON alone, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from fabric_app.mesh import strict_json


class StrictJSONParser(BaseParser):
    """Reads a body as `strict_json` does. Raises InvalidJSON, JSONTooLarge."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        # One byte more than is allowed tells that there is more, however long the body is.
        return strict_json.loads(stream.read(limit + 1), max_bytes=limit)
