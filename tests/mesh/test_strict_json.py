"""JSON from outside is parsed exactly, or refused with a pointer to each place."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.strict_json import InvalidJSON, JSONTooLarge, loads, pointer

REFUSED: list[tuple[str, bytes, list[tuple[str, str]]]] = [
    ("a repeated key", b'{"a":1,"b":{"c":1,"c":2}}', [("/b/c", "duplicate_key")]),
    ("a repeated key, escaped once", b'{"a":1,"\\u0061":2}', [("/a", "duplicate_key")]),
    ("NaN", b"[1,NaN]", [("/1", "not_a_number")]),
    ("infinities", b"[Infinity,-Infinity]", [("/0", "not_a_number"), ("/1", "not_a_number")]),
    ("a number without a double", b'{"x":1e999}', [("/x", "number_too_large")]),
    ("an integer that is too large", b"[9007199254740992]", [("/0", "integer_too_large")]),
    ("an integer that is too small", b"[-9007199254740992]", [("/0", "integer_too_large")]),
    ("an endless integer", b"9" * 10_000, [("", "integer_too_large")]),
    ("half a surrogate pair", b'["ok","\\ud800"]', [("/1", "lone_surrogate")]),
    ("half a surrogate pair in a key", b'{"\\udc00":1}', [("/\\udc00", "lone_surrogate")]),
    ("several at once", b'{"a":NaN,"a":[]}', [("/a", "not_a_number"), ("/a", "duplicate_key")]),
    ("bytes that are not UTF-8", b'"\xff"', [("", "not_utf8")]),
    ("an encoded surrogate", b'"\xed\xa0\x80"', [("", "not_utf8")]),
    ("a byte order mark", b"\xef\xbb\xbf1", [("", "syntax")]),
    ("nothing", b"", [("", "syntax")]),
    ("trailing data", b"1 2", [("", "syntax")]),
    ("a trailing comma", b'{"a":[1,]}', [("/a/1", "syntax")]),
    ("an open text", b'{"a":"b', [("/a", "syntax")]),
    ("a control character", b'["\x01"]', [("/0", "syntax")]),
    ("keys with ~ and /", b'{"a~/b":x}', [("/a~0~1b", "syntax")]),
]  # fmt: skip


class TestLoads:
    @pytest.mark.parametrize(("what", "content", "expected"), REFUSED, ids=[case[0] for case in REFUSED])
    def test_refuses_and_says_where(self, what: str, content: bytes, expected: list[tuple[str, str]]) -> None:
        with pytest.raises(InvalidJSON) as refused:
            loads(content)

        assert [(each.path, each.code) for each in refused.value.problems] == expected

    def test_refuses_nesting_beyond_the_limit_before_it_parses(self) -> None:
        assert loads(b"[" * 64 + b"]" * 64)
        with pytest.raises(InvalidJSON) as refused:
            loads(b'{"a":' * 100_000)

        assert [(each.path, each.code) for each in refused.value.problems] == [("/a" * 64, "too_deep")]

    def test_counts_no_brackets_in_texts(self) -> None:
        assert loads(dumps(["[" * 1000 + '\\"' + "{" * 1000])) == ["[" * 1000 + '\\"' + "{" * 1000]

    def test_refuses_more_bytes_than_are_taken(self) -> None:
        assert loads('"é"', max_bytes=4) == "é"
        with pytest.raises(JSONTooLarge):
            loads('"éé"', max_bytes=4)

    def test_reads_the_edges_of_what_it_takes(self) -> None:
        content = b'[9007199254740991,-9007199254740991,1e308,"\\ud83d\\ude00","\\u0000",{}]'

        assert loads(content) == [2**53 - 1, 1 - 2**53, 1e308, "\U0001f600", "\0", {}]

    def test_keeps_the_order_of_keys_and_the_kind_of_numbers(self) -> None:
        content = '{"b":1.0,"a":1,"":-0.0}'

        assert dumps(loads(content)) == content

    @pytest.mark.parametrize(
        "content", [b'"\\"' * 200_000, b'"' * 400_000, b"NaN," * 100_000, b"[" + b"NaN," * 99_999 + b"1]"]
    )
    def test_takes_no_time_over_hostile_content(self, content: bytes) -> None:
        began = time.monotonic()
        with pytest.raises(InvalidJSON) as refused:
            loads(content)

        assert len(refused.value.problems) <= 50
        assert time.monotonic() - began < 5


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)
PIECES = st.lists(
    st.sampled_from(['"', "\\", "\\u", "d800", "{", "}", "[", "]", ",", ":", "1", "-", "e9", "NaN", "a", '"a"', " "])
)


def refusal(content: str | bytes) -> InvalidJSON | None:
    try:
        loads(content)
    except InvalidJSON as refused:
        return refused
    return None


class TestIntegersAsDoubles:
    @pytest.mark.parametrize(
        ("content", "kept"),
        [
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991", "-9007199254740991"),
            ("9007199254740992", "9007199254740992.0"),
            ("9007199254740993", "9007199254740992.0"),
            ("-9007199254740993", "-9007199254740992.0"),
            ("9999999999999999", "1e+16"),
            ("1" + "0" * 300, "1e+300"),
            ("0.1", "0.1"),
            ("true", "true"),
        ],
    )
    def test_are_exact_as_far_as_doubles_are(self, content: str, kept: str) -> None:
        assert dumps(loads(content, integers_as_doubles=True)) == kept

    @pytest.mark.parametrize("content", ["1" * 400, "-" + "9" * 5000, "1e400"])
    def test_without_a_finite_double_are_refused(self, content: str) -> None:
        with pytest.raises(InvalidJSON) as refused:
            loads(f'{{"hp":{content}}}', integers_as_doubles=True)

        assert [(each.path, each.code) for each in refused.value.problems] == [("/hp", "number_too_large")]


class TestAnything:
    @given(st.binary() | PIECES.map(lambda pieces: "".join(pieces).encode()))
    def test_is_parsed_or_refused_in_our_own_way(self, content: bytes) -> None:
        refused = refusal(content)

        if refused is None:
            assert loads(dumps(loads(content))) == loads(content)
        else:
            assert refused.problems
            assert json.dumps(refused.as_json(), ensure_ascii=False).encode()

    @given(st.text())
    def test_that_is_text_is_parsed_or_refused_in_our_own_way(self, content: str) -> None:
        refused = refusal(content)

        assert refused is None or refused.problems

    @given(VALUES)
    def test_that_is_json_comes_back_as_it_was(self, value: Any) -> None:
        text = dumps(value)

        assert dumps(loads(text.encode())) == text


class TestPointer:
    def test_escapes_and_ends(self) -> None:
        assert pointer("/a", "b/~") == "/a/b~1~0"
        assert len(pointer("/" + "x" * 600, "more")) == 601
