"""What can be said against changes without looking at the state: conflicts, the mode, the rules, single values.

All of it is gathered, so that one answer names every independent fault; a fault found here hides what would only show
when the changes are run.

Source: rp.state, section 6, steps 3 to 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol.change_errors import Gathered, Issue, IssueCode
from sessions_app.protocol.change_reading import CHANGES_PATH, ReadChanges
from sessions_app.protocol.changes import Change
from sessions_app.protocol.definition import Definition, Operation, Rule, UpdateMode
from sessions_app.protocol.nearest import Help
from sessions_app.protocol.rulebook import Rulebook
from sessions_app.protocol.schema import Violation
from sessions_app.protocol.text import shown, without_surrogates

# The key of a path's end in the tree of paths; no segment is it.
_END = 0


@dataclass(frozen=True)
class Checked:
    """What the changes of one effect are checked against, and what helps to mend them."""

    namespace: str
    definition: Definition
    rules: Rulebook
    help: Help


def check_changes(changes: ReadChanges, against: Checked, issues: Gathered) -> None:
    """Add to `issues` what is wrong with well-formed changes, whatever the state is."""
    issues.add(*_conflicts(changes, against))
    if not _is_disabled(against, issues):
        for index, change in changes:
            issues.add(*(_rule_issues(index, change, against) or _value_issues(index, change, against)))


def check_rules(changes: ReadChanges, against: Checked, issues: Gathered) -> None:
    """Add to `issues` what the mode and the rules have against changes that were accepted once.

    Conflicts among them do not come about later, and a value that no longer fits shows when the result is checked.
    """
    if not _is_disabled(against, issues):
        for index, change in changes:
            issues.add(*_rule_issues(index, change, against))


def _is_disabled(against: Checked, issues: Gathered) -> bool:
    if against.definition.update_mode is not UpdateMode.DISABLED:
        return False
    message = "Story commits cannot change this namespace; it can only be read."
    issues.add(Issue(IssueCode.UPDATE_DISABLED, "/namespace", message, against.namespace))
    return True


def _conflicts(changes: ReadChanges, against: Checked) -> Iterator[Issue]:
    """Yield an issue for each change whose path equals, contains or lies in that of an earlier one.

    The paths make a tree of their segments, so that many changes cost no more than each of them.
    """
    root: dict[Any, Any] = {}
    for index, change in changes:
        earlier = _enter(root, index, change)
        if earlier is not None:
            message = f"{shown(change.path)} overlaps the path of change {earlier}; make one change of the two."
            details = {"conflictsWithChange": earlier}
            yield Issue(
                IssueCode.PATH_CONFLICT, _place(index, "path"), message, against.namespace, index, None, details
            )


def _enter(root: dict[Any, Any], index: int, change: Change) -> int | None:
    """Enter a path into the tree, and return the index of an earlier change that it overlaps, if any."""
    node = root
    earlier: int | None = node.get(_END)
    for segment in change.segments:
        node = node.setdefault(segment, {})
        earlier = node.get(_END) if earlier is None else earlier
    if earlier is None and node:
        earlier = _first_inside(node)
    node.setdefault(_END, index)
    return earlier


def _first_inside(node: dict[Any, Any]) -> int:
    while _END not in node:
        node = next(iter(node.values()))
    index: int = node[_END]
    return index


def _rule_issues(index: int, change: Change, against: Checked) -> list[Issue]:
    if change.rule_id is None:
        is_free = against.definition.update_mode is UpdateMode.SCHEMA_ONLY
        return [] if is_free else [_no_rule(index, change, against)]
    rule = against.rules.by_id.get(change.rule_id)
    if rule is None:
        return [_unknown_rule(index, change, against)]
    return [
        Issue(code, _place(index, member), message, against.namespace, index, rule.id, details)
        for code, member, message, details in _mismatches(change, rule, against)
    ]


def _no_rule(index: int, change: Change, against: Checked) -> Issue:
    message = "Each change here has to name, in ruleId, the rule that allows it."
    details = _allowed(change, against)
    return Issue(IssueCode.RULE_ID_REQUIRED, _place(index, "ruleId"), message, against.namespace, index, None, details)


def _unknown_rule(index: int, change: Change, against: Checked) -> Issue:
    rule_id = without_surrogates(change.rule_id or "")
    nearest = against.help.rule_id(rule_id)
    details = _allowed(change, against) | ({} if nearest is None else {"nearestRuleId": nearest})
    message = f"There is no rule {shown(rule_id)} in this namespace; name one that there is."
    return Issue(IssueCode.RULE_UNKNOWN, _place(index, "ruleId"), message, against.namespace, index, rule_id, details)


Mismatch = tuple[IssueCode, str, str, dict[str, Any]]


def _mismatches(change: Change, rule: Rule, against: Checked) -> Iterator[Mismatch]:
    """Yield each way in which a change is not what its rule allows: code, member at fault, sentence and details."""
    if rule.target != change.path:
        message = f"Rule {rule.id} is for {shown(rule.target)} alone; change that, or name another rule."
        yield IssueCode.RULE_TARGET_MISMATCH, "path", message, {"expectedPath": rule.target} | _allowed(change, against)
    if rule.effect.op != change.op:
        message = f"Rule {rule.id} allows {rule.effect.op} alone."
        yield IssueCode.RULE_OPERATION_MISMATCH, "op", message, {"expectedOp": str(rule.effect.op)}
    elif change.op is Operation.INCREMENT:
        yield from _out_of_bounds(change, rule)


def _out_of_bounds(change: Change, rule: Rule) -> Iterator[Mismatch]:
    minimum, maximum = rule.effect.minimum, rule.effect.maximum
    bounds = {"minimum": minimum, "maximum": maximum}
    if minimum is not None and change.by < minimum:
        message = f"Rule {rule.id} allows steps of {minimum} at least; by is the step, not the new total."
        yield IssueCode.INCREMENT_BELOW_MINIMUM, "by", message, bounds
    if maximum is not None and change.by > maximum:
        message = f"Rule {rule.id} allows steps of {maximum} at most; by is the step, not the new total."
        yield IssueCode.INCREMENT_ABOVE_MAXIMUM, "by", message, bounds


def _value_issues(index: int, change: Change, against: Checked) -> list[Issue]:
    """Return an issue where a value cannot fit the schema of its place; empty where no such schema is to be found."""
    violation = _violation(change, against.definition)
    if violation is None:
        return []
    details = {"valuePath": violation.path, "keyword": violation.keyword, "expected": violation.expected}
    message = f"The value at {shown(violation.path)} {violation.sentence()}"
    place = _place(index, "value")
    return [Issue(IssueCode.VALUE_SCHEMA_INVALID, place, message, against.namespace, index, change.rule_id, details)]


def _violation(change: Change, definition: Definition) -> Violation | None:
    if change.op is Operation.SET:
        return definition.checker.check_part(change.value, change.segments)
    if change.op is Operation.APPEND:
        return definition.checker.check_item(change.value, change.segments)
    return None


def _allowed(change: Change, against: Checked) -> dict[str, Any]:
    """Return the rules that would allow a change of this kind here, and the nearest place if there is no such rule."""
    allowed = [
        rule.id for rule in against.definition.rules if rule.target == change.path and rule.effect.op == change.op
    ]
    if allowed:
        return {"allowedRuleIds": allowed}
    nearest = against.help.path(change.path)
    return {"allowedRuleIds": []} | ({} if nearest is None else {"nearestPath": nearest})


def _place(index: int, member: str) -> str:
    return f"{CHANGES_PATH}/{index}/{member}"
