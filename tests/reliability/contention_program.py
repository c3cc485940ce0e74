"""Writers of one workspace in many threads; run as `python -m tests.reliability.contention_program <JSON>`.

The JSON is one of `Job`. Prints one `Attempt` a line as JSON, after the last thread has ended.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

import django

START_SECONDS = 60


@dataclass(frozen=True)
class Job:
    """What the threads of one process do. `starts_at`: seconds since 1970, when all begin; `name` is the process's own.

    action: `advance` reads the head and proposes from it; `move` proposes without `from`; `jump` proposes from
    `begun`, whatever the head is; `count` records the complexity of a file of its own; `publish` appends an event.
    """

    workspace: str
    action: str
    name: str
    threads: int
    starts_at: float
    seconds: float | None = None
    times: int | None = None
    payload_bytes: int = 0


@dataclass(frozen=True)
class Attempt:
    """How one call ended. `answer` is the id of what was stored, or None; `error` names what was raised instead."""

    label: str
    seconds: float
    answer: str | None = None
    error: str | None = None
    cause: str | None = None
    actual: str | None = None


def main() -> None:
    django.setup()
    job = Job(**json.loads(sys.argv[1]))
    found: list[Attempt] = []
    threads = [threading.Thread(target=_work, args=(job, f"{job.name}-{n}", found.append)) for n in range(job.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for attempt in found:
        print(json.dumps(asdict(attempt)))


def _work(job: Job, name: str, note: Callable[[Attempt], None]) -> None:
    from django.db import connection, reset_queries

    from fabric_app.models import Workspace

    workspace = Workspace.objects.get(slug=job.workspace)
    act = ACTIONS[job.action]
    time.sleep(max(0.0, min(job.starts_at - time.time(), START_SECONDS)))
    for label in _labels(job, name):
        note(_attempt(lambda: act(job, workspace, label), label))  # noqa: B023 - called at once
        reset_queries()
        # As at the end of a request: the connection goes back to the pool.
        connection.close()


def _labels(job: Job, name: str) -> Iterator[str]:
    began = time.monotonic()
    for number in count():
        if number == job.times or (job.seconds is not None and time.monotonic() - began > job.seconds):
            return
        yield f"{name}-{number}"


def _attempt(act: Callable[[], str], label: str) -> Attempt:
    from django.db import Error

    from fabric_app.mesh.errors import StatehouseError

    began = time.monotonic()
    try:
        answer = act()
    except StatehouseError as refused:
        cause = refused.details.get("cause", {})
        return Attempt(
            label, time.monotonic() - began, error=refused.code, cause=cause.get("code"),
            actual=cause.get("actual", refused.details.get("actual")),
        )  # fmt: skip
    except Error as failed:
        return Attempt(label, time.monotonic() - began, error=repr(failed))
    return Attempt(label, time.monotonic() - began, answer=answer)


def _advance(_: Job, workspace: Any, label: str) -> str:
    from fabric_app.queries import accepted_head

    identity = accepted_head(workspace.id).identity
    return _move(workspace, label, to=label, from_=identity.to if identity else "begun")


def _move(workspace: Any, label: str, **arguments: Any) -> str:
    from tests.factories import move

    answer: str = move(workspace, label, **arguments)["event"]["id"]
    return answer


def _count(_: Job, workspace: Any, label: str) -> str:
    return _move(workspace, label, to="counted", complexity={"files": [f"{label}.ts"]})


def _publish(job: Job, workspace: Any, label: str) -> str:
    from fabric_app.operations.mesh_writes import publish
    from tests.factories import NOON, SCRIBE

    data = {"label": label, "payload": label * (job.payload_bytes // len(label))}
    stored = publish(
        workspace=workspace, topic="notes", kind="note", to=None, text=None, data=data, actor=SCRIBE, now=NOON
    )
    answer: str = stored["id"]
    return answer


ACTIONS: dict[str, Callable[[Job, Any, str], str]] = {
    "advance": _advance,
    "move": lambda _, workspace, label: _move(workspace, label, to=label),
    "jump": lambda _, workspace, label: _move(workspace, label, to=label, from_="begun"),
    "count": _count,
    "publish": _publish,
}


if __name__ == "__main__":
    main()
