"""The demo's story: a race in refresh-token rotation is found, mended, broken, mended again, and simplified after.

Every step goes through the operations that the API and the pages use; evidence really runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from fabric_app.demo.project import Project

TESTS = "python3 -m unittest discover -s tests -t ."
RACE = "python3 -m unittest -v tests.test_rotation.RaceTest"
LOCKED = "        with self.lock:\n            return self._refresh(token)\n"
UNLOCKED = "        return self._refresh(token)\n"


class Teller(Protocol):
    """What the story asks for; see `demo.telling`."""

    def claim(self, **arguments: Any) -> None: ...

    def verify(self) -> None: ...

    def set_goal(self, check: str, description: str) -> None: ...

    def check_goal(self) -> None: ...


@dataclass(frozen=True)
class Step:
    """A sentence for whoever watches, and what happens."""

    sentence: str
    act: Callable[[Project, Teller], None]


def _find_the_race(project: Project, teller: Teller) -> None:
    project.apply("1-rotation", "Issue and rotate refresh tokens")
    teller.set_goal(TESTS, "Every test passes, the race included")
    teller.claim(
        label="found-race",
        to="race-known",
        summary="Eight clients that refresh one token at the same moment are all granted a new one",
        evidence=[f"! {RACE}"],
        tags=["auth", "bug"],
        complexity={"files": ["web/refresh.ts"]},
    )
    teller.verify()


def _miss_the_goal(_project: Project, teller: Teller) -> None:
    teller.check_goal()


def _plan(_project: Project, teller: Teller) -> None:
    teller.claim(
        label="guard-planned",
        **{"from": "race-known"},
        to="guard-planned",
        summary="A lock around look-up and marking as used; the latency of one refresh is acceptable",
        tags=["auth", "plan"],
    )


def _redraw(_project: Project, teller: Teller) -> None:
    teller.claim(
        label="redrawn-around-tokens",
        **{"from": "guard-planned"},
        to="unguarded",
        kind="representation",
        summary="From here on states say how a token's life 令牌的生命周期 is guarded, not which bug is open",
        tags=["model"],
    )


def _mend(project: Project, teller: Teller) -> None:
    project.apply("2-lock", "Hold a lock while a refresh token is exchanged")
    teller.claim(
        label="applied-auth-patch",
        **{"from": "unguarded"},
        to="guard-applied",
        summary="Refresh-token rotation now holds the lock",
        evidence=["grep -n 'with self.lock' tokens/rotation.py", RACE, TESTS],
        tags=["auth"],
    )
    teller.verify()


def _break(project: Project, teller: Teller) -> None:
    project.replace("tokens/rotation.py", LOCKED, UNLOCKED, "Refresh faster")
    teller.verify()


def _report(_project: Project, teller: Teller) -> None:
    teller.claim(
        label="reported-regression",
        **{"from": "guard-applied"},
        to="guard-lost",
        summary="'Refresh faster' took the lock out again: the evidence of applied-auth-patch no longer holds",
        evidence=["! grep -n 'with self.lock' tokens/rotation.py"],
        tags=["auth", "bug"],
    )
    teller.verify()


def _mend_again(project: Project, teller: Teller) -> None:
    project.replace("tokens/rotation.py", UNLOCKED, LOCKED, "Hold the lock again")
    teller.claim(
        label="restored-lock",
        **{"from": "guard-lost"},
        to="guard-applied",
        summary="The lock is back, and the race test guards it",
        evidence=["grep -n 'with self.lock' tokens/rotation.py", RACE],
        tags=["auth"],
        complexity={"files": ["web/refresh.ts"]},
    )
    teller.verify()


def _simplify(project: Project, teller: Teller) -> None:
    project.apply("3-simpler-retry", "Say final answers once in the browser's retry loop")
    teller.claim(
        label="simplified-retry",
        **{"from": "guard-applied"},
        to="retry-simplified",
        summary="The browser's retry loop lists final answers in one set instead of a switch",
        evidence=["! grep -n 'switch' web/refresh.ts", "grep -c 'FINAL.has' web/refresh.ts", TESTS],
        tags=["web", "complexity"],
        complexity={"files": ["web/refresh.ts"]},
    )


def _certify_the_reduction(_project: Project, teller: Teller) -> None:
    teller.verify()


def _document(project: Project, teller: Teller) -> None:
    readme = project.folder / "README.md"
    readme.write_text(readme.read_text() + "\n## Life of a token\n\nissued → used → (used again: family revoked)\n")
    project.commit("Describe the life of a token")
    teller.claim(
        label="documented-lifecycle",
        **{"from": "retry-simplified"},
        to="lifecycle-documented",
        summary="The README says what happens to a token that is used twice",
        evidence=["grep -n 'used again: family revoked' README.md", TESTS],
        tags=["docs"],
    )
    teller.verify()
    teller.check_goal()


STORY = (
    Step("An agent finds a race and claims it; a run shows that it is there.", _find_the_race),
    Step("The goal is checked, and not met yet.", _miss_the_goal),
    Step("A plan is a claim without evidence: it stays uncertified.", _plan),
    Step("The world is described anew: a representation boundary archives what came before.", _redraw),
    Step("The patch is applied; its evidence runs, and it is certified.", _mend),
    Step("Somebody takes the lock away; the next run revokes the certificate.", _break),
    Step("The regression is claimed, with evidence of its own.", _report),
    Step("The lock is back, and certified again.", _mend_again),
    Step("A reduction in complexity is accepted as pending.", _simplify),
    Step("Its evidence runs: pending becomes certified.", _certify_the_reduction),
    Step("The last claim is certified, and the goal is met.", _document),
)
