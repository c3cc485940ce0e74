"""Errors of the evidence runner that its configuration can cause. What a command does is an outcome, never an error."""

from __future__ import annotations

from fabric_app.mesh.errors import StatehouseError


class EvidenceNotSupported(StatehouseError):
    """Here nobody can look at a dead child without reaping it (`waitid`; on macOS Python has it from 3.13 on)."""

    code, status = "EVIDENCE_NOT_SUPPORTED", 500
    message = "Evidence commands cannot be guarded on this system: Python has no os.waitid here. Use a worker on Linux."


class EvidenceUserUnknown(StatehouseError):
    """The user who should run the evidence commands does not exist on this machine."""

    code, status = "EVIDENCE_USER_UNKNOWN", 500
    message = "There is no user named {user!r} on this worker. Name an existing one to run evidence commands as."


class EvidenceUserNotPermitted(StatehouseError):
    """The worker is not root, so that it cannot run commands as another user."""

    code, status = "EVIDENCE_USER_NOT_PERMITTED", 500
    message = "Running evidence commands as {user!r} needs a worker that runs as root."
