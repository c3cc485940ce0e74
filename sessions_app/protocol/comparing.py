"""What is different between two projections, namespace by namespace and path by path.

Objects are compared member by member; an array of another length, and any other value, is one difference. Source:
rp.state, sections 9 and 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.projection import Namespace, Projection
from sessions_app.protocol.values import same

Json = dict[str, Any]


def namespace_differences(before: Projection, after: Projection) -> list[Json]:
    """Return an item for each namespace that is not the same.

    `{namespace, change: created|removed|changed, revision: {before, after}, values: [{path, before?, after?}],
    definition: true where it is another, initialValue: likewise}`.
    """
    names = dict.fromkeys([*before.namespaces, *after.namespaces])
    told = (_namespace(name, before.namespaces.get(name), after.namespaces.get(name)) for name in names)
    return [each for each in told if each is not None]


def value_differences(before: Any, after: Any) -> list[Json]:
    """Return `{path, before?, after?}` for each place where two values differ; an absent side is left out."""
    return list(_differences(before, after, ()))


def _namespace(name: str, before: Namespace | None, after: Namespace | None) -> Json | None:
    if before is after:
        return None
    if before is None or after is None:
        return _one_sided(name, before, after)
    values = value_differences(before.value, after.value)
    others = {
        "definition": before.definition.as_json() != after.definition.as_json(),
        "initialValue": not same(before.initial_value, after.initial_value),
    }
    if not values and before.revision == after.revision and not any(others.values()):
        return None
    revision = {"before": before.revision, "after": after.revision}
    changed = {member: True for member, differs in others.items() if differs}
    return {"namespace": name, "change": "changed", "revision": revision, "values": values, **changed}


def _one_sided(name: str, before: Namespace | None, after: Namespace | None) -> Json | None:
    if after is not None:
        values = [{"path": "", "after": after.value}]
        return {"namespace": name, "change": "created", "revision": {"after": after.revision}, "values": values}
    if before is None:
        return None
    values = [{"path": "", "before": before.value}]
    return {"namespace": name, "change": "removed", "revision": {"before": before.revision}, "values": values}


def _differences(before: Any, after: Any, segments: tuple[str, ...]) -> Iterator[Json]:
    if before is after or same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from _member(before, after, key, segments)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, (*segments, str(index)))
    else:
        yield {"path": pointer.format(segments), "before": before, "after": after}


def _member(before: Json, after: Json, key: str, segments: tuple[str, ...]) -> Iterator[Json]:
    place = (*segments, key)
    if key not in before:
        yield {"path": pointer.format(place), "after": after[key]}
    elif key not in after:
        yield {"path": pointer.format(place), "before": before[key]}
    else:
        yield from _differences(before[key], after[key], place)
