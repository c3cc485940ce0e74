"""Whatever bytes somebody brings, each importer gives a result or a refusal of its own, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.importers.cards import read_card
from sessions_app.importers.chat import read_chat
from sessions_app.importers.detect import kind_of
from sessions_app.importers.errors import ImportRefused
from sessions_app.importers.exporting import card_of, character_book_of, world_info_of
from sessions_app.importers.world_info import read_world_info_file
from tests.sessions.importers.brought_files import (
    CARD_ENTRY,
    CHAT_HEADER,
    INN,
    TOWER,
    card,
    character_book,
    charx,
    chat,
    chunk,
    packed,
    png,
    said,
    text_chunk,
    world_info,
)
from tests.sessions.importers.entries_in_the_wild import JSON

READERS: list[Callable[[bytes], Any]] = [read_card, read_chat, read_world_info_file, kind_of]
FILES = [
    packed(card(character_book=character_book(CARD_ENTRY))),
    png(text_chunk("chara", card())),
    png(text_chunk("ccv3", card(), b"zTXt")),
    png(text_chunk("ccv3", card(), b"iTXt")),
    charx(card()),
    packed(world_info(TOWER, INN)),
    chat(CHAT_HEADER, said("a", swipes=["a", "b"], swipe_id=0), said("b")),
]
EDITS = st.lists(st.tuples(st.integers(0, 5_000), st.binary(max_size=3)), min_size=1, max_size=4)
NAMES = [*TOWER, *CARD_ENTRY, *card()["data"], "character_book", "entries", "data", "spec", "state_condition"]
OBJECTS = st.dictionaries(st.sampled_from(NAMES), JSON | st.dictionaries(st.sampled_from(NAMES), JSON), max_size=6)


def told(read: Callable[[bytes], Any], content: bytes) -> None:
    """Read the content; a refusal has to be one that can be sent."""
    refused = None
    try:
        read(content)
    except ImportRefused as error:
        refused = error
    if refused is not None:
        assert refused.problems
        assert json.dumps(refused.as_json(), ensure_ascii=False).encode()


@pytest.mark.parametrize("read", READERS)
class TestEachReader:
    @given(content=st.binary(max_size=200))
    def test_takes_any_bytes(self, read: Callable[[bytes], Any], content: bytes) -> None:
        told(read, content)

    @given(start=st.sampled_from([b"\x89PNG\r\n\x1a\n", b"PK\3\4", b"\xef\xbb\xbf{"]), content=st.binary(max_size=200))
    def test_takes_any_bytes_after_a_known_beginning(
        self, read: Callable[[bytes], Any], start: bytes, content: bytes
    ) -> None:
        told(read, start + content)

    @given(file=st.sampled_from(FILES), edits=EDITS, cut=st.none() | st.integers(0, 3_000))
    def test_takes_damaged_files(
        self, read: Callable[[bytes], Any], file: bytes, edits: list[tuple[int, bytes]], cut: int | None
    ) -> None:
        for at, put in edits:
            place = at % len(file)
            file = file[:place] + put + file[place + len(put) :]

        told(read, file[:cut])

    @given(value=OBJECTS, wrap=st.sampled_from(["bare", "card", "book", "entry", "line"]))
    def test_takes_any_json(self, read: Callable[[bytes], Any], value: dict[str, Any], wrap: str) -> None:
        wrapped = {
            "bare": value,
            "card": {"spec": "chara_card_v3", "data": value},
            "book": card(character_book=value),
            "entry": world_info(value),
            "line": said("a", **value),
        }[wrap]

        told(read, packed(wrapped))


class TestPictures:
    @given(data=st.binary(max_size=60), kind=st.sampled_from([b"tEXt", b"zTXt", b"iTXt", b"IEND", b"aaAa"]))
    def test_may_have_anything_in_a_chunk(self, data: bytes, kind: bytes) -> None:
        for content in (data, b"chara\0" + data):
            told(read_card, png(chunk(kind, content)))


class TestWhatWasRead:
    @given(OBJECTS)
    def test_can_be_written(self, value: dict[str, Any]) -> None:
        with suppress(ImportRefused):
            read, _ = read_card(packed(card(character_book={"entries": [value], **value})))
            assert card_of(read) == read.original
            if read.book is not None:
                assert json.dumps(character_book_of(read.book))
                assert json.dumps(world_info_of(read.book))
