"""The stored head: its form, whether it can be trusted, and its identity.

A head is trusted only where this can be shown:

- protocol 2, proof committed: by itself, whatever the log still holds;
- protocol 2 with a pending proof, and protocol 1: by a commit marker, no rejection, and a proposal that says the same;
- no protocol named (legacy): unless its transition is a proposal that was never committed.

Everything else is quarantined with a reason: unknown protocols, values without an identity, malformed proofs.

Source: state layer, "Key state/current"; fabric 1.4, 4, 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fabric_app.mesh.numbers import whole_number
from fabric_app.protocol.arguments import TransitionArguments
from fabric_app.protocol.bounds import USUAL_CUT, Cut
from fabric_app.protocol.digests import digest
from fabric_app.protocol.records import PENDING
from fabric_app.protocol.values import as_object, is_text, is_transition_id, sequence_number

COMMITTED = "committed"
HEAD_PROTOCOL = 2
MARKER_PROTOCOL = 1
PROOF_VERSION = 1


class Quarantine(StrEnum):
    """Why a stored head is not trusted."""

    NOT_AN_OBJECT = "not-an-object"
    NO_IDENTITY = "no-identity"
    UNKNOWN_PROTOCOL = "unknown-protocol"
    BAD_SEQUENCE = "bad-sequence"
    BAD_PROOF = "bad-proof"
    REJECTED = "rejected"
    NO_COMMIT_MARKER = "no-commit-marker"
    CONTRADICTS_PROPOSAL = "contradicts-proposal"
    UNCOMMITTED_PROPOSAL = "uncommitted-proposal"


EXPLANATIONS = {
    Quarantine.NOT_AN_OBJECT: "the stored value is not an object.",
    Quarantine.NO_IDENTITY: "it lacks a transition id, a label or a destination.",
    Quarantine.UNKNOWN_PROTOCOL: "it names a protocol version that this server does not know.",
    Quarantine.BAD_SEQUENCE: "its transition sequence is not a whole number from 1 on.",
    Quarantine.BAD_PROOF: "its commit proof is missing or malformed.",
    Quarantine.REJECTED: "its transition was rejected.",
    Quarantine.NO_COMMIT_MARKER: "its commit is not proven: no commit marker names its transition.",
    Quarantine.CONTRADICTS_PROPOSAL: "its label or destination is not that of the proposal it names.",
    Quarantine.UNCOMMITTED_PROPOSAL: "its transition was proposed and never committed.",
}


@dataclass(frozen=True)
class MarkerFacts:
    """What the log holds about the transition that a head names.

    committed, rejected: a marker of that kind names it. proposed: its event is there, with phase `proposed`.
    contradicts: that proposal has another label or destination than the head.
    """

    committed: bool = False
    rejected: bool = False
    proposed: bool = False
    contradicts: bool = False


@dataclass(frozen=True)
class Accepted:
    """A head that can be trusted."""

    transition_id: str
    label: str
    to: str

    def at(self, version: int) -> HeadIdentity:
        return HeadIdentity(transition_id=self.transition_id, label=self.label, to=self.to, version=version)


@dataclass(frozen=True)
class Quarantined:
    """A head that cannot be trusted, with the reason and a sentence for people."""

    reason: Quarantine

    @property
    def explanation(self) -> str:
        return EXPLANATIONS[self.reason]


@dataclass(frozen=True)
class HeadIdentity:
    """What a certificate is bound to: the transition, its label and destination, and the version of the key."""

    transition_id: str
    label: str
    to: str
    version: int

    def as_json(self, cut: Cut = USUAL_CUT) -> dict[str, Any]:
        """Return the bounded form; digests of the whole texts stand beside what is kept of them."""
        label, label_omitted = cut.text(self.label)
        to, to_omitted = cut.text(self.to)
        bounded = {
            "transitionId": self.transition_id,
            "label": label,
            "labelDigest": digest(self.label),
            "labelOmittedBytes": label_omitted or None,
            "to": to,
            "toDigest": digest(self.to),
            "toOmittedBytes": to_omitted or None,
            "version": self.version,
        }
        return {name: value for name, value in bounded.items() if value is not None}

    def equals_json(self, value: Any) -> bool:
        """True where a recorded head is this one in all four parts; digests decide where they are recorded."""
        recorded = as_object(value)
        return (
            recorded.get("transitionId") == self.transition_id
            and names_text(recorded, "label", self.label)
            and names_text(recorded, "to", self.to)
            and whole_number(recorded.get("version")) == self.version
        )


def names_text(recorded: dict[str, Any], name: str, text: str) -> bool:
    """True where member `name` of a recorded identity stands for `text`: by `<name>Digest` if that is a text."""
    recorded_digest = recorded.get(f"{name}Digest")
    if isinstance(recorded_digest, str):
        return recorded_digest == digest(text)
    return bool(recorded.get(name) == text)


def transition_id_of(value: Any) -> str | None:
    """Return the id by which to look for a stored head's markers, or None where it has no usable one."""
    transition_id = as_object(value).get("transitionId")
    return transition_id if is_transition_id(transition_id) else None


