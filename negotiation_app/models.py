"""What negotiations store: one append-only log each, its rows kind by kind, and the state projected from it.

Rules
- `NegotiationEntry` is the log: every accepted write, with the rows that it wrote, chained by digest.
- The tables below `HistoryRow` hold the same rows, kind by kind, as they were written: concessions, proposals,
  criteria, reviews and all others are protected by the database itself, and can be asked in SQL.
- `CurrentRow` is the projection: the latest row under each key. It can be thrown away and made anew from the log.
- `Negotiation.version` guards the row; `state_version` is the wire's and moves for material events alone.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from fabric_app.mesh.fields import JSONTextField
from fabric_app.mesh.models import GENESIS, AppendOnly, LogRow

REF_CHARS = 64


class Negotiation(models.Model):
    """One negotiation. Its roles are permissions on it; `ref` names it in addresses."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    ref = models.CharField(max_length=REF_CHARS, unique=True)
    title = models.CharField(max_length=200)
    mode = models.CharField(max_length=20)
    status = models.CharField(max_length=20)
    version = models.PositiveBigIntegerField(default=0)
    state_version = models.PositiveBigIntegerField(default=0)
    log_sequence = models.PositiveBigIntegerField(default=0)
    log_digest = models.CharField(max_length=71, default=GENESIS)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        permissions = (
            ("orchestrate_negotiation", "Persist its canonical state (orchestrator)"),
            ("propose_negotiation", "Propose patches and record simulations (specialist)"),
            ("decide_negotiation", "Decide and acknowledge (principal)"),
            ("audit_negotiation", "Read everything of it (auditor)"),
            ("repair_negotiation", "Write its projection anew"),
        )
        # Serves the list of negotiations.
        indexes = (models.Index(fields=("-updated_at", "id"), name="negotiation_page"),)

    def __str__(self) -> str:
        return self.ref


class NegotiationEntry(LogRow):
    """One accepted write: the operation, who asked for it, and the rows that it wrote (`protocol.requests.Entry`)."""

    negotiation = models.ForeignKey(Negotiation, models.PROTECT, related_name="+")
    operation = models.CharField(max_length=40)
    data = JSONTextField()
    actor = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "negotiation entries"
        constraints = (
            models.UniqueConstraint(fields=("negotiation", "sequence"), name="negotiation_entry_sequence_once"),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="negotiation_entry_sequence_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.operation} {self.sequence}"


class HistoryRow(AppendOnly):
    """A row as an entry wrote it. `key` is its place in the table of its kind; an earlier row of that key stays."""

    negotiation = models.ForeignKey(Negotiation, models.PROTECT, related_name="+")
    sequence = models.PositiveBigIntegerField()
    key = models.CharField(max_length=200)
    row = JSONTextField()

    class Meta:
        abstract = True
        constraints = (
            models.UniqueConstraint(fields=("negotiation", "key", "sequence"), name="%(class)s_key_once_an_entry"),
        )

    def __str__(self) -> str:
        return f"{self.key} of entry {self.sequence}"


class FrameRow(HistoryRow):
    """Title, mode, status and process of a negotiation."""


class TermRow(HistoryRow):
    """Parties, issues, attributes and rates: what the other rows are stated in."""


class EvidenceRow(HistoryRow):
    """Evidence items."""


class PropositionRow(HistoryRow):
    """Propositions and their evidence history."""


class ContradictionRow(HistoryRow):
    """Contradictions and their resolutions."""


class ProposalRow(HistoryRow):
    """Proposals of both sides with their later statuses, and which is the current offer."""


class BoundaryRow(HistoryRow):
    """Targets and floors with their basis."""


class BatnaRow(HistoryRow):
    """BATNAs with their basis."""


class CriterionRow(HistoryRow):
    """Pre-commitment criteria with every revision."""


class ConcessionRow(HistoryRow):
    """The concession ledger with its status events."""


class ReviewRow(HistoryRow):
    """Deal reviews: a FAIL stays FAIL."""


class OverrideRow(HistoryRow):
    """The user's overrides, beside the reviews."""


class JudgementRow(HistoryRow):
    """Authored judgements and strategies."""


class PatchHistoryRow(HistoryRow):
    """Specialists' patches and what became of them."""


class SimulationRow(HistoryRow):
    """Role-play and red-team statements, and findings: outside the evidence register."""


class DecisionRow(HistoryRow):
    """The principal's decisions."""


class NotificationRow(HistoryRow):
    """Notifications and their acknowledgement."""


class EventRow(HistoryRow):
    """History events."""


class CurrentRow(models.Model):
    """The latest row under a key of one table of the protocol."""

    negotiation = models.ForeignKey(Negotiation, models.PROTECT, related_name="+")
    table = models.CharField(max_length=20)
    key = models.CharField(max_length=200)
    sequence = models.PositiveBigIntegerField()
    row = JSONTextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("negotiation", "table", "key"), name="current_row_once"),)

    def __str__(self) -> str:
        return f"{self.table} {self.key}"


class Artefact(AppendOnly):
    """The state written out at a version. The concise form has its text here; the full one is rendered from the log.

    The digest is the text's where it was written out, and otherwise that of the log at this entry.
    """

    negotiation = models.ForeignKey(Negotiation, models.PROTECT, related_name="+")
    sequence = models.PositiveBigIntegerField()
    state_version = models.PositiveBigIntegerField()
    form = models.CharField(max_length=10)
    digest = models.CharField(max_length=71)
    text = models.TextField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("negotiation", "sequence"), name="artefact_once_an_entry"),)

    def __str__(self) -> str:
        return f"{self.form} at version {self.state_version}"


class KeptAnswer(models.Model):
    """The accepted answer to a key, whoever sent it: the same request again gets it and stores nothing."""

    negotiation = models.ForeignKey(Negotiation, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=71)
    answer = JSONTextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("negotiation", "key"), name="kept_answer_once"),)

    def __str__(self) -> str:
        return self.key


class RoleGrant(AppendOnly):
    """Who was given or denied a role in a negotiation, by whom and why; the permission itself is guardian's."""

    negotiation = models.ForeignKey(Negotiation, models.PROTECT, related_name="+")
    account = models.CharField(max_length=150)
    role = models.CharField(max_length=20)
    is_granted = models.BooleanField()
    reason = models.TextField()
    actor = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        # Serves the roles of a negotiation, the latest first.
        indexes = (models.Index(fields=("negotiation", "id"), name="role_grant_page"),)

    def __str__(self) -> str:
        return f"{self.account} {self.role}"


class NotificationMail(models.Model):
    """A notification that a principal is to have by e-mail: an outbox, emptied by the server's housekeeping."""

    negotiation = models.ForeignKey(Negotiation, models.CASCADE, related_name="+")
    notification = models.CharField(max_length=REF_CHARS)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("negotiation", "notification", "user"), name="notification_mail_once"),
        )
        # Serves what is to be sent.
        indexes = (models.Index(fields=("next_try_at",), condition=Q(sent_at=None), name="notification_mail_due"),)

    def __str__(self) -> str:
        return f"{self.notification} to {self.user_id}"
