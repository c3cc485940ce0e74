"""Applying the operations of an event or a patch, in order. Source: canonical negotiation state, section 7, step 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import boundaries, contradictions, judgements, paths, proposals, propositions
from negotiation_app.protocol.conflicts import NegotiationPaused, SupersedeRequired, TargetNotEffective
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import Side, Status, Word

Form = Mapping[str, Any]


def carry_out(draft: Draft, form: Form) -> None:
    """Apply one operation. Raises whatever refuses it; the caller takes its effects back."""
    match form["op"]:
        case Word.UPDATE_WITH_EVIDENCE:
            propositions.update(draft, form)
        case Word.FLAG_CONTRADICTION:
            contradictions.flag(draft, form)
        case Word.ADD:
            _ADD[form["kind"]](draft, form["payload"])
        case _:
            _SUPERSEDE[form["kind"]](draft, form)


def refuse_own_move_in_pause(draft: Draft, form: Form) -> None:
    """Raise NegotiationPaused for a proposal of the own side during a pause."""
    is_own = form.get("kind") == "proposal" and form["payload"]["side"] == Side.OWN
    if is_own and draft.state.own.status == Status.PAUSED:
        raise NegotiationPaused(operation="record_proposal")


def _add_boundary(draft: Draft, payload: Form) -> None:
    if draft.state.boundary(payload["issue"], payload["kind"]) is not None:
        raise SupersedeRequired(target=paths.boundary(f"{payload['issue']}/{payload['kind']}"))
    boundaries.set_boundary(draft, payload)


def _add_batna(draft: Draft, payload: Form) -> None:
    if draft.state.batna is not None:
        raise SupersedeRequired(target=paths.BATNA)
    boundaries.set_batna(draft, payload)


def _supersede_boundary(draft: Draft, form: Form) -> None:
    if draft.state.boundaries[form["target"][1]].is_retired:
        raise TargetNotEffective(target=paths.boundary(form["target"][1]), supersededBy=None)
    boundaries.set_boundary(draft, form["payload"])


def _supersede_batna(draft: Draft, form: Form) -> None:
    if draft.state.batna is None:
        raise TargetNotEffective(target=paths.BATNA, supersededBy=None)
    boundaries.set_batna(draft, form["payload"])


def _supersede_judgement(draft: Draft, form: Form) -> None:
    judgements.record_judgement(draft, {**form["payload"], "supersedes": form["target"][1]})


_ADD: dict[str, Any] = {
    "proposition": propositions.add,
    "judgement": judgements.record_judgement,
    "boundary": _add_boundary,
    "batna": _add_batna,
    "proposal": proposals.record_proposal,
}
_SUPERSEDE: dict[str, Any] = {
    "proposition": propositions.supersede,
    "judgement": _supersede_judgement,
    "boundary": _supersede_boundary,
    "batna": _supersede_batna,
    "proposal": lambda draft, form: proposals.record_proposal(draft, form["payload"]),
}
