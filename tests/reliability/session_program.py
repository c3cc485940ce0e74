"""One client of a session that others write to as well; run as `python -m tests.reliability.session_program <JSON>`.

The JSON is a `Job`. Prints one `Act` a line as JSON when its time is over.
"""

from __future__ import annotations

import json
import random
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import django

START_SECONDS = 60
CORRECTIONS = 5
Json = dict[str, Any]
LOOSE: Json = {"title": "Log", "updateMode": "schema-only", "schema": {}, "rules": []}


@dataclass(frozen=True)
class Job:
    """Who writes to which session, from when (seconds since 1970) and for how long."""

    session: str
    user: str
    name: str
    starts_at: float
    seconds: float


@dataclass(frozen=True)
class Act:
    """One call: what was done (`label` names a change), the sequence of its event, or what was raised instead."""

    kind: str
    seconds: float
    label: str | None = None
    sequence: int | None = None
    error: str | None = None


def main() -> None:
    django.setup()
    job = Job(**json.loads(sys.argv[1]))
    client = Client(job)
    time.sleep(max(0.0, min(job.starts_at - time.time(), START_SECONDS)))
    began = time.monotonic()
    while time.monotonic() - began < job.seconds:
        client.act()
    for act in client.done:
        print(json.dumps(asdict(act)))


@dataclass
class Client:
    """Commits most of the time; now and then it configures, takes back a reply of its own, or cancels a turn."""

    job: Job
    done: list[Act] = field(default_factory=list)
    replies: list[int] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        from django.contrib.auth import get_user_model

        from fabric_app.mesh.actors import actor_of

        self.actor = actor_of(get_user_model().objects.get(username=self.job.user))
        self.random = random.Random(self.job.name)
        self.side = f"side-{self.job.name}"

    @property
    def here(self) -> Json:
        from django.utils import timezone

        return {"session_id": uuid.UUID(self.job.session), "actor": self.actor, "now": timezone.now()}

    def act(self) -> None:
        from django.db import connection, reset_queries

        ways = [self.commit, self.configure_side, self.use_side, self.touch_story, self.take_back, self.cancel]
        self.random.choices(ways, weights=[60, 8, 10, 2, 14, 6])[0]()
        reset_queries()
        # As at the end of a request: the connection goes back to the pool.
        connection.close()

    def commit(self) -> None:
        """Append a label of its own to the log, and mend the commit by its token as long as others were faster."""
        from sessions_app.operations.commits import Content, Correction, commit_turn, correct_commit
        from sessions_app.operations.turns import begin_turn

        self.number += 1
        label = f"{self.job.name}.{self.number}"
        begun = begin_turn(**self.here)
        content = Content([self._append(label, self._revision("story") or 0)], text=label)
        answer, retry = self._tried(
            "commit", label, lambda: commit_turn(**self.here, number=begun["turn"], content=content)
        )
        for _ in range(CORRECTIONS):
            if retry is None:
                break
            patch = {
                "op": "replace",
                "path": "/effects/0/expectedRevision",
                "value": self._revision("story") or 0,
            }
            mended = Correction(retry["token"], [patch])
            answer, retry = self._tried(
                "correct",
                label,
                lambda: correct_commit(**self.here, number=begun["turn"], correction=mended),  # noqa: B023 - called at once
            )
        if answer is not None:
            self.replies.append(begun["message"])

    def configure_side(self) -> None:
        """Make, reset or delete a namespace of its own, for a reply that it then commits."""
        from sessions_app.operations.commits import Content, commit_turn
        from sessions_app.operations.configurations import Owner, configure_state
        from sessions_app.operations.turns import begin_turn

        begun = begin_turn(**self.here)
        owner = Owner(turn=begun["turn"])
        request = self._request()
        self._tried("configure", None, lambda: configure_state(**self.here, owner=owner, request=request))
        self._tried("finish", None, lambda: commit_turn(**self.here, number=begun["turn"], content=Content([])))
        self.replies.append(begun["message"])

    def use_side(self) -> None:
        """Commit to a namespace of its own: what goes into quarantine when the reply that made it is taken back."""
        from sessions_app.operations.commits import Content, commit_turn
        from sessions_app.operations.turns import begin_turn

        revision = self._revision(self.side)
        if revision is None:
            return
        begun = begin_turn(**self.here)
        content = Content([self._append("used", revision, self.side)])
        answer, _ = self._tried("use", None, lambda: commit_turn(**self.here, number=begun["turn"], content=content))
        if answer is not None:
            self.replies.append(begun["message"])

    def touch_story(self) -> None:
        """Define the shared namespace anew, which makes every context stale."""
        from sessions_app.operations.configurations import correct_state

        request = {
            "action": "update",
            "namespace": "story",
            "expectedRevision": self._revision("story") or 0,
            "definition": LOOSE,
        }
        self._tried("touch", None, lambda: correct_state(**self.here, request=request, reason="Read it again."))

    def take_back(self) -> None:
        from sessions_app.operations.messages import delete_messages

        if not self.replies:
            return
        number = self.replies.pop(-self.random.randint(1, min(12, len(self.replies))))
        self._tried("delete", None, lambda: delete_messages(**self.here, numbers=[number]))

    def cancel(self) -> None:
        """Configure for a turn and cancel it, which takes the configuration back."""
        from sessions_app.operations.configurations import Owner, configure_state
        from sessions_app.operations.turns import begin_turn, cancel_turn

        begun = begin_turn(**self.here)
        owner, request = Owner(turn=begun["turn"]), self._request()
        self._tried("configure", None, lambda: configure_state(**self.here, owner=owner, request=request))
        self._tried("cancel", None, lambda: cancel_turn(**self.here, number=begun["turn"]))

    def _request(self) -> Json:
        revision = self._revision(self.side)
        if revision is None:
            made = {"definition": LOOSE, "initialValue": {"log": []}}
            return {"action": "create", "namespace": self.side, "expectedRevision": 0, **made}
        action = self.random.choice(["reset", "delete"])
        return {"action": action, "namespace": self.side, "expectedRevision": revision}

    def _append(self, label: str, revision: int, namespace: str = "story") -> Json:
        change = {"op": "append", "path": "/log", "value": label, "reason": label}
        named = {"kind": "state.update", "namespace": namespace, "expectedRevision": revision}
        return {**named, "payload": {"changes": [change]}}

    def _revision(self, namespace: str) -> int | None:
        from sessions_app.models import Namespace

        rows = Namespace.objects.filter(session_id=self.job.session, name=namespace)
        return rows.values_list("revision", flat=True).first()

    def _tried(self, kind: str, label: str | None, call: Callable[[], Json]) -> tuple[Json | None, Json | None]:
        """Return the answer of a call, or None and how it can be corrected; note how it ended."""
        from django.db import Error

        from fabric_app.mesh.errors import StatehouseError

        began = time.monotonic()
        try:
            answer = call()
        except StatehouseError as refused:
            self.done.append(Act(kind, time.monotonic() - began, label, error=refused.code))
            return None, getattr(refused, "retry", None)
        except Error as failed:
            self.done.append(Act(kind, time.monotonic() - began, label, error=repr(failed)))
            return None, None
        self.done.append(Act(kind, time.monotonic() - began, label, answer.get("sequence")))
        return answer, None


if __name__ == "__main__":
    main()
