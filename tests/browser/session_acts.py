"""What other people do in sessions while a browser looks on. Each function is called in a process of its own."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from sessions_app.models import Session, WorldBook
from sessions_app.operations import books, commits, configurations, messages, sessions, turns
from sessions_app.protocol.events import Role
from sessions_app.stored_state import stored_projection
from tests.sessions.places import bootstrap, change, effect

Json = dict[str, Any]
HTML = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>"
UNBROKEN = "без_пробелов_" * 12
LONG_STORY: Json = {
    "title": f"长篇 {HTML}",
    "description": "雨下了一整夜。" * 40,
    "updateMode": "schema-only",
    "schema": {},
    "rules": [
        {
            "id": "rain",
            "target": "/人物/李钰/好感度",
            "when": "她更信任你" * 20,
            "condition": 'state("story", "/hp") >= 10',
            "effect": {"op": "increment", "minimum": -5, "maximum": 5},
            "cadence": "every-turn",
        }
    ],
}
OPEN: Json = {"title": "Bag", "updateMode": "schema-only", "schema": {}, "rules": []}
LONG_VALUE: Json = {
    "人物": {f"人物{number}": {"好感度": number, "备注": HTML if number % 3 else UNBROKEN} for number in range(40)},
    "日记": ["今天下雨。" * 200, "", None, True, 3.5],
    UNBROKEN: {UNBROKEN: UNBROKEN},
}

ENTRY: Json = {
    "title": HTML,
    "content": UNBROKEN,
    "keys": ["钟楼", UNBROKEN],
    "stateCondition": 'state("story", "/hp") > 3',
}


def role_play(title: str) -> str:
    """Begin a session of Maya's with a namespace, a message and a committed turn; return its id."""
    made = sessions.create_session(title=title, bootstrap=bootstrap(), user=_maya(), **_who())
    session_id = made["id"]
    say(session_id, "雨夜，你推开书店的门。")
    commit(session_id, [change("increment", "/好感度", "trust", by=3)])
    return str(session_id)


def say(session_id: str, text: str) -> int:
    return int(messages.add_message(role=Role.USER, text=text, **_on(session_id))["message"])


def commit(session_id: str, changes: list[Json], text: str = "她点点头。") -> int:
    """Commit a turn on the revision that the story has, and return its message."""
    begun = turns.begin_turn(**_on(session_id))
    revision = _revision(session_id)
    content = commits.Content([effect(revision, *changes)], text=text)
    commits.commit_turn(number=begun["turn"], content=content, **_on(session_id))
    return int(begun["message"])


def long_role_play() -> dict[str, Any]:
    """Begin a session that has everything at its longest and something in quarantine; return what its pages need."""
    namespaces = bootstrap()["namespaces"] + bootstrap(LONG_VALUE, LONG_STORY, "long")["namespaces"]
    title = f"长篇 {HTML}"
    made = sessions.create_session(
        title=title, bootstrap={"version": 2, "namespaces": namespaces}, user=_maya(), **_who()
    )
    session_id = made["id"]
    say(session_id, f"{HTML} {UNBROKEN}")
    say(session_id, "很长的一句话。" * 700)
    commit(session_id, [change("append", "/背包", "pick-up", value=UNBROKEN, reason=HTML)], text=HTML)
    _quarantine_one(session_id)
    turn = turns.begin_turn(name=HTML[:200], **_on(session_id))
    book = books.create_book(title=title, entries=[ENTRY], user=_maya(), **_who())
    books.attach_book(book=WorldBook.objects.get(pk=book["id"]), **_on(session_id))
    return {"session": session_id, "book": book["id"], "turn": turn["turn"], "message": turn["message"]}


def _quarantine_one(session_id: str) -> None:
    """Commit on a namespace whose making is then taken back."""
    bag = {"action": "create", "namespace": "bag", "expectedRevision": 0, "definition": OPEN, "initialValue": {"n": 0}}
    made = configurations.correct_state(request=bag, reason="a bag", **_on(session_id))
    begun = turns.begin_turn(**_on(session_id))
    content = commits.Content([effect(1, change("set", "/n", value=1), namespace="bag")], text="她背起包。")
    commits.commit_turn(number=begun["turn"], content=content, **_on(session_id))
    version = Session.objects.values_list("version", flat=True).get(pk=session_id)
    messages.delete_messages(numbers=[made["message"]], reason=HTML, expected_version=version, **_on(session_id))


def _on(session_id: str) -> Json:
    return {"session_id": uuid.UUID(session_id), **_who()}


def _who() -> Json:
    return {"actor": actor_of(_maya()), "now": timezone.now()}


def _maya() -> User:
    return User.objects.get(username="maya")


def _revision(session_id: str) -> int:
    return stored_projection(Session.objects.get(pk=session_id)).namespaces["story"].revision
