"""The counting rule beyond the published cases: what may never change a count, and code that does not parse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.protocol.complexity import LANGUAGE, count_decision_points, language_of

SUFFIXES = [".ts", ".js", ".tsx", ".jsx"]
STATEMENTS = [
    "if (a) b();",
    "if (a) b(); else if (c) d();",
    "for (const v of list) work(v);",
    "do { x--; } while (x);",
    "try { a(); } catch { b(); }",
    "switch (x) { case 1: a(); break; default: b(); }",
    "const f = (s) => s ? 1 : 2;",
    "export default { case: 1, default: 2 };",
    "p.catch(() => Symbol.for('x'));",
    "const s = `if ${(() => { while (q) r(); })()}`;",
    "const r = /if (a)/;",
]
PROSE = st.text(st.characters(exclude_characters="\r\n\u2028\u2029", exclude_categories=["Cs"]), max_size=40)
# Keywords are likely here: a plain random text would hardly ever hold one.
KEYWORD_PROSE = st.lists(
    st.sampled_from(["if (a)", "case 1:", "default:", "for (;;)", "while", "catch (e)", "switch (x) {", "}", " "])
).map(" ".join)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, str]:
    suffix = draw(st.sampled_from(SUFFIXES))
    return suffix, "\n".join(draw(st.lists(st.sampled_from(STATEMENTS), max_size=6))) + "\n"


def count(suffix: str, source: str) -> int:
    return count_decision_points("file" + suffix, source.encode())


class TestLanguageOf:
    @pytest.mark.parametrize("file", ["a.ts", "a.d.ts", "src/[id].TSX", "@scope/x.Js", "my file.jsx", "..ts"])
    def test_a_supported_suffix_in_any_case_has_the_language(self, file: str) -> None:
        assert language_of(file) == LANGUAGE

    @pytest.mark.parametrize("file", ["", ".", ".ts", "a.mts", "a.ts.bak", "ts", "a.ts/readme", "src/.tsx", "a.ts "])
    def test_everything_else_has_none(self, file: str) -> None:
        assert language_of(file) is None


class TestCountingWhatIsNoCode:
    @given(programs(), PROSE | KEYWORD_PROSE)
    def test_a_line_comment_changes_nothing(self, program: tuple[str, str], prose: str) -> None:
        suffix, source = program

        assert count(suffix, f"{source}// {prose}\n") == count(suffix, source)

    @given(programs(), PROSE | KEYWORD_PROSE)
    def test_a_block_comment_changes_nothing(self, program: tuple[str, str], prose: str) -> None:
        suffix, source = program

        assert count(suffix, f"/* {prose.replace('*', '')} */{source}") == count(suffix, source)

    @given(programs(), PROSE | KEYWORD_PROSE, st.sampled_from("'\"`"))
    def test_a_string_changes_nothing(self, program: tuple[str, str], prose: str, quote: str) -> None:
        suffix, source = program
        text = prose.replace("\\", "").replace(quote, "").replace("$", "")

        assert count(suffix, f"{source}const note = {quote}{text}{quote};\n") == count(suffix, source)

    @given(programs(), KEYWORD_PROSE)
    def test_text_of_an_element_changes_nothing(self, program: tuple[str, str], prose: str) -> None:
        _, source = program
        text = prose.replace("{", "").replace("}", "")

        assert count(".tsx", f"{source}const note = <p>{text}</p>;\n") == count(".tsx", source)

    @given(programs(), programs())
    def test_two_programs_count_the_sum(self, first: tuple[str, str], second: tuple[str, str]) -> None:
        (suffix, one), (_, other) = first, second

        assert count(suffix, one + other) == count(suffix, one) + count(suffix, other)


class TestCountingAnyBytes:
    @given(st.sampled_from(SUFFIXES), st.binary(max_size=300))
    def test_bytes_that_are_no_text_have_a_count(self, suffix: str, source: bytes) -> None:
        assert count_decision_points("file" + suffix, source) >= 0

    @given(st.sampled_from(SUFFIXES), programs(), st.data())
    def test_a_program_cut_anywhere_counts_no_more_than_the_whole(
        self, suffix: str, program: tuple[str, str], data: st.DataObject
    ) -> None:
        whole = program[1].encode()
        end = data.draw(st.integers(0, len(whole)))

        found = count_decision_points("file" + suffix, whole[:end])

        # An opened string, template or expression may show its words as code until it is closed.
        assert 0 <= found <= sum(whole[:end].count(word) for word in (b"if", b"for", b"while", b"ca", b"default"))

    @pytest.mark.parametrize("suffix", SUFFIXES)
    @pytest.mark.parametrize("opener", ["{", "(", "[", "a<", "<a>", "if(a){", "a?", "x=>"])
    def test_deep_nesting_needs_no_stack(self, suffix: str, opener: str) -> None:
        expected = 5_000 if opener.startswith("if") else 0

        assert count(suffix, opener * 5_000) == expected


class TestCountingBrokenCode:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("if (a) { b(); while (c) {", 2),
            ("}}} if (a) b(); }", 1),
            ("switch (x) { case 1: a(); if (", 2),
            ("switch (x) { case 1: a(); default: b();", 2),
            ("if (a) { p.catch(e); x = { if: 1, case: 2 }; if ((", 2),
            ("class A { for(x) { if (x) y(); } while(", 1),
            ("const s = 'if (a)", 0),
            ("/* if (a)", 0),
        ],
    )
    def test_what_is_left_is_counted(self, source: str, expected: int) -> None:
        assert count(".ts", source) == expected

    def test_tokens_that_recovery_makes_up_do_not_count(self) -> None:
        assert count(".js", "function f() { do x() }") == 0

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            (") case 1: } default: ) (", 0),
            ("( switch (x) ( case 1: )", 0),
        ],
    )
    def test_labels_outside_any_switch_do_not_count(self, source: str, expected: int) -> None:
        assert count(".js", source) == expected


class TestCountingEncodings:
    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\u2028", "\u2029"])
    def test_a_comment_ends_at_any_line_end_of_the_language(self, line_end: str) -> None:
        assert count(".js", f"// if (a){line_end}if (b) c();{line_end}") == 1

    @pytest.mark.parametrize(
        "source", ["const s = 'a\0if (b)';", "/* \0 if (b) */", "// \0if (b)\n", "<p>\0if (b)</p>;"]
    )
    def test_a_nul_byte_ends_nothing(self, source: str) -> None:
        assert count(".js", f"{source}if (a) b();") == 1

    def test_a_byte_that_is_no_utf8_hides_nothing(self) -> None:
        assert count_decision_points("a.js", b"const s = '\xff\xfe if (b)'; if (a) b();\n") == 1

    def test_a_byte_order_mark_before_a_hashbang(self) -> None:
        assert count(".js", "\ufeff#!/usr/bin/env node if (a)\nif (b) c();\n") == 1
