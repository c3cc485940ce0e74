"""What goes wrong around negotiations beside what the protocol refuses."""

from __future__ import annotations

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.idempotency import IdempotencyKeyReused
from negotiation_app.protocol.conflicts import RefTaken


class NegotiationExists(RefTaken):
    """The ref of a negotiation is taken, perhaps by one that the caller cannot see."""

    code, status = RefTaken.code, RefTaken.status
    message = "There is a negotiation {ref!r} already. Choose another ref."


class KeyReused(IdempotencyKeyReused):
    """An idempotency key came with another body; a negotiation's keys are shared by all who write to it."""

    code, status = IdempotencyKeyReused.code, 409
    message = "The idempotency key {key!r} was used for another request here. Choose a new key for each request."


class NegotiationLogDamaged(StatehouseError):
    """Something in the log was changed, or is gone, so that nothing can be written anew from it."""

    code, status = "NEGOTIATION_LOG_DAMAGED", 409
    message = "The log of {negotiation} is not whole: {damage}. Restore it from a backup; nothing was written."
