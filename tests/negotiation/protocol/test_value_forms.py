"""What a client may state as a value, and what is refused with its place. Section 4."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.mesh.errors import Problem
from negotiation_app.protocol.value_forms import MOST_DIGITS, read_value
from tests.negotiation.protocol.stated import (
    VALUES,
    boolean,
    date,
    duration,
    money,
    number,
    percent,
    span,
    text,
    value,
)

KEPT: tuple[dict[str, Any], ...] = (
    money("95000.00"),
    money("-0.50", "CNY", per="month", qualifier="net"),
    money("100", "DEM"),
    number("1000", "ft2"),
    number("0"),
    number("7", "pallets of 24"),
    percent("2.5"),
    percent("250", unit="bps", qualifier="gross"),
    duration("1.5", "business_day"),
    date("2024-02-29"),
    date("0001-01-01"),
    date("9999-12-31T23:59:59.999999999-12:00"),
    date("2026-03-01t10:00:00z"),
    text("  交货日期 "),
    text("Straße", lang="de"),
    boolean(truth=False),
    span(money("1"), None),
    span(None, date("2026-03-01")),
    span(number("1", "t"), number("1000", "kg")),
)
REFUSED: tuple[tuple[Any, str], ...] = (
    (None, ""),
    ("5 EUR", ""),
    ([money("5")], ""),
    ({}, "/type"),
    ({"type": ["money"]}, "/type"),
    ({"type": "Money", "amount": "5"}, "/type"),
    ({**money("5"), "vat": "net"}, "/vat"),
    ({**number("5"), "a/b": 1}, "/a~1b"),
    (money("5", "eur"), "/currency"),
    (money("5", "EURO"), "/currency"),
    (money("5", "ZZZ"), "/currency"),
    ({"type": "money", "amount": "5"}, "/currency"),
    ({**money("5"), "currency": ["EUR"]}, "/currency"),
    (money("5", per=""), "/per"),
    (money("5", qualifier=" net"), "/qualifier"),
    ({**money("5"), "qualifier": ["net"]}, "/qualifier"),
    (number("5", "m\n2"), "/unit"),
    (number("5", "x" * 65), "/unit"),
    (percent("5", unit="‰"), "/unit"),
    ({**percent("5"), "unit": ["%"]}, "/unit"),
    (duration("3", "fortnight"), "/unit"),
    ({"type": "duration", "amount": "3"}, "/unit"),
    ({**duration("3", "day"), "unit": {}}, "/unit"),
    ({**duration("3", "day"), "qualifier": "net"}, "/qualifier"),
    (date("2026-02-30"), "/value"),
    (date("2025-02-29"), "/value"),
    (date("0000-01-01"), "/value"),
    (date("10000-01-01"), "/value"),
    (date("30.02.2026"), "/value"),
    (date("2026-W10"), "/value"),
    (date("2026-03"), "/value"),
    (date("20260301"), "/value"),
    (date("٢٠٢٦-٠٣-٠١"), "/value"),
    (date("2026-03-01T10:00:00"), "/value"),
    (date("2026-03-01T10:00Z"), "/value"),
    (date("2026-03-01T24:00:00Z"), "/value"),
    (date("2026-03-01T10:00:60Z"), "/value"),
    (date("2026-03-01T10:00:00+24:00"), "/value"),
    (date("2026-03-01 10:00:00Z"), "/value"),
    ({"type": "date", "value": 20260301}, "/value"),
    (text(" \u00a0 "), "/value"),
    (text("x" * 20_001), "/value"),
    (text("x", lang=" "), "/lang"),
    ({"type": "text"}, "/value"),
    ({"type": "boolean", "value": "yes"}, "/value"),
    ({"type": "boolean", "value": 1}, "/value"),
    (span(None, None), ""),
    ({"type": "range", "low": number("5")}, ""),
    (span(number("5"), number("4")), ""),
    (span(number("5"), money("6")), ""),
    (span(money("5"), money("6", "USD")), ""),
    (span(number("5", "kg"), number("6", "m")), ""),
    (span(text("a"), number("5")), "/low/type"),
    (span(boolean(truth=False), None), "/low/type"),
    (span(None, span(number("1"), None)), "/high/type"),
    (span(number("x"), number("6")), "/low/amount"),
)
NO_AMOUNTS: tuple[Any, ...] = (
    5,
    1.5,
    True,
    None,
    "",
    " 5",
    "5 ",
    "5.",
    ".5",
    "+5",
    "--5",
    "007",
    "-07",
    "1,250",
    "1 250",
    "1_000",
    "1.25e3",
    "0x10",
    "NaN",
    "Infinity",
    "½",
    "٥",
    "５",
    "5%",
    "5\n",
    "9" * (MOST_DIGITS + 1),
    "9" * 100_000,
    "0." + "0" * 100_000,
)
LOCALISED = (
    ("1,234.5", "en-US", "1234.5"),
    ("1,234.5", "zh-CN", "1234.5"),
    ("1,234.5", "ja", "1234.5"),
    ("12,34,567.8", "en-IN", "1234567.8"),
    ("12,34,567.8", "hi", "1234567.8"),
    ("1,234", "hi-IN", "1234"),
    ("1.234,5", "de-DE", "1234.5"),
    ("1.234,5", "es", "1234.5"),
    ("1.234,5", "it", "1234.5"),
    ("1.234,5", "nl", "1234.5"),
    ("1.234,5", "pt-BR", "1234.5"),
    ("1.234,5", "da", "1234.5"),
    ("1.234,5", "tr", "1234.5"),
    ("1.234,5", "id", "1234.5"),
    ("1’234.5", "de-CH", "1234.5"),
    ("1'234.5", "de-CH", "1234.5"),
    ("1 234,5", "fr", "1234.5"),
    ("1\u00a0234\u00a0567,50", "pl", "1234567.50"),
    ("1\u202f234,5", "ru", "1234.5"),
    ("1 234,5", "uk", "1234.5"),
    ("1 234,5", "cs", "1234.5"),
    ("1 234,5", "sv", "1234.5"),
    ("1 234,5", "nb", "1234.5"),
    ("1 234,5", "fi", "1234.5"),
    ("١٬٢٣٤٫٥", "ar", "1234.5"),
    ("۱٬۲۳۴٫۵", "fa", "1234.5"),
    ("१२,३४,५६७.८", "hi", "1234567.8"),
    ("1250", "de", "1250"),
    ("-1.250,50", "de", "-1250.50"),
    ("\u22121.250,50", "de", "-1250.50"),
    (" 1.250 ", "de", "1250"),
    ("0,50", "fr", "0.50"),
)
NOT_LOCALISED = (
    ("1,25", "en-US"),
    ("12,50,000", "en-US"),
    ("1,234,567", "en-IN"),
    ("1250.50", "de-DE"),
    ("1.25.000", "de-DE"),
    ("1.250.000,", "de-DE"),
    ("1.234,567.8", "de-DE"),
    ("1'234,567", "de-CH"),
    ("1’234'567", "de-CH"),
    ("1 234\u00a0567", "fr"),
    ("1  234", "fr"),
    ("1,234", "ar"),
    ("0.123", "de-DE"),
    ("007", "de-DE"),
    ("1.2²3", "de-DE"),
    ("1²", "de-DE"),
    ("½", "en"),
    ("1e3", "en"),
    ("+5", "en"),
    ("--5", "en"),
    ("", "en"),
    ("-", "en"),
    (".5", "en"),
    ("1.250.000", "xx"),
    ("5", "EN_us"),
    ("5", ""),
    ("5", "e" * 1000),
    ("9" * (MOST_DIGITS + 1), "en"),
    ("9" * 1_000_000, "en"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("type", "amount", "text", "locale", "currency", "unit", "per", "qualifier", "value", "lang", "low", "high")
TYPES = ("money", "number", "percent", "duration", "date", "text", "boolean", "range")
VALUE_LIKE = st.builds(
    lambda kind, members: {"type": kind, **members},
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(NAMES[1:]), JSON | st.sampled_from(("5", "EUR", "day", "2026-03-01")), max_size=5),
)


def refusals_of(raw: Any) -> list[Problem]:
    problems: list[Problem] = []
    assert read_value(raw, "", problems) is None
    return problems


class TestReadingAValue:
    @pytest.mark.parametrize("raw", KEPT, ids=repr)
    def test_what_is_stated_in_form_is_kept_as_it_is(self, raw):
        assert value(raw).as_json() == raw

    @pytest.mark.parametrize(("raw", "place"), REFUSED, ids=lambda each: repr(each)[:60])
    def test_what_is_not_is_refused_at_its_place(self, raw, place):
        assert [(problem.path, problem.code) for problem in refusals_of(raw)] == [(place, "VALUE_FORMAT")]

    @pytest.mark.parametrize("amount", NO_AMOUNTS, ids=lambda each: repr(each)[:30])
    def test_only_a_plain_decimal_text_is_an_amount(self, amount):
        assert [problem.path for problem in refusals_of({**number("1"), "amount": amount})] == ["/amount"]

    def test_independent_problems_are_told_together(self):
        raw = {"type": "money", "amount": "+5", "currency": "eur", "per": 3, "vat": "x"}

        assert {problem.path for problem in refusals_of(raw)} == {"/amount", "/currency", "/per", "/vat"}

    def test_a_member_that_is_null_counts_as_left_out(self):
        raw = {**money("5"), "per": None, "text": None, "locale": None}

        assert value(raw).as_json() == money("5")


class TestReadingAnAmountOfALocale:
    @pytest.mark.parametrize(("written", "locale", "amount"), LOCALISED)
    def test_its_separators_make_a_plain_decimal(self, written, locale, amount):
        raw = {"type": "number", "text": written, "locale": locale}

        assert value(raw).as_json() == number(amount)

    @pytest.mark.parametrize(("written", "locale"), NOT_LOCALISED, ids=lambda each: each[:20])
    def test_nothing_is_guessed(self, written, locale):
        raw = {"type": "number", "text": written, "locale": locale}

        assert [(problem.path, problem.code) for problem in refusals_of(raw)] == [("/text", "VALUE_FORMAT")]

    @pytest.mark.parametrize(
        "raw",
        [
            {"type": "number", "text": "1.250"},
            {"type": "number", "locale": "de"},
            {"type": "number", "text": "5", "locale": "de", "amount": "5"},
            {"type": "number", "text": 5, "locale": "de"},
            {"type": "number", "text": "5", "locale": ["de"]},
        ],
    )
    def test_text_and_locale_go_together_and_without_an_amount(self, raw):
        assert [problem.path for problem in refusals_of(raw)] == ["/text"]


class TestReadingAnything:
    @given(JSON | VALUE_LIKE | st.builds(span, VALUE_LIKE, VALUE_LIKE | st.none()))
    def test_it_is_a_value_or_refused_with_problems(self, raw):
        problems: list[Problem] = []

        found = read_value(raw, "/value", problems)

        assert (found is None) == bool(problems)
        assert all(problem.path.startswith("/value") and problem.code == "VALUE_FORMAT" for problem in problems)

    @given(VALUES)
    def test_a_value_read_back_is_the_same_value(self, raw):
        found = value(raw)

        assert found.as_json() == raw
        assert value(found.as_json()) == found
        assert hash(value(found.as_json())) == hash(found)
