"""The concession ledger: rows are only added, and so are their statuses. Section 12.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.conflicts import ConcessionStatusInvalid
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import refuse_tainted_locator
from negotiation_app.protocol.names import ConcessionState, Side, Step
from negotiation_app.protocol.refusals import NotAConcession
from negotiation_app.protocol.rows import Concession, StatusEntry
from negotiation_app.protocol.terms import check_type
from negotiation_app.protocol.worth import advantage

_S = ConcessionState
NEXT: dict[ConcessionState, tuple[ConcessionState, ...]] = {
    _S.OFFERED: (_S.GRANTED, _S.WITHDRAWN, _S.DECLINED, _S.EXPIRED),
    _S.GRANTED: (_S.RECIPROCATED, _S.REGRETTED, _S.WITHDRAWN),
    _S.RECIPROCATED: (_S.REGRETTED, _S.WITHDRAWN),
    _S.REGRETTED: (_S.RECIPROCATED, _S.WITHDRAWN),
    _S.WITHDRAWN: (),
    _S.DECLINED: (),
    _S.EXPIRED: (),
    _S.RECORDED_IN_ERROR: (),
}
COUNTING = (_S.GRANTED, _S.RECIPROCATED, _S.REGRETTED)


def record_concession(draft: Draft, form: Mapping[str, Any]) -> None:
    state, ref, issue = draft.state, form["ref"], form["issue"]
    check_type(state, issue, form["from"], "/concession/from")
    check_type(state, issue, form["to"], "/concession/to")
    refuse_tainted_locator(state, form.get("locator"), paths.concession(ref))
    _check_direction(draft, form)
    granted = form["state"] == ConcessionState.GRANTED
    draft.put(
        Concession(
            ref=ref,
            order=draft.order,
            side=form["side"],
            issue=issue,
            from_value=form["from"],
            to_value=form["to"],
            state=form["state"],
            in_exchange_for=tuple(form.get("inExchangeFor", ())),
            proposal=form.get("proposal"),
            condition=form.get("condition"),
            locator=form.get("locator"),
            event=draft.source.ref,
            entries=(_entry(draft, form["state"], None),),
            granted=draft.order if granted else None,
        )
    )
    draft.move(paths.concession(ref))
    draft.note(Step.APPLY, f"{ref} is in the ledger as {form['state']}")


def set_concession_status(draft: Draft, body: Mapping[str, Any]) -> None:
    row, asked = draft.state.concessions[body["concession"]], ConcessionState(body["status"])
    is_error = asked == ConcessionState.RECORDED_IN_ERROR
    allowed = row.state != asked if is_error else asked in NEXT[ConcessionState(row.state)]
    if not allowed:
        raise ConcessionStatusInvalid(concession=row.ref, current=row.state, asked=asked)
    grants = asked == ConcessionState.GRANTED
    draft.put(
        replace(
            row,
            state=asked,
            entries=(*row.entries, _entry(draft, asked, body["reason"])),
            granted=draft.order if grants else row.granted,
            corrected_by=body.get("correctedBy", row.corrected_by),
        )
    )
    draft.move(paths.concession(row.ref))
    draft.note(Step.APPLY, f"{row.ref} is {asked}; its amount stays")


def _entry(draft: Draft, status: str, reason: str | None) -> StatusEntry:
    return StatusEntry(status, reason, draft.source.occurred_at, draft.source.ref)


def _check_direction(draft: Draft, form: Mapping[str, Any]) -> None:
    """What is better for the user is worse for the counterpart; where that cannot be told nothing is checked."""
    issue = draft.state.issues[form["issue"]]
    gain = advantage(draft.state, issue, form["to"], form["from"], draft.now)
    gives_away = -1 if form["side"] == Side.OWN else 1
    if gain is not None and gain != gives_away:
        raise NotAConcession(side=form["side"], issue=issue.ref)
