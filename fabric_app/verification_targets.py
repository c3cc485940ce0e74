"""The transitions that a verification is about. Source: state layer, "state.verify"; fabric 7 (2)."""

from __future__ import annotations

from fabric_app.mesh.models import Workspace
from fabric_app.protocol.arguments import VerifyArguments
from fabric_app.protocol.records import TransitionRecord
from fabric_app.stored_heads import read_head
from fabric_app.transition_rows import head_record, named_by, scope_of


def verification_targets(workspace: Workspace, arguments: VerifyArguments) -> list[TransitionRecord]:
    """Return the head's transition where no labels are given, else what they name, in sequence order."""
    scope = scope_of(workspace.id, read_head(workspace.id), include_archived=arguments.include_archived)
    if arguments.labels is not None:
        return named_by(scope, arguments.labels)
    record = head_record(scope)
    return [] if record is None else [record]


def unmatched_labels(workspace: Workspace, arguments: VerifyArguments) -> tuple[str, ...]:
    """Return the labels that were asked for and name nothing in view, blank ones aside."""
    scope = scope_of(workspace.id, read_head(workspace.id), include_archived=arguments.include_archived)
    wanted = dict.fromkeys(label for label in arguments.labels or () if label.strip() != "")
    return tuple(label for label in wanted if not named_by(scope, [label]))
