"""Faults of the store, put between the operations and the mesh for the length of one case.

`fail` is a storage error that is not a lost compare-and-swap. `before` is a concurrent writer: since a transaction of
ours holds the workspace, it writes before that transaction begins, which is all that a concurrent writer can do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from fabric_app.mesh import keys
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.log import Log
from fabric_app.operations import transition_writes

Step = dict[str, Any]
HEAD = "state/current"


class InjectedFault(StatehouseError):
    """The fault that a case asks for."""

    code, status = "INJECTED_FAULT", 503
    message = "injected fault"


@dataclass
class Fault:
    """One armed fault; it strikes at the nth store call that it describes, `times` times in a row."""

    call: str
    key: str | None = None
    kind: str | None = None
    match: dict[str, Any] = field(default_factory=dict)
    nth: int = 1
    times: int = 1
    fail: bool = False
    before: list[Step] = field(default_factory=list)
    seen: int = 0

    def strikes(self, call: str, values: list[Any], *, key: str | None = None, kind: str | None = None) -> bool:
        if call != self.call or (self.key or key) != key or (self.kind or kind) != kind:
            return False
        if not any(all(_at(value, path) == wanted for path, wanted in self.match.items()) for value in values):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times


class Faults:
    """The armed faults of a case. run: carries out the steps of a concurrent writer."""

    def __init__(self, patch: pytest.MonkeyPatch, run: Callable[[Step], Any]) -> None:
        self._armed: list[Fault] = []
        self._run = run
        patch.setattr(keys, "put", self._failing_put(keys.put))
        patch.setattr(keys, "delete", self._failing_delete(keys.delete))
        patch.setattr(Log, "append", self._failing_append(Log.append))
        patch.setattr(transition_writes, "commit", self._overtaken(transition_writes.commit))

    def arm(self, fault: dict[str, Any]) -> None:
        self._armed.append(Fault(**fault))

    def overtake(self, key: str, value: Any) -> None:
        """Let the concurrent writers that wait for a put of this key write now."""
        for fault in self._armed:
            if fault.before and fault.strikes("put", [value], key=key):
                for step in fault.before:
                    self._run(step)

    def _fail(self, call: str, values: list[Any], **place: Any) -> None:
        if any(fault.fail and fault.strikes(call, values, **place) for fault in self._armed):
            raise InjectedFault

    def _failing_put(self, put: Callable[..., int]) -> Callable[..., int]:
        def failing(log: Log, key: str, values: list[Any], **options: Any) -> int:
            self._fail("put", values, key=key)
            return put(log, key, values, **options)

        return failing

    def _failing_delete(self, delete: Callable[..., Any]) -> Callable[..., Any]:
        def failing(log: Log, key: str, **options: Any) -> Any:
            self._fail("delete", [None], key=key)
            return delete(log, key, **options)

        return failing

    def _failing_append(self, append: Callable[..., Any]) -> Callable[..., Any]:
        def failing(log: Log, new: Any) -> Any:
            self._fail("publish", [new.data], kind=new.kind)
            return append(log, new)

        return failing

    def _overtaken(self, commit: Callable[..., Any]) -> Callable[..., Any]:
        def overtaken(proposal: Any, **options: Any) -> Any:
            self.overtake(HEAD, {"label": proposal.arguments.label})
            return commit(proposal, **options)

        return overtaken


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
