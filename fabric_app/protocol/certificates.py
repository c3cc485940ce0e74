"""Outcomes of verifications, the certificates they leave, and what covers a transition now.

- The outcome of a transition is the last `state.certified` or `state.violated` event, in log order, that names it.
- A certificate is visible where every target of it is in view.
- It is current where the head recorded in it is the accepted head in all four parts, that head is among its targets,
  and its event is still that transition's outcome.
- The head stores its own certificate (the durable one), bound to the version that storing it made. It counts unless a
  later outcome says otherwise.
- The head reads as certified by a current certificate alone; any other transition by its outcome. So what `head` and
  `certification.current` say can never differ.
- Texts of targets are cut in events; a digest stands beside a cut text, by which the whole one is still recognised.

Source: state layer, "Topic fabric.state"; fabric 6, 7.3.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.numbers import is_number, whole_number
from fabric_app.protocol.bounds import USUAL_CUT, Cut
from fabric_app.protocol.digests import digest
from fabric_app.protocol.heads import HeadIdentity, names_text
from fabric_app.protocol.records import CERTIFIED, TransitionRecord
from fabric_app.protocol.values import as_list, as_object, is_transition_id, sequence_number

STATE_CERTIFIED = "state.certified"
STATE_VIOLATED = "state.violated"
CERTIFICATE = "certificate"


@dataclass(frozen=True)
class Outcome:
    """The latest verification that names a transition: its event, and whether that certified."""

    event_id: str
    sequence: int
    certified: bool


@dataclass(frozen=True)
class Certificate:
    """A successful verification. `targets` and `head` are wire objects; `ts` is in ms since 1970, or None."""

    certificate_id: str
    sequence: int
    targets: tuple[dict[str, Any], ...]
    head: dict[str, Any] | None
    evidence_digest: str
    result_digest: str
    ts: int | float | None

    @property
    def target_ids(self) -> frozenset[str]:
        return frozenset(target["transitionId"] for target in self.targets)

    def covers(self, head: HeadIdentity) -> bool:
        """True where the head is one of the targets, by id, label and destination."""
        return any(_is_target(target, head) for target in self.targets)


def target_json(record: TransitionRecord, cut: Cut = USUAL_CUT) -> dict[str, Any]:
    """Return how an event names a transition; a text that had to be cut has its digest beside it."""
    label, label_omitted = cut.text(record.label)
    to, to_omitted = cut.text(record.to)
    target: dict[str, Any] = {"transitionId": record.transition_id, "label": label}
    if label_omitted:
        target |= {"labelDigest": digest(record.label), "labelOmittedBytes": label_omitted}
    target["to"] = to
    if to_omitted:
        target |= {"toDigest": digest(record.to), "toOmittedBytes": to_omitted}
    return target


def valid_targets(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the well-formed targets of an event: id, label and destination are texts."""
    return tuple(item for item in as_list(value) if _is_well_formed(item))


def outcome_of(event: dict[str, Any]) -> Outcome | None:
    """Return the outcome that a verification event brings to each of its targets; None for other kinds."""
    kind, event_id, sequence = event.get("kind"), event.get("id"), sequence_number(event.get("sequence"))
    if kind not in (STATE_CERTIFIED, STATE_VIOLATED) or not isinstance(event_id, str) or sequence is None:
        return None
    return Outcome(event_id=event_id, sequence=sequence, certified=kind == STATE_CERTIFIED)


def event_certificate(event: dict[str, Any]) -> Certificate | None:
    """Return the certificate that a `state.certified` event is, or None where it is malformed or another kind."""
    outcome = outcome_of(event)
    if outcome is None or not outcome.certified:
        return None
    data = as_object(event.get("data"))
    ts = data.get("ts") if is_number(data.get("ts")) else event.get("createdAt")
    return _certificate(data, certificate_id=outcome.event_id, sequence=outcome.sequence, ts=ts)


