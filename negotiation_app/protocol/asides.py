"""Operations beside the canonical state: decisions, patches, simulations, acknowledgements and snapshots.

They append rows and move no version. Source: canonical negotiation state, sections 2, 11, 14, 15 and 16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import decisions
from negotiation_app.protocol.artefacts import concise_artefact, full_artefact
from negotiation_app.protocol.names import ArtefactForm, DecisionKind, PatchStatus
from negotiation_app.protocol.patches import preview
from negotiation_app.protocol.references import References
from negotiation_app.protocol.refusals import BaseVersionUnknown
from negotiation_app.protocol.requests import NO_ARTEFACT, Artefact, Context, Decided, Entry
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.rows import PatchRow, Row, Simulation
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.times import stamp

Body = Mapping[str, Any]
Aside = Callable[[Negotiation, Body, Context], Decided]


def decide_something(state: Negotiation, body: Body, context: Context) -> Decided:
    form = body["decision"]
    references = References(state)
    references.take("decisions", form["ref"], "/decision/ref")
    table = _SUBJECTS.get(form["kind"])
    if table is not None:
        references.need(table, form.get("subject"), "/decision/subject")
    references.refuse_if_any()
    _check_version(state, form["seenVersion"])
    row = decisions.decided(form, order=state.made, by=context.actor, at=stamp(context.at))
    return _stored(state, "decide", context, row, {"decision": row_json(row)})


def revoke_decision(state: Negotiation, body: Body, context: Context) -> Decided:
    row = decisions.revoked(state.decisions[body["decision"]], body["reason"])
    return _stored(state, "revoke_decision", context, row, {"decision": row_json(row)})


def submit_patch(state: Negotiation, body: Body, context: Context) -> Decided:
    form = body["patch"]
    references = References(state)
    references.take("patches", form["ref"], "/patch/ref")
    references.need("patches", form.get("rerunOf"), "/patch/rerunOf")
    references.refuse_if_any()
    _check_version(state, form["stateVersion"])
    row = PatchRow(
        ref=form["ref"],
        order=state.made,
        state_version=form["stateVersion"],
        operations=body["rawOperations"],
        summary=form.get("summary"),
        rerun_of=form.get("rerunOf"),
        submitted_by=context.actor,
        status=PatchStatus.SUBMITTED,
        outcomes={},
    )
    return _stored(state, "submit_patch", context, row, {"patch": row.ref, "patchStatus": row.status})


def preview_patch(state: Negotiation, body: Body, context: Context) -> Decided:
    answer = {"material": False, **preview(state, state.patches[body["patch"]])}
    return Decided(state, None, answer)


def record_simulation(state: Negotiation, body: Body, context: Context) -> Decided:
    form = body["simulation"]
    references = References(state)
    references.take("simulations", form["ref"], "/simulation/ref")
    references.refuse_if_any()
    version = form.get("stateVersion", state.version)
    _check_version(state, version)
    row = Simulation(form["ref"], state.made, form["kind"], form["statements"], version, context.actor)
    return _stored(state, "record_simulation", context, row, {"simulation": row.ref})


def acknowledge_notification(state: Negotiation, body: Body, context: Context) -> Decided:
    """Note that the principal saw it; the first time counts."""
    row = state.notifications[body["notification"]]
    if row.acknowledged_at is None:
        row = replace(row, acknowledged_at=stamp(context.at), acknowledged_by=context.actor)
    return _stored(state, "acknowledge_notification", context, row, {"notification": row_json(row)})


def take_snapshot(state: Negotiation, body: Body, context: Context) -> Decided:
    if body.get("form", ArtefactForm.FULL) == ArtefactForm.CONCISE:
        artefact = concise_artefact(state, at=context.at)
    else:
        artefact = full_artefact(state, at=context.at, limit=context.artefact_max_bytes)
    told = {"artefact": str(artefact.form), "artefactReason": artefact.reason, "digest": artefact.digest}
    return _stored(state, "take_snapshot", context, None, told, artefact=artefact)


def _check_version(state: Negotiation, version: int) -> None:
    if not 1 <= version <= state.version:
        raise BaseVersionUnknown(version=version, current=state.version)


def _stored(
    state: Negotiation,
    operation: str,
    context: Context,
    row: Row | None,
    told: dict[str, Any],
    *,
    artefact: Artefact = NO_ARTEFACT,
) -> Decided:
    rows = () if row is None else (row,)
    entry = Entry(operation, context.actor, stamp(context.at), rows)
    for each in rows:
        state = state.with_row(each)
    return Decided(state, entry, {"stateVersion": state.version, "material": False, **told}, artefact)


_SUBJECTS = {
    DecisionKind.CLOSE: "proposals",
    DecisionKind.OVERRIDE_REVIEW: "reviews",
    DecisionKind.RESOLVE_CONTRADICTION: "contradictions",
}

ASIDES: dict[str, Aside] = {
    "decide": decide_something,
    "revoke_decision": revoke_decision,
    "submit_patch": submit_patch,
    "preview_patch": preview_patch,
    "record_simulation": record_simulation,
    "acknowledge_notification": acknowledge_notification,
    "take_snapshot": take_snapshot,
}
