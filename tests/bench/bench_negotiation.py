"""What a material event with five propositions costs on a large negotiation, and how that grows with its size.

    python -m tests.bench.bench_negotiation

On the database that DATABASE_URL names (an empty one), or on SQLite in a folder of its own. The operation and its own
ORM statements alone are measured in turns, on negotiations of 100, 500 and 2,500 propositions with 200 history events.
Prints JSON, and fails where the operation reaches less than half the rate of its statements on the middle one, or where
its time grows as fast as the number of propositions.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import chain
from typing import Any

from tests.bench.own_product import own_product

ROUNDS = 7
COUNT = 12
SIZES = (100, 500, 2_500)
EVENTS = 200
MIDDLE, AT_LEAST = 500, 0.5
Json = dict[str, Any]


def main() -> int:
    with own_product():
        figures = {size: _figures(size) for size in SIZES}
    growth = figures[SIZES[-1]]["operation_ms"] / figures[SIZES[0]]["operation_ms"]
    ratio = figures[MIDDLE]["operation_to_orm"]
    print(json.dumps({**figures, "grows_by": round(growth, 2), "propositions_grow_by": SIZES[-1] // SIZES[0]}))
    return int(ratio < AT_LEAST or growth >= SIZES[-1] / SIZES[0])


def _figures(size: int) -> Json:
    from django.utils import timezone

    from negotiation_app.queries import state_document

    operation = Operation(size)
    orm = OrmAlone(operation)
    ways: dict[str, Callable[[], None]] = {"operation": operation.once, "orm": orm.once}
    median = _medians(ways)
    document = _medians({"document": lambda: state_document(operation.deal.row, now=timezone.now())}, rounds=3, count=2)
    return {
        "operation_ms": round(median["operation"] * 1000, 2),
        "operation_to_orm": round(median["orm"] / median["operation"], 2),
        "document_ms": round(document["document"] * 1000, 1),
    }


def _medians(ways: dict[str, Callable[[], Any]], *, rounds: int = ROUNDS, count: int = COUNT) -> dict[str, float]:
    """Return the median seconds of one call of each; the ways take turns."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, once in ways.items():
            began = time.perf_counter()
            for _ in range(count):
                once()
            seconds[name].append((time.perf_counter() - began) / count)
    return {name: statistics.median(each) for name, each in seconds.items()}


class Operation:
    """`record_event` with five propositions, on a negotiation that has positions, a strategy and a long history."""

    def __init__(self, size: int) -> None:
        from tests.negotiation.deals import with_something_of_everything

        self.number = 0
        self.deal = with_something_of_everything(ref=f"of-{size}", title=f"With {size} propositions")
        strategy = {"ref": "s", "kind": "STRATEGY", "text": "Wait for their quarter to end", "dependsOn": ["batna"]}
        self.deal.say("record_judgement", {"judgement": strategy})
        quiet = EVENTS - self._seq() - 10
        each, rest = divmod(size - 2, quiet)
        for number in range(quiet):
            self._record(each + (number < rest))
        while self._seq() < EVENTS:
            self._record(0)

    def once(self) -> None:
        self._record(5)

    def _record(self, count: int) -> None:
        operations = [self._fact() for _ in range(count)]
        kind = "NEW_FACT" if operations else "USER_MESSAGE"
        body = {"event": {"type": kind, "locator": "Folder 7", "text": "What we know since."}, "operations": operations}
        self.deal.say("record_event", body, key=f"k{self.number}-{count}-{self._seq()}")

    def _seq(self) -> int:
        from negotiation_app.stored_state import current_state

        return current_state(self.deal.row).seq

    def _fact(self) -> Json:
        """A proposition of its own slot, or the second one of an earlier slot that says the same."""
        self.number += 1
        slot, value = self.number // 2, {"type": "money", "amount": str(self.number // 2 + 1), "currency": "USD"}
        evidence = {
            "ref": f"e{self.number}",
            "kind": "DOCUMENT",
            "locator": f"Annual report, page {self.number}",
            "quote": f"The figure is {slot}, as it was the year before.",
        }
        told = {"ref": f"p{self.number}", "subject": "acme", "attribute": f"figure.{slot}", "value": value}
        return {"op": "ADD", "proposition": {**told, "party": "acme", "status": "KNOWN", "evidence": [evidence]}}


class OrmAlone:
    """The rows of one such event again by the same ORM calls: no protocol, no state, no digests, no checks."""

    def __init__(self, pattern: Operation) -> None:
        from negotiation_app.models import Artefact, CurrentRow, KeptAnswer, NegotiationEntry
        from negotiation_app.operations.storing import TABLES
        from tests.negotiation.deals import Deal

        pattern.once()
        last = {"negotiation": pattern.deal.row, "sequence": pattern.deal.row.log_sequence}
        self.row = Deal(ref=f"alone-{pattern.deal.ref}").row
        self.entry = NegotiationEntry.objects.get(**last)
        self.kept = [list(model._default_manager.filter(**last)) for model in dict.fromkeys(TABLES.values())]
        self.kept = [rows for rows in self.kept if rows]
        self.current = list(CurrentRow.objects.filter(**last))
        self.artefacts = list(Artefact.objects.filter(**last))
        self.answer = KeptAnswer.objects.filter(negotiation=pattern.deal.row).latest("pk")
        self.number = 0

    def once(self) -> None:
        from django.db import transaction
        from django.utils import timezone

        from negotiation_app.models import Artefact, CurrentRow, KeptAnswer, Negotiation

        # As the operation's caller does, which reads the version first.
        Negotiation.objects.get(ref=self.row.ref)
        self._renumber()
        with transaction.atomic(durable=True):
            row = Negotiation.objects.select_for_update().filter(pk=self.row.pk).first()
            assert row is not None
            KeptAnswer.objects.filter(negotiation_id=row.pk, key=self.answer.key).first()
            Negotiation.objects.filter(pk=row.pk, version=row.version).update(
                version=row.version + 1,
                log_sequence=self.entry.sequence,
                log_digest=self.entry.digest,
                state_version=row.state_version + 1,
                title=row.title,
                mode=row.mode,
                status=row.status,
                updated_at=timezone.now(),
            )
            self.entry.save(force_insert=True)
            for rows in self.kept:
                type(rows[0])._default_manager.bulk_create(rows)
            CurrentRow.objects.bulk_create(
                self.current,
                update_conflicts=True,
                unique_fields=("negotiation", "table", "key"),
                update_fields=("sequence", "row"),
            )
            Artefact.objects.bulk_create(self.artefacts)
            self.answer.save(force_insert=True)

    def _renumber(self) -> None:
        self.number += 1
        for each in (self.entry, self.answer, *self.current, *self.artefacts, *chain(*self.kept)):
            each.pk, each.negotiation_id, each._state.adding = None, self.row.pk, True
            if hasattr(each, "sequence"):
                each.sequence = 100 + self.number
        for row in self.current:
            row.key = f"{row.key.partition(' ')[0]} {self.number}"
        self.answer.key = f"alone-{self.number}"


if __name__ == "__main__":
    sys.exit(main())
