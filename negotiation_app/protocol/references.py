"""Refs in a body: every one that is unknown or taken is noted, later operations know what earlier ones make.

Source: canonical negotiation state, section 1, "Refs" and "Order of checks".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from fabric_app.mesh.errors import Problem
from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol.conflicts import RefTaken
from negotiation_app.protocol.errors import NegotiationError
from negotiation_app.protocol.refusals import UnknownIssue, UnknownRef
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import slot_of

_KINDS = {
    "parties": "party",
    "issues": "issue",
    "attributes": "attribute",
    "evidence": "evidence",
    "propositions": "proposition",
    "contradictions": "contradiction",
    "proposals": "proposal",
    "criteria": "criterion",
    "concessions": "concession",
    "reviews": "review",
    "overrides": "override",
    "judgements": "judgement",
    "patches": "patch",
    "simulations": "simulation",
    "findings": "finding",
    "decisions": "decision",
    "notifications": "notification",
    "history": "event",
}


class References:
    """Looks refs up in a state, and collects what is wrong with them."""

    def __init__(self, state: Negotiation, *, own_event: str | None = None) -> None:
        self._state = state
        self._made: dict[str, set[str]] = defaultdict(set)
        self._found: list[tuple[Problem, type[NegotiationError], str]] = []
        if own_event is not None:
            self._made["history"].add(own_event)

    def has(self, table: str, ref: str) -> bool:
        if ref in self._made[table]:
            return True
        return ref in (self._state.event_seqs if table == "history" else getattr(self._state, table))

    def need(self, table: str, ref: str | None, path: str) -> None:
        """Note that `ref` has to exist; None needs nothing."""
        if ref is not None and not self.has(table, ref):
            error = UnknownIssue if table == "issues" else UnknownRef
            self.note(error, f"{_KINDS[table]} {ref}", path)

    def need_all(self, table: str, refs: Iterable[str], path: str) -> None:
        for index, ref in enumerate(refs):
            self.need(table, ref, pointer(path, index))

    def take(self, table: str, ref: str, path: str) -> None:
        """Note that `ref` has to be free; it is taken from now on."""
        if self.has(table, ref):
            self.note(RefTaken, f"{_KINDS[table]} {ref}", path)
        self._made[table].add(ref)

    def note(self, error: type[NegotiationError], what: str, path: str) -> None:
        words = "is taken" if error is RefTaken else "does not exist"
        self._found.append((Problem(path, error.code, f"{what} {words}"), error, what))

    def refuse_if_any(self) -> None:
        """Raise the first problem's error, with all of them."""
        if self._found:
            first, error, what = self._found[0]
            problems = [problem for problem, _, _ in self._found]
            raise error(problems=problems, ref=what, path=first.path or "/")

    def evidence(self, items: Iterable[Mapping[str, Any]] | None, path: str) -> None:
        """An item with its ref alone exists; any other is new, and names what exists."""
        for index, item in enumerate(items or ()):
            place = pointer(path, index)
            if set(item) == {"ref"}:
                self.need("evidence", item["ref"], place + "/ref")
                continue
            self.take("evidence", item["ref"], place + "/ref")
            self.need("history", item.get("event"), place + "/event")
            self.need("simulations", item.get("simulation"), place + "/simulation")
            self.need_all("propositions", item.get("premises", ()), place + "/premises")

    def basis(self, basis: Mapping[str, Any] | None, path: str) -> None:
        if basis is not None:
            self.evidence(basis.get("evidence"), path + "/evidence")
            self.need_all("propositions", basis.get("propositions", ()), path + "/propositions")
            self.need("decisions", basis.get("decision"), path + "/decision")

    def proposition(self, form: Mapping[str, Any], path: str) -> None:
        self.evidence(form.get("evidence"), path + "/evidence")
        self.need("parties", form.get("party"), path + "/party")
        self.take("propositions", form["ref"], path + "/ref")
        self._made["slots"].add(slot_of(form["subject"], form["attribute"]))

    def has_slot(self, path: str) -> bool:
        """Tell whether `path` is a fact that an earlier operation of the same body makes."""
        family, _, slot = path.partition("/")
        return family == "facts" and slot in self._made["slots"]

    def terms(self, terms: Iterable[str], path: str) -> None:
        for issue in terms:
            self.need("issues", issue, pointer(path, issue))
