"""What the database refuses, as typed errors: nothing of its own words reaches a caller."""

from __future__ import annotations

from django.db import Error

from fabric_app.mesh.errors import StatehouseError

# PostgreSQL: lock not available, deadlock, serialization failure, statement stopped by its timeout.
BUSY_STATES = frozenset({"55P03", "40P01", "40001", "57014"})


class StorageBusy(StatehouseError):
    """Others held the workspace's lock for longer than a writer waits."""

    code, status = "STORAGE_BUSY", 503
    message = "The workspace is busy with other writers. Nothing was changed; send the request again."


class StorageFailed(StatehouseError):
    """The database failed to store the change."""

    code, status = "STORAGE_FAILED", 503
    message = "The change could not be stored. Send the request again; if it keeps failing, ask an operator."


class OutcomeUnknown(StatehouseError):
    """The database was lost in the middle of a commit, and cannot be asked how it ended."""

    code, status = "OUTCOME_UNKNOWN", 503
    message = "Whether transition {transitionId} was committed is not known. Read the history before you send it again."


def storage_error(error: Error) -> StatehouseError:
    """Return the typed form of a database error."""
    state = getattr(error.__cause__, "sqlstate", None)
    is_busy = state in BUSY_STATES or "locked" in str(error)
    return StorageBusy() if is_busy else StorageFailed()
