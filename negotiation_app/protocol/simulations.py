"""Findings of role-play and red-team work: accepted, tested, rejected or deferred, never evidence. Section 15."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import judgements, propositions
from negotiation_app.protocol.conflicts import FindingAlreadyReconciled, RefTaken
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import is_simulated, is_tainted, refuse_superseded, register
from negotiation_app.protocol.names import Certainty, Disposition, EvidenceKind, Origin, StatedAs, Step
from negotiation_app.protocol.refusals import BodyInvalid, EvidenceRequired, SimulatedBasis, SimulatedSource
from negotiation_app.protocol.rows import Evidence, Finding
from negotiation_app.protocol.state import Negotiation

_D = Disposition
_LATER = {_D.DEFER: tuple(_D), _D.TEST: (_D.ACCEPT, _D.REJECT), _D.ACCEPT: (), _D.REJECT: ()}
_TESTABLE = (Certainty.UNKNOWN, Certainty.HYPOTHESIS)
_MAX_REF = 64


def reconcile_finding(draft: Draft, body: Mapping[str, Any]) -> None:
    finding, disposition = _finding(draft, body["finding"]), body["disposition"]
    if finding.dispositions:
        current = Disposition(finding.dispositions[-1]["disposition"])
        if disposition not in _LATER[current]:
            raise FindingAlreadyReconciled(finding=finding.ref, current=current)
    told = {"disposition": str(disposition), "rationale": body["rationale"], "at": draft.at, "event": draft.source.ref}
    told |= _RECONCILE[disposition](draft, body, finding)
    draft.put(replace(finding, order=_order(draft, finding), dispositions=[*finding.dispositions, told]))
    draft.note(Step.RECONCILE, f"finding {finding.ref} of {finding.simulation}: {disposition}")


def _order(draft: Draft, finding: Finding) -> int:
    return finding.order if finding.ref in draft.state.findings else draft.order


def _finding(draft: Draft, form: Mapping[str, Any]) -> Finding:
    """Return the finding: a known one as it was told, or a new one."""
    known = draft.state.findings.get(form["ref"])
    if known is not None:
        if any(form.get(name, known_value) != known_value for name, known_value in _told(known).items()):
            raise RefTaken(ref=f"finding {form['ref']}", path="/finding/ref")
        return known
    missing = [name for name in ("simulation", "text") if form.get(name) is None]
    if missing:
        raise BodyInvalid(summary="; ".join(f"/finding/{name} is required the first time" for name in missing))
    return Finding(
        ref=form["ref"],
        order=draft.order,
        simulation=form["simulation"],
        statements=tuple(form.get("statements", ())),
        text=form["text"],
        dispositions=[],
    )


def _told(finding: Finding) -> dict[str, Any]:
    return {"simulation": finding.simulation, "text": finding.text, "statements": list(finding.statements)}


def _accept(draft: Draft, body: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    form, support = body.get("judgement"), body.get("support") or {}
    if form is None:
        raise BodyInvalid(summary="/judgement is required for ACCEPT")
    evidence = register(draft, support.get("evidence"))
    if not _is_supported(draft.state, evidence, support.get("propositions", ())):
        raise SimulatedBasis(subject=f"Finding {finding.ref}")
    judgements.record_judgement(draft, form)
    return {
        "judgement": form["ref"],
        "support": {"evidence": evidence, "propositions": list(support.get("propositions", ()))},
    }


def _is_supported(state: Negotiation, evidence: Iterable[str], cited: Iterable[str]) -> bool:
    if any(not is_tainted(state, state.evidence[ref]) for ref in evidence):
        return True
    rows = [state.propositions[ref] for ref in cited]
    return any(
        row.is_effective and row.certainty.rank >= Certainty.SUPPORTED_INFERENCE.rank and not is_simulated(row)
        for row in rows
    )


def _test(draft: Draft, body: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    form = body.get("proposition")
    if form is None:
        raise BodyInvalid(summary="/proposition is required for TEST")
    if (form.get("status") or Certainty.UNKNOWN) not in _TESTABLE:
        raise SimulatedSource(subject=f"propositions/{form['ref']}")
    item = _simulated_item(draft, finding)
    draft.put(item)
    evidence = [*(form.get("evidence") or ()), {"ref": item.ref}]
    rationale = form.get("rationale") or body["rationale"]
    propositions.add(draft, {**form, "evidence": evidence, "rationale": rationale}, origin=Origin.SIMULATED)
    return {"proposition": form["ref"]}


def _simulated_item(draft: Draft, finding: Finding) -> Evidence:
    """The item that says where a tested hypothesis comes from; its ref is the first free one after the finding's."""
    stem, number, ref = f"finding-{finding.ref}"[: _MAX_REF - 5], 1, f"finding-{finding.ref}"[:_MAX_REF]
    while ref in draft.state.evidence:
        number += 1
        ref = f"{stem}-{number}"
    return Evidence(
        ref=ref,
        order=draft.order,
        kind=EvidenceKind.SIMULATION,
        locator=f"simulation:{finding.simulation}",
        quote=None,
        stated_as=StatedAs.IMPLIED,
        event=draft.source.ref,
        premises=(),
        simulation=finding.simulation,
        tainted=True,
        recorded_at=draft.at,
    )


def _reject(draft: Draft, body: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    against = body.get("against") or ()
    if not against:
        raise EvidenceRequired(subject=f"Rejecting finding {finding.ref}")
    for ref in against:
        refuse_superseded(draft.state.propositions[ref])
    return {"against": list(against)}


def _defer(draft: Draft, body: Mapping[str, Any], finding: Finding) -> dict[str, Any]:
    return {}


_RECONCILE = {_D.ACCEPT: _accept, _D.TEST: _test, _D.REJECT: _reject, _D.DEFER: _defer}
