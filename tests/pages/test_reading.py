from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from fabric_app.models import Workspace
from fabric_app.operations.mesh_writes import import_key, publish
from fabric_app.operations.workspaces import archive_workspace
from tests.factories import MAYA, NOON, make_workspace, move
from tests.pages.conftest import browser_of
from tests.runs.conftest import executed, request

OF_A_WORKSPACE = (
    "",
    "timeline/",
    "runs/",
    "complexity/",
    "complexity/?now=true",
    "events/",
    "events/?view=raw",
    "events/1/",
    "events/download/",
    "keys/",
    "activity/",
)
FOR_WRITERS = ("transitions/new/", "goal/", "verify/", "settings/")
WEIRD = (
    "?before=0",
    "?before=-1",
    "?before=99999999999999999999",
    "?before=abc",
    "?before=%00",
    "?label=%00&label=-&label=-%00",
    "?label=%ED%A0%80",
    "?kind=nothing&kind=-nothing",
    "?topic=%F0%9F%92%A3&kind=-x",
    "?status=-running&status=bogus",
    "?includeArchived=maybe&after=%00&prefix=%00",
    "?label=" + "x" * 3000,
    "?timeout=abc",
    "?timeout=1e400&label=nope",
)


def page_of(workspace: Workspace, rest: str = "") -> str:
    return f"/workspaces/{workspace.slug}/{rest}"


class TestPagesOfAWorkspace:
    @pytest.mark.parametrize("rest", OF_A_WORKSPACE)
    def test_are_shown_to_those_who_may_read(self, workspace: Workspace, reader: User, rest: str):
        assert browser_of(reader).get(page_of(workspace, rest)).status_code == 200

    @pytest.mark.parametrize("rest", [*OF_A_WORKSPACE, *FOR_WRITERS[:3], "live/"])
    def test_do_not_exist_for_others(self, workspace: Workspace, stranger: User, rest: str):
        assert browser_of(stranger).get(page_of(workspace, rest)).status_code == 404

    @pytest.mark.parametrize("rest", FOR_WRITERS)
    def test_that_change_something_refuse_readers(self, workspace: Workspace, reader: User, rest: str):
        answer = browser_of(reader).get(page_of(workspace, rest))

        assert answer.status_code == 403
        assert "Ask an operator to grant it" in answer.content.decode()

    @pytest.mark.parametrize("rest", ["", "timeline/", "system/"])
    def test_need_an_account(self, workspace: Workspace, client: Client, rest: str):
        answer = client.get(page_of(workspace, rest) if rest != "system/" else "/system/")

        assert answer.headers["Location"].startswith("/sign-in/?next=")

    @pytest.mark.parametrize("query", WEIRD)
    @pytest.mark.parametrize(
        "rest", ["", "timeline/", "runs/", "events/", "keys/", "activity/", "complexity/", "verify/"]
    )
    def test_bear_any_address(self, workspace: Workspace, operator: Client, rest: str, query: str):
        assert operator.get(page_of(workspace, rest) + query).status_code == 200

    @pytest.mark.parametrize("rest", ["", "timeline/", "runs/", "events/", "keys/", "activity/", "complexity/"])
    def test_send_their_parts_alone_to_a_refresh(self, workspace: Workspace, operator: Client, rest: str):
        whole = operator.get(page_of(workspace, rest))
        parts = operator.get(page_of(workspace, rest), headers={"HX-Request": "true"})
        restored = operator.get(
            page_of(workspace, rest), headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
        )

        assert "HX-Request" in parts.headers["Vary"]
        assert "<html" not in parts.content.decode()
        assert "data-part" in parts.content.decode()
        assert "<html" in whole.content.decode()
        assert "<html" in restored.content.decode()

    @pytest.mark.parametrize("rest", ["", "timeline/", "events/", "events/?view=raw", "keys/"])
    def test_show_html_in_texts_as_text(self, workspace: Workspace, operator: Client, rest: str):
        shown = operator.get(page_of(workspace, rest)).content.decode()

        assert "<script>alert(1)" not in shown

    def test_keep_a_strict_policy(self, workspace: Workspace, operator: Client):
        policy = operator.get(page_of(workspace)).headers["Content-Security-Policy"]

        assert "script-src 'self'" in policy
        assert "style-src 'self'" in policy
        assert "unsafe" not in policy


