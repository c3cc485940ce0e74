"""Why a run is not accepted, does not start, or does not end on its own."""

from __future__ import annotations

from fabric_app.mesh.errors import StatehouseError


class BrokerUnavailable(StatehouseError):
    """The message to the workers cannot be sent; the run is ended, and nothing was executed."""

    code, status = "BROKER_UNAVAILABLE", 503
    message = (
        "Run {run} cannot be sent to a worker: the broker is not reachable. Nothing was executed; try again later."
    )


class RunIsOver(StatehouseError):
    """The run has ended, and can no longer be cancelled."""

    code, status = "RUN_IS_OVER", 409
    message = "Run {run} is over: it ended as {outcome}."


class WorkspaceWithoutRoot(StatehouseError):
    """The workspace has no folder in which commands could run."""

    code, status = "WORKSPACE_WITHOUT_ROOT", 409
    message = "The workspace {workspace!r} has no root folder. An operator has to give it one before anything can run."


class WorkerLost(StatehouseError):
    """The worker stopped to say that it is at work; how far it came is not known. Stored, not answered."""

    code, status = "WORKER_LOST", 500
    message = "The worker {worker} was lost during the run. What it was doing does not count."


class RunFailed(StatehouseError):
    """The worker itself failed, not a command. Stored, not answered."""

    code, status = "RUN_FAILED", 500
    message = "The run failed on the worker ({cause}). What it did does not count; see the worker's log."


class RunCancelled(StatehouseError):
    """Somebody cancelled the run. Stored, not answered."""

    code, status = "RUN_CANCELLED", 409
    message = "The run was cancelled by {by}."
