"""JSON Pointers (RFC 6901), strictly: no `#`, no percent signs, no dots, nothing mended.

- `""` is the root, and otherwise there is a `/` before each segment; `/` is the key `""`.
- `~1` and `~0` are the only escapes, decoded in this order, so that `~01` is the key `~1`.
- In arrays a segment is an index only as ASCII digits without a leading zero, below the length. `-` is never the end.
- In objects every text is a key. Scalars have no children.
- Segments that no value may have as keys (`names.UNSAFE_KEYS`), and halves of surrogate pairs, are malformed.

Nothing here recurses, so that a path may have any number of segments.

Source: rp.state, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sessions_app.protocol.errors import PointerInvalid
from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.text import has_surrogate, shown, without_surrogates

Segments = tuple[str, ...]

# Longer texts of digits are no index of any array, and would be slow to convert.
MAX_INDEX_DIGITS = 16
MAX_SHOWN_SEGMENT = 500

_INDEX = re.compile("0|[1-9][0-9]*")
_BAD_ESCAPE = re.compile("~(?![01])")


@dataclass(frozen=True)
class Found:
    """The value at a path; `None` in it is JSON's null."""

    value: Any


@dataclass(frozen=True)
class Missing:
    """Nothing is at the path; `depth` is how many of its segments lead to something that exists."""

    depth: int


@dataclass(frozen=True)
class Parent:
    """The array or object that a path's last segment, `key`, stands in; the key itself need not exist."""

    container: Any
    key: str


def parse(text: Any, *, allow_root: bool = True) -> Segments:
    """Return the decoded segments of a pointer.

    Raises PointerInvalid for anything but a well-formed text, and for the root where it is not allowed.
    """
    if not isinstance(text, str):
        raise PointerInvalid.at("", "A path is a text such as /characters/mood.")
    if text == "" and not allow_root:
        raise PointerInvalid.at("", "The path names the whole value; name a place inside it.")
    return _parsed(text)


def format(segments: Iterable[str]) -> str:  # noqa: A001 - the counterpart of `parse`, always used by its module's name
    """Return the pointer whose segments these are."""
    return "".join(f"/{segment.replace('~', '~0').replace('/', '~1')}" for segment in segments)


def below(base: str, step: str | int) -> str:
    """Return the pointer one step below `base`, for a message: long keys are cut, halves of surrogate pairs escaped."""
    return base + format((without_surrogates(str(step)[:MAX_SHOWN_SEGMENT]),))


def read(document: Any, segments: Sequence[str]) -> Found | Missing:
    """Return what is at the path, or how far it leads."""
    value = document
    for depth, segment in enumerate(segments):
        if isinstance(value, dict):
            if segment not in value:
                return Missing(depth)
            value = value[segment]
        elif isinstance(value, list):
            index = index_in(value, segment)
            if index is None:
                return Missing(depth)
            value = value[index]
        else:
            return Missing(depth)
    return Found(value)


def is_index(segment: str) -> bool:
    """Tell whether a segment has the form of an array's index."""
    return len(segment) <= MAX_INDEX_DIGITS and _INDEX.fullmatch(segment) is not None


def index_in(array: Sequence[Any], segment: str) -> int | None:
    """Return the index that a segment is in an array, or None where it is none or there is no such item."""
    if not is_index(segment):
        return None
    index = int(segment)
    return index if index < len(array) else None


def parent(document: Any, segments: Sequence[str]) -> Parent:
    """Return the container of the last segment. Raises PointerInvalid for the root, and where no container is."""
    if not segments:
        raise PointerInvalid.at("", "The path names the whole value, which stands in nothing.")
    found = read(document, segments[:-1])
    if isinstance(found, Missing):
        reached = shown(format(segments[: found.depth]))
        raise PointerInvalid.at("", f"There is no {shown(segments[found.depth])} at {reached}.")
    if not isinstance(found.value, dict | list):
        raise PointerInvalid.at("", f"At {shown(format(segments[:-1]))} is neither an object nor an array.")
    return Parent(container=found.value, key=segments[-1])


def conflicts(left: Sequence[str], right: Sequence[str]) -> bool:
    """Tell whether two paths name the same place, or one contains the other."""
    shorter = min(len(left), len(right))
    return tuple(left[:shorter]) == tuple(right[:shorter])


@lru_cache(maxsize=8_192)
def _parsed(text: str) -> Segments:
    if text == "":
        return ()
    if not text.startswith("/"):
        raise PointerInvalid.at("", f"{shown(text)} does not begin with a slash; write a path as /a/b.")
    if _BAD_ESCAPE.search(text):
        raise PointerInvalid.at("", f"{shown(text)} has a ~ that is neither ~0 (a ~) nor ~1 (a slash).")
    if has_surrogate(text):
        raise PointerInvalid.at("", f"{shown(text)} has half of a surrogate pair; send whole characters.")
    segments = tuple(segment.replace("~1", "/").replace("~0", "~") for segment in text.split("/")[1:])
    unsafe = UNSAFE_KEYS.intersection(segments)
    if unsafe:
        raise PointerInvalid.at("", f"{shown(text)} has the segment {min(unsafe)}, which no key may be.")
    return segments
