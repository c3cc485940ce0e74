"""Who may do what: every address of the sessions' API for every kind of caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import URLPattern

from sessions_app.api.urls import urlpatterns
from sessions_app.models import Session, WorldBook
from sessions_app.operations import books
from tests.sessions.api.talking import (
    CREATE_SIDE,
    Api,
    creator,
    granted,
    in_group,
    quarantined_in,
    reader_of_book,
    with_model_permission,
)
from tests.sessions.places import Place, change, effect

# Asked about below and in `test_imports`.
ASKED_ELSEWHERE = {
    "attachments",
    "world-book",
    "world-book-archive",
    "world-book-unarchive",
    "world-book-export",
    "imports",
    "import-preview",
}
REASON = {"reason": "So it is."}
CALLERS = (
    "nobody",
    "outsider",
    "reader",
    "writer",
    "configurer",
    "corrector",
    "repairer",
    "eraser",
    "auditor",
    "operator",
)
READ = frozenset(CALLERS) - {"nobody", "outsider"}
WRITE, CONFIGURE = frozenset({"writer", "operator"}), frozenset({"configurer", "operator"})
CORRECT, REPAIR, ERASE = (frozenset({who, "operator"}) for who in ("corrector", "repairer", "eraser"))
OPERATOR = frozenset({"operator"})
ANYBODY = frozenset(CALLERS) - {"nobody"}


@dataclass(frozen=True)
class Scene:
    """A session with something of everything in it, and the numbers of it."""

    here: str
    book: str
    said: int
    reply: int
    turn: int
    quarantined: int

    def fill(self, template: str) -> str:
        return template.format(**{name: getattr(self, name) for name in self.__dataclass_fields__})


@dataclass(frozen=True)
class Endpoint:
    """One operation: its address, what is sent, who may, and what it answers those."""

    name: str
    method: str
    address: str
    allowed: frozenset[str]
    body: Callable[[Scene], Any] = lambda _scene: None
    status: int = 200

    def __str__(self) -> str:
        return f"{self.method} {self.address}"


def told(value: Any) -> Callable[[Scene], Any]:
    return lambda _scene: value


HEAL = {"effects": [effect(1, change("increment", "/hp", "hp", by=1))]}
ENDPOINTS = [
    Endpoint("sessions", "get", "sessions/", ANYBODY),
    Endpoint("sessions", "post", "sessions/", OPERATOR, told({"title": "New"}), 201),
    Endpoint("session", "get", "{here}/", READ),
    Endpoint("session", "patch", "{here}/", WRITE, told({"title": "New"})),
    Endpoint("session", "delete", "{here}/", ERASE, told(REASON)),
    Endpoint("fork", "post", "{here}/fork/", OPERATOR, told({"title": "Fork"}), 201),
    Endpoint("export", "get", "{here}/export/", READ),
    Endpoint("state", "get", "{here}/state/", READ),
    Endpoint("reads", "post", "{here}/reads/", READ, told({"action": "list"})),
    Endpoint("contract", "get", "{here}/contract/", READ),
    Endpoint("conditions", "post", "{here}/conditions/", READ, told({"condition": "true"})),
    Endpoint("activations", "post", "{here}/activations/", READ, told({"text": "rain"})),
    Endpoint("messages", "get", "{here}/messages/", READ),
    Endpoint("messages", "post", "{here}/messages/", WRITE, told({"role": "user", "text": "Hello"}), 201),
    Endpoint("deletion", "post", "{here}/messages/deletion/", WRITE, lambda scene: {"from": scene.said}),
    Endpoint("deletion-preview", "post", "{here}/messages/deletion/preview/", READ, lambda scene: {"from": scene.said}),
    Endpoint("message", "get", "{here}/messages/{said}/", READ),
    Endpoint("message", "patch", "{here}/messages/{said}/", WRITE, told({"text": "Hi"})),
    Endpoint("message", "delete", "{here}/messages/{said}/", WRITE),
    Endpoint("regeneration", "post", "{here}/messages/{reply}/regeneration/", WRITE, status=201),
    Endpoint("regeneration-preview", "post", "{here}/messages/{reply}/regeneration/preview/", READ),
    Endpoint("variants", "get", "{here}/messages/{reply}/variants/", READ),
    Endpoint("selection", "post", "{here}/messages/{reply}/variants/1/selection/", WRITE),
    Endpoint("selection-preview", "post", "{here}/messages/{reply}/variants/1/selection/preview/", READ),
    Endpoint("turns", "post", "{here}/turns/", WRITE, status=201),
    Endpoint("turn", "get", "{here}/turns/{turn}/", READ),
    Endpoint("commit", "post", "{here}/turns/{turn}/commit/", WRITE, told(HEAL)),
    Endpoint("commit-preview", "post", "{here}/turns/{turn}/commit/preview/", READ, told(HEAL)),
    Endpoint("cancellation", "post", "{here}/turns/{turn}/cancellation/", WRITE),
    Endpoint(
        "configurations",
        "post",
        "{here}/configurations/",
        CONFIGURE,
        lambda scene: {"request": CREATE_SIDE, "turn": scene.turn},
        201,
    ),
    Endpoint(
        "configurations", "post", "{here}/configurations/", CORRECT, told({"request": CREATE_SIDE, **REASON}), 201
    ),
    Endpoint("configuration-preview", "post", "{here}/configurations/preview/", READ, told({"request": CREATE_SIDE})),
    Endpoint("events", "get", "{here}/events/", READ),
    Endpoint("events-stream", "get", "{here}/events/stream/", READ),
    Endpoint("event", "get", "{here}/events/1/", READ),
    Endpoint("entities", "get", "{here}/entities/", READ),
    Endpoint("release", "post", "{here}/entities/{quarantined}/release/", REPAIR, told(REASON), 409),
    Endpoint("release-preview", "post", "{here}/entities/{quarantined}/release/preview/", READ, status=409),
    Endpoint("skip", "post", "{here}/entities/{quarantined}/skip/", REPAIR, told(REASON)),
    Endpoint("skip-preview", "post", "{here}/entities/{quarantined}/skip/preview/", READ),
    Endpoint("attachments", "get", "{here}/books/", READ),
    Endpoint("attachment", "delete", "{here}/books/{book}/", CORRECT),
    Endpoint("world-books", "get", "world-books/", ANYBODY),
    Endpoint("world-books", "post", "world-books/", OPERATOR, told({"title": "New", "entries": []}), 201),
]
OF_A_HOST = ("post", "{here}/messages/", {"role": "host", "text": "The clock stops."})


@pytest.fixture
def scene(db: None) -> Scene:
    place = Place()
    olga = Api(place.user)
    here = f"sessions/{place.id}"
    book = olga.post("world-books/", {"title": "Rain", "entries": []}, 201)["id"]
    olga.post(f"{here}/books/", {"book": book}, 201)
    quarantined = quarantined_in(olga, here)
    said = place.say()
    reply = place.commit()["message"]
    return Scene(here, book, said, reply, place.begin()["turn"], quarantined)


@pytest.fixture
def callers(scene: Scene) -> dict[str, Api]:
    session = Session.objects.get()
    users = {
        "outsider": User.objects.create_user(username="otto"),
        "reader": granted("rita", session, "read"),
        "writer": granted("wim", session, "write"),
        "configurer": granted("cora", session, "configure"),
        "corrector": granted("carl", session, "correct"),
        "repairer": granted("rene", session, "repair"),
        "eraser": granted("ella", session, "erase"),
        "auditor": in_group("arne", "auditor"),
        "operator": in_group("oona", "operator"),
    }
    return {"nobody": Api(), **{name: Api(user) for name, user in users.items()}}


def expected(caller: str, endpoint: Endpoint) -> tuple[int, str | None]:
    if caller == "nobody":
        return 401, "NOT_AUTHENTICATED"
    if caller in endpoint.allowed:
        return endpoint.status, None
    is_of_a_session = "{here}" in endpoint.address
    return (404, "NOT_FOUND") if caller == "outsider" and is_of_a_session else (403, "NOT_PERMITTED")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_each_caller_is_let_in_or_told_why_not(scene: Scene, callers: dict[str, Api], endpoint: Endpoint) -> None:
    for name, caller in callers.items():
        untouched = transaction.savepoint()
        answer = caller.send(endpoint.method, scene.fill(endpoint.address), endpoint.body(scene))
        transaction.savepoint_rollback(untouched)

        status, code = expected(name, endpoint)
        assert caller.status == status, (name, answer)
        if code:
            assert answer["code"] == code, name


def test_every_address_is_in_the_table() -> None:
    named = {pattern.name for pattern in urlpatterns if isinstance(pattern, URLPattern)}

    assert named == {each.name for each in ENDPOINTS} | ASKED_ELSEWHERE


class TestAHostMessage:
    def test_is_for_those_who_may_correct_and_write(self, scene: Scene, callers: dict[str, Api]) -> None:
        method, address, body = OF_A_HOST

        assert callers["writer"].send(method, scene.fill(address), body, 403)["code"] == "NOT_PERMITTED"
        assert callers["corrector"].send(method, scene.fill(address), body, 403)["code"] == "NOT_PERMITTED"
        callers["operator"].send(method, scene.fill(address), body, 201)


class TestAFork:
    def test_needs_to_read_this_one_and_to_make_another(self, scene: Scene) -> None:
        address, body = f"{scene.here}/fork/", {"title": "Fork"}
        reader = granted("rosa", Session.objects.get(), "read")

        assert Api(reader).post(address, body, 403)["permission"] == "add_session"
        assert Api(creator("cees")).post(address, body, 404)
        maker = Api(with_model_permission(reader, "add_session"))
        made = maker.post(address, body, 201)
        maker.post(f"sessions/{made['id']}/turns/", status=201)


class TestASessionOfOnesOwn:
    def test_may_be_read_written_configured_and_corrected_but_not_erased(self, api: Api, here: str) -> None:
        turn = api.begin(here)
        api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "turn": turn}, 201)
        api.send(OF_A_HOST[0], OF_A_HOST[1].format(here=here), OF_A_HOST[2], 201)

        assert api.send("delete", f"{here}/", REASON, 403)["permission"] == "erase_session"


class TestAWorldBook:
    def test_is_read_changed_and_attached_by_permissions_of_its_own(self, scene: Scene) -> None:
        book = WorldBook.objects.get()
        address, body = f"world-books/{book.pk}/", {"title": "New", "entries": [], "expectedVersion": 1}
        reader, writer = User.objects.create_user(username="rea"), User.objects.create_user(username="wri")
        reader_of_book(reader, book, "read_worldbook")
        reader_of_book(writer, book, "read_worldbook", "write_worldbook")

        outsider = Api(User.objects.create_user(username="otto"))
        for method, path, sent in (
            ("get", address, None),
            ("put", address, body),
            ("post", f"{address}archive/", None),
        ):
            outsider.send(method, path, sent, 404)
        outsider.get(f"{address}export/", 404)
        Api(reader).get(address)
        Api(reader).get(f"{address}export/")
        assert Api(reader).send("put", address, body, 403)["permission"] == "write_worldbook"
        assert Api(reader).post(f"{address}archive/", {"expectedVersion": 1}, 403)
        Api(writer).send("put", address, body, 200)
        Api(writer).post(f"{address}archive/", {"expectedVersion": 2}, 200)
        Api(writer).post(f"{address}unarchive/", {"expectedVersion": 3}, 200)

    def test_is_attached_by_those_who_may_correct_the_session(self, scene: Scene, callers: dict[str, Api]) -> None:
        place = Place()
        made = books.create_book(title="Lamp", entries=[], user=callers["corrector"].user, **place.who)
        body = {"book": made["id"]}

        assert callers["writer"].post(f"{scene.here}/books/", body, 403)["permission"] == "correct_session"
        assert callers["operator"].post(f"{scene.here}/books/", body, 201)
        callers["corrector"].post(f"{scene.here}/books/", body, 409)

    def test_that_is_attached_is_active_for_all_who_read_the_session(
        self, scene: Scene, callers: dict[str, Api]
    ) -> None:
        assert callers["reader"].get(f"{scene.here}/books/")["results"][0]["title"] == "Rain"
        callers["reader"].get(f"world-books/{scene.book}/", 404)
