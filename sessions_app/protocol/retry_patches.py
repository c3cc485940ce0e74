"""Patches that mend the draft of a refused commit, so that it need not be sent again whole.

- `add`, `replace` and `remove`, in order, all or none, each with a JSON Pointer; `add` and `replace` have a `value`.
- `add` inserts into an array, at its end by `-` or its length, and overwrites an object's member.
- `replace` and `remove` want something there. The root can be replaced, never removed.
- What was given stays as it is; a patch copies along its path alone.

Source: rp.state, section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol import pointer
from sessions_app.protocol.changes import Draft
from sessions_app.protocol.errors import PointerInvalid, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.text import shown
from sessions_app.protocol.values import normalised

END = "-"

_MEMBERS = {"add": {"op", "path", "value"}, "replace": {"op", "path", "value"}, "remove": {"op", "path"}}


class RetryPatchInvalid(StatehouseError):
    """A patch of a refused commit's draft cannot be applied; none of them was. `path` points into the patches."""

    code, status = "RP_COMMIT_RETRY_PATCH_INVALID", 400
    message = "{path}: {detail} No patch was applied; send all of them again."


class _Misfit(Exception):  # noqa: N818, RUF100 - becomes RetryPatchInvalid, and is never seen from outside
    """One patch cannot be applied; `member` is the one at fault, empty for the whole patch."""

    def __init__(self, member: str, detail: str) -> None:
        self.place = f"/{member}" if member else ""
        self.detail = detail
        super().__init__(detail)


def patched(draft: Any, patches: Any, limits: Limits) -> Any:
    """Return the draft after all patches; `draft` and `patches` stay as they are.

    patches: JSON as it came; an empty list gives the draft itself.
    Raises RetryPatchInvalid for the first patch that is malformed or finds nothing to work on.
    """
    if not isinstance(patches, list):
        raise RetryPatchInvalid(path="/", detail="patches is a list.")
    if len(patches) > limits.patches:
        raise RetryPatchInvalid(
            path="/", detail=f"There are {len(patches)} patches; at most {limits.patches} are allowed."
        )
    copy = Draft(draft)
    for index, patch in enumerate(patches):
        try:
            _apply(copy, patch, limits)
        except _Misfit as fault:
            raise RetryPatchInvalid(path=f"/{index}{fault.place}", detail=fault.detail) from None
    return copy.value


def _apply(draft: Draft, patch: Any, limits: Limits) -> None:
    op = patch.get("op") if isinstance(patch, dict) else None
    if not isinstance(op, str) or op not in _MEMBERS:
        raise _Misfit(
            "op" if isinstance(patch, dict) else "", f"A patch is an object; op is one of {', '.join(_MEMBERS)}."
        )
    if patch.keys() != _MEMBERS[op]:
        raise _Misfit("", f"{op} has exactly the members {', '.join(sorted(_MEMBERS[op]))}.")
    segments = _segments(patch["path"], op, limits)
    value = _value(patch["value"], limits) if "value" in patch else None
    if not segments:
        draft.value = value
        return
    _APPLY[op](draft, segments, value)


def _segments(path: Any, op: str, limits: Limits) -> Segments:
    if isinstance(path, str) and len(path) > limits.pointer_chars:
        raise _Misfit("path", f"A path has at most {limits.pointer_chars} characters.")
    try:
        return pointer.parse(path, allow_root=op != "remove")
    except PointerInvalid as fault:
        raise _Misfit("path", fault.problems[0].detail) from None


def _value(value: Any, limits: Limits) -> Any:
    try:
        return normalised(value, limits)
    except ValueInvalid as fault:
        raise _Misfit("value", fault.problems[0].detail) from None


def _add(draft: Draft, segments: Segments, value: Any) -> None:
    container, last = _container(draft, segments), segments[-1]
    if isinstance(container, dict):
        draft.owned(segments[:-1])[last] = value
        return
    is_end = last in (END, str(len(container)))
    index = len(container) if is_end else pointer.index_in(container, last)
    if index is None:
        raise _Misfit("path", f"{shown(last)} is no place among {len(container)} items; - adds one at the end.")
    draft.owned(segments[:-1]).insert(index, value)


def _replace(draft: Draft, segments: Segments, value: Any) -> None:
    key = _existing(draft, segments)
    draft.owned(segments[:-1])[key] = value


def _remove(draft: Draft, segments: Segments, _value: Any) -> None:
    key = _existing(draft, segments)
    del draft.owned(segments[:-1])[key]


_APPLY: Mapping[str, Callable[[Draft, Segments, Any], None]] = {"add": _add, "replace": _replace, "remove": _remove}


def _container(draft: Draft, segments: Segments) -> Any:
    """Return the array or object that a path's last segment stands in."""
    try:
        return pointer.parent(draft.value, segments).container
    except PointerInvalid as fault:
        raise _Misfit("path", fault.problems[0].detail) from None


def _existing(draft: Draft, segments: Segments) -> str | int:
    """Return the key or index of something that exists."""
    container, last = _container(draft, segments), segments[-1]
    key = (last if last in container else None) if isinstance(container, dict) else pointer.index_in(container, last)
    if key is None:
        raise _Misfit("path", f"There is nothing at {shown(pointer.format(segments))}; add puts something there.")
    return key
