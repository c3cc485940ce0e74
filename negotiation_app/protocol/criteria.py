"""Pre-commitment: a criterion changes by revisions alone, each with its six parts. Section 12.4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import decisions, paths
from negotiation_app.protocol.comparison import Comparison
from negotiation_app.protocol.conflicts import CriterionPreviousMismatch
from negotiation_app.protocol.decision_forms import approved
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import all_tainted, register
from negotiation_app.protocol.names import Comparator, DecisionKind, Step
from negotiation_app.protocol.refusals import BodyInvalid, CriterionChangeIncomplete, EvidenceNotNew, SimulatedBasis
from negotiation_app.protocol.rows import Criterion, Revision
from negotiation_app.protocol.terms import check_type
from negotiation_app.protocol.texts import slot_of
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import compare_plain

Values = tuple[Value, ...]
_PARTS = ("previousValue", "newValue", "newEvidence", "reason", "decision")
_NULLABLE = ("previousValue", "newValue")


def set_criterion(draft: Draft, body: Mapping[str, Any]) -> None:
    form = body["criterion"]
    on, values = form.get("on") or {}, form.get("value") or ()
    issue = on.get("issue")
    _check_types(draft, issue, values, "/criterion/value")
    decision = decisions.need(body.get("decision"), DecisionKind.APPROVE_CRITERION)
    _use_approval(draft, decision, form["ref"], form["comparator"], values or None)
    first = Revision(1, None, values or None, (), None, decision, draft.at, draft.order)
    draft.put(
        Criterion(
            ref=form["ref"],
            order=draft.order,
            label=form["label"],
            issue=issue,
            fact=slot_of(*on["fact"]) if "fact" in on else None,
            comparator=form["comparator"],
            values=values,
            mandatory=form.get("mandatory", True),
            retired=False,
            revisions=(first,),
        )
    )
    draft.move(paths.criterion(form["ref"]))
    draft.note(Step.APPLY, f"{form['ref']} is committed to, as {decision} approves")


def change_criterion(draft: Draft, body: Mapping[str, Any]) -> None:
    row = draft.state.criteria[body["criterion"]]
    _check_complete(body)
    previous, new = body["previousValue"], body["newValue"]
    _check_fits(row, new)
    if not _are_same(draft, previous, None if row.retired else row.values or None):
        raise CriterionPreviousMismatch(criterion=row.ref)
    _check_types(draft, row.issue, new or (), "/newValue")
    last, evidence = row.revisions[-1], register(draft, body["newEvidence"])
    known = {ref for revision in row.revisions for ref in revision.evidence}
    if any(ref in known or draft.state.evidence[ref].order < last.order for ref in evidence):
        raise EvidenceNotNew(evidence=evidence)
    if all_tainted(draft.state, evidence):
        raise SimulatedBasis(subject=paths.criterion(row.ref))
    _use_approval(draft, body["decision"], row.ref, row.comparator, new)
    revision = Revision(
        revision=last.revision + 1,
        previous=previous,
        new=new,
        evidence=tuple(evidence),
        reason=body["reason"],
        decision=body["decision"],
        recorded_at=draft.at,
        order=draft.order,
    )
    retired = new is None
    draft.put(
        replace(row, values=row.values if retired else new, retired=retired, revisions=(*row.revisions, revision))
    )
    draft.move(paths.criterion(row.ref))
    draft.note(Step.APPLY, f"{row.ref} is {'retired' if retired else 'changed'} by revision {revision.revision}")


def _check_types(draft: Draft, issue: str | None, values: Values, path: str) -> None:
    """A criterion on an issue has values of its type; one on a fact may have any."""
    if issue is not None:
        for value in values:
            check_type(draft.state, issue, value, path)


def _check_fits(row: Criterion, new: Values | None) -> None:
    """A comparator that compares nothing takes no value, and one value is for every other but ONE_OF."""
    if new is None:
        return
    if not row.values:
        raise BodyInvalid(summary=f"/newValue does not belong to {row.comparator}")
    if len(new) > 1 and row.comparator != Comparator.ONE_OF:
        raise BodyInvalid(summary=f"/newValue has to be one value for {row.comparator}")


def _check_complete(body: Mapping[str, Any]) -> None:
    missing = [part for part in _PARTS if _is_missing(body, part)]
    if missing:
        raise CriterionChangeIncomplete(criterion=body["criterion"], missing=missing)


def _is_missing(body: Mapping[str, Any], part: str) -> bool:
    if part in _NULLABLE:
        return part not in body
    value = body.get(part)
    return not value or (isinstance(value, str) and not value.strip())


def _use_approval(draft: Draft, decision: str, ref: str, comparator: str, values: Values | None) -> None:
    def approves(stored: Any) -> bool:
        told = approved(stored)
        return told["comparator"] == comparator and _are_same(draft, told["value"], values)

    decisions.use(draft, decision, DecisionKind.APPROVE_CRITERION, subject=ref, approves=approves)


def _are_same(draft: Draft, one: Values | None, other: Values | None) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all(
        compare_plain(draft.state, left, right, draft.now) == Comparison.EQUAL
        for left, right in zip(one, other, strict=True)
    )
