"""What an `[mvu_update]` entry says of each variable: its tree of sentences laid over the tree of values.

- Only an entry with the key `变量更新规则` has rules. Others say how a model is to write for MVU, and are left out.
- `type`, `range`, `check` and `format` of a place are sentences about it, as is what stands under a scalar.
- A name with a placeholder (`${角色名}`, `{{user}}`) stands for every member that the object begins with.
- What leads into an object that takes new members, or into an array, is said of that object or array.

Source: users of rp.state, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_app.mesh.canonical import dumps
from sessions_app.importers.mvu_documents import Source, read_block, rule_blocks
from sessions_app.importers.mvu_remarks import Remark, RemarkCode, Severity
from sessions_app.importers.mvu_schema import is_extensible
from sessions_app.importers.mvu_values import Branch, Leaf, Tree
from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.pointer import format as pointer_to
from sessions_app.protocol.text import shown

RULES_KEY = "变量更新规则"
SENTENCE_KEYS = ("type", "range", "check", "format")
# Placeholders can lay one sentence over every member of an object, at every level.
MAX_SENTENCES = 20_000

_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}")


class Untranslatable(Exception):  # noqa: N818, RUF100 - becomes a remark, and is never seen from outside
    """A set of rules that cannot be carried over as a whole."""


@dataclass
class RuleTexts:
    """Sentences by pointer, in the order of the entries; `counted` is how many there are in all."""

    by_path: dict[str, list[str]] = field(default_factory=dict)
    counted: int = 0

    def add(self, path: Segments, sentence: str) -> None:
        self.counted += 1
        if self.counted > MAX_SENTENCES:
            raise Untranslatable(f"the rules come to more than {MAX_SENTENCES} sentences")
        self.by_path.setdefault(pointer_to(path), []).append(sentence)


@dataclass(frozen=True)
class _Place:
    """Where a branch of rules has come to: a place of the tree, and the names that led on beyond it."""

    path: Segments
    tree: Tree
    beyond: Segments = ()
    is_recursive: bool = False


def read_rules(source: Source, tree: Branch, texts: RuleTexts, limits: Limits, remarks: list[Remark]) -> None:
    """Add what the rules of one entry say. Raises Untranslatable where they say nothing that can be carried over."""
    documents = [block for block in rule_blocks(source).blocks if RULES_KEY in block.text]
    if not documents:
        message = f"The entry has no {RULES_KEY}; how a model writes its changes is told by this protocol."
        remarks.append(Remark(RemarkCode.TEXT_LEFT_OUT, message, source=source.title))
        return
    before = texts.counted
    for block in documents:
        try:
            rules = read_block(block, limits)
        except Unreadable as refusal:
            raise Untranslatable(refusal.sentence()) from None
        if not isinstance(rules, dict) or not isinstance(rules.get(RULES_KEY), dict):
            raise Untranslatable(f"under {RULES_KEY} is no tree of names")
        _Laying(source, texts, remarks).lay(rules[RULES_KEY], [_Place((), tree)])
    if texts.counted == before:
        raise Untranslatable("none of the rules is about a variable of this state")


class _Laying:
    """The rules of one entry laid over the tree."""

    def __init__(self, source: Source, texts: RuleTexts, remarks: list[Remark]) -> None:
        self.source = source
        self.texts = texts
        self.remarks = remarks

    def lay(self, rules: Any, places: list[_Place]) -> None:
        if isinstance(rules, dict):
            for name, inner in rules.items():
                self.member(name, inner, places)
        else:
            for sentence in _sentences(rules):
                self.say(sentence, places)

    def member(self, name: str, inner: Any, places: list[_Place]) -> None:
        led: list[_Place] = []
        for place in places:
            found = _led(place, name)
            if found is not None:
                led += found
            elif name in SENTENCE_KEYS or isinstance(place.tree, Leaf):
                self.attribute(name, inner, place)
            else:
                self.unknown(name, place)
        if led:
            self.lay(inner, led)

    def attribute(self, name: str, inner: Any, place: _Place) -> None:
        for sentence in _sentences(inner):
            self.say(sentence if name == "check" else f"{name}: {sentence}", [place])

    def say(self, sentence: str, places: list[_Place]) -> None:
        for place in places:
            self.texts.add(place.path, f"{'.'.join(place.beyond)}: {sentence}" if place.beyond else sentence)

    def unknown(self, name: str, place: _Place) -> None:
        message = f"The rules speak of {shown(name)}, which is no variable here; they were left out."
        path = pointer_to(place.path)
        self.remarks.append(Remark(RemarkCode.RULE_TARGET_UNKNOWN, message, Severity.WARNING, path, self.source.title))


def _led(place: _Place, name: str) -> list[_Place] | None:
    """Return the places that a name leads to from a place, or None where it leads nowhere."""
    tree = place.tree
    if place.beyond:
        return None if name in SENTENCE_KEYS else [_beyond(place, name)]
    if isinstance(tree, Leaf):
        is_inside = isinstance(tree.value, list) and name not in SENTENCE_KEYS
        return [_beyond(place, name)] if is_inside else None
    inner = place.is_recursive or tree.meta.is_recursive
    if name in tree.members:
        return [_Place((*place.path, name), tree.members[name], is_recursive=inner)]
    if _PLACEHOLDER.search(name) and tree.members:
        return [_Place((*place.path, key), member, is_recursive=inner) for key, member in tree.members.items()]
    if name not in SENTENCE_KEYS and place.path and is_extensible(tree, is_recursive=place.is_recursive):
        return [_beyond(place, name)]
    return None


def _beyond(place: _Place, name: str) -> _Place:
    return _Place(place.path, place.tree, (*place.beyond, name), place.is_recursive)


def _sentences(rules: Any) -> list[str]:
    """Return the sentences of a list or scalar; what is nested deeper becomes one line each."""
    if rules is None:
        return []
    if isinstance(rules, list) and not all(isinstance(item, int | float) for item in rules):
        return [sentence for item in rules for sentence in _sentences(item)]
    if isinstance(rules, Mapping):
        return [f"{name}: {'；'.join(_sentences(inner))}" for name, inner in rules.items()]
    text = rules.strip() if isinstance(rules, str) else dumps(rules)
    return [text] if text else []
