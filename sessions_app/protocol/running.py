"""Running the changes of one effect: conditions, operations, and the final value against the schema.

Values between two changes may be invalid; only the last one counts. A failure of the schema is put down to the last
change whose path overlaps the failing place.

Source: rp.state, section 6, steps 6 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.change_errors import CommitRefused, Issue, IssueCode
from sessions_app.protocol.change_reading import CHANGES_PATH
from sessions_app.protocol.changes import OPERAND, Change, Difference, Draft, Inapplicable
from sessions_app.protocol.nearest import Help
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.projection import Namespace
from sessions_app.protocol.schema import Violation
from sessions_app.protocol.text import shown


def run_changes(name: str, namespace: Namespace, changes: Sequence[Change], state: dict[str, Any]) -> list[Difference]:
    """Carry out the changes and return what each did; `state[name]` becomes the value that they lead to.

    state: the value of each namespace, read by conditions; none of the values is altered.
    Raises CommitRefused with the first issue, its path inside the effect.
    """
    draft = Draft(state[name])
    differences = []
    for index, change in enumerate(changes):
        _check_condition(name, namespace, index, change, state)
        try:
            differences.append(draft.apply(change))
        except Inapplicable as fault:
            nearest = Help(namespace.definition, draft.value).path(change.path)
            raise _refused(name, index, change, fault, nearest) from None
        state[name] = draft.value
    # Of an array that lost an item all is looked at, so that places in it which moved are found as well.
    places = [each.touched for each in differences]
    violation = namespace.definition.checker.check_places(draft.value, places)
    if violation is not None:
        raise _invalid_result(name, namespace, changes, violation)
    return differences


def _check_condition(name: str, namespace: Namespace, index: int, change: Change, state: dict[str, Any]) -> None:
    condition = namespace.rules.conditions.get(change.rule_id) if change.rule_id is not None else None
    if condition is None:
        return
    outcome = condition.evaluate(state)
    if not outcome.active:
        why = "does not hold." if outcome.diagnostic is None else "cannot be decided: " + outcome.diagnostic.message
        message = f"The condition of rule {change.rule_id} {why}"
        details = {"condition": condition.source}
        if outcome.diagnostic is not None:
            details["diagnostic"] = outcome.diagnostic.code
        path = f"{CHANGES_PATH}/{index}/ruleId"
        issue = Issue(IssueCode.CONDITION_UNSATISFIED, path, message, name, index, change.rule_id, details)
        raise CommitRefused([issue])


def _refused(name: str, index: int, change: Change, fault: Inapplicable, nearest: str | None) -> CommitRefused:
    details = {"statePath": change.path} | ({} if nearest is None else {"nearestPath": nearest})
    path = f"{CHANGES_PATH}/{index}/path"
    return CommitRefused([Issue(fault.code, path, fault.detail, name, index, change.rule_id, details)])


def _invalid_result(name: str, namespace: Namespace, changes: Sequence[Change], violation: Violation) -> CommitRefused:
    index, change = _to_blame(changes, violation.segments)
    place = pointer.format(violation.segments)
    details = {"statePath": place, "keyword": violation.keyword, "expected": violation.expected}
    is_unknown = violation.keyword == "additionalProperties"
    nearest = Help(namespace.definition, None).path(place) if is_unknown else None
    if nearest is not None:
        details["nearestPath"] = nearest
    path = f"{CHANGES_PATH}/{index}/{OPERAND[change.op] or 'path'}"
    message = f"After all changes, {shown(place)} {violation.sentence()}"
    return CommitRefused([Issue(IssueCode.RESULT_SCHEMA_INVALID, path, message, name, index, change.rule_id, details)])


def _to_blame(changes: Sequence[Change], failing: Segments) -> tuple[int, Change]:
    """Return the last change whose path overlaps the failing place, or else the last one."""
    numbered = list(enumerate(changes))
    overlapping = (each for each in reversed(numbered) if pointer.conflicts(each[1].segments, failing))
    return next(overlapping, numbered[-1])
