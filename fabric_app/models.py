"""What the fabric stores beside the mesh: the projection of `fabric.state`, runs with their output, activity.

Rules
- `TransitionState`, `Certificate` and `CertificateTarget` are projections: folds of the topic `fabric.state` that can
  be thrown away and rebuilt (`fabric_app.operations.projection`).
- `RunEntry` and `Activity` are append-only.
- A `Run` is moved by conditional updates of its status; one workspace has at most one claimed run.
- Texts of the protocol that may hold any character are kept as JSON text; labels are indexed by their digest.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from fabric_app.mesh.fields import JSONTextField
from fabric_app.mesh.models import (
    AppendOnly,
    Event,
    IdempotencyRecord,
    KeyEntry,
    KeyVersion,
    LogHead,
    ServiceToken,
    SignInLink,
    Workspace,
)

__all__ = [
    "Activity",
    "Certificate",
    "CertificateTarget",
    "Event",
    "IdempotencyRecord",
    "KeyEntry",
    "KeyVersion",
    "LogHead",
    "Run",
    "RunAction",
    "RunEntry",
    "RunEntryKind",
    "RunStatus",
    "ServiceToken",
    "SignInLink",
    "TransitionState",
    "WorkerSeen",
    "Workspace",
]


class TransitionState(models.Model):
    """What the log says of one transition id: the proposal, its markers, and its latest verification outcome.

    `record` is the transition as history shows it (wire JSON), absent while no proposal was seen. `is_visible` says
    that it is committed and well-formed. `*_key` are SHA-256 hex digests of the label texts.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    transition_id = models.CharField(max_length=200)
    sequence = models.PositiveBigIntegerField(null=True)
    phase = models.CharField(max_length=20, null=True)
    record = JSONTextField(null=True)
    is_visible = models.BooleanField(default=False)
    is_representation = models.BooleanField(default=False)
    label_key = models.CharField(max_length=64, default="")
    from_key = models.CharField(max_length=64, default="")
    to_key = models.CharField(max_length=64, default="")
    net_delta = models.BigIntegerField(null=True)
    committed_sequence = models.PositiveBigIntegerField(null=True)
    rejected_sequence = models.PositiveBigIntegerField(null=True)
    outcome = models.CharField(max_length=20, null=True)
    outcome_sequence = models.PositiveBigIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("workspace", "transition_id"), name="transition_once"),)
        indexes = (
            # Serves a page of history.
            models.Index(fields=("workspace", "sequence"), condition=Q(is_visible=True), name="transition_page"),
            # Serves the archive boundary.
            models.Index(
                fields=("workspace", "sequence"),
                condition=Q(is_visible=True, is_representation=True),
                name="transition_boundary",
            ),
            # Serves the latest net delta.
            models.Index(
                fields=("workspace", "sequence"),
                condition=Q(is_visible=True, net_delta__isnull=False),
                name="transition_net_delta",
            ),
            # Serve the label filter of history and of verify.
            models.Index(fields=("workspace", "label_key", "sequence"), name="transition_by_label"),
            models.Index(fields=("workspace", "to_key", "sequence"), name="transition_by_to"),
            models.Index(fields=("workspace", "from_key", "sequence"), name="transition_by_from"),
        )

    def __str__(self) -> str:
        return f"transition {self.transition_id}"


class Certificate(models.Model):
    """A well-formed `state.certified` event as a certificate (wire JSON without `current`)."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    event = models.OneToOneField(Event, models.PROTECT, primary_key=True)
    sequence = models.PositiveBigIntegerField()
    value = JSONTextField()

    class Meta:
        # Serves the newest certificates of a workspace.
        indexes = (models.Index(fields=("workspace", "sequence"), name="certificate_page"),)

    def __str__(self) -> str:
        return f"certificate {self.event_id}"


class CertificateTarget(models.Model):
    """One transition that a certificate covers."""

    certificate = models.ForeignKey(Certificate, models.CASCADE, related_name="targets")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    transition_id = models.CharField(max_length=200)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("certificate", "transition_id"), name="certificate_target_once"),
        )
        # Serves the certificates of a page of transitions.
        indexes = (models.Index(fields=("workspace", "transition_id"), name="certificate_by_transition"),)

    def __str__(self) -> str:
        return f"{self.certificate_id} covers {self.transition_id}"


class RunAction(models.TextChoices):
    """What a run executes; the seed's own action names."""

    VERIFY = "verify"
    CHECK_GOAL = "checkGoal"


