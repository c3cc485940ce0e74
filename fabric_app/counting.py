"""Counts of a workspace's source files, and their ledgers: what transitions record and `state.complexity` compares."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from fabric_app.evidence.counting import count_files
from fabric_app.mesh.models import KeyEntry, Workspace
from fabric_app.mesh.numbers import whole_number
from fabric_app.protocol.complexity import FileCount
from fabric_app.protocol.source_errors import RootNotVisible
from fabric_app.protocol.values import as_object
from fabric_app.state_keys import LEDGER_PREFIX, ledger_file, ledger_key

KEYS_A_QUERY = 500


@dataclass(frozen=True)
class Ledger:
    """The last recorded count of a file. `count` is None where the entry was deleted or is malformed."""

    version: int
    count: int | None
    last_delta: int | None


def count_now(workspace: Workspace, files: Sequence[str]) -> list[FileCount]:
    """Return the counts of files below the workspace's root, by normalised name, in a bounded child process.

    No transaction may be open. Raises RootNotVisible and the errors of `count_files`.
    """
    if not workspace.root:
        raise RootNotVisible
    limits = settings.STATEHOUSE
    return count_files(
        Path(workspace.root),
        files,
        max_bytes=limits["SOURCE_MAX_BYTES"],
        timeout_seconds=limits["COUNT_TIMEOUT_SECONDS"],
        max_memory_bytes=limits["COUNT_MEMORY_BYTES"],
    )


def ledgers_of(workspace_id: uuid.UUID, files: Iterable[str]) -> dict[str, Ledger]:
    """Return the ledgers of files that have or had one. Raises LedgerPathTooLong."""
    keys = [ledger_key(file) for file in files]
    found: dict[str, Ledger] = {}
    for start in range(0, len(keys), KEYS_A_QUERY):
        rows = KeyEntry.objects.filter(workspace_id=workspace_id, key__in=keys[start : start + KEYS_A_QUERY])
        found |= {ledger_file(row.key): _ledger(row) for row in rows}
    return found


def all_ledgers(workspace_id: uuid.UUID) -> dict[str, Ledger]:
    """Return every live ledger of the workspace, in the order of their keys."""
    rows = KeyEntry.objects.filter(workspace_id=workspace_id, is_deleted=False, key__startswith=LEDGER_PREFIX)
    # LIKE ignores case on SQLite.
    live = [row for row in rows if row.key.startswith(LEDGER_PREFIX)]
    return {ledger_file(row.key): _ledger(row) for row in sorted(live, key=lambda row: row.key)}


def recorded_counts(ledgers: dict[str, Ledger]) -> dict[str, int]:
    return {file: ledger.count for file, ledger in ledgers.items() if ledger.count is not None}


def recorded_deltas(ledgers: dict[str, Ledger]) -> dict[str, int]:
    return {file: ledger.last_delta for file, ledger in ledgers.items() if ledger.last_delta is not None}


def _ledger(row: KeyEntry) -> Ledger:
    value: dict[str, Any] = {} if row.is_deleted else as_object(row.value)
    return Ledger(
        version=row.version, count=whole_number(value.get("count")), last_delta=whole_number(value.get("lastDelta"))
    )