class TestOverview:
    def test_tells_claim_evidence_and_certificate_apart(self, workspace: Workspace, operator: Client):
        shown = operator.get(page_of(workspace)).content.decode()

        assert (
            shown.index('id="claim-title"') < shown.index('id="evidence-title"') < shown.index('id="certificate-title"')
        )
        assert "&lt;script&gt;alert(1)" in shown
        assert "echo built" in shown
        assert "Nobody has verified this head" in shown

    def test_shows_the_certificate_with_the_run_that_left_it(self, workspace: Workspace, operator: Client):
        run = executed(request(workspace))

        shown = operator.get(page_of(workspace)).content.decode()

        assert f"/runs/{run.pk}/" in shown
        assert "the run that left it" in shown
        assert run.report["evidenceDigest"] in shown

    def test_says_why_a_head_is_refuted(self, workspace: Workspace, operator: Client):
        move(workspace, "break", "broken", from_="built", evidence=["exit 3"])
        executed(request(workspace))

        shown = operator.get(page_of(workspace)).content.decode()

        assert "did not confirm it" in shown
        row = operator.get(page_of(workspace, "timeline/")).context["transitions"][0]
        assert row.state.word == "violated"

    def test_shows_a_quarantined_head_with_its_reason(self, workspace: Workspace, operator: Client):
        other = make_workspace(slug="shoal")
        import_key(workspace=other, key="state/current", value={"to": "nowhere"}, actor=MAYA, now=NOON)

        shown = operator.get(page_of(other)).content.decode()

        assert "Not trusted" in shown
        assert "lacks a transition id" in shown

    def test_of_an_empty_workspace_says_what_to_do(self, operator: Client):
        shown = operator.get(page_of(make_workspace(slug="shoal"))).content.decode()

        assert "No transition was recorded" in shown

    def test_of_an_archived_workspace_offers_no_change(self, workspace: Workspace, operator: Client):
        archive_workspace(workspace=workspace, expected=workspace.version, actor=MAYA, now=NOON)

        shown = operator.get(page_of(workspace)).content.decode()

        assert "Record transition" not in shown
        assert "archived" in shown


class TestTimeline:
    def test_stops_at_the_archive_boundary(self, workspace: Workspace, operator: Client):
        active = operator.get(page_of(workspace, "timeline/")).context["transitions"]
        everything = operator.get(page_of(workspace, "timeline/?includeArchived=true")).context["transitions"]

        assert [row.label for row in active] == ["build", "new-map"]
        assert [row.label for row in everything] == ["build", "new-map", "dig", "survey"]
        assert [row.is_boundary for row in everything] == [False, True, False, False]

    @pytest.mark.parametrize(
        ("query", "labels"),
        [
            ("label=dug", ["new-map", "dig"]),
            ("label=-dug", ["build", "survey"]),
            ("kind=representation", ["new-map"]),
            ("kind=-representation", ["build", "dig", "survey"]),
            ("kind=-certified", ["build", "new-map", "dig", "survey"]),
            ("label=dug&kind=-representation", ["dig"]),
        ],
    )
    def test_filters_and_leaves_out(self, workspace: Workspace, operator: Client, query: str, labels: list[str]):
        found = operator.get(page_of(workspace, f"timeline/?includeArchived=true&{query}")).context["transitions"]

        assert [row.label for row in found] == labels

    def test_is_paged_by_sequence(self, workspace: Workspace, operator: Client):
        for number in range(45):
            move(workspace, f"step-{number}", "built")

        first = operator.get(page_of(workspace, "timeline/"))
        second = operator.get(first.context["pager"].older)

        labels = [row.label for row in (*first.context["transitions"], *second.context["transitions"])]
        assert labels == [*(f"step-{number}" for number in reversed(range(45))), "build", "new-map"]


