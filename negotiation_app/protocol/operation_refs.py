"""The refs that an operation inside an event or patch names or makes, and the fields that it touches. 7 and 11."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol import paths
from negotiation_app.protocol.judgements import normal_path
from negotiation_app.protocol.lookup import MISSING, look
from negotiation_app.protocol.names import JudgementKind, Word
from negotiation_app.protocol.references import References
from negotiation_app.protocol.refusals import UnknownRef
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import slot_of

Form = Mapping[str, Any]


def check_operations(references: References, state: Negotiation, forms: Iterable[Form], at: datetime) -> None:
    for index, form in enumerate(forms):
        check_operation(references, state, form, pointer("/operations", index), at)


def check_operation(references: References, state: Negotiation, form: Form, path: str, at: datetime) -> None:
    """Note every ref of the operation that is unknown or taken."""
    if form["op"] == Word.UPDATE_WITH_EVIDENCE:
        references.need("propositions", form["target"][1], path + "/target")
        references.evidence(form.get("evidence"), path + "/evidence")
    elif form["op"] == Word.FLAG_CONTRADICTION:
        references.need_all("propositions", form["between"], path + "/between")
    else:
        if form["op"] == Word.SUPERSEDE:
            _check_target(references, state, form["target"], path + "/target")
        _check_payload(references, state, form, f"{path}/{form['kind']}", at)


def _check_target(references: References, state: Negotiation, target: tuple[str, str], path: str) -> None:
    family, rest = target
    if family in ("propositions", "judgements"):
        references.need(family, rest, path)
    elif family == "boundaries" and rest not in state.boundaries:
        references.note(UnknownRef, f"boundary {rest}", path)
    elif family == "batna" and not state.batnas:
        references.note(UnknownRef, "BATNA", path)


def _check_payload(references: References, state: Negotiation, form: Form, path: str, at: datetime) -> None:
    payload = form["payload"]
    match form["kind"]:
        case "proposition":
            references.proposition(payload, path)
        case "judgement":
            check_judgement(references, state, payload, path, at)
        case "boundary":
            check_boundary(references, payload, path)
        case "batna":
            check_batna(references, payload, path)
        case _:
            check_proposal(references, state, payload, path)


def check_judgement(references: References, state: Negotiation, form: Form, path: str, at: datetime) -> None:
    for index, each in enumerate(form["dependsOn"]):
        depended = normal_path(each)
        family, _, rest = depended.partition("/")
        is_made = family in ("propositions", "judgements", "proposals") and references.has(family, rest)
        if not is_made and look(state, depended, at) is MISSING and not references.has_slot(depended):
            references.note(UnknownRef, f"field {each}", pointer(path + "/dependsOn", index))
    references.need("judgements", form.get("supersedes"), path + "/supersedes")
    references.take("judgements", form["ref"], path + "/ref")


def check_boundary(references: References, form: Form, path: str) -> None:
    references.need("issues", form["issue"], path + "/issue")
    references.basis(form.get("basis"), path + "/basis")


def check_batna(references: References, form: Form, path: str) -> None:
    references.terms(form["terms"], path + "/terms")
    references.basis(form.get("basis"), path + "/basis")


def check_proposal(references: References, state: Negotiation, form: Form, path: str) -> None:
    references.terms(form["terms"], path + "/terms")
    amended = form.get("amends")
    references.need("proposals", amended, path + "/amends")
    if amended is not None and amended in state.proposals and state.proposals[amended].side != form["side"]:
        references.note(UnknownRef, f"proposal {amended} of {form['side']}", path + "/amends")
    references.take("proposals", form["ref"], path + "/ref")


def touched(state: Negotiation, form: Form) -> list[str]:
    """List the fields that an operation of a patch touches: what it writes, and what it was concluded from."""
    found = dict.fromkeys(map(normal_path, form.get("reads", ())))
    found |= dict.fromkeys(_touched(form))
    family, ref = form.get("target") or ("", "")
    if family == "propositions" and ref in state.propositions:
        found[paths.fact(state.propositions[ref].slot)] = None
    return list(found)


def _touched(form: Form) -> Iterator[str]:
    if form["op"] == Word.FLAG_CONTRADICTION:
        yield from map(paths.proposition, form["between"])
        return
    if form["op"] == Word.UPDATE_WITH_EVIDENCE:
        yield paths.proposition(form["target"][1])
        yield from _premises(form)
        return
    family, rest = form.get("target") or ("", "")
    if family:
        yield f"{family}/{rest}" if rest else family
    yield from _OF_PAYLOAD[form["kind"]](form["payload"])


def _premises(form: Form) -> Iterator[str]:
    for item in form.get("evidence") or ():
        yield from map(paths.proposition, item.get("premises", ()))


def _of_proposition(payload: Form) -> Iterator[str]:
    yield paths.fact(slot_of(payload["subject"], payload["attribute"]))
    yield from _premises(payload)


def _of_judgement(payload: Form) -> Iterator[str]:
    yield paths.judgement(payload["ref"])
    if payload["kind"] == JudgementKind.STRATEGY:
        yield paths.STRATEGY
    yield from map(normal_path, payload["dependsOn"])


def _of_boundary(payload: Form) -> Iterator[str]:
    yield paths.boundary(f"{payload['issue']}/{payload['kind']}")
    yield from map(paths.proposition, (payload.get("basis") or {}).get("propositions", ()))


def _of_batna(payload: Form) -> Iterator[str]:
    yield paths.BATNA
    yield from map(paths.proposition, (payload.get("basis") or {}).get("propositions", ()))


def _of_proposal(payload: Form) -> Iterator[str]:
    yield paths.offer(payload["side"])
    if payload.get("amends"):
        yield paths.proposal(payload["amends"])


_OF_PAYLOAD = {
    "proposition": _of_proposition,
    "judgement": _of_judgement,
    "boundary": _of_boundary,
    "batna": _of_batna,
    "proposal": _of_proposal,
}
