"""Every operation's body, and the roles that may send it. Source: sections 2 and 5, and the vectors' README."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from negotiation_app.protocol import decision_forms, forms, forms_of_rows, names
from negotiation_app.protocol.event_types import NEEDS_OPERATIONS, SENT_BY_HAND, EventType
from negotiation_app.protocol.forms import Problems, Reader, note
from negotiation_app.protocol.forms_of_operations import OPERATIONS, PATCH_OPERATIONS
from negotiation_app.protocol.forms_of_rows import EVIDENCE, one_or_more
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.refusals import EventPayloadMissing, EventTypeReserved, EventTypeUnknown
from negotiation_app.protocol.times import day_or_instant, instant

MAX_SURFACE = 600
ORCHESTRATOR = frozenset((Role.ORCHESTRATOR,))
SPECIALIST = frozenset((Role.SPECIALIST,))
PRINCIPAL = frozenset((Role.PRINCIPAL,))
EVERYBODY = frozenset(Role)

_SOURCE: dict[str, Reader] = {
    "ref": forms.event_ref,
    "occurredAt": instant,
    "party": forms.ref,
    "locator": forms.words,
    "text": forms.words,
}
_SURFACE = forms.members(
    {}, dict.fromkeys(("newEvidence", "priorView", "changedRecommendation"), forms.short(MAX_SURFACE))
)


@dataclass(frozen=True)
class Form:
    """Who may send an operation, and what its body is. `writes`: it needs the version it was decided on."""

    roles: frozenset[Role]
    read: Reader
    writes: bool = False


def _write(required: dict[str, Reader], optional: dict[str, Reader] | None = None, *, check: Any = None) -> Form:
    """An operation of the orchestrator on the canonical state."""
    common = {"event": forms.members({}, _SOURCE), "surface": _SURFACE}
    offered = {name: each for name, each in {**common, **(optional or {})}.items() if name not in required}
    reader = forms.members({"stateVersion": forms.version, **required}, offered)
    return Form(ORCHESTRATOR, reader if check is None else _checked(reader, check), writes=True)


def _checked(reader: Reader, check: Any) -> Reader:
    def read_checked(raw: Any, path: str, problems: Problems) -> Any:
        found = reader(raw, path, problems)
        if found is not None:
            check(raw, found, path, problems)
        return found

    return read_checked


def _event_type(raw: Any, path: str, problems: Problems) -> Any:
    if not isinstance(raw, str) or raw not in tuple(EventType):
        return note(problems, path, "is no type of event", EventTypeUnknown.code)
    if raw not in SENT_BY_HAND:
        return note(problems, path, f"{raw} is written by its own operation alone", EventTypeReserved.code)
    return EventType(raw)


def _check_event(raw: Any, found: dict[str, Any], path: str, problems: Problems) -> None:
    kind = (found.get("event") or {}).get("type")
    if kind == EventType.USER_CORRECTION:
        if raw.get("correction") is None:
            note(problems, path + "/correction", "is required for USER_CORRECTION", EventPayloadMissing.code)
    elif raw.get("correction") is not None:
        note(problems, path + "/correction", "belongs to USER_CORRECTION")
    if kind in NEEDS_OPERATIONS and not raw.get("operations"):
        note(problems, path + "/operations", f"must not be empty for {kind}", EventPayloadMissing.code)


_CORRECTION = forms.members({"corrects": forms.ref, "proposition": forms_of_rows.proposition})
_PATCH = forms.members(
    {"ref": forms.ref, "stateVersion": forms.version, "operations": PATCH_OPERATIONS},
    {"summary": forms.text, "rerunOf": forms.ref},
)
_STATEMENT = forms.members({"ref": forms.ref, "speaker": forms.text, "text": forms.text})
_MANUAL = forms.members(
    {"result": forms.one_of(names.Check, without=(names.Check.UNDETERMINED, names.Check.NOT_APPLICABLE))},
    {"evidence": EVIDENCE},
)
_LATER_STATES = forms.one_of(names.ConcessionState, without=(names.ConcessionState.OFFERED,))
_IN_ERROR = "RECORDED_IN_ERROR"
_FATES = ("WITHDRAWN", "REJECTED", "EXPIRED", "RECONFIRMED", _IN_ERROR)


def _check_corrected(raw: Any, found: dict[str, Any], path: str, problems: Problems) -> None:
    is_error = found.get("status") == _IN_ERROR
    if raw.get("correctedBy") is not None and not is_error:
        note(problems, path + "/correctedBy", f"belongs to {_IN_ERROR}")


def _fate(raw: Any, path: str, problems: Problems) -> Any:
    return raw if raw in _FATES else note(problems, path, f"has to be one of {', '.join(_FATES)}")


def _outcome(raw: Any, path: str, problems: Problems) -> Any:
    return raw if raw in ("AGREED", "OTHER") else note(problems, path, "has to be AGREED or OTHER")


def _check_status(raw: Any, found: dict[str, Any], path: str, problems: Problems) -> None:
    """Closing names its outcome, an agreement its proposal, and nothing else either of them."""
    closes = found.get("to") == names.Status.CLOSED
    if closes != (raw.get("outcome") is not None):
        note(problems, path + "/outcome", "is required for CLOSED, and belongs to nothing else")
    elif (found.get("outcome") == "AGREED") != (raw.get("acceptedProposal") is not None):
        note(problems, path + "/acceptedProposal", "is required for AGREED, and belongs to nothing else")


def _snapshot_form(raw: Any, path: str, problems: Problems) -> Any:
    return forms.one_of(names.ArtefactForm, without=(names.ArtefactForm.NONE,))(raw, path, problems)


_BASIS_REF = {
    "evidence": EVIDENCE,
    "propositions": forms.listed(forms.ref, key=forms.itself),
}

FORMS: dict[str, Form] = {
    "create_negotiation": Form(
        ORCHESTRATOR,
        forms.members(
            {
                "ref": forms.ref,
                "title": forms.title,
                "mode": forms.one_of(names.Mode),
                "parties": forms_of_rows.parties,
            },
            {
                "issues": forms.listed(forms_of_rows.issue, key=forms.ref_of),
                "attributes": forms.listed(forms_of_rows.ATTRIBUTE),
                "expectedToContinue": forms.flag,
            },
        ),
    ),
    "record_event": _write(
        {"event": forms.members({"type": _event_type}, _SOURCE)},
        {"operations": OPERATIONS, "correction": _CORRECTION},
        check=_check_event,
    ),
    "add_party": _write({"party": forms_of_rows.PARTY}),
    "define_issue": _write({"issue": forms_of_rows.issue}),
    "define_attribute": _write({"attribute": forms_of_rows.ATTRIBUTE}),
    "declare_rate": _write({"rate": forms_of_rows.rate}),
    "resolve_contradiction": _write(
        {"contradiction": forms.text, "resolution": forms.one_of(names.Resolution)},
        {
            "reason": forms.words,
            "winner": forms.ref,
            "proposition": forms_of_rows.proposition,
            "evidence": EVIDENCE,
            "decision": forms.ref,
        },
    ),
    "submit_patch": Form(SPECIALIST, forms.members({"patch": _PATCH})),
    "preview_patch": Form(EVERYBODY, forms.members({"patch": forms.text})),
    "reconcile_patch": _write({"patch": forms.text}, {"accept": forms.listed(forms.ref, key=forms.itself)}),
    "reject_patch": _write({"patch": forms.text, "reason": forms.text}),
    "record_proposal": _write({"proposal": forms_of_rows.PROPOSAL}),
    "set_proposal_status": _write(
        {"proposal": forms.text, "status": _fate, "reason": forms.text},
        {"correctedBy": forms.ref},
        check=_check_corrected,
    ),
    "record_concession": _write({"concession": forms_of_rows.CONCESSION}),
    "set_concession_status": _write(
        {"concession": forms.text, "status": _LATER_STATES, "reason": forms.text},
        {"correctedBy": forms.ref},
        check=_check_corrected,
    ),
    "set_boundary": _write({"boundary": forms_of_rows.BOUNDARY}),
    "set_batna": _write({"batna": forms_of_rows.BATNA}),
    "retire_boundary": _write({"boundary": forms_of_rows.RETIRED_BOUNDARY}),
    "retire_batna": _write({"batna": forms_of_rows.RETIRED_BATNA}),
    "set_criterion": _write({"criterion": forms_of_rows.criterion}, {"decision": forms.ref}),
    "change_criterion": _write(
        {"criterion": forms.text},
        {
            "previousValue": forms.nullable(one_or_more),
            "newValue": forms.nullable(one_or_more),
            "newEvidence": EVIDENCE,
            "reason": forms.words,
            "decision": forms.ref,
        },
    ),
    "review_deal": _write(
        {"review": forms.members({"ref": forms.ref, "proposal": forms.ref}, {"manual": forms.by_ref(_MANUAL)})}
    ),
    "override_review": _write(
        {"override": forms.members({"ref": forms.ref, "review": forms.ref, "reason": forms.text})},
        {"decision": forms.ref},
    ),
    "record_judgement": _write({"judgement": forms_of_rows.JUDGEMENT}),
    "review_judgement": _write({"judgement": forms.text, "outcome": decision_forms.outcome, "reason": forms.text}),
    "record_simulation": Form(
        ORCHESTRATOR | SPECIALIST,
        forms.members(
            {
                "simulation": forms.members(
                    {
                        "ref": forms.ref,
                        "kind": decision_forms.simulation_kind,
                        "statements": forms.listed(_STATEMENT, at_least=1, key=forms.ref_of),
                    },
                    {"stateVersion": forms.version},
                )
            }
        ),
    ),
    "reconcile_finding": _write(
        {
            "finding": forms.members(
                {"ref": forms.ref},
                {
                    "simulation": forms.ref,
                    "statements": forms.listed(forms.ref, key=forms.itself),
                    "text": forms.text,
                },
            ),
            "disposition": forms.one_of(names.Disposition),
            "rationale": forms.text,
        },
        {
            "support": forms.members({}, _BASIS_REF),
            "judgement": forms_of_rows.JUDGEMENT,
            "proposition": forms_of_rows.proposition,
            "against": forms.listed(forms.ref, key=forms.itself),
        },
    ),
    "change_status": _write(
        {"to": forms.one_of(names.Status)},
        {
            "causeEvent": forms.ref,
            "decision": forms.ref,
            "outcome": _outcome,
            "acceptedProposal": forms.ref,
            "reason": forms.text,
        },
        check=_check_status,
    ),
    "set_deadline": _write({"deadline": forms.nullable(day_or_instant), "reason": forms.text}),
    "set_expectation": _write({"expectedToContinue": forms.flag, "reason": forms.text}),
    "change_mode": _write({"to": forms.one_of(names.Mode), "reason": forms.text}, {"decision": forms.ref}),
    "decide": Form(PRINCIPAL, forms.members({"decision": decision_forms.decision})),
    "revoke_decision": Form(PRINCIPAL, forms.members({"decision": forms.text, "reason": forms.text})),
    "acknowledge_notification": Form(PRINCIPAL, forms.members({"notification": forms.text})),
    "take_snapshot": Form(ORCHESTRATOR | PRINCIPAL, forms.members({}, {"form": _snapshot_form})),
    "read_state": Form(EVERYBODY, forms.members({}, {"version": forms.version})),
}
