"""A session to which anything is done in any order, and what has to hold after each step.

- The check of the session finds nothing: its rows are what its log says.
- What is refused changes no row. What is done moves the version by one.
- A preview changes no row, is refused for the same, and tells what is done after it.
- The state as it was after each event can be read later on.
- What counts belongs to nobody, or to the chosen variant of a message that is there; what was skipped, or taken back
  by cancelling its turn, never counts again. An open turn writes the chosen variant of a message that is there.
- The text of a message is another only where its version is.
- At the end, a session that only ever heard of what counts has the same projection.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from fabric_app.mesh.errors import StatehouseError
from sessions_app.models import Entity, Message, Session, Turn, Variant
from sessions_app.operations import commits, configurations, messages, quarantine, sessions, turns
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EntityStatus, Role, TurnStatus
from sessions_app.protocol.replay import EntityKind
from sessions_app.stored_state import projection_at, stored_projection
from tests.sessions.operations.session_story import CHANGES, REQUESTS, two_namespaces
from tests.sessions.operations.stored_rows import stored_rows
from tests.sessions.places import Place, effect

Json = dict[str, Any]
picks = st.integers(0, 11)
some = st.lists(picks, min_size=1, max_size=3)
# Mostly the revision that is there; else the one before it.
staleness = st.sampled_from([0, 0, 0, 0, 1])
WHY = "It has to be so."


class SessionMachine(RuleBasedStateMachine):
    @initialize()
    def begins(self) -> None:
        self.place = Place(two_namespaces())
        self.seen: dict[int, Json] = {}
        self.given_up: dict[int, EntityStatus] = {}
        self.texts: dict[int, tuple[int, str]] = {}
        self._look()

    @rule(role=st.sampled_from([Role.USER, Role.HOST, Role.ASSISTANT]))
    def say(self, role: Role) -> None:
        self._act(lambda: messages.add_message(**self.place.here, role=role, text="……"))

    @rule()
    def begin(self) -> None:
        self._act(lambda: turns.begin_turn(**self.place.here))

    @rule(pick=picks, changes=st.lists(st.sampled_from(CHANGES), max_size=4), stale=staleness, text=st.booleans())
    def commit(self, pick: int, changes: list[tuple[str, Json]], stale: int, text: bool) -> None:
        turn = self._one(self._turns(), pick)
        content = commits.Content(self._effects(changes, stale), text="She nods." if text else None)
        before = stored_projection(self.place.session)
        done = self._act(
            lambda: commits.commit_turn(**self.place.here, number=turn, content=content),
            lambda: commits.preview_commit(session=self.place.session, number=turn, content=content),
        )
        if done:
            self._check_revisions(before, done["projection"], {name for name, _ in changes})
            self._check_again(turn, content, done)

    @rule(pick=picks, request=st.sampled_from(REQUESTS), stale=staleness, of_reply=st.booleans())
    def configure(self, pick: int, request: Json, stale: int, of_reply: bool) -> None:
        asked = self._expecting(request, stale)
        owner = configurations.Owner(turn=self._one(self._turns(), pick))
        if of_reply:
            owner = configurations.Owner(message=self._one(self._replies(), pick))
        self._act(
            lambda: configurations.configure_state(**self.place.here, owner=owner, request=asked),
            lambda: configurations.preview_configuration(session=self.place.session, request=asked),
            may_differ={"TURN_NOT_ACTIVE", "STATE_OWNER_REQUIRED", "NOT_FOUND"},
        )

    @rule(request=st.sampled_from(REQUESTS), stale=staleness)
    def correct(self, request: Json, stale: int) -> None:
        asked = self._expecting(request, stale)
        self._act(
            lambda: configurations.correct_state(**self.place.here, request=asked, reason=WHY),
            lambda: configurations.preview_configuration(session=self.place.session, request=asked),
        )

    @rule(pick=picks)
    def edit(self, pick: int) -> None:
        number, state = self._one(self._messages(), pick), stored_projection(self.place.session).as_json()
        self._act(lambda: messages.edit_message(**self.place.here, number=number, text="Said otherwise."))
        assert stored_projection(self.place.session).as_json() == state

    @rule(chosen=some)
    def delete(self, chosen: list[int]) -> None:
        present = self._messages()
        numbers = [self._one(present, pick) for pick in chosen]
        self._act(
            lambda: messages.delete_messages(**self.place.here, numbers=numbers, expected_version=self._version),
            lambda: messages.preview_deletion(session=self.place.session, numbers=numbers),
        )

    @rule(pick=picks)
    def regenerate(self, pick: int) -> None:
        number = self._one(self._messages(), pick)
        self._act(
            lambda: turns.regenerate(**self.place.here, number=number, expected_version=self._version),
            lambda: turns.preview_regeneration(session=self.place.session, number=number),
        )

    @rule(pick=picks, variant=st.integers(1, 3))
    def select(self, pick: int, variant: int) -> None:
        varied = list(Variant.objects.filter(message__session_id=self.place.id, index__gt=1))
        number = self._one([each.message.number for each in varied] or self._messages(), pick)
        self._act(
            lambda: messages.select_variant(**self.place.here, number=number, variant=variant),
            lambda: messages.preview_selection(session=self.place.session, number=number, variant=variant),
        )

    @rule(pick=picks, text=st.booleans())
    def cancel(self, pick: int, text: bool) -> None:
        turn = self._one(self._turns(), pick)
        done = self._act(lambda: turns.cancel_turn(**self.place.here, number=turn, text="She sto" if text else None))
        if done:
            self.given_up |= dict.fromkeys(done["entities"].get("retracted", ()), EntityStatus.RETRACTED)

    @rule(pick=picks)
    def release(self, pick: int) -> None:
        sequence = self._one(self._quarantined(), pick)
        self._act(
            lambda: quarantine.release_from_quarantine(**self.place.here, sequence=sequence, reason=WHY),
            lambda: quarantine.preview_release(session=self.place.session, sequence=sequence),
        )

    @rule(pick=picks)
    def skip(self, pick: int) -> None:
        sequence = self._one(self._quarantined(), pick)
        done = self._act(
            lambda: quarantine.skip_quarantined(**self.place.here, sequence=sequence, reason=WHY),
            lambda: quarantine.preview_skip(session=self.place.session, sequence=sequence),
        )
        if done:
            self.given_up[sequence] = EntityStatus.SKIPPED

    @rule()
    def rename(self) -> None:
        title = f"{self.place.session.title[:100]}·"
        self._act(lambda: sessions.rename_session(**self.place.here, title=title))

    @rule()
    def rebuild(self) -> None:
        before = self._rows_but_keys()
        self._act(lambda: quarantine.rebuild_projection(**self.place.here, reason=WHY))
        assert self._rows_but_keys() == before

    def teardown(self) -> None:
        if not hasattr(self, "place"):
            return
        session = self.place.session
        for sequence, projection in self.seen.items():
            assert projection_at(session, sequence)[1].as_json() == projection
        assert told_anew(session) == stored_projection(session).as_json()

    def _act(
        self, do: Callable[[], Any], look: Callable[[], Json] | None = None, may_differ: Container[str | None] = ()
    ) -> Any:
        """Preview and do something; return its answer, None where it was refused."""
        before, version = stored_rows(self.place.id), self._version
        told, foreseen = outcome(look) if look else (None, None)
        assert stored_rows(self.place.id) == before
        done, refused = outcome(do)
        note(f"  {refused or 'done'}")
        if look and refused not in may_differ:
            assert refused == foreseen
        if refused:
            assert stored_rows(self.place.id) == before
            return None
        if told:
            shared = told.keys() & done.keys()
            assert {name: told[name] for name in shared} == {name: done[name] for name in shared}
        assert self._version == version + 1
        self._look()
        return done

    def _look(self) -> None:
        session = self.place.session
        assert check_session(session.pk) == []
        self.seen[session.log_sequence] = stored_projection(session).as_json()
        self._check_owners()
        self._check_texts()

    def _check_owners(self) -> None:
        chosen = dict(
            Message.objects.filter(session_id=self.place.id, is_deleted=False).values_list("number", "selected")
        )
        for entity in Entity.objects.filter(session_id=self.place.id):
            assert entity.status == self.given_up.get(entity.sequence, entity.status)
            if entity.status == EntityStatus.EFFECTIVE and entity.message is not None:
                assert chosen.get(entity.message) == entity.variant
        for turn in Turn.objects.filter(session_id=self.place.id, status=TurnStatus.ACTIVE):
            assert chosen.get(turn.message) == turn.variant

    def _check_texts(self) -> None:
        for message in Message.objects.filter(session_id=self.place.id):
            text = message.variants.get(index=message.selected).text
            version, before = self.texts.get(message.number, (0, ""))
            assert message.version > version or text == before
            self.texts[message.number] = message.version, text

    def _check_revisions(self, before: Any, after: Json, named: set[str]) -> None:
        """The revision of each namespace moves by one where the commit has an effect on it, and nowhere else."""
        assert {name: each["revision"] for name, each in after["namespaces"].items()} == {
            name: each.revision + (name in named) for name, each in before.namespaces.items()
        }
        moved = before.as_json()["namespaces"] != after["namespaces"]
        assert after["revision"] == before.revision + moved

    def _check_again(self, turn: int, content: commits.Content, done: Json) -> None:
        """The same content again changes nothing and gets the first answer; other content is refused."""
        before = stored_rows(self.place.id)
        again = commits.commit_turn(**self.place.here, number=turn, content=content)
        assert again == {**done, "replayed": True}
        other = commits.Content([], text="Something else.")
        assert outcome(lambda: commits.commit_turn(**self.place.here, number=turn, content=other))[1] == (
            "COMMIT_CONFLICT"
        )
        assert stored_rows(self.place.id) == before

    def _effects(self, changes: list[tuple[str, Json]], stale: int) -> list[Json]:
        by_namespace: dict[str, list[Json]] = {}
        for name, each in changes:
            by_namespace.setdefault(name, []).append(each)
        state = stored_projection(self.place.session).namespaces
        revisions = {name: state[name].revision if name in state else 1 for name in by_namespace}
        return [
            effect(max(revisions[name] - stale, 0), *listed, namespace=name) for name, listed in by_namespace.items()
        ]

    def _expecting(self, request: Json, stale: int) -> Json:
        found = stored_projection(self.place.session).namespaces.get(request["namespace"])
        revision = 0 if request["action"] == "create" or found is None else found.revision
        return {**request, "expectedRevision": max(revision - stale, 0)}

    @property
    def _version(self) -> int:
        return self.place.session.version

    def _one(self, numbers: list[int], pick: int) -> int:
        """Return one of these numbers; where there is none, one that names nothing."""
        return numbers[pick % len(numbers)] if numbers else 1

    def _numbers(self, rows: Any, name: str = "number") -> list[int]:
        return list(rows.filter(session_id=self.place.id).order_by(name).values_list(name, flat=True))

    def _messages(self) -> list[int]:
        return self._numbers(Message.objects.filter(is_deleted=False))

    def _replies(self) -> list[int]:
        return self._numbers(Message.objects.filter(is_deleted=False, role=Role.ASSISTANT))

    def _turns(self) -> list[int]:
        """Return the turns that are open; where there is none, those that are over."""
        return self._numbers(Turn.objects.filter(status=TurnStatus.ACTIVE)) or self._numbers(Turn.objects.all())

    def _quarantined(self) -> list[int]:
        rows = Entity.objects.filter(status=EntityStatus.QUARANTINED)
        return self._numbers(rows, "sequence") or self._numbers(Entity.objects.all(), "sequence")

    def _rows_but_keys(self) -> Json:
        """Return the rows that the log determines, without what a rewriting numbers anew."""
        left_out = {"id", "message_id"}
        rows = stored_rows(self.place.id)
        return {
            name: sorted(str({key: value for key, value in row.items() if key not in left_out}) for row in listed)
            for name, listed in rows.items()
            if name not in ("Session", "SessionEvent", "Snapshot")
        }


def outcome(do: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return what a call answers and no code, or nothing and the code of its refusal."""
    try:
        return do(), None
    except StatehouseError as refused:
        return None, refused.code


def told_anew(session: Session) -> Json:
    """Return the projection of a session in which nothing but what counts ever happened."""
    rows = Entity.objects.filter(session_id=session.pk, status=EntityStatus.EFFECTIVE).order_by("sequence")
    place = Place(two_namespaces())
    for row in rows:
        if row.kind == EntityKind.TURN_COMMIT:
            place.commit(*(each | {"expectedRevision": place.revision(each["namespace"])} for each in row.body))
        elif row.kind == EntityKind.CONFIGURATION:
            known = stored_projection(place.session).namespaces.get(row.body["namespace"])
            request = row.body | {"expectedRevision": known.revision if known else 0}
            configurations.correct_state(**place.here, request=request, reason=WHY)
    return stored_projection(place.session).as_json()
