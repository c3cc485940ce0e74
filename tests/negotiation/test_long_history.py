"""One long generated history on the database: folded back, it gives every state that there was. Section 20."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fabric_app.mesh.errors import StatehouseError
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import check_negotiation
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.stored_state import current_state, folded, state_at, states
from tests.negotiation.deals import Deal
from tests.negotiation.protocol.sayings import Sayings

pytestmark = pytest.mark.django_db(transaction=True)
STEPS = 150
SEED = 4


class Drawn(Sayings):
    """Says to a stored negotiation what the properties of the protocol say to one in memory."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.talks = self  # type: ignore[assignment]  # it asks its talks for their state alone
        self.chance = random.Random(SEED)
        self._count = 0

    @property
    def state(self) -> State:
        return current_state(self.deal.row)

    def one(self, choices: Any) -> Any:
        return self.chance.choice(choices)


def rows_of(state: State) -> list[Any]:
    return sorted(((row.TABLE, row.key, row_json(row)) for row in state.rows()), key=lambda each: each[:2])


def test_gives_every_version_and_lost_nothing_that_was_refused() -> None:
    deal = Deal()
    drawn, seen, refusals = Drawn(deal), {}, 0
    for _ in range(STEPS):
        operation, body = drawn.next()
        before = Negotiation.objects.filter(pk=deal.id).values().get()
        try:
            deal.say(operation, body)
        except StatehouseError:
            refusals += 1
            assert Negotiation.objects.filter(pk=deal.id).values().get() == before
        # The last state at a version: what follows without a new one belongs to it.
        seen[deal.version] = rows_of(drawn.state)

    assert check_negotiation(deal.ref) == []
    assert 10 < refusals < STEPS
    assert deal.version > 20
    assert {version: rows_of(state_at(deal.row, version)) for version in seen} == seen
    states.drop(deal.id)
    assert rows_of(current_state(deal.row)) == rows_of(folded(deal.row)) == seen[deal.version]
