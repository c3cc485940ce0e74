"""What sessions store: one append-only log each, and everything that is projected from it.

Rules
- `SessionEvent` is the log: one gapless sequence a session, chained by digest. Everything else but world books and
  drafts is its fold (`protocol.history`), and can be thrown away and made anew (`operations.check`).
- Messages, variants, turns and entities are named by numbers of their session's log, so that an export, an import and
  a fork name them alike.
- A log is erased whole or not at all: its rows can be deleted only once a `Tombstone` stands for the session.
- A world book is its latest `WorldBookVersion`.
"""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from fabric_app.mesh.fields import JSONTextField
from fabric_app.mesh.models import GENESIS, AppendOnly, LogRow
from sessions_app.protocol.events import EntityStatus, Role, TurnStatus
from sessions_app.protocol.replay import EntityKind

TITLE_CHARS = 200
TOKEN_CHARS = 64


def _choices(values: type[EntityStatus] | type[Role] | type[TurnStatus] | type[EntityKind]) -> list[tuple[str, str]]:
    return [(each.value, each.value) for each in values]


class Session(models.Model):
    """One role-play session. `revision` is the wire's and may go back; `version` only grows and guards the row.

    `epoch` counts configurations and rebuilds: what makes a context that was read before it stale. `tail_count` is how
    many entities came after the last snapshot. `origin` says where an imported session comes from.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=TITLE_CHARS)
    version = models.PositiveBigIntegerField(default=0)
    revision = models.PositiveBigIntegerField(default=0)
    epoch = models.PositiveBigIntegerField(default=0)
    log_sequence = models.PositiveBigIntegerField(default=0)
    log_digest = models.CharField(max_length=71, default=GENESIS)
    tail_count = models.PositiveIntegerField(default=0)
    origin = JSONTextField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        permissions = (
            ("read_session", "Read messages, state, history and world books of it"),
            ("write_session", "Write messages, turns and commits"),
            ("configure_session", "Configure its namespaces for a reply (rp_state)"),
            ("correct_session", "Correct its state as the host, import into it, attach world books"),
            ("erase_session", "Erase it whole"),
            ("repair_session", "Repair what is quarantined"),
        )
        # Serves the list of sessions, the latest first.
        indexes = (models.Index(fields=("-updated_at", "id"), name="session_page"),)

    def __str__(self) -> str:
        return self.title


class SessionEvent(LogRow):
    """One event of a session's log; `data` is the wire form that `protocol.events` describes."""

    # Rows of a session with a tombstone can be deleted: `mesh.triggers` reads this.
    erasable_by = ("sessions_app_tombstone", "session_id")

    session = models.ForeignKey(Session, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=40)
    data = JSONTextField()
    actor = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "sequence"), name="session_event_sequence_once"),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="session_event_sequence_from_one"),
        )
        # Serves a timeline of one kind.
        indexes = (models.Index(fields=("session", "kind", "sequence"), name="session_event_page"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"


class Tombstone(AppendOnly):
    """What is left of a session that was erased: who did it and why, and the digests of what was there."""

    session_id = models.UUIDField(unique=True)
    reason = JSONTextField()
    actor = JSONTextField()
    event_count = models.PositiveBigIntegerField()
    log_digest = models.CharField(max_length=71)
    erased_at_ms = models.BigIntegerField()

    def __str__(self) -> str:
        return f"erased session {self.session_id}"


class Message(models.Model):
    """A message, named by the sequence of the event that added it; its text stands in its variants."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="messages")
    number = models.PositiveBigIntegerField()
    role = models.CharField(max_length=10, choices=_choices(Role))
    name = models.CharField(max_length=TITLE_CHARS, blank=True)
    is_hidden = models.BooleanField(default=False)
    is_deleted = models.BooleanField(default=False)
    version = models.PositiveBigIntegerField(default=1)
    selected = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "number"), name="message_number_once"),)

    def __str__(self) -> str:
        return f"{self.role} message {self.number}"


class Variant(models.Model):
    """One text of a message; the first is 1, and each regeneration makes the next."""

    message = models.ForeignKey(Message, models.CASCADE, related_name="variants")
    index = models.PositiveIntegerField()
    text = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("message", "index"), name="variant_index_once"),)

    def __str__(self) -> str:
        return f"variant {self.index}"


class Turn(models.Model):
    """One reply being written: committed at most once, or cancelled.

    `fingerprints` are the digests of what committed it, as it was sent: the content, and a correction if there was one.
    """

    session = models.ForeignKey(Session, models.PROTECT, related_name="+")
    number = models.PositiveBigIntegerField()
    message = models.PositiveBigIntegerField()
    variant = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=_choices(TurnStatus))
    fingerprints = JSONTextField()
    committed_sequence = models.PositiveBigIntegerField(null=True)
    begun_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "number"), name="turn_number_once"),
            models.CheckConstraint(
                condition=Q(status="committed", committed_sequence__isnull=False)
                | (~Q(status="committed") & Q(committed_sequence__isnull=True)),
                name="only_a_committed_turn_has_a_commit",
            ),
        )
        # Serves the open turns of a session or of one message.
        indexes = (models.Index(fields=("session", "message"), condition=Q(status="active"), name="turn_active"),)

    def __str__(self) -> str:
        return f"turn {self.number}"


class Entity(models.Model):
    """An entity of the state as the log has it: a bootstrap, a configuration or a turn commit, and whether it counts.

    `sequence` is that of its event. `since` is the sequence of the event that gave it its status. `reason` says why it
    is in quarantine: `{code, message, ...}`.
    """

    session = models.ForeignKey(Session, models.PROTECT, related_name="+")
    sequence = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20, choices=_choices(EntityKind))
    message = models.PositiveBigIntegerField(null=True)
    variant = models.PositiveIntegerField(null=True)
    turn = models.PositiveBigIntegerField(null=True)
    body = JSONTextField()
    status = models.CharField(max_length=12, choices=_choices(EntityStatus))
    reason = JSONTextField(null=True)
    since = models.PositiveBigIntegerField()

    class Meta:
        verbose_name_plural = "entities"
        constraints = (
            models.UniqueConstraint(fields=("session", "sequence"), name="entity_sequence_once"),
            models.CheckConstraint(
                condition=Q(status="quarantined", reason__isnull=False)
                | (~Q(status="quarantined") & Q(reason__isnull=True)),
                name="a_quarantined_entity_says_why",
            ),
        )
        indexes = (
            # Serves what a message owns.
            models.Index(fields=("session", "message"), name="entity_owner"),
            # Serves what needs a person.
            models.Index(fields=("session",), condition=Q(status="quarantined"), name="entity_quarantined"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"


class Snapshot(models.Model):
    """The projection after the entity with this sequence, so that a rebuild can begin there."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="+")
    sequence = models.PositiveBigIntegerField()
    projection = JSONTextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "sequence"), name="snapshot_sequence_once"),)

    def __str__(self) -> str:
        return f"snapshot {self.sequence}"


