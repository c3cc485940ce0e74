"""Topics: what is appended, what is refused, and which page is read."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from fabric_app.mesh.errors import InvalidArguments
from fabric_app.mesh.models import Event
from fabric_app.mesh.topics import EventTooLarge, InvalidTopic
from fabric_app.models import Workspace
from fabric_app.operations.mesh_writes import EmptyRecipient, Reserved, publish
from fabric_app.queries import mesh_read
from tests.factories import MAYA, NOON, NOON_MS, SCRIBE

pytestmark = pytest.mark.django_db

BY: dict[str, Any] = {"actor": SCRIBE, "now": NOON}


class TestPublish:
    def test_the_author_is_the_account_and_absent_members_stay_absent(self, workspace: Workspace) -> None:
        event = publish(workspace=workspace, topic="notes", kind=" note ", data={"b": 1.0, "a": [1]}, **BY)

        assert event.pop("id")
        assert event == {
            "sequence": 1, "topic": "notes", "kind": "note", "from": SCRIBE.as_json(), "data": {"b": 1.0, "a": [1]},
            "createdAt": NOON_MS,
        }  # fmt: skip

    @pytest.mark.parametrize("topic", ["fabric", "fabric.state", "fabric.schema", "fabric.anything/else", "fabric:x"])
    def test_reserved_topics_are_refused(self, workspace: Workspace, topic: str) -> None:
        with pytest.raises(Reserved):
            publish(workspace=workspace, topic=topic, **BY)

        assert not Event.objects.exists()

    @pytest.mark.parametrize("topic", ["", "a b", "\0", "t" * 129])
    def test_a_name_outside_the_grammar_is_refused(self, workspace: Workspace, topic: str) -> None:
        with pytest.raises(InvalidTopic):
            publish(workspace=workspace, topic=topic, **BY)

    @pytest.mark.parametrize("odd", [{"kind": "k" * 129}, {"to": "a\0b"}, {"kind": "\ud800"}, {"to": "t" * 257}])
    def test_what_no_column_can_hold_is_refused(self, workspace: Workspace, odd: dict[str, str]) -> None:
        with pytest.raises(InvalidArguments):
            publish(workspace=workspace, topic="notes", **odd, **BY)

    def test_a_blank_recipient_is_refused(self, workspace: Workspace) -> None:
        with pytest.raises(EmptyRecipient):
            publish(workspace=workspace, topic="notes", to=" ", **BY)

    def test_sizes_are_bytes_of_the_whole_event_escapes_included(
        self, workspace: Workspace, settings: Settings
    ) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "MAX_EVENT_BYTES": 1024}
        publish(workspace=workspace, topic="notes", text="\x01" * 100, **BY)

        with pytest.raises(EventTooLarge):
            publish(workspace=workspace, topic="notes", text="\x01" * 170, **BY)

        assert Event.objects.count() == 1


class TestRead:
    def test_the_newest_come_without_a_cursor_and_the_oldest_after_one(self, workspace: Workspace) -> None:
        for number in range(5):
            publish(workspace=workspace, topic="ab"[number % 2], data=number, actor=MAYA, now=NOON)

        def sequences(**args: Any) -> list[int]:
            return [event["sequence"] for event in mesh_read(workspace, **args)]

        assert sequences(limit=2) == [4, 5]
        assert sequences(after=1, limit=2) == [2, 3]
        assert sequences(after=1, topic="a") == [3, 5]
        assert sequences(limit=0.5) == [5]
        assert sequences(after=2**70) == []
