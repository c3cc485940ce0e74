"""What a correction makes of a refused commit, and that it is answered like the whole commit sent at once."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.models import CommitDraft
from sessions_app.operations import commits
from sessions_app.operations.check import check_session
from sessions_app.operations.commits import Content, Correction
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.retry_patches import RetryPatchInvalid
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


def trusting(by: float, text: str | None = "She trusts.") -> Content:
    return Content([effect(1, change("increment", "/好感度", "trust", by=by))], text=text)


def replaced(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}


MEND = replaced("/effects/0/payload/changes/0/by", 5)


class Refused:
    """A turn whose commit was refused: it adds six where at most five are allowed."""

    def __init__(self) -> None:
        self.place = Place()
        self.turn = self.place.begin()["turn"]
        with pytest.raises(CommitRefused) as refused:
            self.commit(trusting(6))
        assert refused.value.retry is not None
        self.token: str = refused.value.retry["token"]

    def commit(self, content: Content) -> Json:
        return commits.commit_turn(**self.place.here, number=self.turn, content=content)

    def correct(self, *patches: Json) -> Json:
        correction = Correction(token=self.token, patches=list(patches))
        return commits.correct_commit(**self.place.here, number=self.turn, correction=correction)


@pytest.fixture
def refused() -> Refused:
    return Refused()


class TestACorrection:
    def test_commits_the_rest_as_it_was_sent(self, refused: Refused) -> None:
        done = refused.correct(MEND)

        assert refused.place.value()["好感度"] == 35
        assert (done["replayed"], done["changed"][0]["reason"]) == (False, "so it went")
        assert not CommitDraft.objects.exists()
        assert check_session(refused.place.id) == []

    def test_sent_again_gets_the_first_answer(self, refused: Refused) -> None:
        done = refused.correct(MEND)

        assert refused.correct(MEND) == {**done, "replayed": True}

    def test_and_the_same_sent_whole_are_one_commit(self, refused: Refused) -> None:
        done = refused.correct(MEND)

        assert refused.commit(trusting(5)) == {**done, "replayed": True}

    @pytest.mark.parametrize(
        "patch",
        [replaced("/text", 7), {"op": "add", "path": "/summary", "value": "…"}],
        ids=["a text that is none", "a member that is not known"],
    )
    def test_loses_nothing_of_what_it_says_without_a_word(self, refused: Refused, patch: Json) -> None:
        with pytest.raises(RetryPatchInvalid):
            refused.correct(MEND, patch)

        assert refused.place.value()["好感度"] == 30
        assert refused.correct(MEND)["replayed"] is False
