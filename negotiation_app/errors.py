"""What goes wrong around negotiations beside what the protocol refuses."""

from __future__ import annotations

from fabric_app.mesh.errors import StatehouseError


class NegotiationExists(StatehouseError):
    """The ref of a negotiation is taken, perhaps by one that the caller cannot see."""

    code, status = "REF_TAKEN", 409
    message = "There is a negotiation {ref!r} already. Choose another ref."


class KeyReused(StatehouseError):
    """An idempotency key came with another body."""

    code, status = "IDEMPOTENCY_KEY_REUSED", 409
    message = "The idempotency key {key!r} was used for another request here. Choose a new key for each request."
