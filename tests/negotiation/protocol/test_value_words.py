"""Values as a reader sees them: English around the digits and words that were stated."""

from __future__ import annotations

import pytest
from hypothesis import given

from negotiation_app.protocol.value_words import MOST_CHARS, terms_in_words, value_in_words
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
)


class TestPuttingAValueInWords:
    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (money("182000", "USD", per="year"), "182,000 USD a year"),
            (money("-1250000.50"), "-1,250,000.50 EUR"),
            (money("95000.00", qualifier="net"), "95,000.00 EUR net"),
            (money("12", per="hour"), "12 EUR an hour"),
            (money("999"), "999 EUR"),
            (number("1000", "ft2"), "1,000 ft2"),
            (number("40"), "40"),
            (percent("2.50"), "2.50 %"),
            (percent("250", unit="bps"), "250 bps"),
            (duration("1", "month"), "1 month"),
            (duration("90", "business_day"), "90 business days"),
            (date("2026-09-30"), "2026-09-30"),
            (text("交货日期"), "交货日期"),
            (boolean(truth=True), "yes"),
            (boolean(truth=False), "no"),
            (span(money("90000", "CNY"), None), "from 90,000 CNY"),
            (span(None, number("5", "kg")), "up to 5 kg"),
            (span(number("5"), number("6")), "5 to 6"),
            (None, "nothing"),
            ("as it is", "as it is"),
            ({"type": ["money"]}, '{"type":["money"]}'),
            ({"type": "money", "text": "1.250", "locale": "de"}, '{"type":"money","text":"1.250","locale":"de"}'),
        ],
        ids=repr,
    )
    def test_it_reads_as_people_write_it(self, value, words):
        assert value_in_words(value) == words

    def test_a_long_text_is_cut(self):
        words = value_in_words(text("x" * 1000))

        assert len(words) == MOST_CHARS
        assert words.endswith("x…")

    @given(VALUES)
    def test_any_value_has_words_that_are_no_json(self, raw):
        assert value_in_words(raw)
        assert not value_in_words(raw).startswith("{")


class TestPuttingTermsInWords:
    def test_each_issue_comes_with_its_value(self):
        assert terms_in_words({"fee": money("90"), "seats": number("500")}) == "fee 90 EUR, seats 500"

    def test_no_terms_are_nothing(self):
        assert terms_in_words({}) == "nothing"
