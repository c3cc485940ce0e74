"""Versions, keys for one effect only, patience, and pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from rest_framework.test import APIClient

from fabric_app.models import Event, Run, Workspace

W = "/api/v1/workspaces/harbour/"


def move(client: APIClient, label: str, to: str, **headers: Any) -> Any:
    body = {"label": label, "to": to, "summary": f"{label} is done"}
    return client.post(f"{W}transitions/", body, format="json", **headers)


class TestIfMatch:
    def test_moves_on_from_the_version_that_was_read(self, agent: APIClient) -> None:
        assert agent.get(f"{W}state/")["ETag"] == '"0"'

        first = move(agent, "planned", "ready", HTTP_IF_MATCH='"0"')
        second = move(agent, "lifted", "aloft", HTTP_IF_MATCH=first["ETag"])

        assert (first.status_code, second.status_code) == (201, 201)
        assert agent.get(f"{W}state/")["ETag"] == second["ETag"]

    def test_of_a_version_that_is_gone_is_412_and_writes_nothing(self, agent: APIClient) -> None:
        move(agent, "planned", "ready")
        before = Event.objects.count()

        refused = move(agent, "lifted", "aloft", HTTP_IF_MATCH='"0"')

        assert (refused.status_code, refused.data["status"], refused.data["code"]) == (412, 412, "VERSION_CONFLICT")
        assert refused.data["current"] == 2
        assert Event.objects.count() == before

    @pytest.mark.parametrize("header", ["*", 'W/"1"', "1", '"x"', '"1", "2"', '"' + "9" * 30 + '"', ""])
    def test_in_another_form_is_refused(self, agent: APIClient, header: str) -> None:
        refused = move(agent, "planned", "ready", HTTP_IF_MATCH=header)

        assert (refused.status_code, refused.data["code"]) == (400, "INVALID_HEADER")

    def test_and_body_have_the_same_answer_but_for_the_status(self, agent: APIClient) -> None:
        agent.put(f"{W}keys/tide", {"value": "low"}, format="json")

        by_header = agent.put(f"{W}keys/tide", {"value": "high"}, format="json", HTTP_IF_MATCH='"7"')
        by_body = agent.put(f"{W}keys/tide", {"value": "high", "ifVersion": 7}, format="json")

        assert (by_header.status_code, by_body.status_code) == (412, 409)
        assert {**by_header.data, "status": 0} == {**by_body.data, "status": 0}
        assert by_body.data["found"] == 1

    def test_must_agree_with_the_body(self, agent: APIClient) -> None:
        refused = agent.put(f"{W}keys/tide", {"value": 1, "ifVersion": 1}, format="json", HTTP_IF_MATCH='"0"')

        assert refused.data["errors"][0]["path"] == "/ifVersion"

    def test_deletes_a_key_at_its_version(self, agent: APIClient) -> None:
        tag = agent.put(f"{W}keys/tide", {"value": "low"}, format="json")["ETag"]

        assert agent.delete(f"{W}keys/tide?ifVersion=5").status_code == 409
        assert agent.delete(f"{W}keys/tide", HTTP_IF_MATCH=tag).data == {"deleted": True, "version": 1}

    def test_changes_a_workspace_at_its_version(self, operator: APIClient) -> None:
        tag = operator.get(W)["ETag"]
        changed = operator.patch(W, {"title": "Port"}, format="json", HTTP_IF_MATCH=tag)
        again = operator.patch(W, {"title": "Quay"}, format="json", HTTP_IF_MATCH=tag)

        assert (changed.data["title"], changed.data["version"]) == ("Port", 1)
        assert again.status_code == 412
        assert operator.get(W).data["title"] == "Port"


class TestIdempotencyKey:
    def test_has_the_same_answer_and_one_effect(self, agent: APIClient) -> None:
        first = move(agent, "planned", "ready", HTTP_IDEMPOTENCY_KEY="k1")
        second = move(agent, "planned", "ready", HTTP_IDEMPOTENCY_KEY="k1")

        assert (second.status_code, second.content) == (first.status_code, first.content)
        assert Event.objects.filter(kind="transition").count() == 1

    def test_of_another_request_is_refused(self, agent: APIClient) -> None:
        move(agent, "planned", "ready", HTTP_IDEMPOTENCY_KEY="k1")

        refused = move(agent, "lifted", "aloft", HTTP_IDEMPOTENCY_KEY="k1")

        assert (refused.status_code, refused.data["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")

    def test_belongs_to_its_account(self, agent: APIClient, host: APIClient) -> None:
        move(agent, "planned", "ready", HTTP_IDEMPOTENCY_KEY="k1")

        assert move(host, "lifted", "aloft", HTTP_IDEMPOTENCY_KEY="k1").status_code == 201

    @pytest.mark.parametrize("key", ["", "a b", "\u00e9", "x" * 201])
    def test_in_another_form_is_refused(self, agent: APIClient, key: str) -> None:
        assert move(agent, "planned", "ready", HTTP_IDEMPOTENCY_KEY=key).data["code"] == "INVALID_HEADER"

    def test_starts_one_run(self, host: APIClient) -> None:
        body = {"action": "verify"}

        first = host.post(f"{W}runs/", body, format="json", HTTP_IDEMPOTENCY_KEY="k1")
        second = host.post(f"{W}runs/", body, format="json", HTTP_IDEMPOTENCY_KEY="k1")

        assert second.data["id"] == first.data["id"]
        assert Run.objects.count() == 1


@pytest.mark.django_db(transaction=True)
class TestManyRequestsWithOneKey:
    def test_have_one_effect_and_one_answer(self, harbour: Workspace, agent: APIClient) -> None:
        def send(_: int) -> tuple[int, bytes]:
            client = APIClient()
            client.credentials(**agent._credentials)
            try:
                answer = move(client, "planned", "ready", HTTP_IDEMPOTENCY_KEY="k1")
                return answer.status_code, answer.content
            finally:
                connections.close_all()

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(8)))

        assert len(set(answers)) == 1
        assert answers[0][0] == 201
        assert Event.objects.filter(kind="transition.committed").count() == 1


class TestARun:
    def test_is_accepted_with_a_place_to_follow_it(self, host: APIClient) -> None:
        answer = host.post(f"{W}runs/", {"action": "verify"}, format="json")

        assert answer.status_code == 202
        assert host.get(answer["Location"]).data["id"] == answer.data["id"]

    def test_that_is_not_over_in_time_is_still_to_be_followed(self, host: APIClient) -> None:
        answer = host.post(f"{W}runs/", {"action": "verify"}, format="json", HTTP_PREFER="respond-async, wait=1")

        assert answer.status_code == 202
        assert answer["Preference-Applied"] == "wait=1"

    def test_starts_only_with_the_commands_that_were_seen(self, host: APIClient, agent: APIClient) -> None:
        agent.post(
            f"{W}transitions/",
            {"label": "planned", "to": "ready", "summary": "Booked", "evidence": ["true"]},
            format="json",
        )
        seen = host.post(f"{W}runs/preview/", {"action": "verify"}, format="json").data
        wrong = {"action": "verify", "expectedEvidenceDigest": "sha256:" + "0" * 64}

        assert [each["command"] for each in seen["commands"]] == ["true"]
        assert host.post(f"{W}runs/", wrong, format="json").data["code"] == "EVIDENCE_DIGEST_MISMATCH"
        right = {"action": "verify", "expectedEvidenceDigest": seen["evidenceDigest"]}
        assert host.post(f"{W}runs/", right, format="json").status_code == 202


def all_pages(client: APIClient, address: str, member: str = "results") -> list[Any]:
    found: list[Any] = []
    while address:
        answer = client.get(address).data
        found += answer[member]
        address = answer["next"]
    return found


class TestPages:
    def test_of_history_hold_every_transition_once(self, agent: APIClient) -> None:
        for number in range(5):
            move(agent, f"step {number}", f"place {number}")

        shown = all_pages(agent, f"{W}transitions/?limit=2", "transitions")

        assert [each["label"] for each in shown] == [f"step {number}" for number in range(5)]

    def test_of_keys_hold_every_key_once(self, agent: APIClient) -> None:
        for number in range(5):
            agent.put(f"{W}keys/tide/{number}", {"value": number}, format="json")
        agent.put(f"{W}keys/other", {"value": 1}, format="json")

        shown = all_pages(agent, f"{W}keys/?prefix=tide/&limit=2")

        assert [each["value"] for each in shown] == [0, 1, 2, 3, 4]

    def test_of_events_go_on_after_a_number(self, agent: APIClient) -> None:
        for number in range(5):
            agent.post(f"{W}events/", {"topic": "notes", "data": number}, format="json")

        assert [each["data"] for each in all_pages(agent, f"{W}events/?after=0&limit=2")] == [0, 1, 2, 3, 4]
        assert [each["data"] for each in agent.get(f"{W}events/?limit=2").data["results"]] == [3, 4]

    def test_of_runs_and_activity_go_back_in_time(self, host: APIClient) -> None:
        asked = [host.post(f"{W}runs/", {"action": "verify"}, format="json").data["id"] for _ in range(3)]

        assert [each["id"] for each in all_pages(host, f"{W}runs/?limit=2")] == asked[::-1]
        ids = [each["id"] for each in all_pages(host, f"{W}activity/?limit=2")]
        assert ids == sorted(set(ids), reverse=True)
        assert len(ids) >= 4

    def test_of_workspaces_hold_each_once(self, operator: APIClient) -> None:
        for slug in ("quay", "pier", "dock"):
            operator.post("/api/v1/workspaces/", {"slug": slug, "title": slug}, format="json")

        shown = all_pages(operator, "/api/v1/workspaces/?limit=2")

        assert [each["slug"] for each in shown] == ["dock", "harbour", "pier", "quay"]
