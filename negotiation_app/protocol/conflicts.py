"""What the present state does not allow, and what another state might: 409, by code.

Source: canonical negotiation state, sections 1 to 18.
"""

from __future__ import annotations

from negotiation_app.protocol.errors import NegotiationError


class RefTaken(NegotiationError):
    """A ref is unique in its negotiation and kind, and this one is in use."""

    code, status = "REF_TAKEN", 409
    message = "The ref {ref} is taken (at {path}). Choose another."


class TargetNotEffective(NegotiationError):
    """The target was superseded or retired."""

    code, status = "TARGET_NOT_EFFECTIVE", 409
    message = "{target} is not in force any more; its successor is {supersededBy}. Decide again on that one."


class PropositionDisputed(NegotiationError):
    """Nothing rests on a proposition, or moves it, while it is in an open contradiction."""

    code, status = "PROPOSITION_DISPUTED", 409
    message = "{proposition} is disputed in {contradictions}. Resolve that first."


class ContradictionRequired(NegotiationError):
    """A KNOWN proposition gives way to another one only for a reason that holds."""

    code, status = "CONTRADICTION_REQUIRED", 409
    message = "{proposition} is KNOWN and does not simply give way ({because}). Add the other, and let them conflict."


class ContradictionNotOpen(NegotiationError):
    """The contradiction was resolved or dissolved."""

    code, status = "CONTRADICTION_NOT_OPEN", 409
    message = "{contradiction} is {current}. There is nothing left to resolve."


class PatchStale(NegotiationError):
    """The patch was decided on an older version, and nothing of it is applied unasked."""

    code, status = "PATCH_STALE", 409
    message = "Patch {patch} read version {read}, and {current} is current. Accept operations by id, or rerun it."


class StaleOperation(NegotiationError):
    """An accepted operation touches a field that changed after the patch was made."""

    code, status = "STALE_OPERATION", 409
    message = "These operations of {patch} touch what changed since: {conflicting}. Leave them out, and rerun them."


class PatchAlreadyReconciled(NegotiationError):
    """A patch is reconciled or rejected once."""

    code, status = "PATCH_ALREADY_RECONCILED", 409
    message = "Patch {patch} is {current}. Send a new one that names it in `rerunOf`."


class FindingAlreadyReconciled(NegotiationError):
    """The finding's disposition is final."""

    code, status = "FINDING_ALREADY_RECONCILED", 409
    message = "Finding {finding} was settled as {current}. Record another finding."


class DecisionAlreadyUsed(NegotiationError):
    """A decision is used once."""

    code, status = "DECISION_ALREADY_USED", 409
    message = "Decision {decision} was used by {usedBy}. Ask the principal again."


class DecisionRevoked(NegotiationError):
    """The principal took the decision back."""

    code, status = "DECISION_REVOKED", 409
    message = "Decision {decision} was revoked. Ask the principal again."


class DecisionStale(NegotiationError):
    """What the principal saw has changed since."""

    code, status = "DECISION_STALE", 409
    message = "Decision {decision} was taken at version {seenVersion}; since then changed: {changedFields}. Ask again."


class CriterionPreviousMismatch(NegotiationError):
    """The value that is said to be replaced is not the current one."""

    code, status = "CRITERION_PREVIOUS_MISMATCH", 409
    message = "`previousValue` is not the current value of {criterion}. Read it and decide again."


class ConcessionStatusInvalid(NegotiationError):
    """From its present status the concession cannot get to this one."""

    code, status = "CONCESSION_STATUS_INVALID", 409
    message = "Concession {concession} is {current} and cannot become {asked}."


class ProposalNotOpen(NegotiationError):
    """The proposal is no longer anybody's offer."""

    code, status = "PROPOSAL_NOT_OPEN", 409
    message = "Proposal {proposal} is not open: {reason}."


class NothingToReview(NegotiationError):
    """There is neither a criterion nor a floor nor a BATNA to check against."""

    code, status = "NOTHING_TO_REVIEW", 409
    message = "There is nothing to check {proposal} against. Set a criterion, a floor or a BATNA first."


class NothingToOverride(NegotiationError):
    """Only a FAIL that was not overridden yet can be."""

    code, status = "NOTHING_TO_OVERRIDE", 409
    message = "Review {review} stands as {standing}; there is nothing to override."


class ReviewRequired(NegotiationError):
    """The proposal was never reviewed."""

    code, status = "REVIEW_REQUIRED", 409
    message = "Proposal {proposal} has no review. Review it before closing."


class ReviewOutdated(NegotiationError):
    """Something that the latest review read has changed since."""

    code, status = "REVIEW_OUTDATED", 409
    message = "Review {review} is older than a change of: {changedFields}. Review the proposal again."


class ReviewFailed(NegotiationError):
    """The latest review failed and was not overridden."""

    code, status = "REVIEW_FAILED", 409
    message = "Review {review} is a FAIL. The principal may override it, or the deal is not closed."


class SupersedeRequired(NegotiationError):
    """There is one already; it is superseded, never added again."""

    code, status = "SUPERSEDE_REQUIRED", 409
    message = "{target} is set already. Supersede it instead of adding another."


class DependencyNotCurrent(NegotiationError):
    """A judgement cannot be reaffirmed on something that is itself in doubt."""

    code, status = "DEPENDENCY_NOT_CURRENT", 409
    message = "{judgement} depends on {dependency}, which is {current}. Settle that first."


class StatusTransitionInvalid(NegotiationError):
    """From the present status or mode there is no way to this one."""

    code, status = "STATUS_TRANSITION_INVALID", 409
    message = "It is {current}, and cannot be changed to {to}."


class NegotiationPaused(NegotiationError):
    """During a pause the user's side makes no move."""

    code, status = "NEGOTIATION_PAUSED", 409
    message = "The negotiation is paused: {operation} is a move of the own side. Resume first."


class NegotiationClosed(NegotiationError):
    """The negotiation is over; it may be reopened."""

    code, status = "NEGOTIATION_CLOSED", 409
    message = "The negotiation is {current}: {operation} is not possible any more. Reopen it first."
