"""Finds everything that is wrong with a value, by a schema of the few keywords that requests use.

Keywords: type (object, array, string, number, integer, boolean; anything without one), properties, required,
additionalProperties false, items, maxItems, maxLength, minimum, maximum, enum, pattern, format "name".
Any JSON value is answered, none raises.
Sentences name the rule and never repeat the value, which may be long, or secret.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fabric_app.mesh.errors import Problem
from fabric_app.mesh.numbers import is_number, whole_number
from fabric_app.mesh.texts import cut_text

Schema = dict[str, Any]

DIGEST_PATTERN = "^sha256:[0-9a-f]{64}$"

MAX_PROBLEMS = 20
NUMERIC = ("number", "integer")
SHOWN_NAME_BYTES = 100

_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}


def problems_in(value: Any, schema: Schema) -> list[Problem]:
    """Return the problems of a value in the order of the schema, at most `MAX_PROBLEMS` of them."""
    return list(islice(_problems(value, schema, ""), MAX_PROBLEMS))


def _problems(value: Any, schema: Schema, path: str) -> Iterator[Problem]:
    expected = schema.get("type")
    if expected is None:
        return
    if not _has_type(value, expected):
        yield Problem(path, "wrong_type", f"must be {_WORDS[expected]}.")
    elif expected == "object":
        yield from _object_problems(value, schema, path)
    elif expected == "array":
        yield from _list_problems(value, schema, path)
    elif expected == "string":
        yield from _text_problems(value, schema, path)
    elif expected in NUMERIC:
        yield from _number_problems(value, schema, path)


def _object_problems(value: dict[str, Any], schema: Schema, path: str) -> Iterator[Problem]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield Problem(f"{path}/{name}", "required", "is missing.")
    for name, member in properties.items():
        if name in value:
            yield from _problems(value[name], member, f"{path}/{name}")
    for name in value:
        if name not in properties and not schema.get("additionalProperties", True):
            yield Problem(f"{path}/{_pointer_part(name)}", "unknown_member", _unknown(properties))


def _list_problems(value: list[Any], schema: Schema, path: str) -> Iterator[Problem]:
    if len(value) > schema.get("maxItems", len(value)):
        yield Problem(path, "too_many_items", f"must have at most {schema['maxItems']} items.")
        return
    for index, item in enumerate(value):
        yield from _problems(item, schema["items"], f"{path}/{index}")


def _text_problems(value: str, schema: Schema, path: str) -> Iterator[Problem]:
    if len(value) > schema.get("maxLength", len(value)):
        yield Problem(path, "too_long", f"must have at most {schema['maxLength']} characters.")
    elif _SURROGATE.search(value):
        yield Problem(path, "lone_surrogate", "must not contain half of a surrogate pair.")
    elif "enum" in schema and value not in schema["enum"]:
        yield Problem(path, "not_allowed", f"must be one of: {', '.join(schema['enum'])}.")
    elif "pattern" in schema and not re.search(schema["pattern"], value):
        yield _pattern_problem(value, schema["pattern"], path)
    elif schema.get("format") == "name" and "\0" in value:
        yield Problem(path, "nul_character", "must not contain the NUL character.")


def _number_problems(value: float, schema: Schema, path: str) -> Iterator[Problem]:
    if isinstance(value, float) and not math.isfinite(value):
        yield Problem(path, "wrong_type", "must be a finite number.")
    elif value < schema.get("minimum", value):
        yield Problem(path, "too_small", f"must be at least {schema['minimum']}.")
    elif value > schema.get("maximum", value):
        yield Problem(path, "too_large", f"must be at most {schema['maximum']}.")


def _has_type(value: Any, expected: str) -> bool:
    if expected == "number":
        return is_number(value)
    if expected == "integer":
        return whole_number(value) is not None
    types = {"object": dict, "array": list, "string": str, "boolean": bool}
    return isinstance(value, types[expected])


def _pattern_problem(value: str, pattern: str, path: str) -> Problem:
    if value.strip() == "":
        return Problem(path, "blank", "must not be blank.")
    if pattern == DIGEST_PATTERN:
        return Problem(path, "wrong_form", "must be sha256: and 64 lower-case hexadecimal digits.")
    return Problem(path, "wrong_form", f"must match {pattern}")


def _unknown(properties: Schema) -> str:
    known = ", ".join(properties) or "none"
    return f"is not an argument of this action; known are: {known}."


def _pointer_part(name: Any) -> str:
    shown, _ = cut_text(str(name), SHOWN_NAME_BYTES)
    return _SURROGATE.sub("\ufffd", shown).replace("~", "~0").replace("/", "~1")
