"""The places that a condition names, in the order in which they stand in it. Source: rp.state, section 5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.condition import Condition
from sessions_app.protocol.condition_parse import tokens
from sessions_app.protocol.condition_values import State
from sessions_app.protocol.values import kind_of

Json = dict[str, Any]
_LOOK_UPS = ("state", "exists")
_PATH = 4
SHOWN_NODES, SHOWN_CHARS = 200, 4_000


def places_of(condition: Condition, state: State) -> list[Json]:
    """Return `{namespace, path, found, value?}` for each distinct place that a condition names, as the state has it.

    In place of a value that is large stands its `kind`: an answer is never much larger than the condition.
    """
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
    if not isinstance(found, pointer.Found):
        return {**place, "found": False}
    shown = {"value": found.value} if _is_small(found.value) else {"kind": kind_of(found.value)}
    return {**place, "found": True, **shown}


def _is_small(value: Any) -> bool:
    """Tell whether a value has few parts and few characters; no more of it is looked at than that."""
    waiting, nodes, chars = [value], 0, 0
    while waiting:
        each = waiting.pop()
        nodes += 1
        if isinstance(each, str):
            chars += len(each)
        elif isinstance(each, dict):
            waiting.extend(islice(each.values(), SHOWN_NODES))
            chars += sum(map(len, islice(each, SHOWN_NODES)))
        elif isinstance(each, list):
            waiting.extend(each[:SHOWN_NODES])
        if chars > SHOWN_CHARS or nodes + len(waiting) > SHOWN_NODES:
            return False
    return True
