"""The player behind the API: real accounts with roles, real requests, the server's clock at each step's time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import time_machine
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import override_settings
from guardian.shortcuts import assign_perm
from rest_framework.test import APIClient

from fabric_app.mesh.checking import BadRow
from negotiation_app.access import PERMISSION_OF
from negotiation_app.api.routes import ROUTES
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import check_negotiation
from negotiation_app.protocol.names import Role
from tests.conformance.negotiation_player import Reply

API = "/api/v1/negotiations"
BY_OPERATION = {route.operation: route for route in ROUTES}
REFUSED = 400


class ApiPlayer:
    def __init__(self) -> None:
        self.ref = ""
        self.limit: int | None = None
        self.clients: dict[tuple[str, str], APIClient] = {}

    def open(self, given: dict[str, Any]) -> None:
        self.limit, body = given.get("artefactMaxBytes"), given["negotiation"]
        self.ref = body["ref"]
        maker = self._account("orchestrator")
        maker.user_permissions.add(Permission.objects.get(codename="add_negotiation"))
        client = APIClient()
        client.force_authenticate(maker)
        with self._at(given["at"]):
            answer = client.post(f"{API}/", body, format="json")
        assert answer.status_code == 201, answer.content
        self.clients["orchestrator", "orchestrator"] = client

    def play(self, step: dict[str, Any]) -> Reply:
        actor = step["actor"] if isinstance(step["actor"], dict) else {"role": step["actor"], "id": step["actor"]}
        client = self._client(actor["role"], actor["id"])
        with self._at(step["at"]):
            answer = self._sent(client, step)
        if answer.status_code >= REFUSED:
            told = answer.json()
            return Reply(code=told["code"], http=answer.status_code, details=told)
        told = answer.json()
        if step["op"] == "read_state":
            return Reply({"readVersion": told["negotiation"]["stateVersion"]})
        return Reply(told)

    def version(self) -> int:
        return self._negotiation().state_version

    def mark(self) -> object:
        row = self._negotiation()
        return row.version, row.log_sequence, row.log_digest

    def state(self, at: str, version: int | None = None) -> dict[str, Any]:
        asked = {} if version is None else {"version": version}
        with self._at(at):
            answer = self._client("auditor", "auditor").get(f"{API}/{self.ref}/state/", asked)
        assert answer.status_code == 200, answer.content
        told: dict[str, Any] = answer.json()
        return told

    def check(self) -> None:
        found: list[BadRow] = check_negotiation(self.ref)
        assert found == []

    def _sent(self, client: APIClient, step: dict[str, Any]) -> Any:
        name, body = step["op"], step["body"]
        headers = {"HTTP_IDEMPOTENCY_KEY": step["key"]} if "key" in step else {}
        if name == "read_state":
            return client.get(f"{API}/{self.ref}/state/", body)
        if name == "attempt_edit":
            return client.patch(f"{API}/{self.ref}/{body['target']}/", body.get("changes", {}), format="json")
        if name == "attempt_delete":
            return client.delete(f"{API}/{self.ref}/{body['target']}/")
        route = BY_OPERATION[name]
        subject = body.get(route.subject) if route.subject else None
        # Where a body names no subject at all there is no address to send it to but another one's.
        path = route.path.replace("<str:subject>", subject if isinstance(subject, str) and subject else "none")
        return client.post(f"{API}/{self.ref}/{path}", body, format="json", **headers)

    def _client(self, role: str, name: str) -> APIClient:
        if (role, name) not in self.clients:
            user = self._account(name)
            assign_perm(PERMISSION_OF[Role(role)], user, self._negotiation())
            self.clients[role, name] = APIClient()
            self.clients[role, name].force_authenticate(user)
        return self.clients[role, name]

    @staticmethod
    def _account(name: str) -> Any:
        return get_user_model().objects.get_or_create(username=name)[0]

    def _negotiation(self) -> Negotiation:
        return Negotiation.objects.get(ref=self.ref)

    @contextmanager
    def _at(self, at: str) -> Iterator[None]:
        from django.conf import settings

        limits = {**settings.STATEHOUSE, "ARTEFACT_MAX_BYTES": self.limit}
        with time_machine.travel(datetime.fromisoformat(at), tick=False), override_settings(STATEHOUSE=limits):
            yield
