"""The restricted schema as a dialect of its own for `jsonschema`: the reading of a whole value.

Order in one node: type, enum, const, required names, each member in the value's order, array length, items, text
length, number. Bounds are inclusive, and say nothing about values of another kind. Lengths count code points.
Keywords are those of a normalised schema; the library's own would take 2^53 for an integer and report missing and
unknown members at their parent.

Source: rp.state, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import TypeChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import create

from sessions_app.protocol.meta_schema import META_SCHEMA, TYPES, Schema
from sessions_app.protocol.numbers import is_number, is_safe_integer
from sessions_app.protocol.values import kind_of, same
from sessions_app.protocol.violations import Violation

Errors = Iterator[ValidationError]

# `properties` and `additionalProperties` are one check: members are read in the value's order.
MEMBERS = "members"
_ORDER = (
    *("type", "enum", "const", "required", MEMBERS),
    *("minItems", "maxItems", "items", "minLength", "maxLength", "minimum", "maximum"),
)


def _is_type(name: str) -> Callable[[TypeChecker, Any], bool]:
    if name == "integer":
        return lambda _checker, value: is_safe_integer(value)
    return lambda _checker, value: kind_of(value) == name


TYPE_CHECKER = TypeChecker({name: _is_type(name) for name in TYPES})


def violations(validator: Any, value: Any) -> Iterator[Violation]:
    """Yield what `validator` (an instance of `Dialect`) refuses in a value, in the order of the checks."""
    for error in validator.iter_errors(value):
        yield Violation(tuple(str(step) for step in error.absolute_path), error.validator, error.validator_value)


def _refused(keyword: str, expected: Any, *step: str) -> ValidationError:
    """Return the violation of a keyword at the node, or one step below it."""
    return ValidationError(keyword, validator=keyword, validator_value=expected, path=step)


def _type(validator: Any, types: Any, value: Any, _schema: Schema) -> Errors:
    if not any(validator.is_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        yield _refused("type", types)


def _enum(_validator: Any, values: list[Any], value: Any, _schema: Schema) -> Errors:
    if not any(same(value, allowed) for allowed in values):
        yield _refused("enum", values)


def _const(_validator: Any, const: Any, value: Any, _schema: Schema) -> Errors:
    if not same(value, const):
        yield _refused("const", const)


def _required(_validator: Any, names: list[str], value: Any, _schema: Schema) -> Errors:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield _refused("required", name, name)


def _members(validator: Any, _keyword: Any, value: Any, schema: Schema) -> Errors:
    if not isinstance(value, dict):
        return
    properties, additional = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name, member in value.items():
        node = properties.get(name, additional)
        if node is False:
            yield _refused("additionalProperties", False, name)
        elif node is not True:
            yield from validator.descend(member, node, path=name)


def _items(validator: Any, node: Schema, value: Any, _schema: Schema) -> Errors:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from validator.descend(item, node, path=index)


def _bound(
    keyword: str, applies: Callable[[Any], bool], is_broken: Callable[[Any, Any], bool]
) -> Callable[[Any, Any, Any, Schema], Errors]:
    def check(_validator: Any, bound: Any, value: Any, _schema: Schema) -> Errors:
        if applies(value) and is_broken(value, bound):
            yield _refused(keyword, bound)

    return check


def _is_array(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _in_order(schema: Schema) -> Iterator[tuple[str, Any]]:
    for keyword in _ORDER:
        if keyword in schema:
            yield keyword, schema[keyword]
        elif keyword == MEMBERS and ("properties" in schema or "additionalProperties" in schema):
            yield keyword, True


Dialect = create(
    meta_schema=META_SCHEMA,
    validators={
        "type": _type,
        "enum": _enum,
        "const": _const,
        "required": _required,
        MEMBERS: _members,
        "minItems": _bound("minItems", _is_array, lambda value, bound: len(value) < bound),
        "maxItems": _bound("maxItems", _is_array, lambda value, bound: len(value) > bound),
        "items": _items,
        "minLength": _bound("minLength", _is_text, lambda value, bound: len(value) < bound),
        "maxLength": _bound("maxLength", _is_text, lambda value, bound: len(value) > bound),
        "minimum": _bound("minimum", is_number, lambda value, bound: value < bound),
        "maximum": _bound("maximum", is_number, lambda value, bound: value > bound),
    },
    type_checker=TYPE_CHECKER,
    applicable_validators=_in_order,
)
