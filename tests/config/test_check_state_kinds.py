"""`check_state` over kinds of things that several apps registered."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from fabric_app.mesh import checking
from fabric_app.mesh.checking import BadRow, StateCheck
from fabric_app.models import Workspace
from tests.factories import make_workspace

pytestmark = pytest.mark.django_db(transaction=True)

LOST = BadRow("letters", "sequence 3", "is missing")


@pytest.fixture
def workspace(transactional_db: None) -> Workspace:
    return make_workspace()


@pytest.fixture
def repaired(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Register letters, of which `second` is bad until it is repaired; return those that were."""
    names: list[str] = []
    letters = StateCheck(
        "letter",
        names=lambda: ["first", "second"],
        check=lambda name: [LOST] if name == "second" and "second" not in names else [],
        repair=names.append,
    )
    monkeypatch.setitem(checking._checks, letters.name, letters)
    return names


def check(*arguments: str) -> list[str]:
    said = StringIO()
    try:
        call_command("check_state", *arguments, stdout=said)
    except CommandError as refused:
        said.write(f"refused: {refused}\n")
    return said.getvalue().splitlines()


@pytest.mark.usefixtures("repaired")
class TestChecking:
    def test_says_of_each_thing_which_kind_it_is(self, workspace: Workspace) -> None:
        assert check() == [
            f"{workspace.slug}: clean",
            "letter first: clean",
            "letter second: letters sequence 3: is missing",
            "refused: letters sequence 3: is missing",
        ]

    def test_leaves_the_others_alone_where_one_is_named(self, workspace: Workspace) -> None:
        assert check("--only", "letter:first") == ["letter first: clean"]
        assert check("--workspace", workspace.slug) == [f"{workspace.slug}: clean"]

    @pytest.mark.parametrize(
        ("named", "sentence"),
        [
            ("letter:third", "There is no letter 'third'."),
            ("parcel:first", "'parcel:first' is not KIND:NAME with a KIND of: "),
            ("letter", "There is no letter ''."),
        ],
    )
    def test_refuses_what_is_not_there(self, named: str, sentence: str) -> None:
        assert check("--only", named)[0].startswith(f"refused: {sentence}")


class TestRepairing:
    def test_comes_before_the_check(self, repaired: list[str]) -> None:
        assert check("--only", "letter:second", "--repair-projection") == ["letter second: clean"]
        assert repaired == ["second"]
