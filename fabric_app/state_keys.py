"""The keys under which the state layer keeps its current values. Source: state layer, "Storage format"."""

from __future__ import annotations

from fabric_app.mesh.errors import StatehouseError

HEAD_KEY = "state/current"
GOAL_KEY = "state/goal"
LEDGER_PREFIX = "state/complexity/"
MAX_LEDGER_PATH_CHARS = 512


class LedgerPathTooLong(StatehouseError):
    """A file's name is too long for a ledger."""

    code, status = "LEDGER_PATH_TOO_LONG", 422
    message = "The name of {file!r} has {chars} characters; a ledger takes names of up to {limit}."


def ledger_key(file: str) -> str:
    """Return the key of a file's ledger; any name has one, up to its length. Raises LedgerPathTooLong."""
    if len(file) > MAX_LEDGER_PATH_CHARS:
        raise LedgerPathTooLong(file=file[:100], chars=len(file), limit=MAX_LEDGER_PATH_CHARS)
    return LEDGER_PREFIX + file


def ledger_file(key: str) -> str:
    """Return the file name that a ledger's key stands for."""
    return key.removeprefix(LEDGER_PREFIX)
