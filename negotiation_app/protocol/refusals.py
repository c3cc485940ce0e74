"""What makes a request impossible to process whatever the state's version is: 422, by code.

Source: canonical negotiation state, sections 4 to 18.
"""

from __future__ import annotations

from negotiation_app.protocol.errors import NegotiationError


class BodyInvalid(NegotiationError):
    """The body does not have the documented form."""

    code, status = "BODY_INVALID", 422
    message = "The body is not valid: {summary}."


class ValueFormat(NegotiationError):
    """A value, a date or a period is not written in the form that can be compared without guessing."""

    code, status = "VALUE_FORMAT", 422
    message = "A value is not in the required form: {summary}."


class ValueTypeMismatch(NegotiationError):
    """The value's type is not the one of its issue or of its counterpart."""

    code, status = "VALUE_TYPE_MISMATCH", 422
    message = "{path}: {issue} takes values of type {expected}, not {actual}."


class UnknownRef(NegotiationError):
    """The body names something that this negotiation does not have."""

    code, status = "UNKNOWN_REF", 422
    message = "There is no {ref} in this negotiation (at {path}). Record it first, or name another."


class UnknownIssue(NegotiationError):
    """The body names an issue that was not defined."""

    code, status = "UNKNOWN_ISSUE", 422
    message = "There is no issue {ref} (at {path}). Define it first."


class EventTypeUnknown(NegotiationError):
    """There is no such type of event."""

    code, status = "EVENT_TYPE_UNKNOWN", 422
    message = "The event's type is unknown: {summary}."


class EventTypeReserved(NegotiationError):
    """This type of event is written by its own operation alone."""

    code, status = "EVENT_TYPE_RESERVED", 422
    message = "The event's type is reserved: {summary}."


class EventPayloadMissing(NegotiationError):
    """An event of this type says nothing without operations or a correction."""

    code, status = "EVENT_PAYLOAD_MISSING", 422
    message = "The event lacks what its type needs: {summary}."


class OperationNotPermitted(NegotiationError):
    """The word of an operation is none of the four."""

    code, status = "OPERATION_NOT_PERMITTED", 422
    message = "An operation is not permitted: {summary}."


class ProtectedTarget(NegotiationError):
    """The target is protected history, which no operation of an event or patch reaches."""

    code, status = "PROTECTED_TARGET", 422
    message = "A target is out of reach of events and patches: {summary}."


class BaseVersionUnknown(NegotiationError):
    """The version that the request names does not exist yet, or never did."""

    code, status = "BASE_VERSION_UNKNOWN", 422
    message = "There is no version {version}; versions run from 1 to {current}."


class RationaleRequired(NegotiationError):
    """A hypothesis needs a rationale or an item of evidence."""

    code, status = "RATIONALE_REQUIRED", 422
    message = "{proposition} cannot be a HYPOTHESIS without a reason. Send a rationale or evidence."


class EvidenceRequired(NegotiationError):
    """Nothing is attached that could carry this."""

    code, status = "EVIDENCE_REQUIRED", 422
    message = "{subject} needs at least one item of evidence. Attach one."


class EvidenceNotIdentifiable(NegotiationError):
    """An item says nowhere where it can be found, or points into this very store."""

    code, status = "EVIDENCE_NOT_IDENTIFIABLE", 422
    message = "Evidence {evidence} cannot be found by others. Give a locator outside this server, or premises."


class EvidenceTooWeak(NegotiationError):
    """The best item does not carry what is asked for."""

    code, status = "EVIDENCE_TOO_WEAK", 422
    message = "The evidence for {subject} carries {carries} at most, not {asked}. Ask for less, or bring better."


class EvidenceNotNew(NegotiationError):
    """What is brought forward was already there when the matter was last settled."""

    code, status = "EVIDENCE_NOT_NEW", 422
    message = "Evidence {evidence} was known before. Bring forward what is new."


class PromotionSkipsStep(NegotiationError):
    """A proposition is to rise by more than one status at once."""

    code, status = "PROMOTION_SKIPS_STEP", 422
    message = "{proposition} is {current}; it cannot become {asked} in one step. Take one step an operation."


