"""Files that come in: who may, what they may bring along, and what is no file at all."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from sessions_app.models import Session, SessionEvent, WorldBook
from tests.sessions.api.talking import Api, creator, granted
from tests.sessions.places import change, effect

Json = dict[str, Any]
LORE = json.dumps({"name": "Rain", "entries": {"0": {"uid": 0, "key": ["雨"], "content": "It rains."}}}).encode()


def upload(api: Api, path: str, content: bytes, name: str = "file.json", **fields: Any) -> Any:
    """Send a file as a form, and return the answer."""
    form = {"file": SimpleUploadedFile(name, content), **fields}
    return api.kept(api.client.post(f"/api/v1/{path}", form, format="multipart"))


class TestASessionsDocument:
    def test_becomes_the_same_session_again(self, api: Api, here: str) -> None:
        api.commit(here, effect(1, change("increment", "/hp", "hp", by=0.5)), text="她笑了。")
        content = api.client.get(f"/api/v1/{here}/export/").content

        seen = upload(api, "session-imports/preview/", content)
        made = upload(api, "session-imports/", content)

        assert (api.status, seen["session"]["messages"]) == (201, 1)
        again = f"sessions/{made['session']}"
        assert api.client.get(f"/api/v1/{again}/export/").content == content
        assert api.get(f"{again}/state/") == api.get(f"{here}/state/")

    def test_that_was_changed_is_refused_with_its_place(self, api: Api, here: str) -> None:
        document = api.get(f"{here}/export/")
        document["events"][1]["data"]["bootstrap"]["namespaces"][0]["initialValue"]["hp"] = 99

        refused = upload(api, "session-imports/", json.dumps(document).encode())

        assert (api.status, refused["code"]) == (422, "DOCUMENT_REFUSED")
        assert [each["path"] for each in refused["errors"]] == ["/events/1/digest"]
        assert Session.objects.count() == 1

    def test_cannot_bring_in_a_book_that_one_may_not_read(self, api: Api) -> None:
        """A session shows the books that are attached to it: a document must not attach what is hidden."""
        hidden = Api(creator("otto"))
        book = hidden.post("world-books/", {"title": "Secret", "entries": [{"content": "The key.", "constant": True}]})
        theirs = hidden.new_session()
        hidden.post(f"{theirs}/books/", {"book": book["id"]}, 201)
        document = hidden.get(f"{theirs}/export/")

        refused = upload(api, "session-imports/", json.dumps(document | {"books": []}, ensure_ascii=False).encode())

        assert (api.status, refused["code"]) == (404, "NOT_FOUND")
        assert Session.objects.count() == 1


class TestABook:
    def test_comes_into_a_session_and_goes_out_again(self, api: Api, here: str) -> None:
        made = upload(api, "session-imports/", LORE, session=here.removeprefix("sessions/"))

        assert api.status == 201, made
        assert api.get(f"{here}/books/")["results"][0]["id"] == made["book"]
        assert "It rains." in json.dumps(api.get(f"world-books/{made['book']}/export/"))
        assert api.get(f"world-books/{made['book']}/export/?form=character-book")["entries"]
        api.get(f"world-books/{made['book']}/export/?form=x", 400)


class TestPermissions:
    def test_to_make_sessions_are_needed_for_a_new_one(self, here: str) -> None:
        reader = Api(granted("rita", Session.objects.get(), "read"))

        for path in ("session-imports/", "session-imports/preview/"):
            assert upload(reader, path, LORE)["permission"] == "add_session"

    def test_to_correct_are_needed_to_bring_something_into_one(self, here: str) -> None:
        session = Session.objects.get()
        writer, outsider = Api(granted("wim", session, "write")), Api(creator("otto"))

        for path in ("session-imports/", "session-imports/preview/"):
            assert upload(writer, path, LORE, session=str(session.pk))["permission"] == "correct_session"
            assert upload(outsider, path, LORE, session=str(session.pk))["code"] == "NOT_FOUND"
        assert not WorldBook.objects.exists()

    def test_are_asked_of_everybody(self) -> None:
        nobody = Api()

        upload(nobody, "session-imports/", LORE)

        assert nobody.status == 401


class TestWhatIsNoFile:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\0",
            b"null",
            b"[]",
            b"{}",
            b"\xff\xfe\x00",
            b"[" * 3_000,
            b'{"entries": ' + b"[" * 500 + b"]" * 500 + b"}",
            b'{"entries": {"0": {"uid": 1e400}}}',
            b'{"format": "statehouse.session", "formatVersion": 1, "events": [{}], "books": [1]}',
            b'{"format": "statehouse.session", "formatVersion": 1, "events": {}, "books": []}',
            b'{"format": ["statehouse.session"]}',
            b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
            b"PK\x03\x04" + b"\0" * 50,
        ],
    )
    @pytest.mark.parametrize("path", ["session-imports/", "session-imports/preview/"])
    def test_is_refused_with_words(self, api: Api, here: str, content: bytes, path: str) -> None:
        before = SessionEvent.objects.count()
        for name in ("x.json", "x.png", "x.charx", "x.jsonl", "\u202e/../x.json", "x" * 300):
            for into in ({}, {"session": here.removeprefix("sessions/")}):
                answer = upload(api, path, content, name, **into)

                assert 400 <= api.status < 500, (name, answer)
                assert answer["code"]
        assert SessionEvent.objects.count() == before

    @pytest.mark.parametrize(
        "content",
        [
            b'{"name": "\\ud800", "entries": {"0": {"uid": 0, "key": ["\\ud800"], "content": "\\ud800\\u0000"}}}',
            b'{"entries": {"0": {"uid": {}, "key": "a", "content": 1, "order": 1e300, "probability": NaN}}}',
            b'{"entries": {"0": {"content": "a", "extensions": {"x": 123456789012345678901234567890}}}}',
            b'{"spec": "chara_card_v2", "data": {"name": "\\u0000", "character_book": {"entries": [1]}}}',
            b'{"spec": "chara_card_v3", "data": {"name": "' + b"x" * 5_000 + b'", "alternate_greetings": [null, 1]}}',
            b'{"user_name": "a"}\n{"mes": 1}\n{"mes": "\\ud800", "swipes": {}, "swipe_id": -1}',
            b'{"name": "c", "first_mes": "[initvar]\\na: &x [*x]"}',
        ],
    )
    @pytest.mark.parametrize("path", ["session-imports/", "session-imports/preview/"])
    def test_but_a_little_like_one_is_taken_or_refused(self, api: Api, here: str, content: bytes, path: str) -> None:
        for into in ({}, {"session": here.removeprefix("sessions/")}):
            answer = upload(api, path, content, **into)

            assert api.status < 500
            assert api.status < 400 or answer["code"]

    @pytest.mark.parametrize(
        "name", ["", "\0", "..", "a\0b.json", "\ud800", '";x="', "x" * 5_000, "雨.json", "/etc/passwd"]
    )
    def test_is_told_by_its_content_whatever_its_name_says(self, api: Api, here: str, name: str) -> None:
        body = (
            f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode(
                "utf-8", "surrogatepass"
            )
            + LORE
            + b'\r\n--edge\r\nContent-Disposition: form-data; name="session"\r\n\r\n'
            + here.removeprefix("sessions/").encode()
            + b"\r\n--edge--\r\n"
        )

        answer = api.send_text("post", "session-imports/", body, "multipart/form-data; boundary=edge")

        assert api.status < 500
        assert api.status == 201 or answer["code"]

    @pytest.mark.parametrize(
        ("fields", "place"),
        [
            ({"session": "x"}, "/session"),
            ({"surplus/~": "x"}, "/surplus~1~0"),
            ({"file": "a text"}, "/file"),
            ({"title": SimpleUploadedFile("t", b"t")}, "/title"),
            ({"session": SimpleUploadedFile("t", b"t")}, "/session"),
        ],
    )
    def test_of_another_form_is_refused(self, api: Api, fields: Json, place: str) -> None:
        form = {"file": SimpleUploadedFile("x.json", LORE), **fields}

        refused = api.kept(api.client.post("/api/v1/session-imports/", form, format="multipart"))

        assert (api.status, [each["path"] for each in refused["errors"]]) == (400, [place])

    @pytest.mark.parametrize("kind", ["application/json", "multipart/form-data", "multipart/form-data; boundary=x", ""])
    def test_nor_a_form_is_refused(self, api: Api, kind: str) -> None:
        answer = api.send_text("post", "session-imports/", b'{"file": "x"}', kind)

        assert 400 <= api.status < 500
        assert answer["code"]

    def test_for_a_session_that_is_not_there_is_not_found(self, api: Api) -> None:
        upload(api, "session-imports/", LORE, session=str(uuid.uuid4()))

        assert api.status == 404
