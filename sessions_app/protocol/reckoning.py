"""Reckoning: what follows for a session's entities when some stop counting, and others count again.

- Retracted are the entities that the caller names, whatever they were. What is reinstated or released is tried again
  at its old place.
- From the first entity that is touched on, those that count are run again in their order. One that fails is
  quarantined with its reason, and so is what then fails after it; the rest stands.
- What was in quarantine stays there unless it is named as one to try: nothing lifts it by itself.

Source: rp.state, section 11, "Statehouse".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.replay import Entity, EntityKind, after_entity

# A snapshot is due after so many entities, so that a rebuild never runs many more than it has to.
SNAPSHOT_EVERY = 32


@dataclass(frozen=True)
class LoggedEntity:
    """An entity with its place in the log, its owner, and whether it counts."""

    sequence: int
    kind: EntityKind
    body: Any
    message: int | None
    variant: int | None
    status: EntityStatus
    since: int
    turn: int | None = None
    reason: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Moves:
    """What is asked for: sequences of entities that stop counting, and of those that are tried again."""

    retracted: frozenset[int] = frozenset()
    reinstated: frozenset[int] = frozenset()
    released: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.touched)

    @property
    def touched(self) -> frozenset[int]:
        return self.retracted | self.reinstated | self.released | self.skipped


@dataclass(frozen=True)
class Failure:
    """An entity that can no longer be carried out, and why: `{code, message, ...}`."""

    sequence: int
    reason: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "reason": dict(self.reason)}


@dataclass(frozen=True)
class Reckoned:
    """The projection that is left, who has another status now, and a snapshot for some places on the way."""

    projection: Projection
    retracted: tuple[int, ...] = ()
    reinstated: tuple[int, ...] = ()
    released: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    quarantined: tuple[Failure, ...] = ()
    snapshots: Mapping[int, Projection] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the member `entities` of an event; empty lists are left out."""
        told = {
            "retracted": list(self.retracted),
            "reinstated": list(self.reinstated),
            "released": list(self.released),
            "skipped": list(self.skipped),
            "quarantined": [each.as_json() for each in self.quarantined],
        }
        return {name: listed for name, listed in told.items() if listed}


def released_with(entities: Iterable[LoggedEntity], reinstated: frozenset[int]) -> frozenset[int]:
    """Return what went into quarantine by the very event that retracted what is now reinstated: it is tried again."""
    known = list(entities)
    causes = {each.since for each in known if each.sequence in reinstated}
    return frozenset(
        each.sequence for each in known if each.status is EntityStatus.QUARANTINED and each.since in causes
    )


def reckon(start: Projection, entities: Iterable[LoggedEntity], moves: Moves, *, counted: int = 0) -> Reckoned:
    """Return what the moves lead to.

    start: the projection before the first of `entities`. entities: in order, all from the first touched one on.
    counted: how many entities count before them, which places the snapshots.
    """
    projection, number = start, counted
    moved: dict[str, list[int]] = {"retracted": [], "reinstated": [], "released": [], "skipped": []}
    failures: list[Failure] = []
    snapshots: dict[int, Projection] = {}
    for each in entities:
        if each.sequence in moves.retracted | moves.skipped:
            moved["retracted" if each.sequence in moves.retracted else "skipped"].append(each.sequence)
            continue
        asked = _asked(each.sequence, moves)
        if asked is None and each.status is not EntityStatus.EFFECTIVE:
            continue
        try:
            projection = after_entity(projection, Entity(each.sequence, each.kind, each.body))
        except StatehouseError as failed:
            failures.append(Failure(each.sequence, failed.as_json()))
            continue
        if asked is not None:
            moved[asked].append(each.sequence)
        number += 1
        if number % SNAPSHOT_EVERY == 0:
            snapshots[each.sequence] = projection
    return Reckoned(
        projection, **{name: tuple(found) for name, found in moved.items()}, quarantined=tuple(failures),
        snapshots=snapshots,
    )  # fmt: skip


def _asked(sequence: int, moves: Moves) -> str | None:
    if sequence in moves.reinstated:
        return "reinstated"
    return "released" if sequence in moves.released else None
