"""The state layer: head, transitions, complexity and goal of a workspace."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.access import FORCE, REPRESENT, WRITE, require
from fabric_app.api import schemas
from fabric_app.api.door import Door
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.preconditions import etag, idempotency, if_match
from fabric_app.mesh.http.reading import Query, given
from fabric_app.mesh.http.reference import ARCHIVED, CURSOR, IDEMPOTENCY_KEY, IF_MATCH, described, parameter
from fabric_app.mesh.http.schemas import COUNT, TEXT, ref
from fabric_app.operations.goals import set_goal
from fabric_app.operations.transitions import record_transition
from fabric_app.protocol.arguments import (
    ComplexityArguments,
    GoalArguments,
    HistoryArguments,
    TransitionArguments,
    parse,
)
from fabric_app.protocol.records import REPRESENTATION
from fabric_app.queries import complexity, current_state, history, mesh_get
from fabric_app.state_keys import GOAL_KEY

TAG = "state"
HISTORY_LIMIT = parameter("limit", COUNT, "Most transitions to return, oldest first; `next` goes on from there.")
LABEL = parameter("label", TEXT, "Only transitions with this label, origin or destination.")
FILES = parameter(
    "file",
    {"type": "array", "items": TEXT},
    "A file below the root; may be repeated. Every file with a ledger by default.",
)


class State(Door):
    @described(
        "getState",
        "Read the current head, goal, complexity and certification (`state.get`)",
        tag=TAG,
        responses={200: ref("State")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, slug: str) -> Response:
        Query(request).done()
        state = current_state(self.workspace(slug))
        return Response(state, headers={"ETag": etag(_head_version(state))})


class Transitions(Door):
    @described(
        "listTransitions",
        "Read the ordered transitions with their certificates (`state.history`)",
        tag=TAG,
        parameters=[LABEL, HISTORY_LIMIT, ARCHIVED, CURSOR],
        responses={200: ref("History")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        asked = given(
            {
                "label": query.text("label"),
                "limit": query.number("limit", least=1),
                "includeArchived": query.flag("includeArchived"),
            }
        )
        query.paged()
        query.done()
        after = self.pages.place(request, int)
        workspace = self.workspace(slug)
        arguments = cast("HistoryArguments", _parsed("history", asked))
        found = history(workspace, arguments, after=after, page=self.pages.default_limit)
        return Response({**found, "next": self.pages.next_address(request, found["next"])})

    @described(
        "recordTransition",
        "Record a transition (`state.transition`)",
        tag=TAG,
        body=schemas.action("transition"),
        parameters=[IDEMPOTENCY_KEY, IF_MATCH],
        responses={201: ref("Recorded")},
        headers={201: ("ETag",)},
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace = self.workspace(slug, WRITE)
        arguments = cast("TransitionArguments", _parsed("transition", request.data))
        if arguments.force:
            require(request.user, FORCE, workspace)
        if arguments.kind == REPRESENTATION:
            require(request.user, REPRESENT, workspace)
        recorded = record_transition(
            workspace=workspace,
            arguments=arguments,
            actor=self.actor(),
            now=self.now(),
            idempotency=idempotency(request, request.data),
            expected_version=if_match(request),
        )
        return Response(recorded, status=201, headers={"ETag": etag(recorded["head"]["version"])})


class Complexity(Door):
    @described(
        "getComplexity",
        "Count decision points and compare them with the ledgers (`state.complexity`)",
        tag=TAG,
        parameters=[FILES],
        responses={200: ref("Complexity")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        asked = given({"files": query.texts("file")})
        query.done()
        workspace = self.workspace(slug)
        arguments = cast("ComplexityArguments", _parsed("complexity", asked))
        return Response(complexity(workspace, arguments))


class Goal(Door):
    @described(
        "getGoal",
        "Read the executable goal",
        tag=TAG,
        responses={200: ref("KeyEntry")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, slug: str) -> Response:
        Query(request).done()
        entry = mesh_get(self.workspace(slug), GOAL_KEY)
        if entry is None:
            raise NotFound(what="goal", name=slug)
        return Response(entry, headers={"ETag": etag(entry["version"])})

    @described(
        "setGoal",
        "Set the executable goal (`state.goal`)",
        tag=TAG,
        body=schemas.action("goal"),
        responses={200: ref("KeyEntry")},
        headers={200: ("ETag",)},
    )
    def put(self, request: Request, slug: str) -> Response:
        workspace = self.workspace(slug, WRITE)
        arguments = cast("GoalArguments", _parsed("goal", request.data))
        entry = set_goal(workspace=workspace, arguments=arguments, actor=self.actor(), now=self.now())
        return Response(entry, headers={"ETag": etag(entry["version"])})


def _parsed(action: str, given_arguments: Any) -> Any:
    return parse(action, given_arguments, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"])


def _head_version(state: dict[str, Any]) -> int:
    """Return the version that a write has to name; 0 where there never was a head."""
    stored = state["head"] or state["quarantine"] or {"version": 0}
    version: int = stored["version"]
    return version
