"""What the repair pages say of each repair and of each reason for quarantine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.models import Workspace
from fabric_app.operations import repairs
from fabric_app.operations.repair_plans import Repair
from fabric_app.protocol.heads import Quarantine
from fabric_app.protocol.repairs import UNPROVEN, RepairAction

BLOCKS = (
    "No transition is recorded, not even with force. Reads show no head, and a verification finds no target in it. "
    "History, other keys and topics are not touched."
)
RELEASED_BY_PROOF = (
    "Finishing the commit, where it is known to have happened; its marker, should it still come in by import; "
    "or removing the head, or restoring the last committed one."
)
RELEASED_BY_REPLACEMENT = "Removing the head, or restoring the last committed one. This head cannot be finished."


@dataclass(frozen=True)
class RepairPage:
    """One repair: its name, what it writes, how it is previewed and carried out."""

    action: RepairAction
    title: str
    writes: str
    preview: Callable[[Workspace], Repair]
    carry_out: Callable[..., Any]


PAGES = {
    page.action.value: page
    for page in (
        RepairPage(
            RepairAction.FINISH_COMMIT,
            "Finish the commit",
            "A new version of the head with a committed proof and without a certificate; a commit marker, where there "
            "is none; the event state.repaired; a line of activity. The transition becomes part of history.",
            repairs.preview_finish_commit,
            repairs.finish_commit,
        ),
        RepairPage(
            RepairAction.REMOVE_PENDING_HEAD,
            "Remove the head",
            "The deletion of the key, whose version stays; the event state.repaired; a line of activity. "
            "The next transition starts without a head, and any `from` passes.",
            repairs.preview_remove_pending_head,
            repairs.remove_pending_head,
        ),
        RepairPage(
            RepairAction.RESTORE_LAST_COMMITTED_HEAD,
            "Restore the last committed head",
            "A new version of the head with the last committed value and without its certificate, so that it has to "
            "be verified again; the event state.repaired; a line of activity.",
            repairs.preview_restore_last_committed_head,
            repairs.restore_last_committed_head,
        ),
    )
}


def released_by(reason: Quarantine) -> str:
    """Return what lifts a quarantine of this reason. Nothing lifts it by itself but a marker that comes in."""
    return RELEASED_BY_PROOF if reason in UNPROVEN else RELEASED_BY_REPLACEMENT
