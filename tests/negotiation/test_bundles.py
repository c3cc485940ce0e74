"""An audit bundle proves itself without a database, and shows whatever was done to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from fabric_app.mesh.canonical import dumps
from negotiation_app.bundles import bundle_of, verify
from negotiation_app.models import NegotiationEntry
from negotiation_app.operations.storing import entry_digest
from tests.negotiation.deals import Deal, with_something_of_everything

Json = dict[str, Any]


@pytest.fixture
def deal(db: None) -> Deal:
    return with_something_of_everything()


@pytest.fixture
def bundle(deal: Deal) -> Json:
    told: Json = json.loads(dumps(bundle_of(deal.row, now=deal.clock)))
    return told


def in_data(bundle: Json) -> None:
    bundle["entries"][4]["data"]["recordedAt"] = "2026-01-01T00:00:00Z"


def in_actor(bundle: Json) -> None:
    bundle["entries"][4]["actor"]["name"] = "somebody else"


def in_time(bundle: Json) -> None:
    bundle["entries"][4]["createdAtMs"] += 1


def in_order(bundle: Json) -> None:
    entries = bundle["entries"]
    entries[4], entries[5] = entries[5], entries[4]


def left_out(bundle: Json) -> None:
    del bundle["entries"][4]


def cut_off(bundle: Json) -> None:
    del bundle["entries"][-1]


def twice(bundle: Json) -> None:
    bundle["entries"].insert(4, bundle["entries"][4])


def in_state(bundle: Json) -> None:
    bundle["state"]["concessions"]["first"]["state"] = "GRANTED"


def in_title(bundle: Json) -> None:
    bundle["ref"] = "another"


TAMPERINGS = [in_data, in_actor, in_time, in_order, left_out, cut_off, twice, in_state, in_title]
NO_BUNDLES: list[Any] = [
    None,
    [],
    {},
    "text",
    1,
    {"format": "statehouse.negotiation-bundle"},
    {"format": "statehouse.negotiation-bundle", "formatVersion": 2},
]
# What a member of a bundle may turn into.
ANYTHING: list[Any] = [None, 1, -1, 10**400, 1.5, True, "", "x", "\0", [], [1], {}, {"a": []}]


class TestVerifying:
    def test_finds_nothing_wrong_with_what_was_exported(self, bundle: Json, tmp_path: Path) -> None:
        file = tmp_path / "bundle.json"
        file.write_text(dumps(bundle))

        assert verify(bundle) == []
        call_command("verify_bundle", str(file))

    @pytest.mark.parametrize("tamper", TAMPERINGS)
    def test_tells_what_was_changed(self, bundle: Json, tamper: Callable[[Json], None], tmp_path: Path) -> None:
        tamper(bundle)

        assert verify(bundle) != []
        file = tmp_path / "bundle.json"
        file.write_text(dumps(bundle))
        with pytest.raises(CommandError):
            call_command("verify_bundle", str(file))

    @pytest.mark.parametrize("told", NO_BUNDLES, ids=repr)
    def test_tells_what_is_no_bundle(self, told: Any) -> None:
        assert verify(told) != []

    def test_raises_nothing_whatever_a_member_is(self, bundle: Json) -> None:
        members = [(bundle, name) for name in bundle] + [(bundle["entries"][0], name) for name in bundle["entries"][0]]
        members += [(bundle["entries"][0]["data"], name) for name in bundle["entries"][0]["data"]]
        for place, name in members:
            kept = place[name]
            for value in ANYTHING:
                place[name] = value
                assert isinstance(verify(bundle), list)
            place[name] = kept
        assert verify(bundle) == []

    def test_needs_the_right_digests_for_a_forged_entry_to_be_followed(self, bundle: Json) -> None:
        last = bundle["entries"][-1]
        for value in ANYTHING:
            last["data"] = value
            last["digest"] = _digest(last)
            assert verify(bundle) != []

    @pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a":1,"a":2}', b"[" * 5_000])
    def test_of_a_file_that_is_no_json_says_so(self, content: bytes, tmp_path: Path) -> None:
        file = tmp_path / "bundle.json"
        file.write_bytes(content)

        with pytest.raises(CommandError):
            call_command("verify_bundle", str(file))


def _digest(entry: Json) -> str:
    names = {"sequence": "sequence", "operation": "operation", "data": "data", "actor": "actor"}
    row = NegotiationEntry(**{name: entry[wire] for name, wire in names.items()})
    row.created_at_ms, row.previous_digest = entry["createdAtMs"], entry["previousDigest"]
    return entry_digest(row)
