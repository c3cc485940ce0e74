"""Storing what an operation decided: the log's entry, its rows kind by kind, and the projection that follows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import VersionConflict
from fabric_app.mesh.log import chained_digest
from fabric_app.mesh.wakeups import wake_on_commit
from negotiation_app import models
from negotiation_app.models import Artefact, CurrentRow, HistoryRow, Negotiation, NegotiationEntry
from negotiation_app.operations.mails import put_into_outbox
from negotiation_app.protocol.names import ArtefactForm
from negotiation_app.protocol.requests import Artefact as Written
from negotiation_app.protocol.requests import Decided, Entry
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.stored_state import Known, states

EVERY_NEGOTIATION = "negotiations"

# Each table of the protocol, and the append-only table that keeps its rows.
TABLES: dict[str, type[HistoryRow]] = {
    "frame": models.FrameRow,
    "parties": models.TermRow,
    "issues": models.TermRow,
    "attributes": models.TermRow,
    "rates": models.TermRow,
    "evidence": models.EvidenceRow,
    "propositions": models.PropositionRow,
    "contradictions": models.ContradictionRow,
    "proposals": models.ProposalRow,
    "offers": models.ProposalRow,
    "boundaries": models.BoundaryRow,
    "batnas": models.BatnaRow,
    "criteria": models.CriterionRow,
    "concessions": models.ConcessionRow,
    "reviews": models.ReviewRow,
    "overrides": models.OverrideRow,
    "judgements": models.JudgementRow,
    "patches": models.PatchHistoryRow,
    "simulations": models.SimulationRow,
    "findings": models.SimulationRow,
    "decisions": models.DecisionRow,
    "notifications": models.NotificationRow,
    "history": models.EventRow,
}


class Told(NamedTuple):
    """A row in its place, as the entry tells it."""

    table: str
    key: str
    row: dict[str, Any]


def store(negotiation: Negotiation, decided: Decided, entry: Entry, *, actor: Actor, now: datetime) -> int:
    """Append an entry to a negotiation that the transaction holds, and project it; return its sequence.

    Raises VersionConflict where somebody else moved the row.
    """
    version = negotiation.version
    stored = _appended(negotiation, entry, actor=actor, now=now)
    _move(negotiation, decided.state, stored, version=version, now=now)
    last = {(row.TABLE, row.key): told["row"] for row, told in zip(entry.rows, stored.data["rows"], strict=True)}
    rows = [Told(table, key, row) for (table, key), row in last.items()]
    _keep_history(negotiation, rows, stored.sequence)
    _project(negotiation, rows, stored.sequence)
    if decided.artefact.form != ArtefactForm.NONE:
        _keep_artefact(negotiation, decided.artefact, stored)
    put_into_outbox(negotiation, entry.rows, now=now)
    known = Known(stored.sequence, stored.digest, decided.state)
    transaction.on_commit(lambda: states.keep(negotiation.pk, known))
    wake_on_commit(f"negotiation:{negotiation.pk}", EVERY_NEGOTIATION)
    return stored.sequence


def entry_digest(row: NegotiationEntry, *, data: str | None = None, actor: str | None = None) -> str:
    """Return the digest that chains an entry to the one before it, over the bytes that are stored.

    data, actor: the text of the JSON columns as the database has it; None stands for what would be written now.
    """
    texts = dumps(row.data) if data is None else data, dumps(row.actor) if actor is None else actor
    return chained_digest(row.previous_digest, [row.sequence, row.operation, *texts, row.created_at_ms])


def _appended(negotiation: Negotiation, entry: Entry, *, actor: Actor, now: datetime) -> NegotiationEntry:
    row = NegotiationEntry(
        negotiation=negotiation,
        sequence=negotiation.log_sequence + 1,
        previous_digest=negotiation.log_digest,
        operation=entry.operation,
        data=entry.as_json(),
        actor=actor.as_json(),
        created_at_ms=to_ms(now),
    )
    row.digest = entry_digest(row)
    return row


def _move(negotiation: Negotiation, state: State, entry: NegotiationEntry, *, version: int, now: datetime) -> None:
    """Swap the negotiation's row to the end of the log, and insert the entry."""
    negotiation.version = version + 1
    negotiation.log_sequence, negotiation.log_digest = entry.sequence, entry.digest
    negotiation.state_version = state.version
    negotiation.title, negotiation.mode, negotiation.status = state.own.title, state.own.mode, state.own.status
    negotiation.updated_at = now
    moved = Negotiation.objects.filter(pk=negotiation.pk, version=version).update(
        version=negotiation.version,
        log_sequence=negotiation.log_sequence,
        log_digest=negotiation.log_digest,
        state_version=negotiation.state_version,
        title=negotiation.title,
        mode=negotiation.mode,
        status=negotiation.status,
        updated_at=now,
    )
    if moved != 1:
        raise VersionConflict(expected=version, current=negotiation.version)
    entry.save(force_insert=True)


def _keep_history(negotiation: Negotiation, rows: Sequence[Told], sequence: int) -> None:
    by_model: dict[type[HistoryRow], list[HistoryRow]] = {}
    for table, key, row in rows:
        model = TABLES[table]
        kept = model(negotiation=negotiation, sequence=sequence, key=f"{table}/{key}", row=row)
        by_model.setdefault(model, []).append(kept)
    for model, kept_rows in by_model.items():
        manager: Any = model._default_manager
        manager.bulk_create(kept_rows)


def _project(negotiation: Negotiation, rows: Sequence[Told], sequence: int) -> None:
    CurrentRow.objects.bulk_create(
        [
            CurrentRow(negotiation=negotiation, table=table, key=key, sequence=sequence, row=row)
            for table, key, row in rows
        ],
        update_conflicts=True,
        unique_fields=("negotiation", "table", "key"),
        update_fields=("sequence", "row"),
    )


def _keep_artefact(negotiation: Negotiation, artefact: Written, entry: NegotiationEntry) -> None:
    """Keep the concise form's text; the full one follows from the log up to the entry, whose digest commits to it."""
    Artefact.objects.create(
        negotiation=negotiation,
        sequence=entry.sequence,
        state_version=artefact.state_version,
        form=artefact.form,
        digest=artefact.digest or entry.digest,
        text=None if artefact.form == ArtefactForm.FULL else artefact.text,
    )
