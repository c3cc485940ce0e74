"""A JSON value kept as its own text.

Not `jsonb`: key order, `1.0` beside `1`, and an escaped NUL have to come back byte for byte on both databases.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from fabric_app.mesh.canonical import dumps


class JSONTextField(models.TextField):  # type: ignore[type-arg]
    """A column of compact JSON text that reads as a Python value; SQL NULL is `None` where the field allows it."""

    description = "JSON value as text"
    # What mypy's Django plugin reads.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None and self.null else dumps(value)

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return dumps(self.value_from_object(obj))
