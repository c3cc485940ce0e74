"""Taking back in a long session: the last message of 10,000 turns against that of 100, and a rebuild of everything.

    python -m tests.bench.bench_session_rebuild

Each turn has a commit of three changes on a namespace of 200 keys with 20 rules. Retractions of both sessions are
measured in turns. A rebuild reads the log and runs every commit again; beside it stands a plain fold that reads the
same rows and changes a dictionary, without rules, conditions, schema or diagnostics. On the database that DATABASE_URL
names (an empty one), or on SQLite in a folder of its own. Prints JSON, and fails where a retraction takes more than
twice, or the rebuild more than four times as long.
"""

from __future__ import annotations

import copy
import json
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from tests.bench.bench_session_commit import bootstrap, effects
from tests.bench.own_product import own_product

SHORT, LONG = 100, 10_000
RETRACTIONS = 60
REBUILDS = 3
MOST_FOR_LONG, MOST_FOR_REBUILD = 2.0, 4.0
Json = dict[str, Any]


def main() -> int:
    with own_product():
        figures = _figures()
    print(json.dumps(figures))
    return int(figures["retraction_ratio"] > MOST_FOR_LONG or figures["rebuild_ratio"] > MOST_FOR_REBUILD)


def _figures() -> Json:
    short, long = Story(SHORT), Story(LONG)
    retracted: dict[int, list[float]] = {SHORT: [], LONG: []}
    for _ in range(RETRACTIONS):
        for turns, story in ((SHORT, short), (LONG, long)):
            number = story.reply()
            retracted[turns].append(_seconds(lambda: story.take_back(number)))  # noqa: B023 - called at once
    median = {turns: statistics.median(each) for turns, each in retracted.items()}
    rebuilt = [(_seconds(long.rebuilt), _seconds(long.plainly_folded)) for _ in range(REBUILDS)]
    rebuild, plain = (statistics.median(each) for each in zip(*rebuilt, strict=True))
    assert long.rebuilt() == long.plainly_folded()
    return {
        "retraction_short_ms": round(median[SHORT] * 1000, 2),
        "retraction_long_ms": round(median[LONG] * 1000, 2),
        "retraction_ratio": round(median[LONG] / median[SHORT], 2),
        "rebuild_s": round(rebuild, 2),
        "plain_fold_s": round(plain, 2),
        "rebuild_ratio": round(rebuild / plain, 2),
    }


class Story:
    """A session with so many turns, its log written at once and its rows made from that."""

    def __init__(self, turns: int) -> None:
        from django.contrib.auth import get_user_model
        from django.db import transaction
        from django.utils import timezone

        from fabric_app.mesh.actors import actor_of
        from sessions_app.limits import protocol_limits
        from sessions_app.operations.rows_from_log import rewrite_rows
        from sessions_app.operations.sessions import new_session
        from sessions_app.protocol.bootstrap import bootstrap_of
        from sessions_app.protocol.events import EventKind

        user, now = get_user_model().objects.create_user(username=uuid.uuid4().hex), timezone.now()
        self.actor = actor_of(user)
        with transaction.atomic():
            held = new_session(title="Bench", user=user, actor=self.actor, now=now)
            begins = bootstrap_of(bootstrap(), protocol_limits()).as_json()
            held.append(EventKind.BOOTSTRAPPED, {"bootstrap": begins})
            for number in range(1, turns + 1):
                turn = held.append(EventKind.TURN_BEGUN, {})
                place = {"turn": turn, "message": turn, "variant": 1, "text": "She nods."}
                told = {"effects": effects(number), "changed": [], "diagnostics": [], "fingerprints": []}
                held.append(EventKind.TURN_COMMITTED, place | told)
            held.flush()
            rewrite_rows(held.session)
            held.close()
        self.id, self.turns = held.session.pk, turns
        self.here: Json = {"session_id": self.id, "actor": self.actor, "now": now}

    def reply(self) -> int:
        """Add a reply with its commit and return its number."""
        from sessions_app.operations.commits import Content, commit_turn
        from sessions_app.operations.turns import begin_turn

        number: int = begin_turn(**self.here)["turn"]
        commit_turn(**self.here, number=number, content=Content(effects(self.turns + 1), text="She nods."))
        return number

    def take_back(self, number: int) -> None:
        from sessions_app.operations.messages import delete_messages

        delete_messages(**self.here, numbers=[number])

    def rebuilt(self) -> Any:
        """Return the value that the log leads to, by the way that repairs take."""
        from sessions_app.models import Session
        from sessions_app.operations.rows_from_log import state_of_log

        session = Session.objects.get(pk=self.id)
        return state_of_log(session).projection().namespaces["story"].value

    def plainly_folded(self) -> Any:
        """Return the value that the log leads to, by changes to a dictionary."""
        from sessions_app.models import SessionEvent

        events = SessionEvent.objects.filter(session_id=self.id).order_by("sequence")
        gone = {number for event in events.filter(kind="messages.deleted") for number in event.data["messages"]}
        value: Any = None
        for event in events.iterator(500):
            if event.kind == "state.bootstrapped":
                value = copy.deepcopy(event.data["bootstrap"]["namespaces"][0]["initialValue"])
            elif event.kind == "turn.committed" and event.data["message"] not in gone:
                for effect in event.data["effects"]:
                    for change in effect["payload"]["changes"]:
                        _change(value, change)
        return value


def _change(value: Any, change: Json) -> None:
    *way, last = change["path"].split("/")[1:]
    for name in way:
        value = value[name]
    if change["op"] == "increment":
        value[last] += change["by"]
    else:
        value[last] = change["value"]


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
