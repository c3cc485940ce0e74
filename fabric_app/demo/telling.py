"""Telling the story: a workspace with something real to see, and the two who act in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils import timezone

from fabric_app.demo.project import Project
from fabric_app.demo.story import STORY
from fabric_app.mesh.actors import Actor, actor_of
from fabric_app.mesh.groups import OPERATOR
from fabric_app.mesh.models import Workspace
from fabric_app.models import RunAction
from fabric_app.operations.accounts import create_service_account, grant
from fabric_app.operations.goals import set_goal
from fabric_app.operations.runs import claim_run, execute_run, request_run
from fabric_app.operations.transitions import record_transition
from fabric_app.operations.workspaces import create_workspace
from fabric_app.protocol.arguments import parse
from fabric_app.queries_runs import is_worker_listening, wait_until_over

SLUG = "token-service"
AGENT_NAME = "demo-agent"
PERMISSIONS = ("write", "represent")
TOKEN_LIFE = timedelta(minutes=1)
RUN_SECONDS = 120
WORKER = "manage.py demo"


def tell(slug: str, say: Callable[[str], None]) -> None:
    """Make the workspace and go through the story, a sentence for each step; one that is there is left alone."""
    if Workspace.objects.filter(slug=slug).exists():
        say(f"The workspace {slug!r} is there already; --slug names another one.")
        return
    folder = Path(settings.STATEHOUSE["WORKSPACE_ROOTS"][0]) / slug
    project = Project(folder)
    narrator = _cast(slug, folder)
    for step in STORY:
        say(step.sentence)
        step.act(project, narrator)


class Narrator:
    """Acts in the story's workspace: an agent claims and sets goals, the operator starts runs."""

    def __init__(self, workspace: Workspace, agent: User, operator: User) -> None:
        self.workspace, self.agent, self.operator = workspace, agent, operator

    def claim(self, **arguments: Any) -> None:
        parsed = self._parsed("transition", arguments)
        record_transition(workspace=self.workspace, arguments=parsed, actor=actor_of(self.agent), now=timezone.now())

    def set_goal(self, check: str, description: str) -> None:
        parsed = self._parsed("goal", {"check": check, "description": description})
        set_goal(workspace=self.workspace, arguments=parsed, actor=actor_of(self.agent), now=timezone.now())

    def verify(self) -> None:
        self._run(RunAction.VERIFY)

    def check_goal(self) -> None:
        self._run(RunAction.CHECK_GOAL)

    def _run(self, action: RunAction) -> None:
        run = request_run(
            workspace=self.workspace,
            action=action,
            arguments=self._parsed(action, {}),
            user=self.operator,
            actor=actor_of(self.operator),
            now=timezone.now(),
        )
        is_ours = not is_worker_listening(self.workspace.worker_group, now=timezone.now())
        if is_ours and claim_run(run_id=run.pk, worker=WORKER, now=timezone.now()) is not None:
            # Nobody else will: this process is the worker then.
            execute_run(run_id=run.pk, worker=WORKER)
        ended = wait_until_over(run.pk, RUN_SECONDS)
        if not ended.is_over:
            raise CommandError(f"Run {ended.pk} is still {ended.status} after {RUN_SECONDS} s. Is a worker running?")

    @staticmethod
    def _parsed(action: str, arguments: dict[str, Any]) -> Any:
        return parse(action, arguments, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"])


def _cast(slug: str, folder: Path) -> Narrator:
    """Make the workspace and the two who act in it."""
    now = timezone.now()
    operator = get_user_model().objects.filter(groups__name=OPERATOR, is_active=True).order_by("pk").first()
    if operator is None:
        raise CommandError("There is no operator yet: `manage.py up` makes the first one.")
    actor = actor_of(operator)
    workspace = create_workspace(slug=slug, title="Token service (demo)", root=str(folder), actor=actor, now=now)
    return Narrator(workspace, _agent(workspace, actor, now), operator)


def _agent(workspace: Workspace, actor: Actor, now: datetime) -> User:
    agent = get_user_model().objects.filter(username=AGENT_NAME).first()
    if agent is not None:
        grant(user=agent, workspace=workspace, permissions=PERMISSIONS, now=now, actor=actor)
        return agent
    # Its token is told to nobody and soon worthless.
    return create_service_account(
        name=AGENT_NAME, workspaces=[workspace], permissions=PERMISSIONS, expires_in=TOKEN_LIFE, now=now, actor=actor
    )[0]
