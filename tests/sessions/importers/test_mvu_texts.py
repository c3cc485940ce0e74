"""The three languages of initial variables: YAML 1.2 core, loose JSON, TOML."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions_app.importers.loose_json import read_loose_json
from sessions_app.importers.toml_text import read_toml
from sessions_app.importers.unreadable import Unreadable
from sessions_app.importers.yaml_core import read_yaml
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS, Limits
from sessions_app.protocol.values import normalised

READERS = [read_yaml, read_loose_json, read_toml]
Reader = Callable[[str, Limits], Any]


class TestReadYAML:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("21:00", "21:00"),
            ("2026-03-01", "2026-03-01"),
            ("2026-03-01T21:00:00Z", "2026-03-01T21:00:00Z"),
            ("on", "on"),
            ("yes", "yes"),
            ("y", "y"),
            ("No", "No"),
            ("tRue", "tRue"),
            ("1_000", "1_000"),
            ("0b11", "0b11"),
            ("+0x1F", "+0x1F"),
            ("0X1F", "0X1F"),
            ("nULL", "nULL"),
            ("=", "="),
            ("007", 7),
            ("-7", -7),
            ("+7", 7),
            ("0o17", 15),
            ("0x1F", 31),
            ("1.", 1),
            (".5", 0.5),
            ("1e3", 1000),
            ("12e-1", 1.2),
            ("1e", "1e"),
            ("9007199254740993", 9007199254740992.0),
            ("~", None),
            ("null", None),
            ("Null", None),
            ("NULL", None),
            ("", None),
            ("true", True),
            ("True", True),
            ("FALSE", False),
            ("'007'", "007"),
            ('"true"', "true"),
        ],
    )
    def test_a_scalar_is_what_the_core_schema_says(self, text: str, value: Any) -> None:
        read = read_yaml(f"是: {text}", DEFAULT_LIMITS)

        assert read == {"是": value}
        assert type(read["是"]) is type(value)

    def test_keys_are_texts_as_javascript_writes_them(self) -> None:
        read = read_yaml("1: a\n007: b\ntrue: c\n1.50: d\n21:00: e", DEFAULT_LIMITS)

        assert read == {"1": "a", "7": "b", "true": "c", "1.5": "d", "21:00": "e"}

    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("a: 1\nb: &x 2", 2, 4),
            ("a: *x", 1, 4),
            ("a: !!str 1", 1, 4),
            ("a: !mine {}", 1, 4),
            ("a: 1\n<<: {b: 2}", 2, 1),
            ("a: 1\nb: 2\na: 3", 3, 1),
            ("1: a\n'1': b", 2, 1),
            ("a: .inf", 1, 4),
            ("a: -.INF", 1, 4),
            ("a: .NaN", 1, 4),
            ("a: 1e999", 1, 4),
            ("a: 1\n---\nb: 2", 2, 1),
            ("? [a]\n: b", 1, 3),
            ("{{user}}: 1", 1, 2),
            ("~: 1", 1, 1),
            ("a: b: c", 1, 5),
            ("a: @x", 1, 4),
        ],
    )
    def test_what_is_not_taken_is_refused_with_its_place(self, text: str, line: int, column: int) -> None:
        with pytest.raises(Unreadable) as refused:
            read_yaml(text, DEFAULT_LIMITS)

        assert refused.value.line == line
        assert refused.value.column in (column, column - 1)

    def test_a_quoted_merge_key_is_a_key(self) -> None:
        assert read_yaml('"<<": 1', DEFAULT_LIMITS) == {"<<": 1}

    @pytest.mark.parametrize("text", ['"\\UFFFFFFFF"', "%YAML 1." + "9" * 5_000 + "\n--- a", "a\x00b"])
    def test_a_text_that_the_library_trips_over_is_refused(self, text: str) -> None:
        with pytest.raises(Unreadable):
            read_yaml(text, DEFAULT_LIMITS)


class TestReadLooseJSON:
    def test_it_is_read_as_its_authors_mean_it(self) -> None:
        text = """
        // variables
        {
          角色: {'阿遥': {好感度: [30, "[0,100]"], /* mood */ 心情: '平静'}}
          "时间": "21:00",
          $meta: {extensible: true,},
          list: [1, +2, .5, 0x1F,
            "four"
            null],
        }
        """

        assert read_loose_json(text, DEFAULT_LIMITS) == {
            "角色": {"阿遥": {"好感度": [30, "[0,100]"], "心情": "平静"}},
            "时间": "21:00",
            "$meta": {"extensible": True},
            "list": [1, 2, 0.5, 31, "four", None],
        }

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            (
                r'"\ud83d\ude00\x41\n\'\
b"',
                "😀A\n'b",
            ),
            ("'a\"b'", 'a"b'),
            ("-0x10", -16),
            ("{1: 2}", {"1": 2}),
            ("{}", {}),
            ("[]", []),
        ],
    )
    def test_a_value_that_json_writes_otherwise(self, text: str, value: Any) -> None:
        assert read_loose_json(text, DEFAULT_LIMITS) == value

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("{a: 1 b: 2}", 1),
            ("{a: [1\n] b: 2}", 2),
            ("[1 2]", 1),
            ("{a: undefined}", 1),
            ("{a: NaN}", 1),
            ("{a: -Infinity}", 1),
            ("{a: 平静}", 1),
            ("{a: 1,\n a: 2}", 2),
            ("{a: 1,, b: 2}", 1),
            ("{,}", 1),
            ("{a: 1-2}", 1),
            ("{a: f(1)}", 1),
            ("{a: 1}}", 1),
            ("{a: 1", None),
            ("", None),
            ('{"a', 1),
            ("{a: 1e999}", 1),
            ("/*", 1),
        ],
    )
    def test_what_is_no_literal_is_refused_with_its_line(self, text: str, line: int | None) -> None:
        with pytest.raises(Unreadable) as refused:
            read_loose_json(text, DEFAULT_LIMITS)

        assert refused.value.line == line


class TestReadTOML:
    def test_dates_are_the_texts_that_were_written(self) -> None:
        text = """
        a = 2026-03-01  # 2026-03-02
        b = 21:00
        c = 2026-03-01 07:32:00Z
        d = [2026-03-01, "2026-03-01", '07:32:00']
        2026-03-04 = 1.5
        [2026-03-05]
        e = \"""
        x = 2026-03-01\"""
        """

        assert read_toml(text, DEFAULT_LIMITS) == {
            "a": "2026-03-01",
            "b": "21:00",
            "c": "2026-03-01 07:32:00Z",
            "d": ["2026-03-01", "2026-03-01", "07:32:00"],
            "2026-03-04": 1.5,
            "2026-03-05": {"e": "        x = 2026-03-01"},
        }

    @pytest.mark.parametrize("text", ["a = 1\na = 2", "a = ", "a: 1", "好 = 1", "a = " + "9" * 5_000])
    def test_what_is_no_toml_is_refused(self, text: str) -> None:
        with pytest.raises(Unreadable):
            read_toml(text, DEFAULT_LIMITS)


