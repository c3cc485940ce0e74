"""The principal's inbox: decisions are written there, cited once, and bound to what the user was shown.

Source: canonical negotiation state, section 2, "Decisions".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.conflicts import DecisionAlreadyUsed, DecisionRevoked, DecisionStale
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import DecisionKind, DecisionStatus, Step
from negotiation_app.protocol.refusals import DecisionMismatch, UserDecisionRequired
from negotiation_app.protocol.rows import Decision

# Kind -> the fields whose change since the seen version makes it stale; {} stands for the subject.
STALE_IF: dict[DecisionKind, tuple[str, ...]] = {
    DecisionKind.PAUSE: (paths.STATUS,),
    DecisionKind.RESUME: (paths.STATUS,),
    DecisionKind.CLOSE: (paths.STATUS, "offers", "criteria", "boundaries", paths.BATNA),
    DecisionKind.NO_DEAL: (paths.STATUS, "offers/COUNTERPART", paths.BATNA),
    DecisionKind.REOPEN: (paths.STATUS,),
    DecisionKind.APPROVE_CRITERION: ("criteria/{}",),
    DecisionKind.OVERRIDE_REVIEW: (),
    DecisionKind.RESOLVE_CONTRADICTION: ("contradictions/{}",),
    DecisionKind.CHANGE_MODE: (paths.MODE,),
    DecisionKind.NOTE_BASIS: (),
}
Approves = Callable[[Any], bool]


def need(ref: str | None, kind: DecisionKind) -> str:
    """Return the ref. Raises UserDecisionRequired where none is cited."""
    if ref is None:
        raise UserDecisionRequired(kind=kind)
    return ref


def use(
    draft: Draft,
    ref: str,
    kind: DecisionKind,
    *,
    subject: str | None = None,
    any_subject: bool = False,
    approves: Approves | None = None,
) -> None:
    """Use up a decision for what the operation does.

    Raises DecisionMismatch (kind, subject, value), DecisionRevoked, DecisionAlreadyUsed, DecisionStale; in this order.
    """
    row = draft.state.decisions[ref]
    if row.kind != kind:
        raise DecisionMismatch(decision=ref, differs="kind")
    if not any_subject and row.subject != subject:
        raise DecisionMismatch(decision=ref, differs="subject")
    if approves is not None and not approves(row.value):
        raise DecisionMismatch(decision=ref, differs="value")
    refuse_spent(row)
    fields = [field.format(row.subject) for field in STALE_IF[kind]]
    if any(draft.before.changed_since(field, row.seen_version) for field in fields):
        changed = draft.before.fields_changed_since(row.seen_version, fields)
        raise DecisionStale(decision=ref, seenVersion=row.seen_version, changedFields=changed)
    draft.put(replace(row, status=DecisionStatus.USED, used_by=draft.source.ref))
    draft.note(Step.SOURCE, f"the principal decided it in {ref}")


def refuse_spent(row: Decision) -> None:
    if row.status == DecisionStatus.REVOKED:
        raise DecisionRevoked(decision=row.ref)
    if row.status == DecisionStatus.USED:
        raise DecisionAlreadyUsed(decision=row.ref, usedBy=row.used_by)


def decided(form: Mapping[str, Any], *, order: int, by: str, at: str) -> Decision:
    """Return the row of a new decision."""
    return Decision(
        ref=form["ref"],
        order=order,
        kind=form["kind"],
        seen_version=form["seenVersion"],
        subject=form.get("subject"),
        value=form.get("value"),
        reason=form["reason"],
        decided_by=by,
        recorded_at=at,
        status=DecisionStatus.OPEN,
    )


def revoked(row: Decision, reason: str) -> Decision:
    """Return the row of a decision that the principal takes back. Raises DecisionRevoked, DecisionAlreadyUsed."""
    refuse_spent(row)
    return replace(row, status=DecisionStatus.REVOKED, revoked_because=reason)
