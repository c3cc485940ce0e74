"""Telling the demo sessions: each step by the operations that everybody else uses."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.utils import timezone

from fabric_app.mesh.accounts import create_account
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.groups import OPERATOR
from sessions_app.demo import lighthouse, rain_bookshop
from sessions_app.demo.steps import Corrected, Deleted, Json, Regenerated, Story, Turn
from sessions_app.models import Message, Session, WorldBook
from sessions_app.operations.books import attach_book, create_book
from sessions_app.operations.commits import Content, commit_turn
from sessions_app.operations.configurations import correct_state
from sessions_app.operations.messages import add_message, delete_messages
from sessions_app.operations.sessions import create_session, grant_to_maker
from sessions_app.operations.turns import begin_turn, regenerate
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.events import Role
from sessions_app.stored_state import stored_projection

Say = Callable[[str], None]
NAMESPACE = "story"
AGENT_NAME = "demo-storyteller"


def tell_sessions(say: Say) -> None:
    """Make the demo sessions and drive each through its story; one that is there already is left alone."""
    for story in (rain_bookshop.STORY, lighthouse.STORY):
        if Session.objects.filter(title=story.title).exists():
            say(f"The session {story.title!r} is there already.")
            continue
        say(f"A session: {story.title}.")
        _Narrator(story).tell()


class _Narrator:
    """Plays both sides of one story: a program of the host, whose model proposes the changes."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.user = _storyteller()
        first = {
            "namespace": NAMESPACE,
            "initialValue": story.value,
            "definition": story.definition,
            "diagnostics": {"lastCommit": []},
        }
        made = create_session(
            title=story.title, bootstrap={"version": 2, "namespaces": [first]}, user=self.user, **self._now()
        )
        self.id = uuid.UUID(made["id"])
        for operator in get_user_model().objects.filter(groups__name=OPERATOR):
            grant_to_maker(operator, self._session())

    def tell(self) -> None:
        self._attach_book()
        add_message(**self._here(), role=Role.ASSISTANT, text=self.story.greeting, name=self.story.speaker)
        for step in self.story.steps:
            _TELL[type(step)](self, step)

    def turn(self, step: Turn) -> None:
        add_message(**self._here(), role=Role.USER, text=step.said)
        begun = begin_turn(**self._here(), name=self.story.speaker)
        if step.refused:
            self._try(begun["turn"], step.refused)
        self._commit(begun["turn"], step.reply, step.changes)

    def regenerated(self, step: Regenerated) -> None:
        begun = regenerate(**self._here(), number=self._reply(1))
        self._commit(begun["turn"], step.reply, step.changes)

    def deleted(self, step: Deleted) -> None:
        delete_messages(**self._here(), numbers=[self._reply(step.back)], reason=step.reason)

    def corrected(self, step: Corrected) -> None:
        namespace = stored_projection(self._session()).namespaces[NAMESPACE]
        request = {
            "action": "update",
            "namespace": NAMESPACE,
            "expectedRevision": namespace.revision,
            "definition": namespace.definition.as_json(),
            "value": {**namespace.value, **step.values},
        }
        correct_state(**self._here(), request=request, reason=step.reason)

    def _attach_book(self) -> None:
        entries = [dict(entry) for entry in self.story.entries]
        made = create_book(title=self.story.book_title, entries=entries, user=self.user, **self._now())
        attach_book(**self._here(), book=WorldBook.objects.get(pk=made["id"]))

    def _try(self, turn: int, changes: tuple[Json, ...]) -> None:
        """Send what a model gets wrong: the refusal leaves nothing behind but a draft to correct."""
        try:
            self._commit(turn, "", changes)
        except CommitRefused:
            return
        raise AssertionError("The story expects that this is refused.")

    def _commit(self, turn: int, text: str, changes: tuple[Json, ...]) -> None:
        revision = stored_projection(self._session()).namespaces[NAMESPACE].revision
        effect = {
            "kind": "state.update",
            "namespace": NAMESPACE,
            "expectedRevision": revision,
            "payload": {"changes": list(changes)},
        }
        content = Content(effects=[effect] if changes else [], text=text)
        commit_turn(**self._here(), number=turn, content=content)

    def _reply(self, back: int) -> int:
        replies = Message.objects.filter(session_id=self.id, role=Role.ASSISTANT, is_deleted=False)
        return replies.order_by("-number").values_list("number", flat=True)[back - 1]

    def _session(self) -> Session:
        return Session.objects.get(pk=self.id)

    def _now(self) -> Json:
        return {"actor": actor_of(self.user), "now": timezone.now()}

    def _here(self) -> Json:
        return {"session_id": self.id, **self._now()}


_TELL: Mapping[type, Callable[[_Narrator, Any], None]] = {
    Turn: _Narrator.turn,
    Regenerated: _Narrator.regenerated,
    Deleted: _Narrator.deleted,
    Corrected: _Narrator.corrected,
}


def _storyteller() -> User:
    found = get_user_model().objects.filter(username=AGENT_NAME).first()
    return found or create_account(AGENT_NAME, is_host=True, now=timezone.now())
