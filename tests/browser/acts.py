"""What other people do while a browser looks on. Each function is called in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from fabric_app.models import RunAction, Workspace
from fabric_app.operations.accounts import make_sign_in_link
from fabric_app.operations.goals import set_goal
from fabric_app.operations.mesh_writes import import_key
from fabric_app.operations.runs import request_run
from fabric_app.operations.transitions import record_transition
from fabric_app.operations.workspaces import create_workspace
from fabric_app.protocol.arguments import parse

PASSWORD = "a-long-password"  # of an account that exists in a test's database alone
LONG = "a-very-long-label-without-any-space-that-would-break-a-narrow-page-" + "x" * 60
HTML = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>"


def people() -> str:
    """Create Maya, an operator, and return the path of her sign-in link."""
    user = User.objects.create_user("maya", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))
    return make_sign_in_link(user=user, now=timezone.now())


def workspace(slug: str, title: str) -> None:
    root = Path(settings.STATEHOUSE["WORKSPACE_ROOTS"][0]) / slug
    root.mkdir()
    create_workspace(slug=slug, title=title, root=str(root), actor=actor_of(_maya()), now=timezone.now())


def move(slug: str, **given: Any) -> int:
    """Record a transition and return the sequence of its proposal."""
    recorded = record_transition(
        workspace=Workspace.objects.get(slug=slug),
        arguments=_parsed("transition", given),
        actor=actor_of(_maya()),
        now=timezone.now(),
    )
    return int(recorded["event"]["sequence"])


def goal(slug: str, **given: Any) -> None:
    set_goal(
        workspace=Workspace.objects.get(slug=slug),
        arguments=_parsed("goal", given),
        actor=actor_of(_maya()),
        now=timezone.now(),
    )


def run(slug: str, **given: Any) -> str:
    """Ask for a verification and return the run's id."""
    asked = request_run(
        workspace=Workspace.objects.get(slug=slug),
        action=RunAction.VERIFY,
        arguments=_parsed("verify", given),
        user=_maya(),
        actor=actor_of(_maya()),
        now=timezone.now(),
    )
    return str(asked.pk)


def gallery() -> None:
    """Make workspaces that show everything at its longest: scripts of the world, HTML, words without spaces."""
    workspace("gallery", "多言語プロジェクト · проект с длинным названием · مشروع متعدد اللغات")
    (_root("gallery") / "a.ts").write_text("if (a) { while (b) {} }\n")
    move("gallery", label="初期化", to="準備完了", summary="すべて通りました。" * 20, complexity={"files": ["a.ts"]})
    move("gallery", label="archive", to="archived", summary="", kind="representation")
    (_root("gallery") / "a.ts").write_text("if (a) {}\n")
    move(
        "gallery",
        label=LONG,
        to="ы" * 90,
        summary=f"{HTML} {'Длинный текст. ' * 40}",
        evidence=["grep -RIn 'замок' . # " + "y" * 200, "true"],
        tags=["تسمية", "<b>bold</b>"],
        complexity={"files": ["a.ts"]},
    )
    goal("gallery", check="test -f a.ts # " + "z" * 200, description=HTML)
    workspace("shoal", "Imported and broken")
    import_key(
        workspace=Workspace.objects.get(slug="shoal"),
        key="state/current",
        value={"to": HTML},
        actor=actor_of(_maya()),
        now=timezone.now(),
    )
    workspace("empty", "Nothing here yet")


def _maya() -> User:
    return User.objects.get(username="maya")


def _root(slug: str) -> Path:
    return Path(Workspace.objects.get(slug=slug).root)


def _parsed(action: str, given: dict[str, Any]) -> Any:
    return parse(action, given, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"])
