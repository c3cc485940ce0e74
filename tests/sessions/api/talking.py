"""Talking to the sessions' API as one account, and the accounts that tests need."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from guardian.shortcuts import assign_perm
from rest_framework.test import APIClient

from sessions_app.models import Session
from sessions_app.operations.grants import grant_creation, grant_on_session
from tests.sessions.places import bootstrap

Json = dict[str, Any]


class Api:
    """Talks JSON to the API as one account, and keeps status and headers of the last answer."""

    def __init__(self, user: Any = None) -> None:
        self.user = user
        self.client = APIClient(raise_request_exception=False)
        if user is not None:
            self.client.force_authenticate(user)

    def send(self, method: str, path: str, body: Any = None, status: int | None = None, **headers: str) -> Any:
        call = getattr(self.client, method)
        named = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        answer = call(f"/api/v1/{path}", body, format="json", **named)
        assert status is None or answer.status_code == status, answer.content
        return self.kept(answer)

    def send_text(self, method: str, path: str, content: str | bytes, kind: str = "application/json") -> Any:
        """Send a body as it is, whatever it is."""
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        return self.kept(self.client.generic(method, f"/api/v1/{path}", raw, content_type=kind))

    def kept(self, answer: Any) -> Any:
        """Keep status and headers of an answer, and return what it says."""
        self.status, self.headers = answer.status_code, answer.headers
        if answer.streaming:
            return answer
        return answer.json() if "json" in answer.headers.get("Content-Type", "") else answer.content.decode()

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        return self.send("get", path, status=status, **headers)

    def post(self, path: str, body: Any = None, status: int | None = None, **headers: str) -> Any:
        return self.send("post", path, {} if body is None else body, status=status, **headers)

    def all_pages(self, path: str) -> list[Any]:
        """Return the results of every page of a list."""
        found, address = [], f"/api/v1/{path}"
        while address:
            page = self.client.get(address).json()
            found += page["results"]
            address = page["next"]
        return found

    def new_session(self, begins: Json | None = None, title: str = "雨夜") -> str:
        """Make a session and return its address below `/api/v1/`, without the last slash."""
        made = self.post("sessions/", {"title": title, "bootstrap": begins or bootstrap()}, 201)
        return f"sessions/{made['id']}"

    def begin(self, here: str) -> int:
        """Begin a turn and return its number."""
        return self.post(f"{here}/turns/", status=201)["turn"]

    def commit(self, here: str, *effects: Json, turn: int | None = None, **content: Any) -> Json:
        """Commit a turn, a new one unless it is named, and return the answer."""
        number = self.begin(here) if turn is None else turn
        return self.post(f"{here}/turns/{number}/commit/", {"effects": list(effects), **content}, 200)


def creator(name: str) -> User:
    """Return an account that may make sessions and world books, and do with its own what makers may."""
    user = User.objects.create_user(username=name)
    grant_creation(user)
    return user


def in_group(name: str, group: str) -> User:
    user = User.objects.create_user(username=name)
    user.groups.add(Group.objects.get(name=group))
    return user


def granted(name: str, session: Session, *may: str) -> User:
    """Return an account with these permissions (short names) on one session; read comes with any."""
    user = User.objects.create_user(username=name)
    grant_on_session(user=user, session=session, permissions=may)
    return user


def with_model_permission(user: User, codename: str) -> User:
    user.user_permissions.add(Permission.objects.get(codename=codename, content_type__app_label="sessions_app"))
    return User.objects.get(pk=user.pk)


def reader_of_book(user: User, book: Any, *permissions: str) -> None:
    for permission in permissions:
        assign_perm(permission, user, book)


CREATE_SIDE = {
    "action": "create",
    "namespace": "side",
    "expectedRevision": 0,
    "definition": {"title": "Side", "updateMode": "schema-only", "schema": {}, "rules": []},
    "initialValue": None,
}
RESET_SIDE = {"action": "reset", "namespace": "side", "expectedRevision": 1}


def quarantined_in(api: Api, here: str) -> int:
    """Leave one entity in quarantine, a reset of a namespace whose creation was taken back, and return its sequence."""
    turn = api.begin(here)
    api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "turn": turn}, 201)
    reset = api.post(f"{here}/configurations/", {"request": RESET_SIDE, "reason": "By hand."}, 201)
    api.post(f"{here}/turns/{turn}/cancellation/", status=200)
    return reset["sequence"]
