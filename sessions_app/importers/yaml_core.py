"""YAML as JavaScript reads it: one document under the core schema of YAML 1.2.

- Plain texts are what the core schema's expressions say and nothing else: `21:00`, `2026-03-01`, `on`, `yes` and
  `1_000` are texts, `007` is 7, `0o17` is 15.
- Refused, with their place: anchors, aliases, tags, merge keys, keys that are no scalars or are there twice, infinities
  and NaN, a second document, more depth or nodes than the limits allow.
- Keys are texts; a number or boolean as a key is written as JavaScript writes it.

PyYAML only says what the events are. The value is built from them without recursion, so that no text is too deep.

Source: users of rp.state, section 3; YAML 1.2.2, section 10.3.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml
from rfc8785 import dumps as ecmascript
from yaml.events import AliasEvent, DocumentStartEvent, MappingStartEvent, NodeEvent, ScalarEvent, SequenceStartEvent

from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import Number, as_double
from sessions_app.protocol.text import shown

# Longer texts of digits are no exact number anyhow, and would be slow to convert.
MAX_INTEGER_DIGITS = 16
MERGE_KEY = "<<"

_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL = re.compile("[-+]?[0-9]+")
_OCTAL = re.compile("0o[0-7]+")
_HEXADECIMAL = re.compile("0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def read_yaml(text: str, limits: Limits) -> Any:
    """Return the value of the one document in `text`; an empty one is None. Raises Unreadable."""
    building = _Building(limits)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            building.take(event)
    except yaml.MarkedYAMLError as error:
        raise _at(
            error.problem_mark or error.context_mark, f"This is no YAML: {error.problem or error.context}."
        ) from None
    except yaml.YAMLError as error:
        raise Unreadable(f"This is no YAML: {str(error).splitlines()[0]}.") from None
    except (ValueError, OverflowError):
        raise Unreadable("An escape or a directive has a number that is too large.") from None
    return building.root


def core_scalar(text: str) -> Any:
    """Return what a plain text is under the core schema. Raises Unreadable for infinities and NaN."""
    if text in _WORDS:
        return _WORDS[text]
    if _DECIMAL.fullmatch(text):
        return _number(int(text) if len(text) <= MAX_INTEGER_DIGITS else float(text))
    if _OCTAL.fullmatch(text):
        return _number(int(text, 0))
    if _HEXADECIMAL.fullmatch(text):
        return _number(int(text, 0))
    if _FLOAT.fullmatch(text):
        return _number(float(text))
    if _NOT_FINITE.fullmatch(text):
        raise Unreadable(f"{text} cannot be stored; give a finite number, or a text in quotes.")
    return text


def _number(number: Number) -> Number:
    kept = as_double(number)
    if kept is None or not math.isfinite(kept):
        raise Unreadable("The number is too large for a double; give a smaller one, or a text in quotes.")
    return kept


class _Building:
    """The value as far as it is built: the open arrays and objects, innermost last, each with its waiting key."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.root: Any = None
        self.documents = 0
        self.nodes = 0
        self.open: list[Any] = []
        self.keys: list[str | None] = []
        self.takers: Mapping[type, Callable[[Any], None]] = {
            AliasEvent: self.alias,
            DocumentStartEvent: self.document,
            ScalarEvent: self.scalar,
            SequenceStartEvent: self.start,
            MappingStartEvent: self.start,
            yaml.SequenceEndEvent: self.end,
            yaml.MappingEndEvent: self.end,
        }

    def take(self, event: yaml.Event) -> None:
        """Add what one event says. Raises Unreadable with the event's place."""
        taker = self.takers.get(type(event))
        if taker is None:
            return
        try:
            if isinstance(event, NodeEvent):
                self.count(event)
            taker(event)
        except Unreadable as refusal:
            raise _at(event.start_mark, refusal.detail) from None

    def count(self, event: NodeEvent) -> None:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise Unreadable(f"There are more than {self.limits.nodes} parts; bring less.")
        if event.anchor is not None and not isinstance(event, AliasEvent):
            raise Unreadable(f"The anchor &{event.anchor} is not taken; write the value out.")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise Unreadable(f"The tag {shown(tag)} is not taken; leave it out.")

    def alias(self, event: AliasEvent) -> None:
        raise Unreadable(f"The alias *{event.anchor} is not taken; write the value out.")

    def document(self, _event: DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            raise Unreadable("A second document begins; bring one document.")

    def scalar(self, event: ScalarEvent) -> None:
        is_plain = event.style is None
        if is_plain and self.awaits_key() and event.value == MERGE_KEY:
            raise Unreadable("The merge key << is not taken; write the members out.")
        value = core_scalar(event.value) if is_plain else event.value
        if self.awaits_key():
            self.key(value)
        else:
            self.add(value)

    def start(self, event: SequenceStartEvent | MappingStartEvent) -> None:
        if self.awaits_key():
            raise Unreadable("A key is a text; put it in quotes if it begins with a bracket.")
        if len(self.open) >= self.limits.depth:
            raise Unreadable(f"This nests more than {self.limits.depth} levels; make it flatter.")
        container: Any = {} if isinstance(event, MappingStartEvent) else []
        self.add(container)
        self.open.append(container)
        self.keys.append(None)

    def end(self, _event: yaml.Event) -> None:
        self.open.pop()
        self.keys.pop()

    def awaits_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1], dict) and self.keys[-1] is None

    def key(self, value: Any) -> None:
        key = _key_text(value)
        if key in self.open[-1]:
            raise Unreadable(f"The key {shown(key)} is there twice; keep one.")
        self.keys[-1] = key

    def add(self, value: Any) -> None:
        if not self.open:
            self.root = value
        elif isinstance(self.open[-1], dict):
            self.open[-1][self.keys[-1]] = value
            self.keys[-1] = None
        else:
            self.open[-1].append(value)


def _at(mark: Any, detail: str) -> Unreadable:
    """Return the refusal at a place, as PyYAML marks it, counted from 1."""
    return Unreadable(detail) if mark is None else Unreadable(detail, mark.line + 1, mark.column + 1)


def _key_text(value: Any) -> str:
    """Return a key as JavaScript would write it. Raises Unreadable for null, which it writes in several ways."""
    if value is None:
        raise Unreadable("A key is empty or null; put it in quotes.")
    return value if isinstance(value, str) else ecmascript(value).decode()
