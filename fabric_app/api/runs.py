"""Runs: evidence and goal checks as jobs that are asked for, followed and cancelled."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.access import EXECUTE, READ, may, require_held
from fabric_app.api import schemas
from fabric_app.api.door import Door
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem
from fabric_app.mesh.http.preconditions import idempotency, wait_seconds
from fabric_app.mesh.http.reading import Query, body_of
from fabric_app.mesh.http.reference import AFTER_ENTRY, CURSOR, IDEMPOTENCY_KEY, LIMIT, PREFER, described
from fabric_app.mesh.http.schemas import ref
from fabric_app.models import Run, RunAction
from fabric_app.operations.requested_once import request_run_once
from fabric_app.operations.run_plan import RunArguments
from fabric_app.operations.runs import cancel_run, preview_run, request_run
from fabric_app.protocol.arguments import parse
from fabric_app.queries_runs import entries_after, entry_json, run_json, run_with, runs_page, wait_until_over

TAG = "runs"
ACTION = "action"


class Runs(Door):
    @described(
        "listRuns",
        "List the runs of a workspace, newest first",
        tag=TAG,
        parameters=[CURSOR, LIMIT],
        responses={200: ref("RunPage")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        query.paged()
        query.done()
        workspace = self.workspace(slug)
        asked = self.pages.asked(request, place=str)
        before = _run_of_cursor(workspace.pk, asked.after)
        found = runs_page(workspace.pk, before=before, limit=asked.limit + 1)
        shown = found[: asked.limit]
        next_place = str(shown[-1].pk) if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(run_json, shown), next_place=next_place))

    @described(
        "requestRun",
        "Run evidence (`state.verify`) or the goal (`state.checkGoal`) on a worker",
        tag=TAG,
        body=schemas.RUN_REQUEST,
        parameters=[PREFER, IDEMPOTENCY_KEY],
        responses={200: ref("Run"), 202: ref("Run")},
        headers={200: ("Location", "Preference-Applied"), 202: ("Location", "Preference-Applied")},
        description=(
            "Answers 202 with a run to follow. With `Prefer: wait=<seconds>` it answers 200 with the finished run and "
            "its report, if the run ends in that time. With `expectedEvidenceDigest` it starts only if the commands "
            "are still those that a preview showed."
        ),
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace = self.workspace(slug, EXECUTE)
        action, arguments = _asked_action(request.data)
        asked: dict[str, Any] = {
            "workspace": workspace,
            "action": action,
            "arguments": arguments,
            "user": request.user,
            "actor": self.actor(),
            "now": self.now(),
        }
        key = idempotency(request, request.data)
        run = request_run(**asked) if key is None else request_run_once(idempotency=key, **asked)
        seconds = wait_seconds(request)
        headers = {"Location": request.build_absolute_uri(reverse("api:run", args=[run.pk]))}
        if seconds:
            run = wait_until_over(run.pk, seconds)
            headers["Preference-Applied"] = f"wait={seconds}"
        return Response(run_json(run), status=200 if run.is_over else 202, headers=headers)


class RunPreview(Door):
    @described(
        "previewRun",
        "Show the exact commands that a run would execute now, and their digest",
        tag=TAG,
        body=schemas.RUN_REQUEST,
        responses={200: ref("RunPreview")},
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace = self.workspace(slug)
        action, arguments = _asked_action(request.data)
        return Response(preview_run(workspace=workspace, action=action, arguments=arguments))


class OneRun(Door):
    @described("getRun", "Read a run, with its report once it is over", tag=TAG, responses={200: ref("Run")})
    def get(self, request: Request, run_id: UUID) -> Response:
        Query(request).done()
        return Response(run_json(visible_run(request, run_id)))


class CancelledRun(Door):
    @described(
        "cancelRun",
        "Cancel a run, queued or running; a cancelled verification is a failed one",
        tag=TAG,
        body=schemas.CANCELLATION,
        responses={202: ref("Run")},
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        run = visible_run(request, run_id)
        require_held(request.user, EXECUTE, run.workspace)
        body = body_of(request, schemas.CANCELLATION)
        cancelled = cancel_run(run_id=run.pk, reason=body["reason"], actor=self.actor(), now=self.now())
        return Response(run_json(cancelled), status=202)


class RunEntries(Door):
    @described(
        "listRunEntries",
        "Read the entries of a run's stream: progress and output, in order",
        tag=TAG,
        parameters=[AFTER_ENTRY, LIMIT],
        responses={200: ref("RunEntryPage")},
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        query = Query(request)
        after = query.number("after") or 0
        query.paged()
        query.done()
        run = visible_run(request, run_id)
        limit = self.pages.limit(request)
        entries = [entry_json(entry) for entry in entries_after(run.pk, after, limit)]
        next_address = None
        if len(entries) == limit:
            next_address = self.pages.address_with(request, "after", entries[-1]["sequence"])
        return Response({"results": entries, "next": next_address})


def visible_run(request: Request, run_id: UUID) -> Run:
    """Return a run of a workspace that the caller can read. Raises NotFound, whether it is missing or hidden."""
    run = run_with(run_id)
    if not may(request.user, READ, run.workspace):
        raise NotFound(what="run", name=str(run_id))
    return run


def _asked_action(body: Any) -> tuple[RunAction, RunArguments]:
    """Return what the body asks to run: `{action, ...its arguments}`. Raises InvalidArguments, UnknownAction."""
    if not isinstance(body, dict) or not isinstance(body.get(ACTION), str):
        detail = f"must be one of: {', '.join(RunAction.values)}."
        raise InvalidArguments([Problem(f"/{ACTION}", "required", detail)])
    given = {name: value for name, value in body.items() if name != ACTION}
    arguments = parse(body[ACTION], given, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"])
    if body[ACTION] not in RunAction.values:
        detail = f"is not run by a worker; those that are: {', '.join(RunAction.values)}."
        raise InvalidArguments([Problem(f"/{ACTION}", "not_allowed", detail)])
    return RunAction(body[ACTION]), cast("RunArguments", arguments)


def _run_of_cursor(workspace_id: UUID, place: str | None) -> Run | None:
    if place is None:
        return None
    try:
        run = run_with(UUID(place))
    except ValueError:
        run = None
    if run is None or run.workspace_id != workspace_id:
        raise NotFound(what="run", name=place[:100])
    return run
