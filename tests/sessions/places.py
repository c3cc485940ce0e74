"""Sessions for tests: small ones, made by the operations that everybody else uses."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from sessions_app.models import Session
from sessions_app.operations import commits, configurations, messages, sessions, turns
from sessions_app.protocol.events import Role

Json = dict[str, Any]

HP = {"type": "number", "minimum": 0, "maximum": 100}
DEFINITION = {
    "title": "Story",
    "updateMode": "rules-required",
    "schema": {
        "type": "object",
        "properties": {
            "hp": HP,
            "好感度": {"type": "number", "minimum": 0, "maximum": 100},
            "背包": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["hp"],
        "additionalProperties": False,
    },
    "rules": [
        {"id": "hp", "target": "/hp", "when": "hurt or healed", "effect": {"op": "increment"}},
        {"id": "set-hp", "target": "/hp", "when": "told", "effect": {"op": "set"}},
        {
            "id": "trust",
            "target": "/好感度",
            "when": "she trusts more",
            "condition": 'state("story", "/hp") >= 10',
            "effect": {"op": "increment", "minimum": -5, "maximum": 5},
        },
        {"id": "pick-up", "target": "/背包", "when": "something is found", "effect": {"op": "append"}},
    ],
}
VALUE = {"hp": 10, "好感度": 30, "背包": ["剑"]}


def bootstrap(value: Any = None, definition: Json | None = None, namespace: str = "story") -> Json:
    return {
        "version": 2,
        "namespaces": [
            {
                "namespace": namespace,
                "initialValue": VALUE if value is None else value,
                "definition": definition or DEFINITION,
                "diagnostics": {"lastCommit": []},
            }
        ],
    }


class Place:
    """A session with somebody who may do everything in it."""

    def __init__(self, begins: Json | None = None, title: str = "雨夜") -> None:
        name = f"mei-{uuid.uuid4().hex[:8]}"
        self.user = get_user_model().objects.create_user(username=name, is_superuser=True, is_staff=True)
        made = sessions.create_session(
            title=title, bootstrap=bootstrap() if begins is None else begins, **self.who, user=self.user
        )
        self.id = uuid.UUID(made["id"])

    @property
    def who(self) -> Json:
        return {"actor": actor_of(self.user), "now": timezone.now()}

    @property
    def session(self) -> Session:
        return Session.objects.get(pk=self.id)

    @property
    def here(self) -> Json:
        return {"session_id": self.id, **self.who}

    def say(self, text: str = "I go on.") -> int:
        return messages.add_message(**self.here, role=Role.USER, text=text)["message"]

    def begin(self) -> Json:
        return turns.begin_turn(**self.here)

    def commit(self, *effects: Json, turn: int | None = None, text: str = "She nods.") -> Json:
        number = self.begin()["turn"] if turn is None else turn
        return commits.commit_turn(**self.here, number=number, content=commits.Content(list(effects), text=text))

    def configure(self, turn: int, **request: Any) -> Json:
        owner = configurations.Owner(turn=turn)
        return configurations.configure_state(**self.here, owner=owner, request=request)

    def value(self, namespace: str = "story") -> Any:
        from sessions_app.stored_state import stored_projection

        return stored_projection(self.session).namespaces[namespace].value

    def revision(self, namespace: str = "story") -> int:
        from sessions_app.stored_state import stored_projection

        return stored_projection(self.session).namespaces[namespace].revision


def effect(revision: int, *changes: Json, namespace: str = "story") -> Json:
    return {
        "kind": "state.update",
        "namespace": namespace,
        "expectedRevision": revision,
        "payload": {"changes": list(changes)},
    }


def change(op: str, path: str, rule: str | None = None, reason: str = "so it went", **operand: Any) -> Json:
    ruled = {} if rule is None else {"ruleId": rule}
    return {"op": op, "path": path, "reason": reason, **ruled, **operand}
