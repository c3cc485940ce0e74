"""Who writes: the author that the server puts on every log row. A caller never names itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabric_app.mesh import groups

MAIN, AGENT = "main", "agent"


@dataclass(frozen=True)
class Actor:
    """An account as a log row names it: id, name then, and whether a person or host (`main`) or an agent acts."""

    id: str
    name: str
    kind: str = MAIN

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "kind": self.kind}


SYSTEM = Actor(id="statehouse", name="Statehouse")


def actor_of(user: Any) -> Actor:
    """Return the account as log rows name it; members of the group `agent` are agents."""
    is_agent = user.groups.filter(name=groups.AGENT).exists()
    return Actor(id=str(user.pk), name=user.get_username(), kind=AGENT if is_agent else MAIN)
