"""The complexity ledgers that a transition moves: what is counted now, and what each entry becomes.

Counting comes before the transition's transaction, since a child process is awaited; the versions that were read
decide the swaps in it. Source: state layer, "Keys state/complexity/<file>"; fabric 3 step 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabric_app.counting import count_now, ledgers_of, recorded_counts
from fabric_app.mesh.models import Workspace
from fabric_app.protocol.complexity import LANGUAGE, transition_record
from fabric_app.state_keys import ledger_key


@dataclass(frozen=True)
class LedgerMove:
    """One entry to write: its key, the version that it was decided on, and its new value."""

    key: str
    expected: int
    value: dict[str, Any]


@dataclass(frozen=True)
class Counted:
    """The `complexity` member of a transition, and the ledger entries that follow from it."""

    record: dict[str, Any]
    moves: tuple[LedgerMove, ...]

    @property
    def net_delta(self) -> int:
        net: int = self.record["netDelta"]
        return net


def count(workspace: Workspace, files: Sequence[str], *, now_ms: int) -> Counted:
    """Count the files and compare them with their ledgers. Raises what counting raises, and LedgerPathTooLong."""
    counts = count_now(workspace, files)
    ledgers = ledgers_of(workspace.id, [found.file for found in counts if found.supported])
    record = transition_record(counts, recorded_counts(ledgers))
    moves = tuple(
        LedgerMove(
            key=ledger_key(item["file"]),
            expected=ledgers[item["file"]].version if item["file"] in ledgers else 0,
            value={
                "file": item["file"],
                "language": LANGUAGE,
                "count": item["current"],
                "lastDelta": item["delta"],
                "ts": now_ms,
            },
        )
        for item in record["files"]
        if item["supported"]
    )
    return Counted(record=record, moves=moves)
