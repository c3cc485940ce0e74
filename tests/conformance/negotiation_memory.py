"""The player without a database: the pure protocol, with its log and its answers in lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import StatehouseError
from negotiation_app.protocol.decide import Prepared, carry_out, decide, prepare
from negotiation_app.protocol.document import document
from negotiation_app.protocol.errors import AppendOnly
from negotiation_app.protocol.fold import at_version, fold
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.requests import Context, Decided, Entry, Operation
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.state import Negotiation, from_rows
from tests.conformance.negotiation_player import Reply

NEW_KEY_NEEDED = 409


@dataclass(frozen=True)
class Kept:
    """The first accepted answer under a key, and the request that it answered."""

    request: str
    answer: dict[str, Any]


class MemoryPlayer:
    def __init__(self) -> None:
        self.now = Negotiation()
        self.log: list[Entry] = []
        self.kept: dict[str, Kept] = {}
        self.limit: int | None = None

    def open(self, given: dict[str, Any]) -> None:
        self.limit = given.get("artefactMaxBytes")
        context = self._context(Role.ORCHESTRATOR, "orchestrator", given["at"])
        self._store(decide(self.now, Operation("create_negotiation", given["negotiation"]), context))

    def play(self, step: dict[str, Any]) -> Reply:
        if step["op"] in ("attempt_edit", "attempt_delete"):
            return self._refused(AppendOnly(target=step["body"]["target"]))
        actor = step["actor"] if isinstance(step["actor"], dict) else {"role": step["actor"], "id": step["actor"]}
        context = self._context(Role(actor["role"]), actor["id"], step["at"])
        try:
            prepared = prepare(Operation(step["op"], step["body"]), context)
            return self._answered(step, prepared, context)
        except StatehouseError as error:
            return self._refused(error)

    def version(self) -> int:
        return self.now.version

    def mark(self) -> object:
        return len(self.log)

    def state(self, at: str, version: int | None = None) -> dict[str, Any]:
        state = self.now if version is None else at_version(self.log, version)
        return document(state, datetime.fromisoformat(at))

    def check(self) -> None:
        """The log read back gives the state, and so do its rows; every earlier version is still what it was."""
        read_back = [Entry.from_json(entry.as_json()) for entry in self.log]
        assert read_back == self.log
        assert fold(read_back) == self.now
        assert _rows(from_rows(self.now.rows())) == _rows(self.now)

    def _answered(self, step: dict[str, Any], prepared: Prepared, context: Context) -> Reply:
        key, request = step.get("key"), dumps([step["op"], step["body"]])
        if key in self.kept:
            if self.kept[key].request != request:
                return Reply(code="IDEMPOTENCY_KEY_REUSED", http=NEW_KEY_NEEDED)
            return Reply({**self.kept[key].answer, "replayed": True})
        if prepared.name == "read_state":
            version = prepared.body.get("version", self.now.version)
            at_version(self.log, version)
            return Reply({"readVersion": version})
        answer = self._store(carry_out(self.now, prepared, context))
        if key is not None:
            self.kept[key] = Kept(request, answer)
        return Reply(answer)

    def _store(self, decided: Decided) -> dict[str, Any]:
        self.now = decided.state
        if decided.entry is not None:
            self.log.append(decided.entry)
        return decided.answer

    def _context(self, role: Role, actor: str, at: str) -> Context:
        return Context(frozenset((role,)), actor, datetime.fromisoformat(at), self.limit)

    def _refused(self, error: StatehouseError) -> Reply:
        return Reply(code=error.code, http=error.status, details=error.as_json())


def _rows(state: Negotiation) -> list[str]:
    return sorted(dumps([row.TABLE, row_json(row)]) for row in state.rows())
