"""SillyTavern chats: who said what, in which variants, and every line that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.importers.chat import ImportedMessage, read_chat
from sessions_app.importers.errors import ImportTooLarge, NotAChat
from sessions_app.importers.limits import ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.protocol.events import Role
from tests.sessions.importers.brought_files import CHAT_HEADER, chat, said

USER = {"name": "旅人", "is_user": True, "is_system": False, "send_date": 1767646800000, "mes": "外面在下雪。"}


def only(**more: Any) -> ImportedMessage:
    read, _ = read_chat(chat(CHAT_HEADER, said(**{"text": "……你来了？", **more})))
    return read.messages[0]


class TestReadChat:
    def test_gives_the_messages_in_their_order(self) -> None:
        read, report = read_chat(chat(CHAT_HEADER, said("……你来了？"), USER, b"", said("进来吧。\u2028坐。")) + b"\r\n")

        assert (read.user_name, read.character_name, read.created_at) == ("旅人", "阿遥", "2026-01-05@21h00m00s")
        assert read.metadata == CHAT_HEADER["chat_metadata"]
        assert [(each.role, each.name, each.text, each.sent_at) for each in read.messages] == [
            (Role.ASSISTANT, "阿遥", "……你来了？", "January 5, 2026"),
            (Role.USER, "旅人", "外面在下雪。", "1767646800000"),
            (Role.ASSISTANT, "阿遥", "进来吧。\u2028坐。", "January 5, 2026"),
        ]
        assert report.notices == ()

    def test_a_message_that_is_hidden_from_the_model_is_the_hosts(self) -> None:
        read, report = read_chat(chat(CHAT_HEADER, said("/roll 2d6", is_system=True), {**USER, "is_system": True}))

        assert [(each.role, each.is_hidden) for each in read.messages] == [(Role.HOST, True)] * 2
        assert report.of(NoticeCode.HIDDEN_MESSAGE) is not None

    @pytest.mark.parametrize(
        ("given", "variants", "selected"),
        [
            ({}, ("a",), 0),
            ({"swipes": None, "swipe_id": None}, ("a",), 0),
            ({"swipes": []}, ("a",), 0),
            ({"swipes": ["b", "a", "c"], "swipe_id": 1}, ("b", "a", "c"), 1),
            ({"swipes": ["a"]}, ("a",), 0),
            ({"swipes": ["b", None, "c"], "swipe_id": 1}, ("b", "a", "c"), 1),
            ({"swipes": ["b", "edited since"], "swipe_id": 1}, ("b", "a"), 1),
            ({"swipes": ["b", "a"], "swipe_id": 9}, ("b", "a"), 1),
            ({"swipes": ["b", "c"], "swipe_id": -1}, ("b", "c", "a"), 2),
        ],
    )
    def test_the_text_that_was_shown_is_the_chosen_variant(
        self, given: dict[str, Any], variants: tuple[str, ...], selected: int
    ) -> None:
        message = only(text="a", **given)

        assert (message.variants, message.selected) == (variants, selected)
        assert message.variants[message.selected] == message.text

    def test_only_replies_have_variants(self) -> None:
        read, report = read_chat(chat(CHAT_HEADER, {**USER, "swipes": ["x", USER["mes"]], "swipe_id": 1}))

        assert (read.messages[0].variants, read.messages[0].selected) == (("外面在下雪。",), 0)
        assert report.of(NoticeCode.VARIANTS_OF_OTHERS) is not None

    def test_a_chat_may_begin_with_a_message(self) -> None:
        read, report = read_chat(b"\xef\xbb\xbf" + chat(said("Hej."), USER))

        assert [each.text for each in read.messages] == ["Hej.", "外面在下雪。"]
        assert report.of(NoticeCode.HEADER_MISSING) is not None

    def test_tells_what_is_left(self) -> None:
        message = said("a", variables=[{"stat_data": {"好感度": 3}}], extra={"reasoning": "…", "image": ""})

        _, report = read_chat(chat({**CHAT_HEADER, "chat_metadata": {"variables": {"x": 1}}}, message))

        assert [(notice.code, notice.count) for notice in report] == [
            (NoticeCode.VARIABLES, 2),
            (NoticeCode.EXTRAS, 1),
        ]

    def test_names_every_bad_line(self) -> None:
        lines = (CHAT_HEADER, b"{broken", said("ok", is_user="yes"), [1], {"name": "nobody"}, said(["x"], swipes={}))

        with pytest.raises(NotAChat) as error:
            read_chat(chat(*lines))

        assert [(each.path, each.code) for each in error.value.problems] == [
            ("/lines/2", "syntax"),
            ("/lines/3/is_user", "wrong_type"),
            ("/lines/4", "wrong_type"),
            ("/lines/5", "no_message"),
            ("/lines/6/mes", "wrong_type"),
            ("/lines/6/swipes", "wrong_type"),
        ]
        assert error.value.problems[0].detail.startswith("Line 2: ")

    @pytest.mark.parametrize("content", [b"", b"\n \n", b"[]", b'{"a": 1}', b"\xff", b'{"chat_metadata": 5}'])
    def test_what_is_no_chat_is_refused(self, content: bytes) -> None:
        with pytest.raises(NotAChat):
            read_chat(content)

    @pytest.mark.parametrize(
        "limits", [ImportLimits(messages=1), ImportLimits(lines=2), ImportLimits(file_bytes=9), ImportLimits(nodes=3)]
    )
    def test_is_bounded(self, limits: ImportLimits) -> None:
        with pytest.raises(ImportTooLarge):
            read_chat(chat(CHAT_HEADER, said("a"), said("b")), limits)

    def test_variants_and_texts_are_bounded(self) -> None:
        with pytest.raises(NotAChat) as error:
            read_chat(
                chat(CHAT_HEADER, said("a", swipes=["a", "b", "c"]), said("long")),
                ImportLimits(variants=2, message_chars=3),
            )

        assert [each.code for each in error.value.problems] == ["too_many", "too_long"]
