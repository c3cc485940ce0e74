"""Documents that nobody wrote, with digests that fit: refused with a code, or a session as sound as any other."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import GENESIS
from sessions_app.models import Entity, Message, Session, SessionEvent, Turn
from sessions_app.operations import documents, forks, messages, quarantine, turns
from sessions_app.operations.check import check_session
from sessions_app.operations.writing import event_digest
from sessions_app.protocol.contract import contract_of
from sessions_app.queries import sessions_json
from sessions_app.stored_state import projections_around, stored_projection
from tests.sessions.places import DEFINITION, Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
# What stands in for a value somewhere in the document.
HOSTILE: list[Any] = [
    None, True, 0, 1, 2, 3, 5, 9, -1, 1.0, 4.0, 0.5, 2**53, 10**30, 1e308, "", "x", "story", "side", "\0", "\ud800",
    "/hp", "hp", "x" * 300, [], {}, [1], [[]], {"a": 1}, ["story"], {"__proto__": 1}, "__proto__", "effective",
    "assistant", "host", "turn.committed", "message.added", "sha256:" + "0" * 64,
]  # fmt: skip
Path = tuple[Any, ...]


def document() -> Json:
    """Return what is written out of a session in which everything happened once."""
    place = Place()
    place.say("天黑了。")
    maker = place.begin()["turn"]
    place.configure(
        maker, action="create", namespace="side", expectedRevision=0, definition=DEFINITION, initialValue={"hp": 1}
    )
    place.commit(turn=maker)
    user = place.commit(effect(1, change("increment", "/hp", "hp", by=1), namespace="side"))
    place.commit(effect(1, change("append", "/背包", "pick-up", value="伞")))
    turns.regenerate(**place.here, number=maker)
    messages.edit_message(**place.here, number=user["message"], text="She laughs.")
    messages.select_variant(**place.here, number=maker, variant=1)
    messages.delete_messages(**place.here, numbers=[maker])
    quarantine.skip_quarantined(**place.here, sequence=user["sequence"], reason="Not needed.")
    turns.cancel_turn(**place.here, number=place.begin()["turn"])
    place.begin()
    written: Json = json.loads(dumps(documents.export_session(place.session)))
    return written


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield (*path, key)
        yield from places(each, (*path, key))


def chained(events: list[Any]) -> list[Any]:
    """Number events anew and let each name the digest of the one before it, as far as they have the form for that."""
    digest = GENESIS
    for sequence, event in enumerate(events, start=1):
        if not isinstance(event, dict) or not {"kind", "data", "actor", "createdAtMs"} <= event.keys():
            continue
        event |= {"sequence": sequence, "previousDigest": digest}
        digest = event["digest"] = event_digest(
            SessionEvent(
                sequence=sequence, kind=event["kind"], data=event["data"], actor=event["actor"],
                created_at_ms=event["createdAtMs"], previous_digest=digest,
            )
        )  # fmt: skip
    return events


def forged(document: Json, acts: list[tuple[str, int, Any]]) -> Json:
    """Return a document with some values replaced, members or events dropped, doubled or moved."""
    made = copy.deepcopy(document)
    for act, pick, value in acts:
        found = list(places(made["events"]))
        *way, last = found[pick % len(found)] if act in ("put", "drop") else (pick % len(made["events"]),)
        target = made["events"]
        for step in way:
            target = target[step]
        if act == "put":
            target[last] = copy.deepcopy(value)
        elif act == "double":
            target.insert(last, copy.deepcopy(target[last]))
        elif act == "move":
            target.append(target.pop(last))
        else:
            del target[last]
        if not made["events"]:
            break
    chained(made["events"])
    return made


def use(place: Place, session: Session) -> None:
    """Do to a session, and read of it, what anybody may; whatever is refused has to have a code."""
    here = {"session_id": session.pk, **place.who}
    contract_of(stored_projection(session), max_bytes=100_000).as_markdown()
    sessions_json([session])
    for sequence in range(1, session.log_sequence + 1):
        projections_around(session, sequence)
    acts = [
        *(lambda n=n: turns.cancel_turn(**here, number=n) for n in Turn.objects.values_list("number", flat=True)),
        *(
            lambda n=n: quarantine.release_from_quarantine(**here, sequence=n, reason="Try.")
            for n in Entity.objects.filter(session_id=session.pk).values_list("sequence", flat=True)
        ),
        lambda: forks.fork_session(session=session, message=None, title="Fork", user=place.user, **place.who),
        *(
            lambda n=n, act=act: act(n)
            for n in Message.objects.filter(session_id=session.pk).values_list("number", flat=True)
            for act in (
                lambda n: turns.regenerate(**here, number=n),
                lambda n: messages.select_variant(**here, number=n, variant=1),
                lambda n: messages.delete_messages(**here, numbers=[n]),
            )
        ),
    ]
    for act in acts:
        with suppress(StatehouseError):
            act()
    assert check_session(session.pk) == []


class TestAnyDocument:
    @pytest.mark.slow
    def test_is_refused_with_a_code_or_makes_a_sound_session(self) -> None:
        genuine, place = document(), Place()
        picks = st.integers(0, len(list(places(genuine["events"]))) + 1)
        act = st.tuples(
            st.sampled_from(["put", "put", "put", "drop", "double", "move"]), picks, st.sampled_from(HOSTILE)
        )

        @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
        @given(acts=st.lists(act, min_size=1, max_size=2))
        def holds(acts: list[tuple[str, int, Any]]) -> None:
            made = forged(genuine, acts)
            before = Session.objects.count()
            try:
                told = documents.import_document(document=made, user=place.user, **place.who)
            except StatehouseError:
                assert Session.objects.count() == before
                return
            session = Session.objects.get(pk=uuid.UUID(told["id"]))
            assert check_session(session.pk) == []
            assert documents.export_session(session)["events"] == made["events"]
            use(place, session)

        holds()