class TestLists:
    @pytest.mark.parametrize("rest", ["timeline/", "runs/", "events/", "keys/", "activity/", "complexity/", ""])
    def test_cost_the_same_number_of_queries_however_long(
        self, workspace: Workspace, operator: Client, rest: str, django_assert_max_num_queries: Callable[..., Any]
    ):
        def queries() -> int:
            with django_assert_max_num_queries(60) as counted:
                operator.get(page_of(workspace, rest))
            return len(counted)

        def steps(*numbers: int) -> None:
            for number in numbers:
                move(workspace, f"step-{number}", "built", evidence=["true"])
                executed(request(workspace))

        steps(1, 2)
        before = queries()
        steps(3, 4, 5, 6)
        assert queries() == before

    def test_of_workspaces_costs_the_same_number_of_queries(
        self, workspace: Workspace, operator: Client, django_assert_max_num_queries: Callable[..., Any]
    ):
        def queries() -> int:
            with django_assert_max_num_queries(60) as counted:
                operator.get("/")
            return len(counted)

        move(make_workspace(slug="quay"), "begin", "begun")
        # The first request of a process also fills Django's cache of content types.
        queries()
        before = queries()
        for number in range(4):
            move(make_workspace(slug=f"pier-{number}"), "begin", "begun")
        assert queries() == before

    def test_of_events_is_paged_and_downloaded_whole(self, workspace: Workspace, operator: Client):
        for number in range(60):
            publish(workspace=workspace, topic="notes", text=f"note {number}", actor=MAYA, now=NOON)

        first = operator.get(page_of(workspace, "events/?topic=notes"))
        second = operator.get(first.context["pager"].older)
        whole = b"".join(operator.get(page_of(workspace, "events/download/")).streaming_content)

        assert [len(answer.context["events"]) for answer in (first, second)] == [50, 10]
        sequences = [json.loads(line)["sequence"] for line in whole.splitlines()]
        assert sequences == list(range(1, 69))


class TestHome:
    def test_puts_what_needs_a_person_first(self, workspace: Workspace, operator: Client):
        other = make_workspace(slug="shoal")
        import_key(workspace=other, key="state/current", value={}, actor=MAYA, now=NOON)

        needs = [(need.state.word, need.title) for need in operator.get("/").context["needs"]]

        assert needs[0] == ("quarantined", "Shoal: the head is not trusted")
        assert ("no worker", "No worker listens for the group default") in needs
        assert ("not certified", "Harbour: the head has no certificate") in needs

    def test_shows_nothing_of_what_an_account_cannot_read(self, workspace: Workspace, stranger: User):
        shown = browser_of(stranger).get("/")

        assert "Harbour" not in shown.content.decode()
        assert shown.context["needs"] == []


class TestRunPage:
    def test_shows_results_and_leads_to_the_certificate(self, workspace: Workspace, operator: Client):
        run = executed(request(workspace))

        shown = operator.get(f"/runs/{run.pk}/")

        assert shown.context["run"]["state"].word == "confirmed"
        assert shown.context["run"]["certificate_address"] in shown.content.decode()
        assert [piece.text for piece in shown.context["pieces"] if not piece.is_note] == ["built\n"]

    def test_cuts_long_output_and_leads_to_what_is_earlier(self, workspace: Workspace, operator: Client):
        move(workspace, "print", "printed", evidence=["head -c 400000 /dev/zero | tr '\\0' x"])
        run = executed(request(workspace))

        shown = operator.get(f"/runs/{run.pk}/")
        earlier = operator.get(shown.context["earlier_address"])
        window = operator.get(f"/runs/{run.pk}/window/?before={shown.context['first']}").json()

        assert len(shown.content) < 150_000
        assert earlier.status_code == 200
        assert window["entries"][-1]["sequence"] == shown.context["first"] - 1

    @pytest.mark.parametrize("rest", ["", "window/", "stream/"])
    def test_does_not_exist_for_others(self, workspace: Workspace, stranger: User, rest: str):
        run = request(workspace)

        assert browser_of(stranger).get(f"/runs/{run.pk}/{rest}").status_code == 404


class TestSystem:
    def test_is_for_those_who_see_everything(self, operator: Client, reader: User):
        assert operator.get("/system/").status_code == 200
        assert browser_of(reader).get("/system/").status_code == 403
