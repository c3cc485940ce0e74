"""Sessions told step by step: bootstraps, configurations, commits, edits, retractions and reads.

The session here is the log of what was accepted; after each step the log is folded again and has to lead to the
projection that the step led to.
"""

from __future__ import annotations

from typing import Any

import pytest

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.commit import commit
from sessions_app.protocol.configuration import configure
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import EMPTY, Projection
from sessions_app.protocol.reads import read_state
from sessions_app.protocol.replay import Entity, EntityKind, begun, fold
from sessions_app.protocol.values import same
from tests.conformance.rp_state_comparing import in_full, in_short, without_message
from tests.conformance.rp_state_vectors import cases


class Session:
    def __init__(self) -> None:
        self.log: list[Entity] = []
        self.projection = EMPTY

    def take(self, owner: str | None, kind: EntityKind, body: Any, projection: Projection) -> None:
        self.log.append(Entity(owner, kind, body))
        self.projection = projection

    def bootstrap(self, step: dict[str, Any]) -> dict[str, Any]:
        bootstrap = bootstrap_of(step["bootstrap"], DEFAULT_LIMITS)
        self.take(None, EntityKind.BOOTSTRAP, bootstrap.as_json(), begun(self.projection, bootstrap))
        return {}

    def configure(self, step: dict[str, Any]) -> dict[str, Any]:
        configured = configure(self.projection, step["request"], DEFAULT_LIMITS)
        self.take(step["owner"], EntityKind.CONFIGURATION, configured.request, configured.projection)
        return {}

    def commit(self, step: dict[str, Any]) -> dict[str, Any]:
        committed = commit(self.projection, step["effects"], DEFAULT_LIMITS)
        body = [effect.as_json() for effect in committed.effects]
        self.take(step["owner"], EntityKind.TURN_COMMIT, body, committed.projection)
        return {"diagnostics": [without_message(each) for each in committed.diagnostics]}

    def edit(self, _step: dict[str, Any]) -> dict[str, Any]:
        return {}

    def retract(self, step: dict[str, Any]) -> dict[str, Any]:
        self.log = [entity for entity in self.log if entity.key not in step["messages"]]
        folded = fold(self.log)
        assert folded.quarantined == ()
        self.projection = folded.projection
        return {}

    def read(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"result": read_state(self.projection, step["request"])}

    def run(self, step: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = {"ok": True} | getattr(self, step["do"])(step)
        except StatehouseError as refused:
            answer = {"ok": False, "error": refused.code}
        return answer | {"after": in_short(self.projection.as_json())}


@pytest.mark.parametrize("case", cases("scenarios"))
def test_a_session_goes_as_told(case: dict[str, Any]) -> None:
    session = Session()

    for step, expected in zip(case["input"]["steps"], case["expected"]["steps"], strict=True):
        found = session.run(step)

        assert same(found, expected), (step, found)
        assert fold(session.log).projection == session.projection

    assert same(in_full(session.projection.as_json()), case["expected"]["final"])