class TestReadAnything:
    @pytest.mark.parametrize("reader", READERS)
    @pytest.mark.parametrize(
        "text",
        [
            "[" * 100_000,
            "{" * 100_000,
            "{a:" * 50_000,
            "- " * 100_000,
            "a=" + "[" * 100_000,
            "a=" + "{a=" * 50_000,
            ".".join("a" * 100_000) + "=1",
            "[" + ".".join("a" * 100_000) + "]",
            '"""' + "'" * 100_000,
            '"' * 99_999,
            "'''\n" * 25_001,
            "/*" * 50_000,
            "\\" * 100_000,
            "a: " * 30_000,
            "? " * 50_000,
            "#\n" * 50_000,
            "\n" * 200_000,
            "&a " * 50_000,
        ],
        ids=lambda text: repr(text[:8]),
    )
    def test_a_text_meant_to_harm_is_refused_or_read_soon(self, reader: Reader, text: str) -> None:
        with suppress(Unreadable):
            reader(text, DEFAULT_LIMITS)

    @pytest.mark.parametrize(("reader", "text"), [(read_yaml, "[1, 2, 3]"), (read_loose_json, "[1, 2, 3, 4, 5, 6]")])
    def test_more_parts_than_allowed_are_refused(self, reader: Reader, text: str) -> None:
        with pytest.raises(Unreadable, match="more than 3 parts" if reader is read_yaml else "more than 2 parts"):
            reader(text, Limits(nodes=3 if reader is read_yaml else 2))

    @pytest.mark.parametrize(
        ("reader", "opening", "closing"),
        [(read_yaml, "[", "]"), (read_loose_json, "{a:[", "]}"), (read_toml, "[", "]")],
    )
    def test_as_many_levels_as_allowed_are_read(self, reader: Reader, opening: str, closing: str) -> None:
        levels = DEFAULT_LIMITS.depth // opening.count("[") // (2 if "{" in opening else 1)
        start = "a=" if reader is read_toml else ""

        assert reader(start + opening * levels + closing * levels, DEFAULT_LIMITS)

    @pytest.mark.parametrize("reader", READERS)
    @given(text=st.text(max_size=60) | st.text(alphabet="{}[]():,'\"\\/*#=.-+&!<>~|%@ \n\tae1🦊好", max_size=60))
    @example(text="a: \ud800")
    def test_any_text_is_read_or_refused(self, reader: Reader, text: str) -> None:
        with suppress(Unreadable, ValueInvalid):
            value = reader(text, DEFAULT_LIMITS)
            assert normalised(value, DEFAULT_LIMITS) == value
