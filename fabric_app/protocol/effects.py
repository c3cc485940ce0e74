"""What a single event of the state topic changes: the one reading that every fold of the log shares.

A projection keeps, for each transition id, its record and phase, whether a commit or a rejection marker names it, and
its latest outcome. Events are applied in the order of the log; but for the outcome the order does not matter: a marker
counts also where it stands before its proposal, and a rejection wins wherever it stands.

An event of a protocol that this server does not know makes nothing visible: neither a transition nor a commit marker.
A rejection counts whatever it says of itself.

Source: fabric 4, 5, 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fabric_app.mesh.numbers import whole_number
from fabric_app.protocol.certificates import Certificate, Outcome, event_certificate, outcome_of, valid_targets
from fabric_app.protocol.records import TRANSITION, TransitionRecord, record_from_event
from fabric_app.protocol.values import as_object, is_transition_id

TRANSITION_COMMITTED = "transition.committed"
TRANSITION_REJECTED = "transition.rejected"
EVENT_PROTOCOL = 1


class Phase(StrEnum):
    """What a transition event says of itself. `OTHER` never becomes visible."""

    LEGACY = "legacy"
    PROPOSED = "proposed"
    OTHER = "other"


@dataclass(frozen=True)
class TransitionSeen:
    """A transition event. label, to: as they stand in it, of any type. record: None where it cannot be shown."""

    transition_id: str
    phase: Phase
    label: Any
    to: Any
    record: TransitionRecord | None


@dataclass(frozen=True)
class MarkerSeen:
    """A commit marker, or a rejection (`committed` false)."""

    transition_id: str
    committed: bool


@dataclass(frozen=True)
class OutcomeSeen:
    """A verification that names a transition; it replaces what came before."""

    transition_id: str
    outcome: Outcome


@dataclass(frozen=True)
class CertificateSeen:
    """A well-formed certificate."""

    certificate: Certificate


Effect = TransitionSeen | MarkerSeen | OutcomeSeen | CertificateSeen


def effects(event: dict[str, Any]) -> tuple[Effect, ...]:
    """Return what an event changes; nothing for kinds that the state layer does not know, and for malformed ones.

    event: `{id, sequence, kind, data, createdAt?}`.
    """
    kind = event.get("kind")
    if kind == TRANSITION:
        return _transition_effects(event)
    if kind in (TRANSITION_COMMITTED, TRANSITION_REJECTED):
        return _marker_effects(as_object(event.get("data")), committed=kind == TRANSITION_COMMITTED)
    return _verification_effects(event)


def is_committed(phase: Phase, *, committed: bool, rejected: bool) -> bool:
    """True where a transition of this phase, with these markers, is part of history."""
    return phase is Phase.LEGACY or (phase is Phase.PROPOSED and committed and not rejected)


def _transition_effects(event: dict[str, Any]) -> tuple[Effect, ...]:
    transition_id, data = event.get("id"), as_object(event.get("data"))
    if not is_transition_id(transition_id):
        return ()
    seen = TransitionSeen(
        transition_id=transition_id,
        phase=_phase(data),
        label=data.get("label"),
        to=data.get("to"),
        record=record_from_event(event),
    )
    return (seen,)


def _marker_effects(data: dict[str, Any], *, committed: bool) -> tuple[Effect, ...]:
    transition_id = data.get("transitionId")
    if not is_transition_id(transition_id) or (committed and not _is_known_protocol(data)):
        return ()
    return (MarkerSeen(transition_id, committed=committed),)


def _is_known_protocol(data: dict[str, Any]) -> bool:
    """True where the event names no protocol, as legacy ones do, or ours."""
    return "protocolVersion" not in data or whole_number(data["protocolVersion"]) == EVENT_PROTOCOL


def _phase(data: dict[str, Any]) -> Phase:
    if not _is_known_protocol(data):
        return Phase.OTHER
    if "phase" not in data:
        return Phase.LEGACY
    return Phase.PROPOSED if data["phase"] == Phase.PROPOSED.value else Phase.OTHER


def _verification_effects(event: dict[str, Any]) -> tuple[Effect, ...]:
    outcome = outcome_of(event)
    if outcome is None:
        return ()
    targets = valid_targets(as_object(event.get("data")).get("targets"))
    seen: list[Effect] = [OutcomeSeen(target["transitionId"], outcome) for target in targets]
    certificate = event_certificate(event)
    if certificate is not None:
        seen.append(CertificateSeen(certificate))
    return tuple(seen)
