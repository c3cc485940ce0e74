"""A refused commit is kept for a while, and mended by patches under its token alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from sessions_app.errors import CommitConflict, CommitTooLarge, CorrectionInvalid, CorrectionStale, TurnNotActive
from sessions_app.models import CommitDraft
from sessions_app.operations import commits, turns
from sessions_app.operations.check import check_session
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.retry_patches import RetryPatchInvalid
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
BY = "/effects/0/payload/changes/0/by"
MEND = {"op": "replace", "path": BY, "value": 5}


class Refused:
    """A turn whose commit was refused: its delta is too large."""

    def __init__(self) -> None:
        self.place = Place()
        self.turn = self.place.begin()["turn"]
        self.token = self.refuse(effect(1, change("increment", "/好感度", "trust", by=50)))

    def refuse(self, *effects: Json) -> str:
        with pytest.raises(CommitRefused) as refused:
            self.place.commit(*effects, turn=self.turn)
        retry = refused.value.retry
        assert retry is not None
        assert retry["patches"] == []
        return str(retry["token"])

    def mend(self, *patches: Json, token: str | None = None, after: timedelta = timedelta()) -> Json:
        here = {**self.place.here, "now": self.place.who["now"] + after}
        correction = commits.Correction(self.token if token is None else token, list(patches))
        return commits.correct_commit(**here, number=self.turn, correction=correction)


@pytest.fixture
def refused() -> Refused:
    return Refused()


class TestMending:
    def test_commits_what_the_patches_make_of_it(self, refused: Refused) -> None:
        done = refused.mend(MEND)

        assert done["replayed"] is False
        assert refused.place.value()["好感度"] == 35
        assert not CommitDraft.objects.exists()
        assert check_session(refused.place.id) == []

    def test_twice_has_one_effect(self, refused: Refused) -> None:
        first = refused.mend(MEND)

        assert refused.mend(MEND) == {**first, "replayed": True}

    def test_is_the_same_as_sending_the_mended_content(self, refused: Refused) -> None:
        first = refused.mend(MEND)

        again = refused.place.commit(effect(1, change("increment", "/好感度", "trust", by=5)), turn=refused.turn)

        assert again == {**first, "replayed": True}

    def test_with_other_patches_after_it_is_committed_is_a_conflict(self, refused: Refused) -> None:
        refused.mend(MEND)

        with pytest.raises(CommitConflict):
            refused.mend({**MEND, "value": 4})

    def test_that_is_refused_again_keeps_what_it_has_mended(self, refused: Refused) -> None:
        with pytest.raises(CommitRefused) as still:
            refused.mend({**MEND, "value": -50})
        retry = still.value.retry
        assert retry is not None

        refused.mend({"op": "replace", "path": BY, "value": -5}, token=retry["token"])

        assert refused.place.value()["好感度"] == 25

    def test_of_nothing_judges_it_again(self, refused: Refused) -> None:
        with pytest.raises(CommitRefused) as still:
            refused.mend()

        assert still.value.code == "STATE_RULE_INCREMENT_ABOVE_MAXIMUM"

    def test_to_the_new_revision_follows_another_turn(self, refused: Refused) -> None:
        refused.place.commit(effect(1, change("increment", "/hp", "hp", by=1)))

        with pytest.raises(CommitRefused) as late:
            refused.mend(MEND)
        retry = late.value.retry
        assert retry is not None
        refused.mend({"op": "replace", "path": "/effects/0/expectedRevision", "value": 2}, token=retry["token"])

        assert late.value.code == "REVISION_CONFLICT"
        assert refused.place.value() == {"hp": 11, "好感度": 35, "背包": ["剑"]}


class TestTokens:
    @pytest.mark.parametrize("token", ["", "wrong", "\ud800", "\0", "é" * 300])
    def test_that_are_wrong_are_refused_and_leave_the_draft(self, refused: Refused, token: str) -> None:
        with pytest.raises(CorrectionInvalid):
            refused.mend(MEND, token=token)

        assert refused.mend(MEND)["replayed"] is False

    def test_of_an_earlier_refusal_are_gone(self, refused: Refused) -> None:
        newer = refused.refuse(effect(1, change("increment", "/好感度", "trust", by=60)))

        with pytest.raises(CorrectionInvalid):
            refused.mend(MEND)

        assert newer != refused.token

    def test_expire(self, refused: Refused) -> None:
        with pytest.raises(CorrectionInvalid):
            refused.mend(MEND, after=timedelta(seconds=901))

        assert refused.mend(MEND, after=timedelta(seconds=899))["replayed"] is False

    def test_of_another_turn_do_not_count(self, refused: Refused) -> None:
        other = Refused()

        with pytest.raises(CorrectionInvalid):
            refused.mend(MEND, token=other.token)

    def test_of_a_turn_that_is_over_are_refused_with_it(self, refused: Refused) -> None:
        turns.cancel_turn(**refused.place.here, number=refused.turn)

        with pytest.raises(TurnNotActive):
            refused.mend(MEND)

    def test_are_stale_after_any_configuration(self, refused: Refused) -> None:
        turn = refused.place.begin()["turn"]
        refused.place.configure(turn, action="reset", namespace="story", expectedRevision=1)

        with pytest.raises(CorrectionStale):
            refused.mend(MEND)


class TestPatches:
    @pytest.mark.parametrize(
        "patch",
        [
            {"op": "replace", "path": "/effects/9", "value": 1},
            {"op": "remove", "path": ""},
            {"op": "move", "path": "/effects", "from": "/x"},
            {"op": "add", "path": "/__proto__", "value": 1},
            {"op": "add", "path": "effects", "value": 1},
            {"op": "replace", "path": "/effects"},
            "replace",
            None,
        ],
    )
    def test_that_lead_nowhere_are_refused_and_leave_the_draft(self, refused: Refused, patch: Any) -> None:
        with pytest.raises(RetryPatchInvalid):
            refused.mend(MEND, patch)

        assert refused.mend(MEND)["replayed"] is False

    @pytest.mark.parametrize("root", [None, 7, "effects", [], {}, {"effects": None}, {"effects": {}}])
    def test_may_make_anything_of_it_which_is_refused_as_if_it_had_been_sent(self, refused: Refused, root: Any) -> None:
        with pytest.raises(CommitRefused):
            refused.mend({"op": "replace", "path": "", "value": root})

        assert refused.place.value()["好感度"] == 30

    def test_that_swell_a_commit_meet_its_limit(self, refused: Refused, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_LIMITS": {"commit_bytes": 1_000}}

        with pytest.raises(CommitTooLarge):
            refused.mend({"op": "add", "path": "/effects/-", "value": "x" * 1_000})


class TestDrafts:
    def test_that_expired_are_cleared_by_the_next_one(self, refused: Refused) -> None:
        CommitDraft.objects.update(expires_at=refused.place.who["now"] - timedelta(days=1))
        other = Refused()

        assert list(CommitDraft.objects.values_list("token", flat=True)) == [other.token]

    @pytest.mark.postgresql
    def test_that_expired_are_left_to_whoever_has_them(self, refused: Refused) -> None:
        """Two transactions that clear the same drafts would wait for each other."""
        CommitDraft.objects.update(expires_at=refused.place.who["now"] - timedelta(days=1))
        with transaction.atomic(), ThreadPoolExecutor(1) as pool:
            list(CommitDraft.objects.select_for_update())
            kept = pool.submit(without_waiting, Refused).result(30)

        assert CommitDraft.objects.filter(token=kept.token).exists()


def without_waiting(act: Callable[[], Refused]) -> Refused:
    """Do something on a connection of its own that waits for no lock longer than a moment."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '2s'")
        try:
            return act()
        finally:
            cursor.execute("RESET lock_timeout")
            connection.close()