class RunStatus(models.TextChoices):
    """Where a run is. `confirmed`, `violated`, `error` and `cancelled` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    CONFIRMED = "confirmed"
    VIOLATED = "violated"
    ERROR = "error"
    CANCELLED = "cancelled"


FINAL = (RunStatus.CONFIRMED, RunStatus.VIOLATED, RunStatus.ERROR, RunStatus.CANCELLED)


class Run(models.Model):
    """One execution of evidence or of the goal. The row is the truth; the message to the worker carries its id alone.

    `plan` is fixed when the run is claimed: `{head, targets, commands, evidenceDigest, timeoutMs, root}`. `report` is
    the answer of the action. `entry_count` numbers the rows of `RunEntry`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="runs")
    action = models.CharField(max_length=20, choices=RunAction)
    arguments = JSONTextField()
    status = models.CharField(max_length=20, choices=RunStatus, default=RunStatus.QUEUED)
    worker_group = models.CharField(max_length=60)
    requested_by = JSONTextField()
    requested_by_user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    cancel_requested_by = JSONTextField(null=True)
    cancel_reason = models.TextField(blank=True)
    plan = JSONTextField(null=True)
    report = JSONTextField(null=True)
    error = JSONTextField(null=True)
    command_count = models.PositiveIntegerField(default=0)
    command_index = models.PositiveIntegerField(default=0)
    output_bytes = models.PositiveBigIntegerField(default=0)
    entry_count = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace",), condition=Q(status="running"), name="one_running_run_a_workspace"
            ),
            models.CheckConstraint(
                condition=~Q(status="confirmed") | Q(report__isnull=False), name="confirmed_run_has_a_report"
            ),
        )
        indexes = (
            # Serves the list of a workspace's runs.
            models.Index(fields=("workspace", "created_at"), name="run_page"),
            # Serves the sweep and the queue.
            models.Index(
                fields=("status", "created_at"),
                condition=Q(status__in=("queued", "running")),
                name="run_open",
            ),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.id}"

    @property
    def is_over(self) -> bool:
        return self.status in FINAL


class RunEntryKind(models.TextChoices):
    """What an entry of a run's stream says."""

    STATUS = "status"
    COMMAND_STARTED = "command.started"
    OUTPUT = "output"
    PROGRESS = "progress"
    COMMAND_FINISHED = "command.finished"
    ENDED = "ended"


class RunEntry(AppendOnly):
    """One entry of a run's stream, numbered from 1: progress as JSON `data`, or `output` bytes as they came."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="entries")
    sequence = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20, choices=RunEntryKind)
    command_index = models.PositiveIntegerField(null=True)
    data = JSONTextField(null=True)
    output = models.BinaryField(null=True)
    created_at_ms = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "run entries"
        constraints = (models.UniqueConstraint(fields=("run", "sequence"), name="run_entry_sequence_once"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.sequence}"


class Activity(AppendOnly):
    """Who did what, when and why: a line for each transition, run, goal, repair and change of a workspace or grant."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=40)
    name = JSONTextField()
    outcome = models.CharField(max_length=20)
    detail = JSONTextField(null=True)
    actor = JSONTextField()
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="+")
    event_sequence = models.PositiveBigIntegerField(null=True)
    created_at_ms = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "activity"
        # Serves the latest activity of a workspace.
        indexes = (models.Index(fields=("workspace", "id"), name="activity_page"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.outcome}"


class WorkerSeen(models.Model):
    """When a worker last said that it lives."""

    name = models.CharField(max_length=200, primary_key=True)
    worker_group = models.CharField(max_length=60)
    seen_at = models.DateTimeField()
    started_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "workers seen"

    def __str__(self) -> str:
        return self.name
