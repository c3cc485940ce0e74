"""Repairs: writing a projection anew from the log, with a reason that the log keeps. A repair decides nothing.

The log itself has to be whole: what is missing or changed there can be made good by a backup alone.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import NotFound, VersionConflict
from negotiation_app.errors import NegotiationLogDamaged
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import chain_faults
from negotiation_app.operations.projection import rewrite_rows
from negotiation_app.operations.reasons import reason_of
from negotiation_app.operations.storing import store
from negotiation_app.protocol.requests import Decided, Entry
from negotiation_app.protocol.times import stamp
from negotiation_app.stored_state import folded

Json = dict[str, Any]
REBUILD = "rebuild_projection"


def rebuild_projection(
    *, negotiation_id: uuid.UUID, reason: str, actor: Actor, now: datetime, expected_version: int | None = None
) -> Json:
    """Write the current rows and columns anew; the log gets an entry without rows that says why.

    expected_version: the private version of the row that was looked at. Returns `{sequence, version}`.
    Raises NotFound, InvalidArguments, VersionConflict, NegotiationLogDamaged.
    """
    why = reason_of(reason)
    with transaction.atomic(durable=True):
        negotiation = Negotiation.objects.select_for_update().filter(pk=negotiation_id).first()
        if negotiation is None:
            raise NotFound(what="negotiation", name=str(negotiation_id))
        if expected_version not in {None, negotiation.version}:
            raise VersionConflict(expected=expected_version, current=negotiation.version)
        damage = next(chain_faults(negotiation), None)
        if damage is not None:
            raise NegotiationLogDamaged(negotiation=negotiation.ref, damage=str(damage))
        state = folded(negotiation)
        entry = Entry(REBUILD, actor.name, stamp(now), (), why)
        sequence = store(negotiation, Decided(state, entry, {}), entry, actor=actor, now=now)
        rewrite_rows(negotiation, state)
    return {"sequence": sequence, "version": negotiation.version}
