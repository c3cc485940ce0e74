"""The audit bundle of a negotiation: every entry of its log with its digests, and the state that they lead to.

Whoever has the file alone can prove that nothing in it was changed, left out or put in between: `verify` reads no
database. What it cannot prove is that the log ends where the file does; for that, compare the last digest with the
server's.

Source: issue of the negotiation, "Print view and export".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import GENESIS
from negotiation_app.models import Negotiation, NegotiationEntry
from negotiation_app.operations.storing import entry_digest
from negotiation_app.protocol.document import document
from negotiation_app.protocol.fold import fold
from negotiation_app.protocol.requests import Entry
from negotiation_app.protocol.times import moment, stamp

Json = dict[str, Any]
FORMAT, FORMAT_VERSION = "statehouse.negotiation-bundle", 1
_MEMBERS = ("format", "formatVersion", "ref", "writtenAt", "entries", "state")
# What entries raise that no Statehouse wrote, though their digests were made to fit.
_NO_ENTRIES = (
    StatehouseError, ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError,
)  # fmt: skip
_ENTRY = ("sequence", "operation", "data", "actor", "createdAtMs", "previousDigest", "digest")


def bundle_of(negotiation: Negotiation, *, now: datetime) -> Json:
    """Return the audit bundle of a negotiation; `now` is the clock of the state document in it."""
    rows = NegotiationEntry.objects.filter(negotiation_id=negotiation.pk).order_by("sequence")
    entries = [_entry_json(row) for row in rows.iterator(500)]
    state = fold(Entry.from_json(each["data"]) for each in entries)
    return {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "ref": negotiation.ref,
        "writtenAt": stamp(now),
        "entries": entries,
        "state": document(state, now),
    }


def verify(bundle: Any) -> list[str]:
    """Return what is wrong with a bundle, in sentences; nothing where it is whole. Raises nothing."""
    form = list(_form_problems(bundle))
    if form:
        return form
    chain = list(_chain_problems(bundle["entries"]))
    return chain or list(_state_problems(bundle))


def _entry_json(row: NegotiationEntry) -> Json:
    return {
        "sequence": row.sequence,
        "operation": row.operation,
        "data": row.data,
        "actor": row.actor,
        "createdAtMs": row.created_at_ms,
        "previousDigest": row.previous_digest,
        "digest": row.digest,
    }


def _form_problems(bundle: Any) -> Iterator[str]:
    if not isinstance(bundle, dict) or bundle.get("format") != FORMAT:
        yield f"This is no bundle: its format is not {FORMAT!r}."
        return
    if bundle.get("formatVersion") != FORMAT_VERSION:
        yield f"This version reads bundles of format version {FORMAT_VERSION}."
    if set(bundle) != set(_MEMBERS):
        yield f"A bundle has the members {', '.join(_MEMBERS)}."
        return
    entries = bundle["entries"]
    if not isinstance(entries, list) or not entries:
        yield "A bundle has a list of entries."
        return
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or set(entry) != set(_ENTRY):
            yield f"Entry {index + 1} has not the members {', '.join(_ENTRY)}."
            return


def _chain_problems(entries: list[Json]) -> Iterator[str]:
    sequence, digest = 0, GENESIS
    for entry in entries:
        place = f"Entry {entry['sequence']}"
        if entry["sequence"] != sequence + 1:
            yield f"{place} follows entry {sequence}: entries between them are gone, or out of order."
            return
        if entry["previousDigest"] != digest:
            yield f"{place} does not name the digest of the entry before it."
        if entry["digest"] != _digest(entry):
            yield f"{place} was changed: its digest is another."
        sequence, digest = entry["sequence"], entry["digest"]


def _digest(entry: Json) -> str:
    row = NegotiationEntry(
        sequence=entry["sequence"],
        operation=entry["operation"],
        data=entry["data"],
        actor=entry["actor"],
        created_at_ms=entry["createdAtMs"],
        previous_digest=entry["previousDigest"],
    )
    return entry_digest(row)


def _state_problems(bundle: Json) -> Iterator[str]:
    try:
        state = fold(Entry.from_json(each["data"]) for each in bundle["entries"])
        told = document(state, moment(bundle["writtenAt"]))
    except _NO_ENTRIES as fault:
        yield f"The entries do not lead to a state: {type(fault).__name__} {fault}."
        return
    if dumps(told) != dumps(bundle["state"]):
        yield "The state in the bundle is not the one that its entries lead to."
    if bundle["ref"] != state.own.ref:
        yield f"The bundle names another negotiation than its entries, which are of {state.own.ref}."
