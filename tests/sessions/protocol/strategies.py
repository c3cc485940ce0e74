"""Values, and schemas that fit them: small alphabets, so that bounds, repeats and equalities are met often."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sessions_app.protocol.values import kind_of

KEYS = st.sampled_from(["a", "b", "0", "1", "", "x/y", "~", "toString", "好感度"])
NUMBERS = st.sampled_from([0, 1, 2, 3, -1, 1.5, 2**53 - 1, float(2**53), 1e21])
TEXTS = st.sampled_from(["", "a", "ab", "李钰", "1", "true", "é", "e\u0301"])

scalars = st.none() | st.booleans() | NUMBERS | TEXTS
# JSON in the form in which sessions keep it.
kept_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)

# JSON as a parser of another kind may give it: any number and text, unsafe keys, halves of surrogate pairs.
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(), max_size=3) | st.sampled_from(["constructor", "a"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@st.composite
def schemas_of(draw: st.DrawFn, value: Any) -> dict[str, Any]:
    """Draw a restricted schema that the value fits, often closely."""
    schema: dict[str, Any] = {}
    if draw(st.booleans()):
        schema["type"] = draw(_types_of(value))
    fixed = draw(st.integers(0, 8))
    if fixed == 0:
        schema["const"] = value
    elif fixed == 1:
        schema["enum"] = [value] if kind_of(value) == "string" else ["none of these", value]
    schema |= draw(_WITHIN[kind_of(value)](value)) if kind_of(value) in _WITHIN else {}
    return schema


@st.composite
def _types_of(draw: st.DrawFn, value: Any) -> Any:
    kind = "integer" if type(value) is int and draw(st.booleans()) else kind_of(value)
    return [kind, "null"] if kind != "null" and draw(st.booleans()) else kind


@st.composite
def _within_object(draw: st.DrawFn, value: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    declared = [key for key in value if draw(st.booleans())]
    if draw(st.booleans()):
        schema["properties"] = {key: draw(schemas_of(value[key])) for key in declared}
        absent = draw(KEYS)
        if absent not in value:
            schema["properties"][absent] = draw(schemas_of(draw(scalars)))
    if draw(st.booleans()):
        schema["required"] = [key for key in declared if draw(st.booleans())]
    others = [item for key, item in value.items() if key not in schema.get("properties", {})]
    schema |= draw(_additional(others))
    return schema


@st.composite
def _additional(draw: st.DrawFn, others: list[Any]) -> dict[str, Any]:
    choice = draw(st.integers(0, 3))
    if choice == 0:
        return {}
    if choice == 1:
        return {"additionalProperties": {"type": sorted({kind_of(item) for item in others} | {"string"})}}
    return {"additionalProperties": bool(others) or draw(st.booleans())}


@st.composite
def _within_array(draw: st.DrawFn, value: list[Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if draw(st.booleans()):
        schema["items"] = {"type": sorted({kind_of(item) for item in value} | {"boolean"})}
    elif len(value) == 1:
        schema["items"] = draw(schemas_of(value[0]))
    return schema | draw(_bounds("Items", len(value)))


def _bounds(what: str, size: Any) -> st.SearchStrategy[dict[str, Any]]:
    least, most = (f"min{what}", f"max{what}") if what else ("minimum", "maximum")
    return st.sampled_from([{}, {least: size}, {most: size}, {least: size, most: size}])


_WITHIN = {
    "object": _within_object,
    "array": _within_array,
    "string": lambda value: _bounds("Length", len(value)),
    "number": lambda value: _bounds("", value),
}


@st.composite
def changes_of(draw: st.DrawFn, value: Any) -> tuple[tuple[str, ...], Any]:
    """Draw a place and the value after one change at it: set, removed, appended or added."""
    if isinstance(value, dict | list) and draw(st.integers(0, 4)) > 0:
        return draw(_changes_below(value))
    return (), draw(kept_values)


@st.composite
def _changes_below(draw: st.DrawFn, value: Any) -> tuple[tuple[str, ...], Any]:
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from([*keys, draw(KEYS) if isinstance(value, dict) else len(value)]))
    changed = value.copy()
    if key not in keys:
        new = draw(kept_values)
        changed.update({key: new}) if isinstance(value, dict) else changed.append(new)
        return (str(key),), changed
    if draw(st.integers(0, 3)) == 0:
        del changed[key]
        return (str(key),), changed
    place, changed[key] = draw(changes_of(value[key]))
    return (str(key), *place), changed
