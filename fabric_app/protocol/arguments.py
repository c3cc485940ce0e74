"""The arguments of each action: their published schema, and values from untrusted JSON.

All problems are found in one reading, each with a JSON Pointer and a sentence. Nothing is repaired: unknown members,
strings for numbers and the like are refused. Blank labels, destinations and goals are refused, since they would name
nothing, or be met always; an empty `from` or an empty history label is a text like any other.

Source: state layer, "Actions"; fabric 2. `expectedEvidenceDigest` is an extension: run only what the caller saw.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.errors import InvalidArguments
from fabric_app.mesh.validation import problems_in
from fabric_app.protocol.bounds import DEFAULT_TIMEOUT_MS
from fabric_app.protocol.errors import UnknownAction
from fabric_app.protocol.records import STATE
from fabric_app.protocol.schemas import SCHEMAS, schema_of

__all__ = ["SCHEMAS", "Arguments", "parse", "schema_of"]


@dataclass(frozen=True)
class TransitionArguments:
    """A proposed move. None stands for a member that was not given; an empty list was given."""

    label: str
    to: str
    summary: str
    from_: str | None = None
    evidence: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    kind: str = STATE
    complexity_files: tuple[str, ...] | None = None
    force: bool = False

    @staticmethod
    def listed(texts: tuple[str, ...] | None) -> list[str] | None:
        return None if texts is None else list(texts)


@dataclass(frozen=True)
class GetArguments:
    """`get` takes none."""


@dataclass(frozen=True)
class HistoryArguments:
    """label: None for no filter. limit: whole number from 1, None for all."""

    label: str | None = None
    limit: int | None = None
    include_archived: bool = False


@dataclass(frozen=True)
class ComplexityArguments:
    """files: None for every file that has a ledger."""

    files: tuple[str, ...] | None = None


@dataclass(frozen=True)
class VerifyArguments:
    """labels: None for the head; an empty tuple selects nothing."""

    labels: tuple[str, ...] | None = None
    include_archived: bool = False
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    expected_evidence_digest: str | None = None


@dataclass(frozen=True)
class GoalArguments:
    """The command that shows the goal is met, and words for people."""

    check: str
    description: str | None = None


@dataclass(frozen=True)
class CheckGoalArguments:
    """expected_evidence_digest: of the goal's command as the caller saw it."""

    timeout_ms: int = DEFAULT_TIMEOUT_MS
    expected_evidence_digest: str | None = None


Arguments = (
    TransitionArguments
    | GetArguments
    | HistoryArguments
    | ComplexityArguments
    | VerifyArguments
    | GoalArguments
    | CheckGoalArguments
)


def parse(action: str, args: Any, *, max_timeout_ms: int) -> Arguments:
    """Return the arguments of an action; None as `args` stands for none given.

    Raises UnknownAction, and InvalidArguments with every problem found.
    """
    if action not in READERS:
        raise UnknownAction(action=action)
    given = {} if args is None else args
    problems = problems_in(given, schema_of(action, max_timeout_ms=max_timeout_ms))
    if problems:
        raise InvalidArguments(problems)
    return READERS[action](given)


def _transition(args: dict[str, Any]) -> TransitionArguments:
    return TransitionArguments(
        label=args["label"],
        to=args["to"],
        summary=args["summary"],
        from_=args.get("from"),
        evidence=_texts(args.get("evidence")),
        tags=_texts(args.get("tags")),
        kind=args.get("kind", STATE),
        complexity_files=_texts(args["complexity"]["files"]) if "complexity" in args else None,
        force=args.get("force", False),
    )


def _get(_args: dict[str, Any]) -> GetArguments:
    return GetArguments()


def _history(args: dict[str, Any]) -> HistoryArguments:
    limit = args.get("limit")
    return HistoryArguments(
        label=args.get("label") or None,
        limit=None if limit is None else math.floor(limit),
        include_archived=args.get("includeArchived", False),
    )


def _complexity(args: dict[str, Any]) -> ComplexityArguments:
    return ComplexityArguments(files=_texts(args.get("files")))


def _verify(args: dict[str, Any]) -> VerifyArguments:
    return VerifyArguments(
        labels=_texts(args.get("labels")),
        include_archived=args.get("includeArchived", False),
        timeout_ms=math.floor(args.get("timeoutMs", DEFAULT_TIMEOUT_MS)),
        expected_evidence_digest=args.get("expectedEvidenceDigest"),
    )


def _goal(args: dict[str, Any]) -> GoalArguments:
    return GoalArguments(check=args["check"], description=args.get("description"))


def _check_goal(args: dict[str, Any]) -> CheckGoalArguments:
    return CheckGoalArguments(
        timeout_ms=math.floor(args.get("timeoutMs", DEFAULT_TIMEOUT_MS)),
        expected_evidence_digest=args.get("expectedEvidenceDigest"),
    )


READERS: dict[str, Callable[[dict[str, Any]], Arguments]] = {
    "transition": _transition,
    "get": _get,
    "history": _history,
    "complexity": _complexity,
    "verify": _verify,
    "goal": _goal,
    "checkGoal": _check_goal,
}


def _texts(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)
