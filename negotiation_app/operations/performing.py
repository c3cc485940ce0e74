"""Performing an operation of the protocol: one function, one transaction, whichever operation it is.

Role and form are checked first; then an answer to the same request under its key is looked for; then version, subject,
status, refs and rules. A refusal leaves no row and no number changed, and is not remembered.

Source: canonical negotiation state, sections 1 and 7.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from guardian.shortcuts import assign_perm

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.canonical import digest
from fabric_app.mesh.errors import NotFound
from negotiation_app.access import PERMISSION_OF
from negotiation_app.errors import KeyReused, NegotiationExists
from negotiation_app.models import KeptAnswer, Negotiation
from negotiation_app.operations.storing import store
from negotiation_app.protocol.decide import Prepared, carry_out, prepare
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.requests import Context, Operation
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.stored_state import current_state

Json = dict[str, Any]
CREATE = "create_negotiation"


@dataclass(frozen=True)
class Asked:
    """One request: the operation, its body as it came, and the idempotency key if there is one."""

    operation: str
    body: Any
    key: str | None = None

    @property
    def digest(self) -> str:
        return digest([self.operation, self.body])


def perform(*, negotiation_id: uuid.UUID, asked: Asked, roles: frozenset[Role], actor: Actor, now: datetime) -> Json:
    """Perform an operation and return its answer, with `replayed: true` where it was performed before.

    Raises NotFound, KeyReused, VersionConflict, and whatever the protocol refuses.
    """
    context = _context(roles, actor, now)
    prepared = prepare(Operation(asked.operation, asked.body), context)
    with transaction.atomic(durable=True):
        negotiation = Negotiation.objects.select_for_update().filter(pk=negotiation_id).first()
        if negotiation is None:
            raise NotFound(what="negotiation", name=str(negotiation_id))
        told = _kept(negotiation, asked)
        if told is not None:
            return {**told, "replayed": True}
        return _performed(negotiation, current_state(negotiation), prepared, asked, context, actor=actor)


def create_negotiation(*, body: Any, user: Any, actor: Actor, now: datetime, key: str | None = None) -> Json:
    """Make a negotiation, whose maker is its orchestrator. Raises NegotiationExists, and what the protocol refuses."""
    context = _context(frozenset({Role.ORCHESTRATOR}), actor, now)
    asked = Asked(CREATE, body, key)
    prepared = prepare(Operation(CREATE, body), context)
    ref = prepared.body["negotiation"]["ref"] if "negotiation" in prepared.body else prepared.body["ref"]
    try:
        with transaction.atomic(durable=True):
            negotiation = Negotiation.objects.create(ref=ref, title="", created_at=now, updated_at=now)
            assign_perm(PERMISSION_OF[Role.ORCHESTRATOR], user, negotiation)
            return _performed(negotiation, State(), prepared, asked, context, actor=actor)
    except IntegrityError:
        return _made_before(ref, asked)


def _made_before(ref: str, asked: Asked) -> Json:
    negotiation = Negotiation.objects.filter(ref=ref).first()
    told = None if negotiation is None else _kept(negotiation, asked)
    if told is None:
        raise NegotiationExists(ref=ref)
    return {**told, "replayed": True}


def _performed(
    negotiation: Negotiation, state: State, prepared: Prepared, asked: Asked, context: Context, *, actor: Actor
) -> Json:
    decided = carry_out(state, prepared, context)
    if decided.entry is not None:
        store(negotiation, decided, decided.entry, actor=actor, now=context.at)
        _keep(negotiation, asked, decided.answer, now=context.at)
    return decided.answer


def _context(roles: frozenset[Role], actor: Actor, now: datetime) -> Context:
    return Context(roles, actor.name, now, settings.STATEHOUSE["ARTEFACT_MAX_BYTES"])


def _kept(negotiation: Negotiation, asked: Asked) -> Json | None:
    """Return the answer to the same request under its key. Raises KeyReused for another request."""
    if asked.key is None:
        return None
    kept = KeptAnswer.objects.filter(negotiation_id=negotiation.pk, key=asked.key).first()
    if kept is None:
        return None
    if kept.request_digest != asked.digest:
        raise KeyReused(key=asked.key)
    answer: Json = kept.answer
    return answer


def _keep(negotiation: Negotiation, asked: Asked, answer: Json, *, now: datetime) -> None:
    if asked.key is not None:
        KeptAnswer.objects.create(
            negotiation=negotiation, key=asked.key, request_digest=asked.digest, answer=answer, created_at=now
        )
