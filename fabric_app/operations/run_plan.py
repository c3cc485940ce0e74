"""What a run executes: head, targets and commands as they are at one moment, with the digest that names them.

The plan is made under the workspace's lock when the run is claimed, and kept on the row; nothing that happens later
changes what the run stands for. The same reading, without a run, is the preview that a caller sees before asking.
Source: state layer, "state.verify" and "state.checkGoal"; fabric, 7 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.keys import live_entry
from fabric_app.models import RunAction, Workspace
from fabric_app.protocol.arguments import CheckGoalArguments, VerifyArguments
from fabric_app.protocol.digests import digest, evidence_digest
from fabric_app.protocol.errors import EvidenceDigestMismatch, NoGoal
from fabric_app.protocol.heads import HeadIdentity
from fabric_app.protocol.records import TransitionRecord, record_json
from fabric_app.protocol.verification import commands_of
from fabric_app.state_keys import GOAL_KEY
from fabric_app.stored_heads import read_head
from fabric_app.verification_targets import unmatched_labels, verification_targets

RunArguments = VerifyArguments | CheckGoalArguments


@dataclass(frozen=True)
class Command:
    """One command, with the claim and the transition that it stands for (none for a goal)."""

    command: str
    claim: str = ""
    transition_id: str | None = None
    label: str | None = None

    def as_json(self) -> dict[str, Any]:
        shown = {
            "command": self.command,
            "claim": self.claim or None,
            "transitionId": self.transition_id,
            "label": self.label,
        }
        return {name: value for name, value in shown.items() if value is not None}


@dataclass(frozen=True)
class RunPlan:
    """Head, targets and commands of a run. `goal` is the value of the goal's key, for a goal check alone."""

    head: HeadIdentity | None
    targets: tuple[TransitionRecord, ...]
    commands: tuple[Command, ...]
    evidence_digest: str
    timeout_ms: int
    root: str
    labels_given: bool = False
    unmatched_labels: tuple[str, ...] = ()
    goal: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the plan as the row keeps it, texts whole."""
        head = self.head
        return {
            "head": head
            and {"transitionId": head.transition_id, "label": head.label, "to": head.to, "version": head.version},
            "targets": [record_json(target) for target in self.targets],
            "commands": [command.as_json() for command in self.commands],
            "evidenceDigest": self.evidence_digest,
            "timeoutMs": self.timeout_ms,
            "root": self.root,
            "labelsGiven": self.labels_given,
            "unmatchedLabels": list(self.unmatched_labels),
            "goal": self.goal,
        }

    def check_digest(self, expected: str | None) -> None:
        """Raise EvidenceDigestMismatch where the caller saw other commands."""
        if expected is not None and expected != self.evidence_digest:
            raise EvidenceDigestMismatch(expected=expected, actual=self.evidence_digest)


def plan_run(workspace: Workspace, arguments: RunArguments) -> RunPlan:
    """Return what a run with these arguments would execute now. Raises NoGoal."""
    if isinstance(arguments, VerifyArguments):
        return _plan_verification(workspace, arguments)
    return _plan_goal_check(workspace, arguments)


def plan_from_json(value: dict[str, Any]) -> RunPlan:
    """Return the plan that a row keeps."""
    head = value["head"]
    return RunPlan(
        head=head and HeadIdentity(head["transitionId"], head["label"], head["to"], head["version"]),
        targets=tuple(_record(each) for each in value["targets"]),
        commands=tuple(_command(each) for each in value["commands"]),
        evidence_digest=value["evidenceDigest"],
        timeout_ms=value["timeoutMs"],
        root=value["root"],
        labels_given=value["labelsGiven"],
        unmatched_labels=tuple(value.get("unmatchedLabels", ())),
        goal=value["goal"],
    )


def arguments_json(arguments: RunArguments) -> dict[str, Any]:
    """Return the arguments as their caller would write them; members that were not given are left out."""
    shown: dict[str, Any] = {"timeoutMs": arguments.timeout_ms}
    if isinstance(arguments, VerifyArguments):
        if arguments.labels is not None:
            shown["labels"] = list(arguments.labels)
        if arguments.include_archived:
            shown["includeArchived"] = True
    if arguments.expected_evidence_digest is not None:
        shown["expectedEvidenceDigest"] = arguments.expected_evidence_digest
    return shown


def arguments_from_json(action: str, value: dict[str, Any]) -> RunArguments:
    """Return the arguments that a row keeps; they were checked when the run was requested."""
    timeout_ms, expected = value["timeoutMs"], value.get("expectedEvidenceDigest")
    if action == RunAction.CHECK_GOAL:
        return CheckGoalArguments(timeout_ms=timeout_ms, expected_evidence_digest=expected)
    labels = value.get("labels")
    return VerifyArguments(
        labels=None if labels is None else tuple(labels),
        include_archived=value.get("includeArchived", False),
        timeout_ms=timeout_ms,
        expected_evidence_digest=expected,
    )


def _plan_verification(workspace: Workspace, arguments: VerifyArguments) -> RunPlan:
    targets = tuple(verification_targets(workspace, arguments))
    commands = (
        Command(command=command, claim=target.summary, transition_id=target.transition_id, label=target.label)
        for target, command in commands_of(targets)
    )
    return RunPlan(
        head=read_head(workspace.pk).identity,
        targets=targets,
        commands=tuple(commands),
        evidence_digest=evidence_digest(targets),
        timeout_ms=arguments.timeout_ms,
        root=workspace.root,
        labels_given=arguments.labels is not None,
        unmatched_labels=unmatched_labels(workspace, arguments),
    )


def _plan_goal_check(workspace: Workspace, arguments: CheckGoalArguments) -> RunPlan:
    goal = live_entry(workspace.pk, GOAL_KEY)
    value = goal.value if goal is not None and isinstance(goal.value, dict) else {}
    check = value.get("check")
    if not isinstance(check, str) or not check.strip():
        # A blank goal would always be met; one that came in from elsewhere is none.
        raise NoGoal
    return RunPlan(
        head=read_head(workspace.pk).identity,
        targets=(),
        commands=(Command(command=check),),
        evidence_digest=digest(check),
        timeout_ms=arguments.timeout_ms,
        root=workspace.root,
        goal=value,
    )


def _record(value: dict[str, Any]) -> TransitionRecord:
    return TransitionRecord(
        transition_id=value["transitionId"],
        sequence=value["sequence"],
        label=value["label"],
        to=value["to"],
        summary=value["summary"],
        evidence=tuple(value.get("evidence", ())),
    )


def _command(value: dict[str, Any]) -> Command:
    return Command(
        command=value["command"],
        claim=value.get("claim", ""),
        transition_id=value.get("transitionId"),
        label=value.get("label"),
    )
