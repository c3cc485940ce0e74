"""Who a command runs as, and the environment variables it sees: an allow-list, never the worker's own secrets."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass

from fabric_app.evidence.errors import EvidenceUserNotPermitted, EvidenceUserUnknown
from fabric_app.evidence.limits import RunLimits


@dataclass(frozen=True)
class Identity:
    """A user of this machine to become: numbers for the kernel, names and folders for the environment."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str

    def variables(self) -> dict[str, str]:
        return {"HOME": self.home, "USER": self.name, "LOGNAME": self.name, "SHELL": self.shell}


def identity_of(user: str) -> Identity:
    """Return the identity of a login name.

    Raises EvidenceUserUnknown where there is none, EvidenceUserNotPermitted where this process is not root.
    """
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise EvidenceUserUnknown(user=user) from None
    if os.geteuid() != 0:
        raise EvidenceUserNotPermitted(user=user)
    groups = tuple(os.getgrouplist(user, entry.pw_gid))
    return Identity(user, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir, entry.pw_shell)


def command_environment(
    limits: RunLimits, source: Mapping[str, str] | None, identity: Identity | None
) -> dict[str, str]:
    """Return the variables of `source` that the limits let through, with those of the identity in their place.

    source: None means the environment of this process.
    """
    known = os.environ if source is None else source
    passed = {name: known[name] for name in limits.environment_allow if name in known}
    if identity is None:
        return passed
    return passed | {name: value for name, value in identity.variables().items() if name in limits.environment_allow}
