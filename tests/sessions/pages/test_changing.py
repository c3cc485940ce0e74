"""What is changed by the forms of a session's pages, and what a form gives back where it is refused."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sessions_app.models import Message, Session, Turn
from sessions_app.operations.configurations import correct_state
from sessions_app.operations.messages import delete_messages, edit_message
from sessions_app.pages.home import home_part
from sessions_app.stored_state import stored_projection
from tests.sessions.places import DEFINITION, VALUE, Place, change, effect

TEXT = "My own words, 我的话 <b>."


def here(place: Place, rest: str = "") -> str:
    return f"/sessions/{place.id}/{rest}"


def correct(place: Place, **value: Any) -> None:
    """Move the namespace as somebody else does meanwhile."""
    request = {
        "action": "update",
        "namespace": "story",
        "expectedRevision": place.revision(),
        "definition": DEFINITION,
        "value": {**place.value(), **value},
    }
    correct_state(**place.here, request=request, reason="meanwhile")


def hidden(answer: Any, *names: str) -> dict[str, Any]:
    """Return what the form that was shown carries unseen."""
    return {name: str(answer.context[name]) for name in names}


class TestSaySomething:
    def test_adds_the_message(self, place: Place, browser: Client):
        browser.post(here(place, "messages/"), {"text": TEXT, "role": "user", "name": "梅", "formKey": str(uuid4())})

        added = Message.objects.filter(session_id=place.id).latest("number")
        assert (added.role, added.name, added.variants.get().text) == ("user", "梅", TEXT)

    def test_sent_twice_adds_one(self, place: Place, browser: Client):
        typed = {"text": TEXT, "role": "user", "name": "", "formKey": str(uuid4())}
        before = Message.objects.filter(session_id=place.id).count()

        for _ in range(2):
            browser.post(here(place, "messages/"), typed)

        assert Message.objects.filter(session_id=place.id).count() == before + 1

    @pytest.mark.parametrize(
        "typed", [{"role": "narrator"}, {"role": "user", "name": "x" * 500}, {"role": "", "text": " "}]
    )
    def test_refused_comes_back_with_its_text(self, place: Place, browser: Client, typed: dict[str, str]):
        answer = browser.post(here(place, "messages/"), {"text": TEXT, "name": "", **typed})

        assert answer.status_code == 400
        assert {field.name: field.value for field in answer.context["fields"]}["text"] == typed.get("text", TEXT)

    def test_as_the_host_needs_the_right_to_correct(self, place: Place, writer: Client):
        answer = writer.post(here(place, "messages/"), {"text": TEXT, "role": "host", "name": ""})

        assert answer.status_code == 403


class TestCommitByHand:
    def begun(self, place: Place, browser: Client) -> tuple[str, Any]:
        answer = browser.post(here(place, "turns/"), {"name": "李钰", "formKey": str(uuid4())})
        return answer["Location"], browser.get(answer["Location"])

    def typed(self, shown: Any, effects: Any, **others: str) -> dict[str, str]:
        text = effects if isinstance(effects, str) else json.dumps(effects, ensure_ascii=False)
        return {"text": TEXT, "effects": text, **hidden(shown, "epoch", "seen"), **others}

    def test_the_form_begins_with_the_revision_as_it_is(self, place: Place, browser: Client):
        _, shown = self.begun(place, browser)

        effects = json.loads({field.name: field.value for field in shown.context["fields"]}["effects"])
        assert effects[0]["expectedRevision"] == place.revision()

    def test_commits_what_was_typed(self, place: Place, browser: Client):
        address, shown = self.begun(place, browser)

        browser.post(address, self.typed(shown, [effect(2, change("increment", "/hp", "hp", by=1))], commit="yes"))

        assert place.value()["hp"] == 16
        assert Turn.objects.get(session_id=place.id, message=shown.context["turn"].message).status == "committed"

    def test_trying_tells_and_keeps_nothing(self, place: Place, browser: Client):
        address, shown = self.begun(place, browser)
        before = place.session.version

        typed = self.typed(shown, [effect(2, change("increment", "/hp", "hp", by=1))], **{"try": "yes"})
        answer = browser.post(address, typed)

        assert [row.path for row in answer.context["outcome"]["rows"]] == ["/hp"]
        assert place.session.version == before

    def test_a_refusal_tells_every_issue_and_keeps_the_text(self, place: Place, browser: Client):
        address, shown = self.begun(place, browser)
        wrong = [effect(2, change("increment", "/好感", "trust", by=50), change("set", "/hp", "no-such-rule", value=1))]

        answer = browser.post(address, self.typed(shown, wrong))

        kept = {field.name: field.value for field in answer.context["fields"]}
        assert answer.status_code == 422
        assert len(answer.context["issues"]) >= 2
        assert (kept["text"], json.loads(kept["effects"])) == (TEXT, wrong)
        assert place.value()["hp"] == 15

    def test_a_conflict_keeps_the_text_beside_the_newer_value(self, place: Place, browser: Client):
        address, shown = self.begun(place, browser)
        place.commit(effect(2, change("increment", "/hp", "hp", by=7)))

        mine = [effect(2, change("increment", "/hp", "hp", by=1))]
        answer = browser.post(address, self.typed(shown, mine))

        kept = {field.name: field.value for field in answer.context["fields"]}
        assert answer.status_code == 409
        assert answer.context["is_moved"]
        assert json.loads(kept["effects"]) == mine
        assert [(row.path, row.after.shown) for row in answer.context["since"][0].rows] == [("/hp", "22")]
        assert answer.context["panels"][0][0].revision == 3

    def test_a_configuration_since_is_a_conflict_too_and_the_next_try_is_taken(self, place: Place, browser: Client):
        address, shown = self.begun(place, browser)
        correct(place, hp=90)
        mine = [effect(3, change("increment", "/hp", "hp", by=1))]

        refused = browser.post(address, self.typed(shown, mine))
        browser.post(address, self.typed(refused, mine))

        assert refused.status_code == 409
        assert refused.context["is_moved"]
        assert place.value()["hp"] == 91

    @pytest.mark.parametrize(
        "effects",
        [
            "",
            "[",
            "{}",
            "null",
            '[{"kind": NaN}]',
            "[" * 500 + "]" * 500,
            '[{"a":1,"a":2}]',
            '"\\ud800"',
            "9" * 5_000,
            "[\0]",
        ],
    )
    def test_any_text_is_refused_and_kept(self, place: Place, browser: Client, effects: str):
        address, shown = self.begun(place, browser)

        answer = browser.post(address, self.typed(shown, effects))

        assert answer.status_code in {400, 422}
        assert {field.name: field.value for field in answer.context["fields"]}["effects"] == effects

    def test_cancelling_ends_it_with_a_reason(self, place: Place, browser: Client):
        address, _ = self.begun(place, browser)

        browser.post(f"{address}cancel/", {"text": "", "reason": "Not now."})

        again = browser.post(f"{address}cancel/", {"text": "", "reason": ""})
        assert Turn.objects.filter(session_id=place.id, status="cancelled").count() == 1
        assert again.status_code == 409


class TestEditAMessage:
    def test_gives_it_another_text_and_leaves_the_state(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/edit/"))

        browser.post(here(place, "messages/4/edit/"), {"text": TEXT, **hidden(shown, "version")})

        assert Message.objects.get(session_id=place.id, number=4).variants.get().text == TEXT
        assert place.value()["hp"] == 15

    def test_a_conflict_keeps_the_text_beside_the_newer_one(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/edit/"))
        edit_message(**place.here, number=4, text="Theirs, meanwhile.")

        answer = browser.post(here(place, "messages/4/edit/"), {"text": TEXT, **hidden(shown, "version")})
        again = browser.post(here(place, "messages/4/edit/"), {"text": TEXT, **hidden(answer, "version")})

        assert answer.status_code == 409
        assert answer.context["fields"][0].value == TEXT
        assert answer.context["newer"].shown == "Theirs, meanwhile."
        assert again.status_code == 302


class TestActsWithAPreview:
    def test_deleting_shows_what_it_takes_back_first(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/delete/"))

        rows = {row.path: row.after.shown for group in shown.context["preview"]["groups"] for row in group.rows}
        assert rows["/hp"] == "10"
        assert [move.rows[0][0] for move in shown.context["preview"]["moves"]] == [5]
        assert place.value()["hp"] == 15

    def test_deleting_does_what_was_shown(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/delete/"))

        browser.post(here(place, "messages/4/delete/"), {"reason": "Again.", **hidden(shown, "version")})

        assert place.value() == VALUE

    def test_deleting_all_after_a_message_takes_them_all(self, place: Place, browser: Client):
        address = here(place, "messages/3/delete/?onward=true")

        browser.post(address, {"reason": "", **hidden(browser.get(address), "version")})

        assert not Message.objects.filter(session_id=place.id, is_deleted=False).exists()

    @pytest.mark.parametrize("rest", ["messages/4/delete/", "messages/4/regenerate/", "messages/4/variants/1/"])
    def test_is_bound_to_the_version_that_was_shown(self, place: Place, browser: Client, rest: str):
        shown = browser.get(here(place, rest))
        place.commit(effect(2, change("increment", "/hp", "hp", by=7)))
        before = place.session.version

        answer = browser.post(here(place, rest), {"reason": TEXT, **hidden(shown, "version")})

        assert answer.status_code == 409
        assert answer.context["is_moved"]
        assert answer.context["version"] == place.session.version == before
        assert all(field.value == TEXT for field in answer.context["fields"])

    def test_regenerating_leads_to_the_turn_of_the_next_variant(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/regenerate/"))

        typed = {"formKey": str(uuid4()), **hidden(shown, "version")}
        first, _second = [browser.post(here(place, "messages/4/regenerate/"), typed) for _ in range(2)]

        turn = Turn.objects.get(session_id=place.id, message=4, status="active")
        assert first["Location"] == here(place, f"turns/{turn.number}/")
        assert Message.objects.get(session_id=place.id, number=4).variants.count() == 2
        assert place.value() == VALUE

    def test_choosing_a_variant_gives_back_what_it_owned(self, place: Place, browser: Client):
        shown = browser.get(here(place, "messages/4/regenerate/"))
        browser.post(here(place, "messages/4/regenerate/"), hidden(shown, "version"))
        address = here(place, "messages/4/variants/1/")

        browser.post(address, hidden(browser.get(address), "version"))

        assert place.value()["hp"] == 15


class TestQuarantine:
    @pytest.fixture
    def held(self, place: Place) -> int:
        """A commit that is refused once what it builds on is deleted: trust needs hp of 10 at least."""
        place.commit(effect(2, change("set", "/hp", "set-hp", value=5)))
        raising = place.commit(effect(3, change("set", "/hp", "set-hp", value=50)))
        kept = place.commit(effect(4, change("increment", "/好感度", "trust", by=1)))
        delete_messages(**place.here, numbers=[raising["message"]])
        return int(kept["sequence"])

    def test_the_session_page_says_why(self, place: Place, browser: Client, held: int):
        shown = browser.get(here(place)).context["quarantined"]

        assert [entity.sequence for entity in shown] == [held]
        assert "trust" in shown[0].reason
        assert "condition" in shown[0].reason

    def test_home_names_it_among_what_needs_attention(self, place: Place, browser: Client, held: int):
        class Request:
            user = place.user

        part = home_part(Request())  # type: ignore[arg-type]

        assert [need.address for need in part.needs] == [here(place)]
        assert {count["word"]: count["number"] for count in part.counts}["entities in quarantine"] == 1

    def test_a_release_that_would_fail_says_so_and_offers_no_button(self, place: Place, browser: Client, held: int):
        answer = browser.get(here(place, f"entities/{held}/release/"))

        assert answer.status_code == 409
        assert answer.context["preview"] is None

    def test_skipping_needs_a_reason(self, place: Place, browser: Client, held: int):
        address = here(place, f"entities/{held}/skip/")
        version = hidden(browser.get(address), "version")

        refused = browser.post(address, {"reason": " ", **version})
        browser.post(address, {"reason": "She never said it.", **version})

        assert refused.status_code == 400
        assert refused.context["fields"][0].errors
        assert browser.get(here(place)).context["quarantined"] == []


class TestCorrectAValue:
    def test_sets_one_place_and_leaves_a_note_that_says_why(self, place: Place, browser: Client):
        address = here(place, "namespaces/story/correct/?path=/hp")
        shown = browser.get(address)

        browser.post(address, {"value": "77", "reason": "She fell.", **hidden(shown, "revision")})

        assert place.value()["hp"] == 77
        note = Message.objects.filter(session_id=place.id).latest("number")
        assert (note.role, note.variants.get().text) == ("host", "She fell.")

    def test_what_does_not_fit_is_said_beside_the_control(self, place: Place, browser: Client):
        address = here(place, "namespaces/story/correct/?path=/hp")

        answer = browser.post(address, {"value": "1000", "reason": "x", **hidden(browser.get(address), "revision")})

        field = answer.context["fields"][0]
        assert (answer.status_code, field.value) == (422, "1000")
        assert field.errors

    def test_a_conflict_keeps_the_text_beside_the_newer_value(self, place: Place, browser: Client):
        address = here(place, "namespaces/story/correct/?path=/hp")
        shown = browser.get(address)
        correct(place, hp=33)

        answer = browser.post(address, {"value": "77", "reason": "x", **hidden(shown, "revision")})
        again = browser.post(address, {"value": "77", "reason": "x", **hidden(answer, "revision")})

        assert answer.status_code == 409
        assert answer.context["fields"][0].value == "77"
        assert answer.context["newer"].shown == "33"
        assert again.status_code == 302
        assert place.value()["hp"] == 77


class TestDefinitions:
    def test_the_check_tells_each_problem_with_its_place_and_line(self, place: Place, browser: Client):
        rules: Any = DEFINITION["rules"]
        broken = {**DEFINITION, "rules": [{**rules[2], "condition": "hp > "}, {"id": "UP"}]}
        typed = json.dumps(broken, indent=2)

        answer = browser.post(here(place, "check-definition/"), {"definition": typed, "namespace": "story"})

        problems = {each["path"]: each["line"] for each in answer.context["problems"]}
        lines = typed.split("\n")
        assert '"condition"' in lines[problems["/rules/0/condition"] - 1]
        assert '"UP"' in lines[problems["/rules/1/id"] - 1]

    def test_the_check_tells_what_saving_would_change(self, place: Place, browser: Client):
        typed = json.dumps({**DEFINITION, "title": "Tale"})

        answer = browser.post(here(place, "check-definition/"), {"definition": typed, "namespace": "story"})

        assert answer.context["is_good"]
        assert answer.context["groups"][0].notes == ("The definition is another.",)
        assert stored_projection(place.session).namespaces["story"].definition.title == "Story"

    def test_the_check_tells_that_the_value_would_not_fit(self, place: Place, browser: Client):
        typed = json.dumps({**DEFINITION, "schema": {"type": "array"}})

        answer = browser.post(here(place, "check-definition/"), {"definition": typed, "namespace": "story"})

        assert next(each["path"] for each in answer.context["problems"]).endswith("alue")

    @pytest.mark.parametrize(
        "typed", ["", "{", "[]", "null", "{" * 400, '{"schema": {"$ref": "#"}}', "\0", '"\\ud800"']
    )
    def test_the_check_answers_any_text(self, place: Place, browser: Client, typed: str):
        answer = browser.post(here(place, "check-definition/"), {"definition": typed, "namespace": "story"})

        assert answer.status_code == 200
        assert answer.context["problems"]

    def test_saving_configures_with_a_reason(self, place: Place, browser: Client):
        address = here(place, "namespaces/story/definition/")
        shown = browser.get(address)
        typed = json.dumps({**DEFINITION, "title": "Tale"})

        browser.post(address, {"definition": typed, "reason": "A better name.", **hidden(shown, "revision")})

        assert stored_projection(place.session).namespaces["story"].definition.title == "Tale"

    def test_a_conflict_keeps_the_text_beside_the_newer_one(self, place: Place, browser: Client):
        address = here(place, "namespaces/story/definition/")
        shown = browser.get(address)
        correct(place, hp=33)
        typed = json.dumps({**DEFINITION, "title": "Tale"})

        answer = browser.post(address, {"definition": typed, "reason": "x", **hidden(shown, "revision")})

        assert answer.status_code == 409
        assert answer.context["fields"][0].value == typed
        assert json.loads(answer.context["newer"].shown)["title"] == "Story"

    def test_a_reader_may_check_and_not_save(self, place: Place, reader: Client):
        typed = {"definition": json.dumps(DEFINITION), "namespace": "story", "revision": "2", "reason": "x"}

        assert reader.post(here(place, "check-definition/"), typed).status_code == 200
        assert reader.post(here(place, "namespaces/story/definition/"), typed).status_code == 403

    def test_a_namespace_is_made_reset_and_deleted(self, place: Place, browser: Client):
        typed = {"namespace": "side", "definition": json.dumps(DEFINITION), "initialValue": '{"hp": 3}', "reason": "x"}

        refused = browser.post(here(place, "new-namespace/"), {**typed, "initialValue": '{"hp": "x"}'})
        browser.post(here(place, "new-namespace/"), typed)
        assert refused.status_code == 422
        assert [field.name for field in refused.context["fields"] if field.errors] == ["initialValue"]
        assert place.value("side") == {"hp": 3}

        misnamed = browser.post(here(place, "new-namespace/"), {**typed, "namespace": "Not A Name"})
        assert [field.name for field in misnamed.context["fields"] if field.errors] == ["namespace"]

        for act in ("reset", "delete"):
            address = here(place, f"namespaces/side/{act}/")
            browser.post(address, {"reason": "x", **hidden(browser.get(address), "version")})

        assert list(stored_projection(place.session).namespaces) == ["story"]


class TestConditions:
    def test_tells_whether_it_holds_and_what_it_reads(self, place: Place, browser: Client):
        answer = browser.get(here(place, "conditions/"), {"condition": 'state("story", "/hp") >= 15'})

        assert answer.context["verdict"]["state"].word == "holds"
        assert [(each["path"], each["value"].shown) for each in answer.context["reads"]] == [("/hp", "15")]

    def test_tells_why_it_cannot_be_decided(self, place: Place, browser: Client):
        answer = browser.get(here(place, "conditions/"), {"condition": 'state("story", "/mp") > 1'})

        assert answer.context["verdict"]["state"].word == "undecided"
        assert not answer.context["reads"][0]["found"]

    @pytest.mark.parametrize("typed", ["hp >", "((((", "\0", "x" * 5_000, "<script>", "(" * 600 + "true" + ")" * 600])
    def test_any_text_is_answered(self, place: Place, browser: Client, typed: str):
        answer = browser.get(here(place, "conditions/"), {"condition": typed})

        assert answer.status_code == 200


class TestSettings:
    def test_renaming_meets_a_conflict_with_the_text_kept(self, place: Place, browser: Client):
        shown = browser.get(here(place, "settings/"))
        version = str(shown.context["session"].version)
        place.say()

        answer = browser.post(here(place, "settings/"), {"title": TEXT, "version": version})

        assert answer.status_code == 409
        assert answer.context["fields"][0].value == TEXT

    def test_renaming_names_it(self, place: Place, browser: Client):
        browser.post(here(place, "settings/"), {"title": TEXT, "version": str(place.session.version)})

        assert place.session.title == TEXT

    def test_erasing_asks_for_the_title(self, place: Place, browser: Client):
        typed = {"reason": "They asked.", "version": str(place.session.version)}

        refused = browser.post(here(place, "erase/"), {**typed, "confirmation": "雨"})
        browser.post(here(place, "erase/"), {**typed, "confirmation": "雨夜"})

        assert refused.status_code == 400
        assert not Session.objects.filter(pk=place.id).exists()

    def test_erasing_is_refused_to_writers(self, place: Place, writer: Client):
        typed = {"reason": "x", "version": str(place.session.version), "confirmation": "雨夜"}

        assert writer.post(here(place, "erase/"), typed).status_code == 403

    def test_a_fork_begins_at_the_message(self, place: Place, browser: Client):
        answer = browser.post(here(place, "fork/?message=3"), {"title": "Other", "formKey": str(uuid4())})

        fork = Session.objects.get(title="Other")
        assert answer["Location"] == f"/sessions/{fork.pk}/"
        assert Message.objects.filter(session=fork).count() == 1

    def test_an_export_can_be_imported_again(self, place: Place, browser: Client):
        content = b"".join(browser.get(here(place, "export/")))
        shown = browser.post("/sessions/import/", {"file": SimpleUploadedFile("a.json", content), "preview": "yes"})
        typed = {"import": "yes", "previewed": shown.context["upload"].digest}
        answer = browser.post("/sessions/import/", {"file": SimpleUploadedFile("a.json", content), **typed})

        assert shown.context["preview"]["session"]["messages"] == 2
        copy = Session.objects.get(pk=answer["Location"].split("/")[2])
        assert copy.log_digest == place.session.log_digest


class TestNewSession:
    def test_begins_with_a_namespace(self, db: None, operator: Client):
        typed = {
            "title": "Fresh",
            "namespace": "story",
            "definition": json.dumps(DEFINITION),
            "initialValue": '{"hp": 1}',
        }

        operator.post("/sessions/new/", typed)

        made = Session.objects.get(title="Fresh")
        assert stored_projection(made).values() == {"story": {"hp": 1}}

    def test_what_is_wrong_stands_beside_its_control(self, db: None, operator: Client):
        typed = {
            "title": "Fresh",
            "namespace": "story",
            "definition": json.dumps(DEFINITION),
            "initialValue": '{"hp": -1}',
        }

        answer = operator.post("/sessions/new/", typed)

        assert answer.status_code == 422
        assert [field.name for field in answer.context["fields"] if field.errors] == ["initialValue"]

    def test_is_refused_to_accounts_that_may_not(self, place: Place, writer: Client):
        assert writer.get("/sessions/new/").status_code == 403
        assert writer.get("/sessions/import/").status_code == 403