class DemotionNotAllowed(NegotiationError):
    """A status is to be lowered in place."""

    code, status = "DEMOTION_NOT_ALLOWED", 422
    message = "{proposition} is {current} and is not lowered in place. Supersede it, or resolve a contradiction."


class ValueChangeNeedsSupersede(NegotiationError):
    """A stated value is to be rewritten in place."""

    code, status = "VALUE_CHANGE_NEEDS_SUPERSEDE", 422
    message = "The value of {proposition} stays as stated. Supersede it by a new proposition."


class SupersedeSlotMismatch(NegotiationError):
    """The successor speaks of another subject or attribute."""

    code, status = "SUPERSEDE_SLOT_MISMATCH", 422
    message = "{proposition} speaks of {expected}, and its successor of {actual}. Add the other as a fact of its own."


class SupersedeNotLater(NegotiationError):
    """The successor does not begin to hold after what it replaces."""

    code, status = "SUPERSEDE_NOT_LATER", 422
    message = "The successor of {proposition} has to begin later. Give an asOf that starts after the old one's start."


class CorrectionTargetInvalid(NegotiationError):
    """A correction has to speak of the same slot, in the user's words."""

    code, status = "CORRECTION_TARGET_INVALID", 422
    message = "This does not correct {proposition}: {reason}."


class ResolutionInvalid(NegotiationError):
    """The resolution lacks a part, or its winner is no member."""

    code, status = "RESOLUTION_INVALID", 422
    message = "{resolution} cannot resolve {contradiction}: {reason}."


class SimulatedSource(NegotiationError):
    """Simulated words are brought forward as if they had been said."""

    code, status = "SIMULATED_SOURCE", 422
    message = "{subject} rests on a simulation. Bring evidence from outside it, or reconcile it as a finding."


class SimulatedBasis(NegotiationError):
    """A position or a finding is to rest on simulated content alone."""

    code, status = "SIMULATED_BASIS", 422
    message = "{subject} rests on simulated content alone. Name evidence from outside the simulation."


class BasisRequired(NegotiationError):
    """A protected position moves only for a reason and on something that can be looked up."""

    code, status = "BASIS_REQUIRED", 422
    message = "{subject} needs a basis: a reason, and evidence, a proposition or a decision that it rests on."


class BoundaryOrder(NegotiationError):
    """A floor would be better than its target."""

    code, status = "BOUNDARY_ORDER", 422
    message = "The floor of {issue} would be better than its target. Move the other one first."


class CriterionChangeIncomplete(NegotiationError):
    """Of the parts that a change of a pre-commitment needs, some are missing."""

    code, status = "CRITERION_CHANGE_INCOMPLETE", 422
    message = "A change of {criterion} lacks: {missing}."


class UserDecisionRequired(NegotiationError):
    """Only a decision row of the principal allows this."""

    code, status = "USER_DECISION_REQUIRED", 422
    message = "This takes a decision of kind {kind} by the principal. Ask for it, and name it in `decision`."


class DecisionMismatch(NegotiationError):
    """The decision was taken about something else."""

    code, status = "DECISION_MISMATCH", 422
    message = "Decision {decision} does not cover this: its {differs} differs. Ask the principal about this very thing."


class NotAConcession(NegotiationError):
    """The move does not go against the side that makes it."""

    code, status = "NOT_A_CONCESSION", 422
    message = "From the first value to the second {side} gives nothing away on {issue}."


class DependenciesRequired(NegotiationError):
    """A judgement that depends on nothing could never go stale."""

    code, status = "DEPENDENCIES_REQUIRED", 422
    message = "Judgement {judgement} names nothing that it depends on. List at least one path in `dependsOn`."


class DependencyCycle(NegotiationError):
    """Something would rest on itself."""

    code, status = "DEPENDENCY_CYCLE", 422
    message = "{subject} would rest on itself by way of {via}."


class StatusCauseRequired(NegotiationError):
    """The status is to change without a cause."""

    code, status = "STATUS_CAUSE_REQUIRED", 422
    message = "Changing to {to} needs a cause: {needed}."


class StatusCauseInvalid(NegotiationError):
    """The event named as the cause is none."""

    code, status = "STATUS_CAUSE_INVALID", 422
    message = "Event {event} is no cause for {to}: {reason}."
