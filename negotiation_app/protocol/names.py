"""The words of the protocol; each enumeration's values are the wire's own.

Source: canonical negotiation state, sections 2 to 17.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What an account may be in a negotiation; one account may be several."""

    ORCHESTRATOR = "orchestrator"
    SPECIALIST = "specialist"
    PRINCIPAL = "principal"
    AUDITOR = "auditor"


class Mode(StrEnum):
    """How much is written beside the rows, in rising order."""

    LIGHT = "LIGHT"
    STANDARD = "STANDARD"
    FULL = "FULL"


class Status(StrEnum):
    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"
    CLOSED = "CLOSED"
    NO_DEAL = "NO_DEAL"


class Side(StrEnum):
    OWN = "OWN"
    COUNTERPART = "COUNTERPART"
    THIRD = "THIRD"


class Direction(StrEnum):
    """What is better for the user."""

    HIGHER = "HIGHER"
    LOWER = "LOWER"
    NONE = "NONE"


class Certainty(StrEnum):
    """How sure a proposition is, in rising order."""

    UNKNOWN = "UNKNOWN"
    HYPOTHESIS = "HYPOTHESIS"
    SUPPORTED_INFERENCE = "SUPPORTED_INFERENCE"
    KNOWN = "KNOWN"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {certainty: rank for rank, certainty in enumerate(Certainty)}


class Lifecycle(StrEnum):
    EFFECTIVE = "EFFECTIVE"
    SUPERSEDED = "SUPERSEDED"


class Origin(StrEnum):
    REAL = "REAL"
    SIMULATED = "SIMULATED"


class ReviewState(StrEnum):
    CURRENT = "CURRENT"
    NEEDS_REVIEW = "NEEDS_REVIEW"


class EvidenceKind(StrEnum):
    DOCUMENT = "DOCUMENT"
    OFFICIAL_RECORD = "OFFICIAL_RECORD"
    MEASUREMENT = "MEASUREMENT"
    USER_STATEMENT = "USER_STATEMENT"
    COUNTERPART_STATEMENT = "COUNTERPART_STATEMENT"
    MARKET_DATA = "MARKET_DATA"
    THIRD_PARTY_STATEMENT = "THIRD_PARTY_STATEMENT"
    PUBLIC_SOURCE = "PUBLIC_SOURCE"
    INFERENCE = "INFERENCE"
    SIMULATION = "SIMULATION"


class StatedAs(StrEnum):
    """How a thing was said; it is never changed, and caps what the item carries."""

    FLAT = "FLAT"
    HEDGED = "HEDGED"
    CONDITIONAL = "CONDITIONAL"
    REPORTED = "REPORTED"
    IMPLIED = "IMPLIED"
    QUESTION = "QUESTION"


class Word(StrEnum):
    """The four operations of an event or a patch."""

    ADD = "ADD"
    UPDATE_WITH_EVIDENCE = "UPDATE_WITH_EVIDENCE"
    SUPERSEDE = "SUPERSEDE"
    FLAG_CONTRADICTION = "FLAG_CONTRADICTION"


class Because(StrEnum):
    """Why a KNOWN proposition may give way to another."""

    SAME_SOURCE_UPDATE = "SAME_SOURCE_UPDATE"
    REPLACED_IN_TIME = "REPLACED_IN_TIME"
    TRANSCRIPTION_ERROR = "TRANSCRIPTION_ERROR"


class ContradictionKind(StrEnum):
    VALUE_CONFLICT = "VALUE_CONFLICT"
    INCOMPARABLE = "INCOMPARABLE"
    FLAGGED = "FLAGGED"
    CORRECTION_DISPUTE = "CORRECTION_DISPUTE"


class ContradictionStatus(StrEnum):
    OPEN = "OPEN"
    RESOLVED = "RESOLVED"
    DISSOLVED = "DISSOLVED"


class Resolution(StrEnum):
    UPHOLD = "UPHOLD"
    REPLACE = "REPLACE"
    DEMOTE = "DEMOTE"
    COMPATIBLE = "COMPATIBLE"


class ProposalStatus(StrEnum):
    OPEN = "OPEN"
    SUPERSEDED = "SUPERSEDED"
    WITHDRAWN = "WITHDRAWN"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    ACCEPTED = "ACCEPTED"
    RECORDED_IN_ERROR = "RECORDED_IN_ERROR"