class Namespace(models.Model):
    """One namespace of the projection as it is now. `definition` is compact JSON text, its normal form."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="+")
    name = models.CharField(max_length=128)
    position = models.PositiveIntegerField()
    revision = models.PositiveBigIntegerField()
    initial_value = JSONTextField()
    value = JSONTextField()
    definition = models.TextField()
    setup = JSONTextField()
    last_commit = JSONTextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "name"), name="namespace_once"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="namespace_revision_from_one"),
        )

    def __str__(self) -> str:
        return self.name


class CommitDraft(models.Model):
    """A refused commit that waits to be corrected by patches; it expires, and is nothing to rely on."""

    turn = models.OneToOneField(Turn, models.CASCADE, related_name="draft")
    token = models.CharField(max_length=TOKEN_CHARS)
    content = JSONTextField()
    epoch = models.PositiveBigIntegerField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft of {self.turn_id}"


class WorldBook(models.Model):
    """A world book: its title and entries as they are now (wire JSON), moved by compare-and-swap of `version`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=TITLE_CHARS)
    version = models.PositiveBigIntegerField(default=0)
    entries = JSONTextField()
    original = JSONTextField(null=True)
    is_archived = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        permissions = (("read_worldbook", "Read it"), ("write_worldbook", "Change it"))

    def __str__(self) -> str:
        return self.title


class WorldBookVersion(AppendOnly):
    """One version of a world book, whole."""

    book = models.ForeignKey(WorldBook, models.PROTECT, related_name="+")
    version = models.PositiveBigIntegerField()
    title = models.CharField(max_length=TITLE_CHARS)
    entries = JSONTextField()
    is_archived = models.BooleanField(default=False)
    actor = JSONTextField()
    created_at_ms = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("book", "version"), name="world_book_version_once"),)

    def __str__(self) -> str:
        return f"{self.title} version {self.version}"


class Attachment(models.Model):
    """A world book in a session, in binding order. A book that an imported session names may not be here."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="attachments")
    book_id = models.UUIDField()
    position = models.PositiveBigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "book_id"), name="book_attached_once"),)

    def __str__(self) -> str:
        return f"{self.book_id} in {self.session_id}"
