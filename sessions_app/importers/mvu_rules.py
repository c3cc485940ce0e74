"""Update rules for a tree of MVU variables: one for each way in which each place may change.

- Numbers may be added to, and also set, unless a sentence bounds one change or asks for one on every turn.
- Texts, booleans and null may be set; arrays appended to and set; objects that take new members set, the root apart.
- A sentence that asks for a change on every turn leaves a place one rule, which has that cadence.
- Descriptions and sentences become `when` and `guidance`; only-where clauses also conditions, where they are sure.

Ids are the operation and a digest of the pointer, so that a later import of the same card gives the same ids.

Source: issue "Sessions", importers; users of rp.state, section 4; rp.state, section 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sessions_app.importers.mvu_conditions import Variables
from sessions_app.importers.mvu_remarks import Remark, RemarkCode, Severity
from sessions_app.importers.mvu_schema import is_extensible
from sessions_app.importers.mvu_values import Branch, Tree
from sessions_app.importers.mvu_words import Range, change_bounds, is_every_turn, only_where
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import is_number
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.pointer import format as pointer_to
from sessions_app.protocol.text import is_blank, shown, trimmed

DIGEST_CHARS = 12
SET, INCREMENT, APPEND = "set", "increment", "append"

RawRule = dict[str, Any]


def rules_of(
    tree: Branch, sentences: Mapping[str, Sequence[str]], *, namespace: str, limits: Limits, remarks: list[Remark]
) -> list[RawRule]:
    """Return the rules of a tree; more of them than the limits allow are for the caller to refuse."""
    making = _Making(Variables(tree, namespace), sentences, limits, remarks)
    return [rule for place, operations in _places(tree, ()) for rule in making.rules(*place, operations)]


def _places(
    tree: Tree, path: Segments, *, is_recursive: bool = False
) -> Iterator[tuple[tuple[Segments, Tree], tuple[str, ...]]]:
    """Yield each place of a tree, and the operations that suit it."""
    if not isinstance(tree, Branch):
        yield (path, tree), _operations(tree.value)
        return
    is_open = is_extensible(tree, is_recursive=is_recursive)
    yield (path, tree), (SET,) if is_open and path else ()
    inner = is_recursive or tree.meta.is_recursive
    for key, member in tree.members.items():
        yield from _places(member, (*path, key), is_recursive=inner)


def _operations(value: Any) -> tuple[str, ...]:
    """Return the operations that suit a value; the first one is what remains where there can be only one."""
    if is_number(value):
        return INCREMENT, SET
    return (SET, APPEND) if isinstance(value, list) else (SET,)


class _Making:
    """The making of the rules of one tree."""

    def __init__(
        self, variables: Variables, sentences: Mapping[str, Sequence[str]], limits: Limits, remarks: list[Remark]
    ) -> None:
        self.variables = variables
        self.sentences = sentences
        self.limits = limits
        self.remarks = remarks

    def rules(self, path: Segments, tree: Tree, operations: tuple[str, ...]) -> Iterator[RawRule]:
        target = pointer_to(path)
        sentences = self.sentences.get(target, ())
        if not operations:
            if sentences:
                self.remark(
                    RemarkCode.RULE_LEFT_OUT, "No rule is about an object with fixed members", sentences, target
                )
            return
        if len(target) > self.limits.pointer_chars:
            self.remark(RemarkCode.RULE_LEFT_OUT, "The path is too long for a rule", sentences, target[:100])
            return
        texts = [text for text in (tree.description, *sentences) if text and not is_blank(text)]
        bounds = self.bounds(texts, target)
        due = any(map(is_every_turn, texts))
        said = {
            "target": target,
            **self.told(texts, target),
            **self.condition(texts, path, target),
            "cadence": "every-turn" if due else "when-applicable",
        }
        is_alone = due or (bounds is not None and operations[0] == INCREMENT)
        for operation in operations[:1] if is_alone else operations:
            yield {"id": rule_id(operation, target), **said, "effect": _effect(operation, bounds)}

    def bounds(self, texts: list[str], target: str) -> Range | None:
        found = change_bounds(texts)
        if len(found) > 1:
            self.remark(RemarkCode.RANGE_LEFT_OUT, "Several bounds of one change are named", texts, target)
        return found[0] if len(found) == 1 else None

    def told(self, texts: list[str], target: str) -> dict[str, Any]:
        """Return `when` and `guidance`: the first text and the others, all of them within the limits."""
        kept = [trimmed(text)[: self.limits.text_chars] for text in texts]
        is_cut = len(kept) > self.limits.guidance + 1 or any(len(text) > self.limits.text_chars for text in texts)
        if is_cut:
            self.remark(RemarkCode.TEXT_LEFT_OUT, "The sentences were cut", texts, target)
        when = kept[0] if kept else f"When the story changes {target}."[: self.limits.text_chars]
        return {"when": when, "guidance": [text for text in kept[1 : self.limits.guidance + 1] if text]}

    def condition(self, texts: list[str], path: Segments, target: str) -> dict[str, str]:
        """Return the condition that the only-where clauses mean; those that are not sure are told of."""
        clauses = [clause for text in texts for clause in only_where(text)]
        meant = [self.variables.condition(clause, path) for clause in clauses]
        if None in meant:
            unsure = [clause for clause, condition in zip(clauses, meant, strict=True) if condition is None]
            self.remark(RemarkCode.CONDITION_AS_GUIDANCE, "Only the model's judgment looks at this", unsure, target)
        sure = " && ".join(dict.fromkeys(condition for condition in meant if condition is not None))
        if len(sure) > self.limits.condition_chars:
            self.remark(RemarkCode.CONDITION_AS_GUIDANCE, "The condition would be too long", clauses, target)
            return {}
        return {"condition": sure} if sure else {}

    def remark(self, code: RemarkCode, why: str, texts: Sequence[str], target: str) -> None:
        quoted = "; ".join(shown(text) for text in texts[:3])
        self.remarks.append(Remark(code, f"{why}: {quoted}." if quoted else f"{why}.", Severity.WARNING, target))


def rule_id(operation: str, target: str) -> str:
    """Return the id of the rule for an operation on a place."""
    return f"{operation}-{hashlib.sha256(target.encode()).hexdigest()[:DIGEST_CHARS]}"


def _effect(operation: str, bounds: Range | None) -> dict[str, Any]:
    if operation != INCREMENT or bounds is None:
        return {"op": operation}
    return {"op": operation, "minimum": bounds.minimum, "maximum": bounds.maximum}
