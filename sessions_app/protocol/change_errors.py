"""Why a turn commit is refused: issues, each with its code, its place in the request and what would have been right.

An issue's path is a JSON Pointer into the `state.update` effect until the commit puts `/effects/<n>` before it.
`details` says what was expected, under wire names: `allowedRuleIds`, `expectedPath`, `nearestPath`, bounds and so on.

Source: rp.state, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from fabric_app.mesh.errors import StatehouseError

BAD_REQUEST, CONFLICT, UNPROCESSABLE = 400, 409, 422


class IssueCode(StrEnum):
    """What can be wrong with an effect or with one of its changes; the values are the wire's own."""

    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_EFFECT = "INVALID_EFFECT"
    NAMESPACE_INVALID = "DEFINITION_INVALID"
    NAMESPACE_NOT_FOUND = "NAMESPACE_NOT_FOUND"
    REVISION_CONFLICT = "REVISION_CONFLICT"

    CHANGES_REQUIRED = "STATE_CHANGES_REQUIRED"
    CHANGES_LIMIT = "STATE_CHANGES_LIMIT"
    NOT_OBJECT = "STATE_CHANGE_NOT_OBJECT"
    UNSUPPORTED_OPERATION = "STATE_CHANGE_UNSUPPORTED_OPERATION"
    UNKNOWN_FIELD = "STATE_CHANGE_UNKNOWN_FIELD"
    REASON_REQUIRED = "STATE_CHANGE_REASON_REQUIRED"
    RULE_ID_INVALID = "STATE_CHANGE_RULE_ID_INVALID"
    PATH_INVALID = "STATE_CHANGE_PATH_INVALID"
    INCREMENT_BY_INVALID = "STATE_CHANGE_INCREMENT_BY_INVALID"
    VALUE_INVALID = "STATE_CHANGE_VALUE_INVALID"
    PATH_CONFLICT = "STATE_CHANGE_PATH_CONFLICT"
    UPDATE_DISABLED = "STATE_NAMESPACE_UPDATE_DISABLED"

    RULE_ID_REQUIRED = "STATE_RULE_ID_REQUIRED"
    RULE_UNKNOWN = "STATE_RULE_UNKNOWN"
    RULE_TARGET_MISMATCH = "STATE_RULE_TARGET_MISMATCH"
    RULE_OPERATION_MISMATCH = "STATE_RULE_OPERATION_MISMATCH"
    INCREMENT_BELOW_MINIMUM = "STATE_RULE_INCREMENT_BELOW_MINIMUM"
    INCREMENT_ABOVE_MAXIMUM = "STATE_RULE_INCREMENT_ABOVE_MAXIMUM"
    VALUE_SCHEMA_INVALID = "STATE_CHANGE_VALUE_SCHEMA_INVALID"

    CONDITION_UNSATISFIED = "STATE_RULE_CONDITION_UNSATISFIED"
    UPDATE_INVALID = "STATE_UPDATE_INVALID"
    APPLICATION_FAILED = "STATE_CHANGE_APPLICATION_FAILED"
    RESULT_SCHEMA_INVALID = "STATE_RESULT_SCHEMA_INVALID"


_STATUS = {
    IssueCode.INVALID_REQUEST: BAD_REQUEST,
    IssueCode.INVALID_EFFECT: BAD_REQUEST,
    IssueCode.NAMESPACE_NOT_FOUND: CONFLICT,
    IssueCode.REVISION_CONFLICT: CONFLICT,
    IssueCode.CHANGES_REQUIRED: BAD_REQUEST,
    IssueCode.CHANGES_LIMIT: BAD_REQUEST,
    IssueCode.NOT_OBJECT: BAD_REQUEST,
    IssueCode.UNSUPPORTED_OPERATION: BAD_REQUEST,
    IssueCode.UNKNOWN_FIELD: BAD_REQUEST,
    IssueCode.REASON_REQUIRED: BAD_REQUEST,
    IssueCode.RULE_ID_INVALID: BAD_REQUEST,
}
# Of these one is enough to know that the rest was decided on something else, so they name the whole refusal.
_LEADING = (
    IssueCode.INVALID_REQUEST,
    IssueCode.INVALID_EFFECT,
    IssueCode.NAMESPACE_INVALID,
    IssueCode.NAMESPACE_NOT_FOUND,
    IssueCode.REVISION_CONFLICT,
)


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong: `path` says where, `message` what to do, `details` what was expected."""

    code: IssueCode
    path: str
    message: str
    namespace: str | None = None
    change_index: int | None = None
    rule_id: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> int:
        return _STATUS.get(self.code, UNPROCESSABLE)

    def under(self, prefix: str) -> Issue:
        """Return the issue with its path inside what `prefix` points to."""
        return replace(self, path=prefix + self.path)

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code.value,
            "path": self.path,
            "message": self.message,
            "namespace": self.namespace,
            "changeIndex": self.change_index,
            "ruleId": self.rule_id,
            "details": dict(self.details),
        }


class CommitRefused(StatehouseError):
    """A turn commit, or one of its effects, is refused whole; nothing of it was kept.

    A single issue lends its own code and status. Among several, one that concerns a whole effect does; otherwise the
    code is that of the class.
    """

    code, status = "STATE_UPDATE_VALIDATION_FAILED", UNPROCESSABLE
    message = "The commit is refused, nothing of it was kept. {summary}"

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        lender = _lender(self.issues)
        if lender is not None:
            self.code, self.status = lender.code.value, lender.status  # type: ignore[misc]  # one code for many classes
        # How the refused commit can be corrected, once it is kept: `{token, patches: []}`.
        self.retry: dict[str, Any] | None = None
        super().__init__(summary=_summary(self.issues), issues=[issue.as_json() for issue in self.issues])

    def as_json(self) -> dict[str, Any]:
        told = {"code": self.code, "message": self.sentence(), "issues": self.details["issues"]}
        return told if self.retry is None else {**told, "retry": self.retry}


class Gathered:
    """Issues in the order in which they were found, none beyond the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.found: list[Issue] = []

    def __bool__(self) -> bool:
        return bool(self.found)

    def __iter__(self) -> Iterator[Issue]:
        return iter(self.found)

    def add(self, *issues: Issue) -> None:
        self.found.extend(issues[: self.limit - len(self.found)])


def _lender(issues: Sequence[Issue]) -> Issue | None:
    if len(issues) == 1:
        return issues[0]
    return next((issue for issue in issues if issue.code in _LEADING), None)


def _summary(issues: Sequence[Issue]) -> str:
    first = issues[0]
    left = len(issues) - 1
    return f"{first.path or '/'}: {first.message}" + (f" And {left} more." if left else "")
