"""OpenAPI 3.1 of the API: what every operation has in common, and the components that operations refer to."""

from __future__ import annotations

from drf_spectacular.openapi import AutoSchema


class Schema(AutoSchema):
    """Describes one operation."""
