"""Committing a turn: all or nothing, once, and with the first answer for whoever asks again."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from sessions_app.errors import CommitConflict, CommitTooLarge, ContextStale, NamespaceTooLarge, TurnNotActive
from sessions_app.models import CommitDraft, Variant
from sessions_app.operations import commits, messages, turns
from sessions_app.operations.check import check_session
from sessions_app.operations.commits import Content
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.stored_rows import stored_rows
from tests.sessions.places import DEFINITION, Place, bootstrap, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
HEAL = change("increment", "/hp", "hp", by=2)
PICK_UP = change("append", "/背包", "pick-up", value="灯")
TOO_MUCH = change("increment", "/好感度", "trust", by=6)


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def two() -> Place:
    """A session with two namespaces of one definition."""
    namespaces = [bootstrap(namespace=name)["namespaces"][0] for name in ("story", "dream")]
    return Place({"version": 2, "namespaces": namespaces})


class TestACommit:
    def test_tells_what_changed_and_keeps_it(self, place: Place) -> None:
        done = place.commit(effect(1, HEAL, PICK_UP), text="She finds a lamp.")

        assert [(each["path"], each.get("before"), each["after"]) for each in done["changed"]] == [
            ("/hp", 10, 12),
            ("/背包/1", None, "灯"),
        ]
        assert done["projection"] == stored_projection(place.session).as_json()
        assert Variant.objects.get(message__number=done["message"]).text == "She finds a lamp."

    def test_without_effects_moves_no_revision(self, place: Place) -> None:
        done = place.commit()

        assert done["projection"]["revision"] == 1
        assert (done["changed"], done["diagnostics"]) == ([], [])
        assert check_session(place.id) == []

    def test_of_one_bad_effect_leaves_the_good_one_undone(self, two: Place) -> None:
        turn = two.begin()["turn"]
        before = stored_rows(two.id)

        with pytest.raises(CommitRefused) as refused:
            two.commit(effect(1, HEAL), effect(1, TOO_MUCH, namespace="dream"), turn=turn)

        assert [issue.path for issue in refused.value.issues] == ["/effects/1/payload/changes/0/by"]
        assert stored_rows(two.id) == before

    def test_tells_the_faults_of_all_effects_together(self, two: Place) -> None:
        turn = two.begin()["turn"]

        with pytest.raises(CommitRefused) as refused:
            two.commit(
                effect(1, TOO_MUCH, change("set", "/hp", value=1)), effect(9, HEAL, namespace="dream"), turn=turn
            )

        assert [(issue.code.value, issue.path) for issue in refused.value.issues] == [
            ("STATE_RULE_INCREMENT_ABOVE_MAXIMUM", "/effects/0/payload/changes/0/by"),
            ("STATE_RULE_ID_REQUIRED", "/effects/0/payload/changes/1/ruleId"),
            ("REVISION_CONFLICT", "/effects/1/expectedRevision"),
        ]

    def test_leaves_other_namespaces_as_they_were(self, two: Place) -> None:
        before = stored_rows(two.id)["Namespace"]

        two.commit(effect(1, HEAL))

        after = stored_rows(two.id)["Namespace"]
        assert [row["name"] for row, old in zip(after, before, strict=True) if row != old] == ["story"]

    @pytest.mark.parametrize("revision", [0, 2, "1", None, True, 1.5])
    def test_at_another_revision_is_a_conflict(self, place: Place, revision: Any) -> None:
        turn = place.begin()["turn"]

        with pytest.raises(CommitRefused) as refused:
            place.commit(effect(revision, HEAL), turn=turn)

        assert refused.value.issues[0].code.value == "REVISION_CONFLICT"
        assert place.value()["hp"] == 10

    def test_at_the_revision_as_a_double_is_taken(self, place: Place) -> None:
        assert place.commit(effect(1.0, HEAL))["projection"]["namespaces"]["story"]["revision"] == 2  # type: ignore[arg-type]


class TestTheSameTurnAgain:
    def test_with_the_same_content_gets_the_first_answer(self, place: Place) -> None:
        first = place.commit(effect(1, HEAL))
        place.commit(effect(2, HEAL))
        before = stored_rows(place.id)

        again = place.commit(effect(1, HEAL), turn=first["turn"])

        assert again == {**first, "replayed": True}
        assert stored_rows(place.id) == before

    def test_whatever_epoch_it_names_now(self, place: Place) -> None:
        turn = place.begin()
        content = Content([effect(1, HEAL)], epoch=turn["epoch"])
        first = commits.commit_turn(**place.here, number=turn["turn"], content=content)

        other = Content([effect(1, HEAL)], epoch=99)
        again = commits.commit_turn(**place.here, number=turn["turn"], content=other)

        assert again == {**first, "replayed": True}

    def test_gets_it_also_when_it_was_taken_back(self, place: Place) -> None:
        first = place.commit(effect(1, HEAL))
        messages.delete_messages(**place.here, numbers=[first["message"]])

        again = place.commit(effect(1, HEAL), turn=first["turn"])

        assert again == {**first, "replayed": True}
        assert place.value()["hp"] == 10

    @pytest.mark.parametrize(
        "other",
        [
            Content([effect(1, HEAL)]),
            Content([effect(1, HEAL)], text="She shakes her head."),
            Content([effect(1, PICK_UP)], text="She nods."),
            Content([], text="She nods."),
        ],
        ids=["no text", "another text", "other effects", "no effects"],
    )
    def test_with_other_content_is_a_conflict(self, place: Place, other: Content) -> None:
        first = place.commit(effect(1, HEAL), text="She nods.")
        before = stored_rows(place.id)

        with pytest.raises(CommitConflict):
            commits.commit_turn(**place.here, number=first["turn"], content=other)

        assert stored_rows(place.id) == before

    def test_that_was_cancelled_takes_no_commit(self, place: Place) -> None:
        turn = place.begin()["turn"]
        turns.cancel_turn(**place.here, number=turn)

        with pytest.raises(TurnNotActive):
            place.commit(effect(1, HEAL), turn=turn)

        assert not CommitDraft.objects.exists()
        assert place.value()["hp"] == 10


class TestTheEpoch:
    def test_of_a_state_that_was_configured_since_refuses(self, place: Place) -> None:
        turn = place.begin()
        place.configure(turn["turn"], action="reset", namespace="story", expectedRevision=1)
        content = Content([effect(2, HEAL)], epoch=turn["epoch"])

        with pytest.raises(ContextStale):
            commits.commit_turn(**place.here, number=turn["turn"], content=content)

    def test_tells_a_rebuilt_state_from_one_of_the_same_revisions(self, place: Place) -> None:
        gone = place.commit(effect(1, HEAL))
        turn = place.begin()
        messages.delete_messages(**place.here, numbers=[gone["message"]])
        place.commit(effect(1, PICK_UP))
        content = Content([effect(2, HEAL)], epoch=turn["epoch"])

        with pytest.raises(ContextStale):
            commits.commit_turn(**place.here, number=turn["turn"], content=content)

    def test_does_not_move_with_commits(self, place: Place) -> None:
        turn = place.begin()
        place.commit(effect(1, HEAL))
        content = Content([effect(2, HEAL)], epoch=turn["epoch"])

        commits.commit_turn(**place.here, number=turn["turn"], content=content)

        assert place.value()["hp"] == 14


class TestSizes:
    def test_a_commit_that_is_too_large_is_refused_without_a_draft(self, place: Place) -> None:
        turn = place.begin()["turn"]

        with pytest.raises(CommitTooLarge):
            place.commit(effect(1, change("append", "/背包", "pick-up", value="灯" * 100_000)), turn=turn)

        assert not CommitDraft.objects.exists()

    def test_a_value_that_would_be_too_large_is_refused(self, place: Place, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_STORED_LIMITS": {"namespace_bytes": 60}}
        turn = place.begin()["turn"]

        with pytest.raises(NamespaceTooLarge):
            place.commit(effect(1, change("append", "/背包", "pick-up", value="灯" * 20)), turn=turn)

        assert place.value()["背包"] == ["剑"]

    def test_taking_back_is_never_refused_for_size(self, settings: Settings) -> None:
        place = Place(bootstrap(definition={**DEFINITION, "updateMode": "schema-only"}))
        for path, value in (("/背包", ["灯" * 20]), ("/背包", []), ("/hp", 3)):
            last = place.commit(effect(place.revision(), change("set", path, value=value)))
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_STORED_LIMITS": {"namespace_bytes": 60}}

        messages.delete_messages(**place.here, numbers=[last["message"] - 2])

        assert place.value() == {"hp": 3, "好感度": 30, "背包": ["灯" * 20]}
        assert check_session(place.id) == []


class TestAPreview:
    def test_answers_what_the_commit_would_and_keeps_nothing(self, place: Place) -> None:
        turn, content = place.begin()["turn"], Content([effect(1, HEAL)], text="She nods.")
        before = stored_rows(place.id)

        told = commits.preview_commit(session=place.session, number=turn, content=content)

        assert stored_rows(place.id) == before
        done = commits.commit_turn(**place.here, number=turn, content=content)
        assert told == {"dryRun": True, **{name: done[name] for name in told if name != "dryRun"}}

    def test_that_is_refused_keeps_no_draft(self, place: Place) -> None:
        turn = place.begin()["turn"]

        with pytest.raises(CommitRefused) as refused:
            commits.preview_commit(session=place.session, number=turn, content=Content([effect(1, TOO_MUCH)]))

        assert refused.value.retry is None
        assert not CommitDraft.objects.exists()

    def test_of_a_turn_that_is_committed_answers_what_the_commit_would(self, place: Place) -> None:
        turn, content = place.begin()["turn"], Content([effect(1, HEAL)], text="She nods.")
        first = commits.commit_turn(**place.here, number=turn, content=content)

        told = commits.preview_commit(session=place.session, number=turn, content=content)

        assert told == {**first, "replayed": True, "dryRun": True}
        with pytest.raises(CommitConflict):
            commits.preview_commit(session=place.session, number=turn, content=Content([], text="She nods."))
