"""Telling the demo negotiations: each step by the operation that everybody else uses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.utils import timezone

from fabric_app.mesh.accounts import create_account
from fabric_app.mesh.actors import SYSTEM, actor_of
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.groups import OPERATOR
from negotiation_app.demo import renewal, salary
from negotiation_app.demo.steps import Story
from negotiation_app.models import Negotiation
from negotiation_app.operations.performing import Asked, create_negotiation, perform
from negotiation_app.operations.roles import grant_role
from negotiation_app.protocol.decide import FORMS
from negotiation_app.protocol.names import Role

Say = Callable[[str], None]
NOW = "NOW"
BEGAN_AGO, STEP = timedelta(days=28), timedelta(hours=23)
REASON = "Cast of the demo."
CAST = {
    Role.ORCHESTRATOR: "demo-orchestrator",
    Role.SPECIALIST: "demo-specialist",
    Role.PRINCIPAL: "demo-principal",
}


def tell_negotiations(say: Say) -> None:
    """Open the demo negotiations and drive each through its story; one that is there already is left alone."""
    for story in (renewal.STORY, salary.STORY):
        if Negotiation.objects.filter(ref=story.opening["ref"]).exists():
            say(f"The negotiation {story.opening['ref']!r} is there already.")
            continue
        say(f"A negotiation: {story.opening['title']}.")
        _tell(story)


def _tell(story: Story) -> None:
    cast = {role: _account(name) for role, name in CAST.items()}
    at = timezone.now() - BEGAN_AGO
    maker = cast[Role.ORCHESTRATOR]
    create_negotiation(body=story.opening, user=maker, actor=actor_of(maker), now=at)
    negotiation = Negotiation.objects.get(ref=story.opening["ref"])
    _give_roles(negotiation, cast, at)
    for step in story.steps:
        at += STEP
        negotiation.refresh_from_db()
        body = _current(step.body, negotiation.state_version)
        if FORMS[step.operation].writes:
            body["stateVersion"] = negotiation.state_version
        if step.operation == "decide":
            body["decision"].setdefault("seenVersion", negotiation.state_version)
        user = cast[step.role]
        asked = Asked(step.operation, body)
        _perform(negotiation, asked, step.role, user, at, refused=step.refused)


def _perform(
    negotiation: Negotiation, asked: Asked, role: Role, user: User, at: datetime, *, refused: str | None
) -> None:
    try:
        perform(negotiation_id=negotiation.pk, asked=asked, roles=frozenset({role}), actor=actor_of(user), now=at)
    except StatehouseError as error:
        if error.code != refused:
            raise
    else:
        if refused is not None:
            raise AssertionError(f"The story expects that {asked.operation} is refused.")


def _current(value: Any, version: int) -> Any:
    """Return a body in which the version of the moment stands where the story says so."""
    if isinstance(value, dict):
        return {name: version if each == NOW else _current(each, version) for name, each in value.items()}
    return [_current(each, version) for each in value] if isinstance(value, list) else value


def _give_roles(negotiation: Negotiation, cast: dict[Role, User], at: datetime) -> None:
    for role, user in cast.items():
        grant_role(negotiation=negotiation, account=user.get_username(), role=role, reason=REASON, actor=SYSTEM, now=at)
    for operator in get_user_model().objects.filter(groups__name=OPERATOR, is_active=True):
        for role in (Role.ORCHESTRATOR, Role.PRINCIPAL):
            name = operator.get_username()
            grant_role(negotiation=negotiation, account=name, role=role, reason=REASON, actor=SYSTEM, now=at)


def _account(name: str) -> User:
    found = get_user_model().objects.filter(username=name).first()
    return found or create_account(name, is_host=name.endswith("principal"), now=timezone.now())
