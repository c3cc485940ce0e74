"""The fold of the state topic, one event at a time: what the log says, whatever the projections hold.

`StateFold` is the whole truth about one log: records with their phases, markers, outcomes and certificates. The head
and the goal are keys, and come in as values.

Source: state layer, "Topic fabric.state"; fabric 4 to 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fabric_app.protocol.certificates import Certificate, Outcome
from fabric_app.protocol.effects import (
    CertificateSeen,
    Effect,
    MarkerSeen,
    OutcomeSeen,
    Phase,
    TransitionSeen,
    effects,
    is_committed,
)
from fabric_app.protocol.heads import Accepted, MarkerFacts, Quarantined, head_status, transition_id_of
from fabric_app.protocol.records import TransitionRecord
from fabric_app.protocol.values import as_object


@dataclass
class StateFold:
    """What a prefix of the log amounts to. Certificates stand in log order."""

    transitions: dict[str, TransitionSeen] = field(default_factory=dict)
    committed: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    certificates: dict[str, Certificate] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[dict[str, Any]]) -> StateFold:
        """Return the fold of a log; events of other topics must be left out by the caller."""
        fold = cls()
        for event in events:
            fold.apply(event)
        return fold

    def apply(self, event: dict[str, Any]) -> None:
        """Take in the next event of the log. Any event is answered, none raises."""
        for effect in effects(event):
            self._take(effect)

    def records(self) -> list[TransitionRecord]:
        """Return the committed records in sequence order."""
        seen = [self.transitions[transition_id] for transition_id in self.transitions if self.holds(transition_id)]
        records = [transition.record for transition in seen if transition.record is not None]
        return sorted(records, key=lambda record: record.sequence)

    def holds(self, transition_id: str) -> bool:
        """True where the transition is known and committed."""
        seen = self.transitions.get(transition_id)
        return seen is not None and is_committed(
            seen.phase, committed=transition_id in self.committed, rejected=transition_id in self.rejected
        )

    @property
    def boundary(self) -> TransitionRecord | None:
        """The last committed representation transition, or None."""
        return next((record for record in reversed(self.records()) if record.is_boundary), None)

    def facts_about(self, head_value: Any) -> MarkerFacts:
        """Return what the log holds about the transition that a stored head names."""
        transition_id = transition_id_of(head_value)
        if transition_id is None:
            return MarkerFacts()
        return marker_facts(
            head_value,
            self.transitions.get(transition_id),
            committed=transition_id in self.committed,
            rejected=transition_id in self.rejected,
        )

    def status_of(self, head_value: Any) -> Accepted | Quarantined:
        return head_status(head_value, self.facts_about(head_value))

    def _take(self, effect: Effect) -> None:
        match effect:
            case TransitionSeen(transition_id=transition_id):
                self.transitions.setdefault(transition_id, effect)
            case MarkerSeen(transition_id=transition_id, committed=committed):
                (self.committed if committed else self.rejected).add(transition_id)
            case OutcomeSeen(transition_id=transition_id, outcome=outcome):
                self.outcomes[transition_id] = outcome
            case CertificateSeen(certificate=certificate):
                self.certificates.setdefault(certificate.certificate_id, certificate)


def marker_facts(head_value: Any, proposal: TransitionSeen | None, *, committed: bool, rejected: bool) -> MarkerFacts:
    """Return the facts by which a stored head is judged. proposal: the event of its transition, of any phase."""
    proposed = proposal is not None and proposal.phase is Phase.PROPOSED
    head = as_object(head_value)
    contradicts = (
        proposed and proposal is not None and (proposal.label != head.get("label") or proposal.to != head.get("to"))
    )
    return MarkerFacts(committed=committed, rejected=rejected, proposed=proposed, contradicts=contradicts)
