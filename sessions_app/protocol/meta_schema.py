"""The restricted schema's keywords, and a meta-schema that refuses every other one.

The meta-schema describes one node: what stands in `properties`, `additionalProperties` and `items` is only asked to be
an object there, and is read as a node of its own (`schema_form`), so that no schema is too deep for the validator.

Source: rp.state v2, "Restricted schema"; exact rules in rp.state, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from sessions_app.protocol.numbers import MAX_SAFE_INTEGER
from sessions_app.protocol.pointer import format as pointer_to
from sessions_app.protocol.text import WHITESPACE, shown

Schema = dict[str, Any]

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")

# Keyword -> types that own it; () for those of every type. The order is that of the normal form.
OWNERS: dict[str, tuple[str, ...]] = {
    "type": (),
    "title": (),
    "description": (),
    "enum": (),
    "const": (),
    "properties": ("object",),
    "required": ("object",),
    "additionalProperties": ("object",),
    "items": ("array",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "minLength": ("string",),
    "maxLength": ("string",),
    "minimum": ("number", "integer"),
    "maximum": ("number", "integer"),
}
KEYWORDS = tuple(OWNERS)

_TEXT: Schema = {"type": "string", "pattern": f"[^{WHITESPACE}]"}
_TYPE: Schema = {"enum": list(TYPES)}
_NODE: Schema = {"type": "object"}
_COUNT: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
_NUMBER: Schema = {"type": "number"}

_FORMS: dict[str, Schema | bool] = {
    "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1, "uniqueItems": True}]},
    "title": _TEXT,
    "description": _TEXT,
    "enum": {"type": "array", "minItems": 1},
    "const": True,
    "properties": {"type": "object", "additionalProperties": _NODE},
    "required": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "additionalProperties": {"type": ["boolean", "object"]},
    "items": _NODE,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "minLength": _COUNT,
    "maxLength": _COUNT,
    "minimum": _NUMBER,
    "maximum": _NUMBER,
}

_COUNT_WANTED = f"Give a whole number from 0 to {MAX_SAFE_INTEGER}."
_NUMBER_WANTED = "Give a finite number."
_WANTED = {
    "type": f"Give one of {', '.join(TYPES)}, or a list of some of them without repeats.",
    "title": "Give a text that is not blank, or leave it out.",
    "description": "Give a text that is not blank, or leave it out.",
    "enum": "Give a list with at least one value.",
    "properties": "Give an object that has a schema (an object) for each name.",
    "required": "Give a list of names without repeats.",
    "additionalProperties": "Give true, false or a schema (an object).",
    "items": "Give one schema (an object) for all items.",
    "minItems": _COUNT_WANTED,
    "maxItems": _COUNT_WANTED,
    "minLength": _COUNT_WANTED,
    "maxLength": _COUNT_WANTED,
    "minimum": _NUMBER_WANTED,
    "maximum": _NUMBER_WANTED,
}


def _owned_by(types: tuple[str, ...]) -> Schema:
    """Return what a node with a keyword of these types must be: of no type, of one of them, or of a list with one."""
    one = {"enum": list(types)}
    return {"properties": {"type": {"anyOf": [one, {"type": "array", "contains": one}]}}}


META_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": _FORMS,
    "additionalProperties": False,
    "dependentSchemas": {keyword: _owned_by(types) for keyword, types in OWNERS.items() if types},
}

_VALIDATOR = Draft202012Validator(META_SCHEMA)


def node_problems(node: Any) -> dict[str, str]:
    """Return what the meta-schema refuses in one node of a normalised value: pointer into it -> what to do.

    Pointers are those of keywords, or of members and items of them; the node itself is "".
    """
    found: dict[str, str] = {}
    for error in _VALIDATOR.iter_errors(node):
        for path, detail in _told(error):
            found.setdefault(path, detail)
    return found


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    place = [str(step) for step in error.absolute_path]
    rule = error.absolute_schema_path[0]
    if rule == "type":
        yield "", "A schema is an object of keywords."
    elif rule == "additionalProperties":
        for keyword in error.instance:
            if keyword not in OWNERS:
                yield pointer_to([keyword]), f"There is no keyword {shown(keyword)}; use only {', '.join(KEYWORDS)}."
    elif rule == "dependentSchemas":
        keyword = str(error.absolute_schema_path[1])
        yield pointer_to([keyword]), f"Only the type {' or '.join(OWNERS[keyword])} has {keyword}; leave it out here."
    else:
        yield pointer_to(place), _WANTED[place[0]]
