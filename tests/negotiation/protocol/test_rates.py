"""What one currency is in another: by declared rates of that very pair, and by nothing else. Section 4."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from negotiation_app.protocol.measures import rate_between
from tests.negotiation.protocol.stated import Declared

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
JANUARY = Declared("EUR", "USD", "1.08", "2026-01-01")
MARCH = Declared("EUR", "USD", "1.10", "2026-03-02")
INVERSE = Declared("USD", "EUR", "0.9", "2026-03-01T00:00:00+01:00")
APRIL = Declared("EUR", "USD", "1.20", "2026-04-01")
CROWNS = Declared("EUR", "CZK", "25", "2026-01-01")


class TestAskingForARate:
    @pytest.mark.parametrize(
        ("base", "quote", "rates", "rate"),
        [
            ("EUR", "EUR", (), Fraction(1)),
            ("EUR", "USD", (), None),
            ("EUR", "USD", (JANUARY,), Fraction(108, 100)),
            ("USD", "EUR", (JANUARY,), Fraction(100, 108)),
            ("EUR", "USD", (JANUARY, MARCH, APRIL), Fraction(11, 10)),
            ("EUR", "USD", (MARCH, JANUARY), Fraction(11, 10)),
            ("EUR", "USD", (JANUARY, INVERSE), Fraction(10, 9)),
            ("USD", "EUR", (INVERSE, MARCH), Fraction(10, 11)),
            ("EUR", "USD", (APRIL,), None),
            ("USD", "CZK", (JANUARY, CROWNS), None),
            ("EUR", "USD", (JANUARY, Declared("EUR", "USD", "1.09", "2026-01-01")), Fraction(109, 100)),
        ],
        ids=[
            "its own currency",
            "none declared",
            "the pair itself",
            "the inverse, exact",
            "the latest that is not in the future",
            "whatever the order of declaring",
            "the latest is an inverse one",
            "a later direct one beside an inverse",
            "only one that is not yet",
            "no chain over a third currency",
            "of one time the one declared last",
        ],
    )
    def test_the_latest_of_the_pair_counts(self, base, quote, rates, rate):
        assert rate_between(base, quote, rates, NOON) == rate

    def test_a_rate_of_a_day_holds_from_its_beginning(self):
        assert rate_between("EUR", "USD", (MARCH,), datetime(2026, 3, 2, tzinfo=UTC)) == Fraction(11, 10)
        assert rate_between("EUR", "USD", (MARCH,), datetime(2026, 3, 1, 23, 59, tzinfo=UTC)) is None
