"""What has to hold of a workspace whatever happened to it, looked up without the code that keeps it so.

`assert_clean` runs the product's own check, and then says the same in its own words: rows without gaps, every digest,
the ends of both chains, current keys, the projection, and a marker for each proposal.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from django.core.management import call_command

from fabric_app.mesh.log import event_digest, key_version_digest
from fabric_app.mesh.models import GENESIS, Event, KeyEntry, KeyVersion, LogHead, Workspace
from fabric_app.operations.projection import differences
from fabric_app.queries import current_state

MARKERS = {"transition.committed", "transition.rejected"}


def assert_clean(workspace: Workspace) -> None:
    """Fail where the workspace's log, keys and projection do not agree, or a proposal has no marker of its own."""
    call_command("check_state", workspace=workspace.slug)
    _check_chains(workspace)
    _check_keys(workspace)
    assert list(differences(workspace.id)) == []
    assert all(len(markers) == 1 for markers in markers_by_proposal(workspace).values())
    _check_head(workspace)


def markers_by_proposal(workspace: Workspace) -> dict[str, list[str]]:
    """Return the kinds of the markers of each proposed transition, by the transition's id, in log order."""
    found: dict[str, list[str]] = {}
    for event in _events(workspace):
        if event.kind == "transition":
            found[str(event.id)] = []
        elif event.kind in MARKERS:
            found[event.data["transitionId"]].append(event.kind)
    return found


def proposals(workspace: Workspace) -> dict[str, Event]:
    """Return every proposed transition by its label."""
    return {event.data["label"]: event for event in _events(workspace) if event.kind == "transition"}


def committed(workspace: Workspace) -> list[Event]:
    """Return the proposals that have a commit marker, in log order."""
    markers = markers_by_proposal(workspace)
    return [event for event in _events(workspace) if markers.get(str(event.id)) == ["transition.committed"]]


def assert_chained(events: Iterable[Event]) -> None:
    """Fail where a transition does not begin where the one before it ended."""
    for before, after in pairwise(events):
        assert after.data["from"] == before.data["to"]


def _events(workspace: Workspace) -> Iterable[Event]:
    return Event.objects.filter(workspace=workspace, topic="fabric.state").order_by("sequence")


def _check_chains(workspace: Workspace) -> None:
    head = LogHead.objects.get(pk=workspace.id)
    ends = {}
    for model, digest_of in ((Event, event_digest), (KeyVersion, key_version_digest)):
        previous, number = GENESIS, 0
        for number, row in enumerate(model.objects.filter(workspace=workspace).order_by("sequence"), start=1):
            assert row.sequence == number
            assert row.previous_digest == previous
            assert digest_of(row) == row.digest
            previous = row.digest
        ends[model] = (number, previous)
    assert ends[Event] == (head.event_sequence, head.event_digest)
    assert ends[KeyVersion] == (head.key_sequence, head.key_digest)


def _check_keys(workspace: Workspace) -> None:
    versions = KeyVersion.objects.filter(workspace=workspace).order_by("sequence")
    last = {row.key: (row.version, row.value, row.is_deletion) for row in versions}
    entries = KeyEntry.objects.filter(workspace=workspace)
    assert {row.key: (row.version, row.value, row.is_deleted) for row in entries} == last


def _check_head(workspace: Workspace) -> None:
    state, known = current_state(workspace), committed(workspace)
    assert state["quarantine"] is None
    if known:
        assert state["head"]["transitionId"] == str(known[-1].id)
        assert state["head"]["version"] == 2 * len(known)
    else:
        assert state["head"] is None