class ConcessionState(StrEnum):
    OFFERED = "OFFERED"
    GRANTED = "GRANTED"
    RECIPROCATED = "RECIPROCATED"
    REGRETTED = "REGRETTED"
    WITHDRAWN = "WITHDRAWN"
    DECLINED = "DECLINED"
    EXPIRED = "EXPIRED"
    RECORDED_IN_ERROR = "RECORDED_IN_ERROR"


class BoundaryKind(StrEnum):
    TARGET = "TARGET"
    FLOOR = "FLOOR"


class Comparator(StrEnum):
    AT_LEAST = "AT_LEAST"
    AT_MOST = "AT_MOST"
    EQUALS = "EQUALS"
    ONE_OF = "ONE_OF"
    PRESENT = "PRESENT"
    MANUAL = "MANUAL"


class Check(StrEnum):
    """What one check of a deal review says."""

    MET = "MET"
    NOT_MET = "NOT_MET"
    UNDETERMINED = "UNDETERMINED"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Result(StrEnum):
    PASS = "PASS"  # noqa: S105 - a result, no password
    FAIL = "FAIL"


class JudgementKind(StrEnum):
    STRATEGY = "STRATEGY"
    LEVERAGE = "LEVERAGE"
    COUNTERPART = "COUNTERPART"
    RISK = "RISK"
    NEXT_MOVE = "NEXT_MOVE"
    OTHER = "OTHER"


class JudgementStatus(StrEnum):
    CURRENT = "CURRENT"
    STALE = "STALE"
    NEEDS_REVIEW = "NEEDS_REVIEW"
    RETIRED = "RETIRED"
    SUPERSEDED = "SUPERSEDED"


# The statuses of judgements that hold or are to be looked at again.
IN_FORCE = (JudgementStatus.CURRENT, JudgementStatus.STALE, JudgementStatus.NEEDS_REVIEW)


class PatchStatus(StrEnum):
    SUBMITTED = "SUBMITTED"
    APPLIED = "APPLIED"
    PARTIALLY_APPLIED = "PARTIALLY_APPLIED"
    PARKED = "PARKED"
    REJECTED = "REJECTED"


class Outcome(StrEnum):
    """What became of one operation of a patch."""

    APPLIED = "APPLIED"
    REFUSED = "REFUSED"
    PARKED = "PARKED"
    DECLINED = "DECLINED"


class Disposition(StrEnum):
    ACCEPT = "ACCEPT"
    TEST = "TEST"
    REJECT = "REJECT"
    DEFER = "DEFER"


class DecisionKind(StrEnum):
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    CLOSE = "CLOSE"
    NO_DEAL = "NO_DEAL"
    REOPEN = "REOPEN"
    APPROVE_CRITERION = "APPROVE_CRITERION"
    OVERRIDE_REVIEW = "OVERRIDE_REVIEW"
    RESOLVE_CONTRADICTION = "RESOLVE_CONTRADICTION"
    CHANGE_MODE = "CHANGE_MODE"
    NOTE_BASIS = "NOTE_BASIS"


class DecisionStatus(StrEnum):
    OPEN = "OPEN"
    USED = "USED"
    REVOKED = "REVOKED"


class Trigger(StrEnum):
    """What the user has to hear of, in the order in which one notification lists it."""

    STRATEGY_CHANGED = "STRATEGY_CHANGED"
    BATNA_CHANGED = "BATNA_CHANGED"
    BOUNDARY_CHANGED = "BOUNDARY_CHANGED"
    AUTHORITY_CHANGED = "AUTHORITY_CHANGED"
    REVIEW_CHANGED = "REVIEW_CHANGED"


class ArtefactForm(StrEnum):
    NONE = "NONE"
    FULL = "FULL"
    CONCISE = "CONCISE"


class Step(StrEnum):
    """The ten steps that every write goes through, in this order."""

    SOURCE = "SOURCE"
    PROPOSITIONS = "PROPOSITIONS"
    STATUS = "STATUS"
    CONTRADICTIONS = "CONTRADICTIONS"
    RECONCILE = "RECONCILE"
    APPLY = "APPLY"
    VERSION = "VERSION"
    HISTORY = "HISTORY"
    RECOMPUTE = "RECOMPUTE"
    SURFACE = "SURFACE"