def durable_certificate(value: Any, head: HeadIdentity, latest: Outcome | None) -> Certificate | None:
    """Return the certificate stored in an accepted head, or None where it is absent, malformed, stale or overruled.

    value: the stored head. head: its identity with the key's version. latest: the outcome of its transition.
    """
    stored = as_object(as_object(value).get(CERTIFICATE))
    sequence = sequence_number(stored.get("sequence"))
    if stored.get("certificationStatus") != CERTIFIED or sequence is None:
        return None
    certificate = _certificate(
        stored, certificate_id=stored.get("certificateId"), sequence=sequence, ts=stored.get("ts")
    )
    if certificate is None or not certificate.covers(head) or not head.equals_json(certificate.head):
        return None
    overruled = latest is not None and not (latest.certified and latest.sequence == sequence)
    return None if overruled else certificate


def is_current(certificate: Certificate, head: HeadIdentity | None, latest: Outcome | None) -> bool:
    """True where an event's certificate still speaks for the head. latest: the outcome of the head's transition."""
    return (
        head is not None
        and latest is not None
        and latest.certified
        and latest.event_id == certificate.certificate_id
        and certificate.covers(head)
        and head.equals_json(certificate.head)
    )


def is_visible(certificate: Certificate, ids_in_view: Set[str]) -> bool:
    """True where every target is in view."""
    return certificate.target_ids <= ids_in_view


def certificate_json(certificate: Certificate, *, current: bool) -> dict[str, Any]:
    """Return the certificate as reads and the head show it."""
    shown = {
        "certificateId": certificate.certificate_id,
        "sequence": certificate.sequence,
        "certificationStatus": CERTIFIED,
        "targets": list(certificate.targets),
        "head": certificate.head,
        "evidenceDigest": certificate.evidence_digest,
        "resultDigest": certificate.result_digest,
        "ts": certificate.ts,
        "current": current,
    }
    if certificate.ts is None:
        del shown["ts"]
    return shown


def certificate_for_head(certificates: Sequence[Certificate], head: HeadIdentity | None) -> Certificate:
    """Return the one of a run's certificates (one a chunk of targets) that names the head, else the first."""
    if head is None:
        return certificates[0]
    return next((certificate for certificate in certificates if certificate.covers(head)), certificates[0])


def with_certificate(value: dict[str, Any], certificate: Certificate, head: HeadIdentity) -> dict[str, Any]:
    """Return the head value that stores a certificate.

    head: the identity that was verified. The stored binding names the version that this write makes, one higher.
    """
    bound = {**as_object(certificate.head), "version": head.version + 1}
    shown = certificate_json(certificate, current=True)
    return {**value, CERTIFICATE: {**shown, "head": bound}}


def without_certificate(value: dict[str, Any]) -> dict[str, Any]:
    """Return the head value with its certificate revoked."""
    return {name: member for name, member in value.items() if name != CERTIFICATE}


def _certificate(data: dict[str, Any], *, certificate_id: Any, sequence: int, ts: Any) -> Certificate | None:
    targets, evidence, result = valid_targets(data.get("targets")), data.get("evidenceDigest"), data.get("resultDigest")
    if not targets or not isinstance(certificate_id, str):
        return None
    if not isinstance(evidence, str) or not isinstance(result, str):
        return None
    return Certificate(
        certificate_id=certificate_id,
        sequence=sequence,
        targets=targets,
        head=_head_or_none(data.get("head")),
        evidence_digest=evidence,
        result_digest=result,
        ts=ts if is_number(ts) else None,
    )


def _head_or_none(value: Any) -> dict[str, Any] | None:
    if not _is_well_formed(value) or whole_number(value.get("version")) is None:
        return None
    return dict(value)


def _is_well_formed(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and is_transition_id(item.get("transitionId"))
        and isinstance(item.get("label"), str)
        and isinstance(item.get("to"), str)
    )


def _is_target(target: dict[str, Any], head: HeadIdentity) -> bool:
    return (
        target["transitionId"] == head.transition_id
        and names_text(target, "label", head.label)
        and names_text(target, "to", head.to)
    )
