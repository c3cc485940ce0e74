"""Which kind of file it is, told by its content."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.importers.detect import FileKind, kind_of
from sessions_app.importers.errors import ImportTooLarge, KindUnknown
from sessions_app.importers.limits import ImportLimits
from tests.sessions.importers.brought_files import (
    CARD_ENTRY,
    CHAT_HEADER,
    TOWER,
    card,
    character_book,
    charx,
    chat,
    packed,
    png,
    said,
    text_chunk,
    world_info,
)


class TestKindOf:
    @pytest.mark.parametrize(
        ("content", "kind"),
        [
            (packed(card()), FileKind.CARD),
            (packed({"name": "Ида", "first_mes": "Тихо."}), FileKind.CARD),
            (png(text_chunk("chara", card())), FileKind.CARD),
            (charx(card()), FileKind.CARD),
            (b"\xef\xbb\xbf" + packed(world_info(TOWER)), FileKind.WORLD_INFO),
            (packed(character_book(CARD_ENTRY)), FileKind.WORLD_INFO),
            (packed({"spec": "lorebook_v3", "data": character_book()}), FileKind.WORLD_INFO),
            (chat(CHAT_HEADER, said("a")), FileKind.CHAT),
            (b"\r\n" + chat(CHAT_HEADER, b"{broken"), FileKind.CHAT),
            (chat(said("a"), said("b")), FileKind.CHAT),
            (packed({"format": "statehouse.session", "formatVersion": 1, "events": []}), FileKind.SESSION),
            (packed({"events": [], "format": "statehouse.session"}), FileKind.SESSION),
        ],
    )
    def test_goes_by_the_content_alone(self, content: bytes, kind: FileKind) -> None:
        assert kind_of(content, "misleading.txt") is kind

    @pytest.mark.parametrize(
        "content", [b"", b"hello", b"[1]", b"{}", packed({"name": "x"}), b'{"data": 1}', b"\xff\xd8\xff\xe0", b"{" * 99]
    )
    def test_says_what_was_expected(self, content: bytes) -> None:
        with pytest.raises(KindUnknown) as error:
            kind_of(content, "笔记.txt")

        assert "笔记.txt: Expected a character card" in error.value.sentence()

    def test_a_session_is_known_before_it_is_read(self) -> None:
        content: Any = b'{"format": "statehouse.session", ' + b" " * 100

        assert kind_of(content, limits=ImportLimits(file_bytes=20)) is FileKind.SESSION

    def test_a_file_that_is_too_large_is_refused(self) -> None:
        with pytest.raises(ImportTooLarge):
            kind_of(packed(card()), limits=ImportLimits(file_bytes=20))
