"""For each write: which refs of its body have to exist, and which have to be free. Source: section 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol import operation_refs, patches
from negotiation_app.protocol.names import Comparator
from negotiation_app.protocol.references import References
from negotiation_app.protocol.refusals import UnknownRef
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import normal_name

Body = Mapping[str, Any]
Check = Callable[[References, Negotiation, Body, datetime], None]


def source(references: References, body: Body) -> None:
    """What every write may say of its event."""
    told = body.get("event") or {}
    references.need("parties", told.get("party"), "/event/party")


def nothing(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    """A write whose refs are all in its route."""


def opening(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    for index, form in enumerate(body.get("attributes", ())):
        references.take("attributes", normal_name(form["name"]), f"/attributes/{index}/name")


def party(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.take("parties", body["party"]["ref"], "/party/ref")


def issue(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.take("issues", body["issue"]["ref"], "/issue/ref")


def attribute(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.take("attributes", normal_name(body["attribute"]["name"]), "/attribute/name")


def rate(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.basis(body["rate"].get("basis"), "/rate/basis")


def event(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    correction = body.get("correction")
    if correction is not None:
        references.need("propositions", correction["corrects"], "/correction/corrects")
        references.proposition(correction["proposition"], "/correction/proposition")
    operation_refs.check_operations(references, state, body.get("operations") or (), at)


def resolution(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.evidence(body.get("evidence"), "/evidence")
    if body.get("proposition") is not None:
        references.proposition(body["proposition"], "/proposition")
    references.need("decisions", body.get("decision"), "/decision")


def reconciling(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    row = state.patches[body["patch"]]
    patches.refuse_settled(row)
    patches.check_accept(references, row, body.get("accept") or [])


def proposal(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    operation_refs.check_proposal(references, state, body["proposal"], "/proposal")


def proposal_status(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    _corrected_by(references, body, "proposal", "proposals")


def concession(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    form = body["concession"]
    references.need("issues", form["issue"], "/concession/issue")
    references.need_all("concessions", form.get("inExchangeFor", ()), "/concession/inExchangeFor")
    references.need("proposals", form.get("proposal"), "/concession/proposal")
    references.take("concessions", form["ref"], "/concession/ref")


def concession_status(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    _corrected_by(references, body, "concession", "concessions")


def _corrected_by(references: References, body: Body, kind: str, table: str) -> None:
    """What was recorded in error is corrected by another one of its kind."""
    corrected_by = body.get("correctedBy")
    references.need(table, corrected_by, "/correctedBy")
    if corrected_by is not None and corrected_by == body[kind]:
        references.note(UnknownRef, f"other {kind} than {corrected_by}", "/correctedBy")


def boundary(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    operation_refs.check_boundary(references, body["boundary"], "/boundary")


def batna(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    operation_refs.check_batna(references, body["batna"], "/batna")


def retired_boundary(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    form = body["boundary"]
    key = f"{form['issue']}/{form['kind']}"
    if key not in state.boundaries:
        references.need("issues", form["issue"], "/boundary/issue")
        references.note(UnknownRef, f"boundary {key}", "/boundary")
    references.basis(form.get("basis"), "/boundary/basis")


def retired_batna(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    if not state.batnas:
        references.note(UnknownRef, "BATNA", "/batna")
    references.basis(body["batna"].get("basis"), "/batna/basis")


def criterion(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    form = body["criterion"]
    references.need("issues", (form.get("on") or {}).get("issue"), "/criterion/on/issue")
    references.take("criteria", form["ref"], "/criterion/ref")
    references.need("decisions", body.get("decision"), "/decision")


def criterion_change(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.evidence(body.get("newEvidence"), "/newEvidence")
    references.need("decisions", body.get("decision"), "/decision")


def review(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    form = body["review"]
    references.need("proposals", form["proposal"], "/review/proposal")
    for name, entry in (form.get("manual") or {}).items():
        place = pointer("/review/manual", name)
        row = state.criteria.get(name)
        if row is None or row.comparator != Comparator.MANUAL:
            references.note(UnknownRef, f"manual criterion {name}", place)
        references.evidence(entry.get("evidence"), place + "/evidence")
    references.take("reviews", form["ref"], "/review/ref")


def override(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.need("reviews", body["override"]["review"], "/override/review")
    references.take("overrides", body["override"]["ref"], "/override/ref")
    references.need("decisions", body.get("decision"), "/decision")


def judgement(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    operation_refs.check_judgement(references, state, body["judgement"], "/judgement", at)


def finding(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    form = body["finding"]
    simulation = form.get("simulation")
    references.need("simulations", simulation, "/finding/simulation")
    if simulation in state.simulations:
        known = {statement["ref"] for statement in state.simulations[simulation].statements}
        for index, each in enumerate(form.get("statements", ())):
            if each not in known:
                references.note(UnknownRef, f"statement {each} of {simulation}", f"/finding/statements/{index}")
    references.basis(body.get("support"), "/support")
    if body.get("proposition") is not None:
        references.proposition(body["proposition"], "/proposition")
    if body.get("judgement") is not None:
        operation_refs.check_judgement(references, state, body["judgement"], "/judgement", at)
    references.need_all("propositions", body.get("against", ()), "/against")


def status(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.need("history", body.get("causeEvent"), "/causeEvent")
    references.need("decisions", body.get("decision"), "/decision")
    references.need("proposals", body.get("acceptedProposal"), "/acceptedProposal")


def mode(references: References, state: Negotiation, body: Body, at: datetime) -> None:
    references.need("decisions", body.get("decision"), "/decision")
