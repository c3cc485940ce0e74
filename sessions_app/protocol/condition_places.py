"""The places that a condition names, in the order in which they stand in it. Source: rp.state, section 5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.condition import Condition
from sessions_app.protocol.condition_parse import tokens
from sessions_app.protocol.condition_values import State

Json = dict[str, Any]
_LOOK_UPS = ("state", "exists")
_PATH = 4


def places_of(condition: Condition, state: State) -> list[Json]:
    """Return `{namespace, path, found, value?}` for each distinct place that a condition names, as the state has it."""
    distinct = dict.fromkeys(_places(condition.source))
    return [_seen(namespace, path, state) for namespace, path in distinct]


def _places(source: str) -> Iterator[tuple[str, str]]:
    read = tokens(source)
    for index, token in enumerate(read):
        if token in _LOOK_UPS:
            # state "(" namespace "," path ")": the text is a condition, so that all of it is there.
            yield json.loads(read[index + 2]), json.loads(read[index + _PATH])


def _seen(namespace: str, path: str, state: State) -> Json:
    place = {"namespace": namespace, "path": path}
    if namespace not in state:
        return {**place, "found": False}
    found = pointer.read(state[namespace], pointer.parse(path))
    return (
        {**place, "found": True, "value": found.value}
        if isinstance(found, pointer.Found)
        else {**place, "found": False}
    )