def head_status(value: Any, facts: MarkerFacts) -> Accepted | Quarantined:
    """Decide whether a stored head can be trusted. Any JSON value is answered, none raises."""
    reason = _distrust(value, facts)
    if reason is not None:
        return Quarantined(reason)
    return Accepted(transition_id=value["transitionId"], label=value["label"], to=value["to"])


def pending_head(
    arguments: TransitionArguments, *, transition_id: str, sequence: int, complexity: dict[str, Any] | None, ts: int
) -> dict[str, Any]:
    """Return the head value that a proposal leads to, its commit not yet proven."""
    value = {
        "protocolVersion": HEAD_PROTOCOL,
        "commitProof": {"version": PROOF_VERSION, "status": PENDING},
        "transitionSequence": sequence,
        "label": arguments.label,
        "from": arguments.from_,
        "to": arguments.to,
        "summary": arguments.summary,
        "kind": arguments.kind,
        "complexity": complexity,
        "transitionId": transition_id,
        "ts": ts,
        "evidence": arguments.listed(arguments.evidence),
        "tags": arguments.listed(arguments.tags),
        "certificationStatus": certification_status(complexity),
    }
    return {name: member for name, member in value.items() if member is not None}


def committed_head(pending: dict[str, Any]) -> dict[str, Any]:
    """Return the same head with its commit proven."""
    return {**pending, "commitProof": {"version": PROOF_VERSION, "status": COMMITTED}}


def certification_status(complexity: dict[str, Any] | None) -> str | None:
    """Return `pending` for a reduction, which stays so until a verification succeeds; None for the rest."""
    return PENDING if complexity is not None and complexity["netDelta"] < 0 else None


def _distrust(value: Any, facts: MarkerFacts) -> Quarantine | None:
    if not isinstance(value, dict):
        return Quarantine.NOT_AN_OBJECT
    if transition_id_of(value) is None or not is_text(value.get("label")) or not is_text(value.get("to")):
        return Quarantine.NO_IDENTITY
    if "protocolVersion" not in value:
        return _distrust_legacy(facts)
    protocol = whole_number(value["protocolVersion"])
    if protocol == MARKER_PROTOCOL:
        return _distrust_marker(facts)
    if protocol == HEAD_PROTOCOL:
        return _distrust_proof(value, facts)
    return Quarantine.UNKNOWN_PROTOCOL


def _distrust_proof(value: dict[str, Any], facts: MarkerFacts) -> Quarantine | None:
    proof = as_object(value.get("commitProof"))
    if sequence_number(value.get("transitionSequence")) is None:
        return Quarantine.BAD_SEQUENCE
    if whole_number(proof.get("version")) != PROOF_VERSION or proof.get("status") not in (PENDING, COMMITTED):
        return Quarantine.BAD_PROOF
    return None if proof["status"] == COMMITTED else _distrust_marker(facts)


def _distrust_marker(facts: MarkerFacts) -> Quarantine | None:
    if facts.rejected:
        return Quarantine.REJECTED
    if not facts.committed:
        return Quarantine.NO_COMMIT_MARKER
    return Quarantine.CONTRADICTS_PROPOSAL if facts.contradicts else None


def _distrust_legacy(facts: MarkerFacts) -> Quarantine | None:
    if facts.proposed and (facts.rejected or not facts.committed):
        return Quarantine.UNCOMMITTED_PROPOSAL
    return None
