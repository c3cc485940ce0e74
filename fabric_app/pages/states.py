"""How the states of the fabric look: heads, runs, and the outcomes of activity."""

from __future__ import annotations

from fabric_app.mesh.http.values import BAD, BUSY, GOOD, HALT, IDLE, WAIT, State

CERTIFIED = State("certified", GOOD, GOOD)
PENDING = State("pending", WAIT, WAIT)
UNCERTIFIED = State("not certified", IDLE, IDLE)
VIOLATED = State("violated", BAD, BAD)
QUARANTINED = State("quarantined", BAD, HALT)
NO_HEAD = State("no head yet", IDLE, IDLE)

_RUN_STATES = {
    "queued": State("queued", WAIT, WAIT),
    "running": State("running", BUSY, BUSY),
    "confirmed": State("confirmed", GOOD, GOOD),
    "violated": VIOLATED,
    "error": State("error", BAD, HALT),
    "cancelled": State("cancelled", IDLE, HALT),
}
_OUTCOMES = {
    "committed": State("committed", GOOD, GOOD),
    "certified": CERTIFIED,
    "pending": PENDING,
    "set": State("set", GOOD, GOOD),
    "met": State("met", GOOD, GOOD),
    "passed": State("passed", GOOD, GOOD),
    "requested": State("requested", WAIT, WAIT),
    "rejected": State("rejected", BAD, BAD),
    "failed": State("failed", BAD, BAD),
    **_RUN_STATES,
}


def run_state(status: str) -> State:
    """Return how a run's status is shown."""
    return _RUN_STATES.get(status, State(status, IDLE, IDLE))


def outcome_state(outcome: str) -> State:
    """Return how the outcome of an activity is shown; a word that is not known stays as it is."""
    return _OUTCOMES.get(outcome, State(outcome or "done", IDLE, IDLE))
