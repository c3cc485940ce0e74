"""Patches: proposed against a version, and never applied over what changed since. Section 11."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from negotiation_app.protocol import forms
from negotiation_app.protocol.conflicts import PatchAlreadyReconciled, PatchStale, StaleOperation
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.errors import NegotiationError
from negotiation_app.protocol.forms_of_operations import PATCH_OPERATIONS
from negotiation_app.protocol.names import Outcome, PatchStatus, Step
from negotiation_app.protocol.operation_refs import check_operation, touched
from negotiation_app.protocol.operations_inside import carry_out, refuse_own_move_in_pause
from negotiation_app.protocol.references import References
from negotiation_app.protocol.refusals import UnknownRef
from negotiation_app.protocol.rows import PatchRow
from negotiation_app.protocol.state import Negotiation


@dataclass(frozen=True)
class Analysis:
    """What of a patch may still be applied: the changed fields of each conflicting operation, by id."""

    operations: dict[str, Mapping[str, Any]]
    conflicts: dict[str, list[str]]

    @property
    def applicable(self) -> list[str]:
        return [each for each in self.operations if each not in self.conflicts]

    @property
    def changed_fields(self) -> list[str]:
        return list(dict.fromkeys(field for fields in self.conflicts.values() for field in fields))


def analyse(state: Negotiation, row: PatchRow) -> Analysis:
    """Compare what the patch touches with what changed since it was read."""
    operations = {form["id"]: form for form in forms.read(PATCH_OPERATIONS, row.operations)}
    conflicts = {}
    for each, form in operations.items():
        fields = [field for field in touched(state, form) if state.changed_since(field, row.state_version)]
        if fields:
            conflicts[each] = fields
    return Analysis(operations, conflicts)


def preview(state: Negotiation, row: PatchRow) -> dict[str, Any]:
    found = analyse(state, row)
    return {
        "stateVersion": state.version,
        "patchVersion": row.state_version,
        "patchStatus": row.status,
        "fresh": row.state_version == state.version,
        "changedFields": _changed_fields(state, row),
        "applicable": found.applicable,
        "conflicting": list(found.conflicts),
    }


def reconcile_patch(draft: Draft, body: Mapping[str, Any]) -> None:
    row = draft.state.patches[body["patch"]]
    refuse_settled(row)
    found, accept = analyse(draft.before, row), body.get("accept")
    _check_accepted(draft.before, row, found, accept)
    outcomes: dict[str, dict[str, Any]] = {}
    for each, form in found.operations.items():
        if each in found.conflicts:
            outcomes[each] = {"outcome": str(Outcome.PARKED), "changedFields": found.conflicts[each]}
        elif accept is not None and each not in accept:
            outcomes[each] = {"outcome": str(Outcome.DECLINED)}
        else:
            outcomes[each] = _attempt(draft, form)
        draft.note(Step.RECONCILE, f"{each}: {_told(outcomes[each])}")
    status = _status([each["outcome"] for each in outcomes.values()])
    draft.put(replace(row, status=status, outcomes=outcomes))
    draft.extra |= {"patchStatus": str(status), "operations": {each: _told(found) for each, found in outcomes.items()}}


def reject_patch(draft: Draft, body: Mapping[str, Any]) -> None:
    row = draft.state.patches[body["patch"]]
    refuse_settled(row)
    draft.put(replace(row, status=PatchStatus.REJECTED, reason=body["reason"]))
    draft.extra["patchStatus"] = str(PatchStatus.REJECTED)
    draft.note(Step.RECONCILE, f"patch {row.ref} is rejected as a whole")


def refuse_settled(row: PatchRow) -> None:
    if row.status != PatchStatus.SUBMITTED:
        raise PatchAlreadyReconciled(patch=row.ref, current=row.status)


def check_accept(references: References, row: PatchRow, accept: list[str]) -> None:
    """Note ids that are none of the patch's."""
    known = {operation["id"] for operation in row.operations}
    for index, each in enumerate(accept):
        if each not in known:
            references.note(UnknownRef, f"operation {each} of {row.ref}", f"/accept/{index}")


def _check_accepted(state: Negotiation, row: PatchRow, found: Analysis, accept: list[str] | None) -> None:
    stale = row.state_version < state.version
    if stale and accept is None:
        raise PatchStale(
            patch=row.ref,
            read=row.state_version,
            current=state.version,
            changedFields=_changed_fields(state, row),
            applicable=found.applicable,
            conflicting=list(found.conflicts),
        )
    conflicting = [each for each in accept or () if each in found.conflicts]
    if conflicting:
        raise StaleOperation(
            patch=row.ref,
            conflicting=conflicting,
            applicable=found.applicable,
            changedFields=found.changed_fields,
        )


def _changed_fields(state: Negotiation, row: PatchRow) -> list[str]:
    return state.fields_changed_since(row.state_version)


def _attempt(draft: Draft, form: Mapping[str, Any]) -> dict[str, Any]:
    """Apply one operation alone; a refused one leaves nothing behind."""
    try:
        with draft.attempt():
            references = References(draft.state, own_event=draft.source.ref)
            check_operation(references, draft.state, form, "", draft.now)
            references.refuse_if_any()
            refuse_own_move_in_pause(draft, form)
            carry_out(draft, form)
    except NegotiationError as error:
        return {"outcome": str(Outcome.REFUSED), "code": error.code, "error": error.as_json()}
    return {"outcome": str(Outcome.APPLIED)}


def _told(outcome: Mapping[str, Any]) -> str:
    code = outcome.get("code")
    return f"{outcome['outcome']}:{code}" if code else str(outcome["outcome"])


def _status(outcomes: list[str]) -> PatchStatus:
    if all(each == Outcome.APPLIED for each in outcomes):
        return PatchStatus.APPLIED
    if Outcome.APPLIED in outcomes:
        return PatchStatus.PARTIALLY_APPLIED
    return PatchStatus.PARKED if Outcome.PARKED in outcomes else PatchStatus.REJECTED
