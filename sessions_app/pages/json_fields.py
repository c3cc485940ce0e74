"""JSON that people type into forms: read as the API reads it, with what is wrong said beside the control."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import QueryDict

from fabric_app.mesh import strict_json
from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http.forms import text

# A schema nests two levels of JSON for each of its own, inside the members of a request.
MAX_DEPTH = 160
# What a form is given to edit at most: in UTF-8 three times as much.
EDITABLE_CHARS = 50_000


def json_in(form: QueryDict, name: str) -> Any:
    """Return the value that a control's text describes. Raises InvalidArguments that names the control."""
    return read_json(text(form, name), name)


def read_json(typed: str, name: str) -> Any:
    """Return the value that a text describes. Raises InvalidArguments that names the control."""
    if not typed.strip():
        raise InvalidArguments([Problem(f"/{name}", "blank", "Write JSON here.")])
    try:
        return strict_json.loads(
            typed, max_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE, max_depth=MAX_DEPTH, integers_as_doubles=True
        )
    except strict_json.InvalidJSON as refused:
        problems = [Problem(f"/{name}", each.code, _sentence(each)) for each in refused.problems]
        raise InvalidArguments(problems) from refused


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.detail}" if problem.path else problem.detail
