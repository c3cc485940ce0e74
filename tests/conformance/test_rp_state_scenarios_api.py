"""The same sessions told step by step, through the HTTP API.

A case's owner is a reply: its turn is begun when a step first names it, its message asks for its configurations, its
commit ends the turn, and retracting it deletes the message. A reply that is named again later is another one. The
bootstrap is what the session is made with; one that has to be refused is refused for another session.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessions_app.operations.check import check_session
from sessions_app.protocol.values import same
from tests.conformance.rp_state_comparing import in_full, in_short, without_message
from tests.conformance.rp_state_vectors import OWN_VECTORS, VECTORS, cases
from tests.sessions.api.talking import Api, creator

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
REFUSED = 400
SECOND_BOOTSTRAP = "A session begins once: bootstraps are taken when it is made, and there is no way to begin it anew."
SECOND_COMMIT = "A turn is committed once: what a reply commits after that is a conflict here."
LEFT_OUT = {"second bootstrap replaces every namespace": SECOND_BOOTSTRAP}


def misfit(case: Json) -> str | None:
    """Return why a case cannot happen through the API, or None."""
    has_begun, committed = False, set()
    for step, expected in zip(case["input"]["steps"], case["expected"]["steps"], strict=True):
        if step["do"] == "bootstrap" and expected["ok"] and has_begun:
            return SECOND_BOOTSTRAP
        if step["do"] == "commit" and step["owner"] in committed:
            return SECOND_COMMIT
        if step["do"] == "commit" and expected["ok"]:
            committed.add(step["owner"])
        committed -= set(step.get("messages", ()))
        has_begun = has_begun or step["do"] != "bootstrap" or expected["ok"]
    return None


class Told:
    """A session as the API has it, and the number of each reply that is there; a turn and its reply have one number."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.here = ""
        self.replies: dict[str, int] = {}

    def run(self, step: Json) -> Json:
        if step["do"] != "bootstrap":
            self.make_if_missing()
        answer = getattr(self, step["do"])(step)
        told = {"ok": False, "error": answer["code"]} if self.is_refused else {"ok": True} | answer
        return told | {"after": in_short(self.projection())}

    @property
    def is_refused(self) -> bool:
        return self.api.status >= REFUSED

    def projection(self) -> Json:
        self.make_if_missing()
        return self.api.get(f"{self.here}/state/")

    def make_if_missing(self) -> None:
        if not self.here:
            self.here = "sessions/" + self.api.post("sessions/", {"title": "Told"}, 201)["id"]

    def bootstrap(self, step: Json) -> Json:
        made = self.api.post("sessions/", {"title": "Told", "bootstrap": step["bootstrap"]})
        if self.is_refused:
            return made
        self.here = f"sessions/{made['id']}"
        return {}

    def configure(self, step: Json) -> Json:
        body = {"request": step["request"], "message": self.reply(step["owner"])}
        return self.refused_or_nothing(self.api.post(f"{self.here}/configurations/", body))

    def commit(self, step: Json) -> Json:
        turn = self.reply(step["owner"])
        answer = self.api.post(f"{self.here}/turns/{turn}/commit/", {"effects": step["effects"]})
        if self.is_refused:
            return answer
        return {"diagnostics": [without_message(each) for each in answer["diagnostics"]]}

    def edit(self, step: Json) -> Json:
        address = f"{self.here}/messages/{self.reply(step['message'])}/"
        return self.refused_or_nothing(self.api.send("patch", address, {"text": "Said otherwise."}))

    def retract(self, step: Json) -> Json:
        numbers = [self.reply(name) for name in step["messages"]]
        for name in step["messages"]:
            del self.replies[name]
        return self.refused_or_nothing(self.api.post(f"{self.here}/messages/deletion/", {"messages": numbers}))

    def read(self, step: Json) -> Json:
        answer = self.api.post(f"{self.here}/reads/", step["request"])
        return answer if self.is_refused else {"result": answer}

    def reply(self, name: str) -> int:
        if name not in self.replies:
            self.replies[name] = self.api.begin(self.here)
        return self.replies[name]

    def refused_or_nothing(self, answer: Json) -> Json:
        return answer if self.is_refused else {}


@pytest.mark.parametrize("case", [case for case in cases("scenarios") if not misfit(case.values[0])])
def test_a_session_goes_as_told_through_the_api(case: Json) -> None:
    told = Told(Api(creator("teller")))

    for step, expected in zip(case["input"]["steps"], case["expected"]["steps"], strict=True):
        found = told.run(step)

        assert same(json.loads(json.dumps(found)), expected), (step, found)

    assert same(in_full(told.projection()), case["expected"]["final"])
    assert check_session(told.here.removeprefix("sessions/")) == []


@pytest.mark.skipif(VECTORS != OWN_VECTORS, reason="the list is of the cases here")
def test_rp_state_cases_that_cannot_happen_here_are_listed() -> None:
    found = [case.values[0] for case in cases("scenarios")]

    assert {case["name"]: misfit(case) for case in found if misfit(case)} == LEFT_OUT
