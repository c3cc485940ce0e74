"""What needs a person, the gravest first: each item says what is wrong and what would help."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Need, State, moment, moment_of_ms
from fabric_app.models import Run, RunStatus
from fabric_app.pages.rows import ACTIONS
from fabric_app.pages.states import PENDING, QUARANTINED, UNCERTIFIED, VIOLATED, run_state
from fabric_app.queries_watch import Queue

LONG_WAIT = timedelta(seconds=30)
SHOWN = 50
NO_WORKER = State("no worker", "bad", "halt")
WAITING = State("waiting", "wait", "wait")
HELP = {
    RunStatus.VIOLATED: "A command did not confirm. Look at its output, mend the cause, and run it again.",
    RunStatus.ERROR: "The run did not come to its end, and counts as failed. Its page says why.",
    RunStatus.CANCELLED: "It was cancelled, which counts as a failed verification. Run it again when it may.",
}


def needs_of(
    *,
    summaries: Iterable[dict[str, Any]],
    bad_runs: Iterable[Run],
    queues: Iterable[Queue],
    groups: set[str],
    now: datetime,
) -> list[Need]:
    """Return what needs a person in these workspaces. groups: the worker groups that they name."""
    listed = list(summaries)
    slugs = {summary["slug"] for summary in listed}
    return [
        *(_quarantined(summary) for summary in listed if summary["quarantine"]),
        *_of_queues([queue for queue in queues if queue.group in groups], now),
        *(_bad_run(run) for run in bad_runs if run.workspace.slug in slugs),
        *(_uncertified(each) for each in listed if each["head"] and each["certification"] != "certified"),
    ][:SHOWN]


def _quarantined(summary: dict[str, Any]) -> Need:
    explanation = summary["quarantine"]["explanation"]
    return Need(
        QUARANTINED,
        f"{summary['title']}: the head is not trusted",
        address("workspace", summary["slug"]),
        f"{explanation[:1].upper()}{explanation[1:]} No transition is taken until it is repaired.",
    )


def _of_queues(queues: Iterable[Queue], now: datetime) -> list[Need]:
    found = []
    for queue in queues:
        if queue.worker_count == 0:
            detail = "Runs of this group stay queued. Start a worker for it: manage.py up, or a worker process."
            title = f"No worker listens for the group {queue.group}"
            found.append(Need(NO_WORKER, title, address("system"), detail, moment(queue.oldest_at)))
        elif queue.oldest_at is not None and now - queue.oldest_at > LONG_WAIT:
            title = f"{queue.queued_count} queued in the group {queue.group}"
            found.append(
                Need(WAITING, title, address("system"), "The oldest has waited for long.", moment(queue.oldest_at))
            )
    return found


def _bad_run(run: Run) -> Need:
    status = RunStatus(run.status)
    action = ACTIONS.get(run.action, run.action)
    title = f"{run.workspace.title}: the latest {action} ended as {run.status}"
    return Need(run_state(run.status), title, address("run", run.pk), HELP.get(status, ""), moment(run.ended_at))


def _uncertified(summary: dict[str, Any]) -> Need:
    is_pending = summary["certification"] == "pending"
    detail = (
        "It removes decision points, and stays pending until a verification succeeds."
        if is_pending
        else "It is a claim that nobody verified, or whose certificate is gone."
    )
    return Need(
        VIOLATED if summary["isRefuted"] else PENDING if is_pending else UNCERTIFIED,
        f"{summary['title']}: the head has no certificate",
        address("workspace", summary["slug"]),
        detail,
        moment_of_ms(summary["head"].get("ts")),
    )
