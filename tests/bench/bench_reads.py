"""Reads of a long log against those of a short one: `state.get` and a page of history, at 100,000 and 100 transitions.

    python -m tests.bench.bench_reads

On the database that DATABASE_URL names (an empty one), or on SQLite in a folder of its own. Both sizes are measured in
turns. Prints JSON with ratios of medians, and fails where one is above 1.3.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.bench.own_product import own_product

SMALL, LARGE = 100, 100_000
BATCH = 2_000
ROUNDS = 300
PAGE = 50
CEILING = 1.3


def main() -> int:
    with own_product():
        figures = _figures()
    print(json.dumps(figures))
    return int(max(figures["ratios"].values()) > CEILING)


def _figures() -> dict[str, Any]:
    from fabric_app.queries import current_state, history
    from tests.factories import parsed

    small, large = _filled("small", SMALL), _filled("large", LARGE)
    _gather_statistics()
    page = parsed("history", limit=PAGE)
    reads: dict[str, Callable[[Any], Any]] = {
        "get": current_state,
        "history_page": lambda workspace: history(workspace, page),
    }
    milliseconds: dict[str, float] = {}
    ratios: dict[str, float] = {}
    for name, read in reads.items():
        seconds: dict[str, list[float]] = {"small": [], "large": []}
        for _ in range(ROUNDS):
            for size, workspace in (("small", small), ("large", large)):
                began = time.perf_counter()
                read(workspace)
                seconds[size].append(time.perf_counter() - began)
        medians = {size: statistics.median(each) for size, each in seconds.items()}
        milliseconds[name] = round(medians["large"] * 1000, 2)
        ratios[name] = round(medians["large"] / medians["small"], 2)
    return {"milliseconds": milliseconds, "ratios": ratios}


def _gather_statistics() -> None:
    """Let PostgreSQL know the size of its tables, as its own daemon does within a minute of such growth."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _filled(slug: str, count: int) -> Any:
    """Return a workspace with so many committed transitions, the last one recorded by the operation itself."""
    from tests.factories import make_workspace, move

    workspace = make_workspace(slug=slug)
    for first in range(0, count - 1, BATCH):
        _append(workspace, range(first, min(first + BATCH, count - 1)))
    move(workspace, "last", "there", evidence=["true"])
    return workspace


def _append(workspace: Any, numbers: range) -> None:
    from fabric_app.mesh.log import NewEvent
    from fabric_app.operations.writing import writing
    from fabric_app.protocol.effects import TRANSITION_COMMITTED
    from fabric_app.protocol.events import TOPIC, committed_data, proposal_data
    from fabric_app.protocol.records import TRANSITION
    from tests.factories import NOON, NOON_MS, SCRIBE, parsed

    with writing(workspace.pk, actor=SCRIBE, now=NOON) as log:
        for number in numbers:
            given = parsed("transition", label=f"step-{number}", to=f"state-{number % 40}", summary="Moved on")
            data = proposal_data(given, complexity=None, ts=NOON_MS)
            event = log.append(NewEvent(TOPIC, TRANSITION, data, text=given.summary))
            log.append(NewEvent(TOPIC, TRANSITION_COMMITTED, committed_data(str(event.id), ts=NOON_MS)))


if __name__ == "__main__":
    sys.exit(main())
