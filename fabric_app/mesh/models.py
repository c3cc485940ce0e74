"""Workspaces, their append-only logs (events and key versions), the keys projected from them, and what accounts hold.

Rules
- `Event` and `KeyVersion` are log rows: only ever inserted, in one gapless sequence each, chained by digest;
  triggers on both databases refuse anything else (`fabric_app.mesh.triggers`).
- `LogHead` holds the ends of both chains. Writing it is the lock of a workspace: every writer takes it first.
- `KeyEntry` is the projection: the last version of each key. A deleted key stays as a row: versions never repeat.
- Of secrets (`ServiceToken`, `SignInLink`) the digest alone is kept.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from fabric_app.mesh.fields import JSONTextField

GENESIS = "sha256:" + "0" * 64


class AppendOnly(models.Model):
    """A table whose rows are inserted and read, and nothing else; the database refuses the rest.

    erasable_by: the table and column of tombstones that let rows be deleted (`mesh.triggers`); None for no row ever.
    """

    erasable_by: ClassVar[tuple[str, str] | None] = None

    class Meta:
        abstract = True


class LogRow(AppendOnly):
    """One row of a chained log. `digest` covers `previous_digest` and everything that the row says."""

    sequence = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=71)
    previous_digest = models.CharField(max_length=71)

    class Meta:
        abstract = True


class Workspace(models.Model):
    """A place of work: a folder of files, the people and agents allowed on it, and its own log."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    root = models.CharField(
        max_length=1024, blank=True, help_text="Folder that commands run in, below a configured root."
    )
    worker_group = models.SlugField(max_length=60, default="default", help_text="Workers that have its files.")
    is_archived = models.BooleanField(default=False)
    version = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        permissions = (
            ("read_workspace", "Read state, history, runs and mesh"),
            ("write_workspace", "Record transitions and goals, write to the mesh"),
            ("execute_workspace", "Start and cancel runs"),
            ("force_transition", "Record a transition over a mismatch"),
            ("represent_workspace", "Record a representation transition, which archives history"),
            ("repair_workspace", "Repair what is quarantined"),
        )

    def __str__(self) -> str:
        return self.slug


class LogHead(models.Model):
    """The ends of a workspace's two chains; the row that every writer locks first."""

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="log_head")
    event_sequence = models.PositiveBigIntegerField(default=0)
    event_digest = models.CharField(max_length=71, default=GENESIS)
    key_sequence = models.PositiveBigIntegerField(default=0)
    key_digest = models.CharField(max_length=71, default=GENESIS)

    def __str__(self) -> str:
        return f"{self.workspace_id} at {self.event_sequence}"


class Event(LogRow):
    """One event of a topic. `actor` is `from` on the wire; `created_at_ms` is milliseconds since 1970."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    topic = models.CharField(max_length=128)
    kind = models.CharField(max_length=128)
    actor = JSONTextField()
    to = models.CharField(max_length=256, null=True)
    text = JSONTextField(null=True)
    data = JSONTextField(null=True)
    created_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("workspace", "sequence"), name="event_sequence_once"),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="event_sequence_from_one"),
        )
        # Serves a page or a tail of one topic.
        indexes = (models.Index(fields=("workspace", "topic", "sequence"), name="event_topic_page"),)

    def __str__(self) -> str:
        return f"{self.topic} {self.kind} {self.sequence}"


class KeyVersion(LogRow):
    """One version of a key: a value, or its deletion (which keeps the version that it deleted)."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    key = models.CharField(max_length=600)
    version = models.PositiveBigIntegerField()
    value = JSONTextField(null=True)
    is_deletion = models.BooleanField(default=False)
    actor = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("workspace", "sequence"), name="key_version_sequence_once"),
            models.UniqueConstraint(fields=("workspace", "key", "version", "is_deletion"), name="key_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="key_version_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.key} version {self.version}"


class KeyEntry(models.Model):
    """The current value of a key, or the tombstone that keeps its version."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    key = models.CharField(max_length=600)
    version = models.PositiveBigIntegerField()
    value = JSONTextField(null=True)
    is_deleted = models.BooleanField(default=False)
    updated_by = JSONTextField()
    updated_at_ms = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "key entries"
        constraints = (models.UniqueConstraint(fields=("workspace", "key"), name="key_once"),)

    def __str__(self) -> str:
        return f"{self.key} version {self.version}"


class IdempotencyRecord(models.Model):
    """The answer to a request that carried an `Idempotency-Key`, stored in the transaction of its effect."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=71)
    status = models.PositiveSmallIntegerField()
    answer = JSONTextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_once"),)

    def __str__(self) -> str:
        return self.key


class ServiceToken(models.Model):
    """A bearer token of an account. Only its SHA-256 digest is kept; it expires, and can be revoked."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="service_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"


class SignInLink(models.Model):
    """A one-time link that signs an account in; only the digest of its secret is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user_id}"
