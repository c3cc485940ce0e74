"""Importing files of the world into sessions and world books."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from fabric_app.mesh.canonical import dumps
from sessions_app.errors import NothingToImport
from sessions_app.models import Session, WorldBook
from sessions_app.operations import documents, imports
from sessions_app.operations.check import check_session
from sessions_app.protocol.configuration_errors import RevisionConflict
from sessions_app.stored_state import stored_projection
from tests.sessions.places import Place

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]

INITIAL = """
角色:
  阿遥:
    好感度: [30, "[0,100]之间，相处中变化"]
    心情: [平静, "当下的心情"]
世界:
  时间: 21:00
"""
CARD: Json = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "阿遥",
        "description": "旧城的守夜人。",
        "first_mes": "门外下着雨。",
        "alternate_greetings": ["雪夜里，钟停了。"],
        "extensions": {},
        "character_book": {
            "name": "旧城",
            "extensions": {},
            "entries": [
                {
                    "keys": ["钟楼"],
                    "content": "冬天的钟楼不敲钟。",
                    "enabled": True,
                    "insertion_order": 10,
                    "position": 4,
                    "extensions": {"position": 1, "state_condition": 'state("story", "/角色/阿遥/好感度") >= 40'},
                },
                {
                    "keys": [],
                    "comment": "[InitVar] 初始变量",
                    "name": "[InitVar] 初始变量",
                    "content": INITIAL,
                    "enabled": False,
                    "insertion_order": 1,
                    "extensions": {},
                },
            ],
        },
    },
}


def content(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


class TestImportingACard:
    def test_becomes_a_session_with_its_variables_book_and_greetings(self) -> None:
        place = Place()

        told = imports.import_file(content=content(CARD), filename="ayao.json", user=place.user, **place.who)

        session = Session.objects.get(pk=told["session"])
        namespace = stored_projection(session).namespaces["story"]
        assert session.title == "阿遥"
        assert namespace.value == {"角色": {"阿遥": {"好感度": 30, "心情": "平静"}}, "世界": {"时间": "21:00"}}
        greeting = session.messages.get()
        assert [each.text for each in greeting.variants.order_by("index")] == ["门外下着雨。", "雪夜里，钟停了。"]
        assert WorldBook.objects.get(pk=told["book"]).title == "旧城"
        assert check_session(session.pk) == []

    def test_a_preview_keeps_nothing_and_tells_the_same(self) -> None:
        place = Place()

        seen = imports.preview_import(content=content(CARD), filename="ayao.json")
        told = imports.import_file(content=content(CARD), filename="ayao.json", user=place.user, **place.who)

        assert seen["notices"] == told["notices"]
        assert seen["namespace"]["namespace"] == "story"
        assert seen["messages"] == 1

    def test_into_a_living_session_it_never_overwrites_progress(self) -> None:
        place = Place()
        given = {"content": content(CARD), "filename": "ayao.json", "user": place.user}
        before = stored_projection(place.session).as_json()

        with pytest.raises(RevisionConflict):
            imports.import_into_session(**place.here, **given)

        assert stored_projection(place.session).as_json() == before
        assert not WorldBook.objects.exists()

    def test_into_a_session_without_that_namespace_it_is_owned_by_a_host_message(self) -> None:
        place = Place({"version": 2, "namespaces": []})

        told = imports.import_into_session(**place.here, content=content(CARD), filename="ayao.json", user=place.user)

        assert stored_projection(place.session).namespaces["story"].revision == 1
        assert place.session.messages.get(number=told["message"]).role == "host"
        assert check_session(place.id) == []


class TestImportingOtherFiles:
    def test_a_chat_becomes_messages_with_swipes(self) -> None:
        place = Place()
        lines = [
            {"user_name": "我", "character_name": "阿遥", "create_date": "2026-3-1", "chat_metadata": {}},
            {"name": "阿遥", "is_user": False, "mes": "二", "swipes": ["一", "二"], "swipe_id": 1},
            {"name": "我", "is_user": True, "mes": "你好"},
        ]
        chat = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()

        told = imports.import_file(content=chat, filename="chat.jsonl", user=place.user, **place.who)

        session = Session.objects.get(pk=told["session"])
        assert [(row.role, row.selected) for row in session.messages.order_by("number")] == [
            ("assistant", 2),
            ("user", 1),
        ]
        assert check_session(session.pk) == []
        with pytest.raises(NothingToImport):
            imports.import_into_session(**place.here, content=chat, filename="chat.jsonl", user=place.user)

    def test_a_document_by_upload_is_the_session_again(self) -> None:
        place = Place()
        place.say("天黑了。")
        document = dumps(documents.export_session(place.session)).encode()
        client = APIClient()
        client.force_authenticate(place.user)

        seen = client.post(
            "/api/v1/session-imports/preview/", {"file": SimpleUploadedFile("s.json", document)}, format="multipart"
        )
        made = client.post(
            "/api/v1/session-imports/", {"file": SimpleUploadedFile("s.json", document)}, format="multipart"
        )
        wrong = client.post(
            "/api/v1/session-imports/", {"file": SimpleUploadedFile("s.bin", b"\x00\x01"), "x": "y"}, format="multipart"
        )
        unknown = client.post(
            "/api/v1/session-imports/", {"file": SimpleUploadedFile("s.bin", b"\x00\x01")}, format="multipart"
        )

        assert seen.json()["session"]["messages"] == 1
        assert dumps(documents.export_session(Session.objects.get(pk=made.json()["session"]))).encode() == document
        assert (wrong.status_code, wrong.json()["code"]) == (400, "INVALID_ARGUMENTS")
        assert (unknown.status_code, unknown.json()["code"]) == (422, "IMPORT_KIND_UNKNOWN")
