"""The bounded prefix: any chunking alike, exact accounting, no split character."""

from __future__ import annotations

import hashlib
import itertools

from hypothesis import given
from hypothesis import strategies as st

from fabric_app.evidence.output import BoundedOutput

CHARACTERS = [character.encode() for character in ("a", "\n", "\0", "\xe9", "\u20ac", "\U0001f600")]
ILL_FORMED = [b"\xff", b"\xe2\x82", b"\xf0\x9f"]
PIECES = st.sampled_from(CHARACTERS + ILL_FORMED)
STREAMS = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=40).map(b"".join))
LIMITS = st.integers(min_value=0, max_value=40)


def bounded(stream: bytes, limit: int = 32_768, cuts: list[int] | None = None) -> BoundedOutput:
    output = BoundedOutput(limit)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts or []), len(stream)]
    for start, end in itertools.pairwise(edges):
        output.feed(stream[start:end])
    return output


class TestBoundedOutput:
    @given(stream=STREAMS, limit=LIMITS, cuts=st.lists(st.integers(0, 60), max_size=5))
    def test_chunks_of_any_size_give_the_same(self, stream: bytes, limit: int, cuts: list[int]) -> None:
        whole, chunked = bounded(stream, limit), bounded(stream, limit, cuts)

        assert (chunked.text, chunked.omitted_bytes) == (whole.text, whole.omitted_bytes)
        assert chunked.digest == f"sha256:{hashlib.sha256(stream).hexdigest()}"
        assert chunked.total_bytes == len(stream)

    @given(stream=STREAMS, limit=LIMITS)
    def test_the_text_is_the_decoded_form_of_exactly_the_bytes_that_are_not_omitted(
        self, stream: bytes, limit: int
    ) -> None:
        output = bounded(stream, limit)

        represented = stream[: len(stream) - output.omitted_bytes]

        assert output.text == represented.decode("utf-8", "replace")
        assert len(output.text.encode()) <= limit

    @given(stream=STREAMS, limit=LIMITS)
    def test_nothing_is_omitted_that_would_have_fitted(self, stream: bytes, limit: int) -> None:
        output = bounded(stream, limit)

        room = limit - len(output.text.encode())

        assert output.omitted_bytes == 0 or room < 4

    @given(text=st.text(max_size=40), limit=LIMITS)
    def test_a_well_formed_stream_keeps_its_characters_whole(self, text: str, limit: int) -> None:
        output = bounded(text.encode(), limit)

        assert text.startswith(output.text)
        assert output.omitted_bytes == len(text.encode()) - len(output.text.encode())

    def test_an_undecodable_byte_is_replaced_and_valid_text_behind_it_is_kept(self) -> None:
        output = bounded(b"\xffhello")

        assert (output.text, output.omitted_bytes) == ("\ufffdhello", 0)

    def test_a_character_that_the_stream_itself_breaks_off_is_replaced(self) -> None:
        output = bounded(b"ab\xe2\x82")

        assert (output.text, output.omitted_bytes) == ("ab\ufffd", 0)

    def test_a_character_that_the_limit_breaks_off_is_omitted_whole(self) -> None:
        output = bounded("ab\u20ac".encode(), limit=4)

        assert (output.text, output.omitted_bytes) == ("ab", 3)

    def test_replacements_that_outgrow_the_limit_are_cut_and_their_bytes_counted(self) -> None:
        output = bounded(b"\xff" * 32_768)

        assert output.text == "\ufffd" * 10_922
        assert output.omitted_bytes == 32_768 - 10_922
