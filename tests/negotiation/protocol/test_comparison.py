"""When two values are equal, ordered, compatible, or cannot be compared. Section 4."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from negotiation_app.protocol.comparison import Comparison, compare, measured
from tests.negotiation.protocol.stated import (
    AMOUNTS,
    MARCH,
    RATES,
    VALUES,
    Declared,
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

Json = dict[str, Any]
SWAPPED = {
    Comparison.LESS: Comparison.GREATER,
    Comparison.GREATER: Comparison.LESS,
    **{same: same for same in ("EQUAL", "DIFFERENT", "COMPATIBLE", "INCOMPARABLE")},
}
DOLLARS = (Declared("USD", "EUR", "0.92"),)
TABLE: tuple[tuple[Json, Json, str], ...] = (
    # Amounts of one unit: exact, whatever digits were stated.
    (money("95000"), money("95000.00"), "EQUAL"),
    (money("0"), money("-0.00"), "EQUAL"),
    (money("0.1"), money("0.10000000000000000000000000000000001"), "LESS"),
    (money("8333.33", per="month"), money("8333.34", per="month"), "LESS"),
    # Units of one family convert exactly; the stated digits may explain a rounding, of 0.01 % at most.
    (money("100000", per="year"), money("8333.33", per="month"), "EQUAL"),
    (money("100000", per="year"), money("8333.3", per="month"), "EQUAL"),
    (money("100000", per="year"), money("8400", per="month"), "LESS"),
    (money("24000", per="quarter"), money("8000", per="month"), "EQUAL"),
    (money("96000", per="year"), money("8000", per="month"), "EQUAL"),
    (money("70", per="week"), money("10", per="day"), "EQUAL"),
    (number("1000", "ft2"), number("92.9", "m2"), "EQUAL"),
    (number("1000", "ft2"), number("92.90304", "m2"), "EQUAL"),
    (number("1000", "ft2"), number("93", "m2"), "LESS"),
    (number("1", "t"), number("1000", "kg"), "EQUAL"),
    (number("1", "t"), number("1400", "kg"), "LESS"),
    (number("1", "lb"), number("453.59237", "g"), "EQUAL"),
    (number("1", "mi"), number("1.609344", "km"), "EQUAL"),
    (number("12", "in"), number("1", "ft"), "EQUAL"),
    (number("1", "ha"), number("10000", "m2"), "EQUAL"),
    (number("1", "m3"), number("1000", "l"), "EQUAL"),
    (number("3", "cm"), number("31", "mm"), "LESS"),
    (percent("2.5"), percent("250", unit="bps"), "EQUAL"),
    (percent("2.5", unit="%"), percent("2.5"), "EQUAL"),
    (percent("3"), percent("250", unit="bps"), "GREATER"),
    (duration("1", "quarter"), duration("3", "month"), "EQUAL"),
    (duration("2", "week"), duration("14", "day"), "EQUAL"),
    (duration("90", "minute"), duration("1.5", "hour"), "EQUAL"),
    # Other families, types and qualifiers.
    (duration("90", "day"), duration("1", "quarter"), "INCOMPARABLE"),
    (duration("5", "business_day"), duration("5", "day"), "INCOMPARABLE"),
    (money("8000", per="month"), money("8000"), "INCOMPARABLE"),
    (money("8000", per="month"), money("2000", per="week"), "INCOMPARABLE"),
    (money("8", per="seat"), money("8", per="seat"), "EQUAL"),
    (money("8", per="seat"), money("8", per="user"), "INCOMPARABLE"),
    (money("8", per="calendar"), money("8", per="month"), "INCOMPARABLE"),
    (money("8", per="None"), money("8"), "INCOMPARABLE"),
    (number("8", "None"), number("8"), "INCOMPARABLE"),
    (number("8", "mass"), number("8", "g"), "INCOMPARABLE"),
    (number("8", "m2"), number("8", "m"), "INCOMPARABLE"),
    (number("8", "%"), percent("8"), "INCOMPARABLE"),
    (number("8"), money("8"), "INCOMPARABLE"),
    (money("100", qualifier="net"), money("119", qualifier="gross"), "INCOMPARABLE"),
    (money("100", qualifier="net"), money("100"), "INCOMPARABLE"),
    (money("100", qualifier="net"), money("100.00", qualifier="net"), "EQUAL"),
    (text("5"), number("5"), "INCOMPARABLE"),
    (money("100"), money("100", "CZK"), "INCOMPARABLE"),
    # Declared rates, with the same rounding.
    (money("92"), money("100", "USD"), "EQUAL"),
    (money("92.01"), money("100", "USD"), "GREATER"),
    (money("100000"), money("108696", "USD"), "EQUAL"),
    (money("12"), money("1.09", "USD", per="month"), "INCOMPARABLE"),
    (money("11.04", per="year"), money("1", "USD", per="month"), "EQUAL"),
    # Dates: instants as instants, days as days, one of each by the instant's own day.
    (date("2026-03-01"), date("2026-03-02"), "LESS"),
    (date("2026-03-01T10:00:00+01:00"), date("2026-03-01T09:00:00Z"), "EQUAL"),
    (date("2026-03-01T10:00:00+01:00"), date("2026-03-01T10:00:00Z"), "LESS"),
    (date("2026-03-01T10:00:00.5Z"), date("2026-03-01T10:00:00.500Z"), "EQUAL"),
    (date("2026-03-01T10:00:00.000000001Z"), date("2026-03-01T10:00:00.000000002Z"), "LESS"),
    (date("2026-03-01T23:30:00-05:00"), date("2026-03-01"), "COMPATIBLE"),
    (date("2026-03-01T23:30:00-05:00"), date("2026-03-02"), "LESS"),
    (date("0001-01-01T00:00:00+14:00"), date("0001-01-01T00:00:00Z"), "LESS"),
    (date("9999-12-31T23:59:59-12:00"), date("9999-12-31"), "COMPATIBLE"),
    # Texts: NFC, trimmed, single spaces, casefolded.
    (text("  PE/EVOH/PE "), text("pe/evoh/pe"), "EQUAL"),
    (text("New\u00a0 York"), text("new york"), "EQUAL"),
    (text("Straße"), text("STRASSE"), "EQUAL"),
    (text("e\u0301tage"), text("étage"), "EQUAL"),
    (text("木托盘", lang="zh"), text("木托盘", lang="ja"), "EQUAL"),
    (text("木托盘", lang="zh"), text("wooden pallet", lang="en"), "INCOMPARABLE"),
    (text("木托盘", lang="zh"), text("wooden pallet"), "DIFFERENT"),
    (text("pallet", lang="EN"), text("crate", lang="en"), "DIFFERENT"),
    (boolean(truth=True), boolean(truth=True), "EQUAL"),
    (boolean(truth=True), boolean(truth=False), "DIFFERENT"),
    # Ranges.
    (span(money("90"), money("100")), money("95"), "COMPATIBLE"),
    (span(money("90"), money("100")), money("100.00"), "COMPATIBLE"),
    (span(money("90"), money("100")), money("100.01"), "LESS"),
    (span(money("110"), None), span(money("90"), money("100")), "GREATER"),
    (span(money("110"), None), money("1000000"), "COMPATIBLE"),
    (span(None, money("90")), span(money("90"), None), "COMPATIBLE"),
    (span(None, money("90")), span(None, money("90.00")), "EQUAL"),
    (span(money("90"), None), span(None, money("80")), "GREATER"),
    (span(money("90"), money("100")), span(money("90.0"), money("100.0")), "EQUAL"),
    (span(money("90"), money("100")), span(money("90"), money("101")), "COMPATIBLE"),
    (span(money("90"), None), span(money("90"), money("101")), "COMPATIBLE"),
    (span(None, money("90")), span(None, money("90", "CZK")), "INCOMPARABLE"),
    (span(money("90"), None), span(None, money("80", "CZK")), "INCOMPARABLE"),
    (span(None, money("90")), span(None, date("2026-03-01")), "INCOMPARABLE"),
    (span(money("90"), None), text("a lot"), "INCOMPARABLE"),
    (span(number("1"), None), boolean(truth=True), "INCOMPARABLE"),
    (span(date("2026-03-01"), date("2026-03-31")), date("2026-03-31T12:00:00Z"), "COMPATIBLE"),
    (span(date("2026-03-01"), date("2026-03-31")), date("2026-04-01"), "LESS"),
    (span(number("900", "kg"), number("1", "t")), number("1100", "kg"), "LESS"),
)

RENTS = st.builds(
    lambda amount, currency, per: money(amount, currency, per=per),
    AMOUNTS,
    st.sampled_from(("EUR", "USD")),
    st.sampled_from(("month", "quarter", "year")),
)


def compared(one: Json, other: Json, rates: Any = DOLLARS) -> Comparison:
    return compare(value(one), value(other), rates, MARCH)


class TestComparingTwoValues:
    @pytest.mark.parametrize(("one", "other", "result"), TABLE, ids=repr)
    def test_the_table_decides(self, one, other, result):
        assert compared(one, other) == result

    @pytest.mark.parametrize(("one", "other", "result"), TABLE, ids=repr)
    def test_the_other_way_round_it_is_the_reverse(self, one, other, result):
        assert compared(other, one) == SWAPPED[result]

    @given(VALUES, VALUES, RATES)
    def test_any_two_values_compare_alike_from_both_sides(self, one, other, rates):
        assert compared(other, one, rates) == SWAPPED[compared(one, other, rates)]

    @given(VALUES, RATES)
    def test_a_value_is_equal_to_itself(self, raw, rates):
        assert compared(raw, raw, rates) == "EQUAL"

    @given(st.lists(AMOUNTS, min_size=3, max_size=3), st.sampled_from((None, "kg", "seat")))
    def test_of_one_unit_equality_and_order_are_transitive(self, amounts, unit):
        one, other, third = (number(amount, unit) for amount in amounts)
        assume(compared(one, other) in ("EQUAL", "LESS") and compared(other, third) in ("EQUAL", "LESS"))

        both_equal = compared(one, other) == compared(other, third) == "EQUAL"

        assert compared(one, third) == ("EQUAL" if both_equal else "LESS")

    @given(st.lists(RENTS, min_size=3, max_size=3), RATES)
    def test_across_units_and_currencies_an_order_never_turns_round(self, rents, rates):
        one, other, third = rents
        is_rising = compared(one, other, rates) == compared(other, third, rates) == "LESS"

        assert not (is_rising and compared(one, third, rates) == "GREATER")


class TestMeasuringAValue:
    @pytest.mark.parametrize(
        ("one", "like", "magnitude"),
        [
            (money("96000", per="year"), money("1", per="month"), 8000),
            (money("100", "USD"), money("1"), 92),
            (number("1", "t"), number("1", "kg"), 1000),
            (date("2026-03-02T23:30:00-05:00"), date("2026-03-01"), 739_677),
            (money("1", "CZK"), money("1"), None),
            (money("1"), number("1"), None),
            (number("1"), date("2026-03-01"), None),
            (date("2026-03-01"), number("1"), None),
            (text("a"), text("b"), None),
            (span(number("1"), None), number("1"), None),
        ],
        ids=repr,
    )
    def test_it_is_exact_in_the_other_ones_unit_or_none(self, one, like, magnitude):
        assert measured(value(one), value(like), DOLLARS, MARCH) == magnitude

    @given(VALUES, VALUES, RATES)
    def test_a_magnitude_is_there_only_for_what_compares(self, one, like, rates):
        found = measured(value(one), value(like), rates, MARCH)

        assert found is None or compared(one, like, rates) in ("EQUAL", "LESS", "GREATER", "COMPATIBLE")
