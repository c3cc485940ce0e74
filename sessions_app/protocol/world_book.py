"""World books: which entries are active now, and why the others are not.

An entry is asked in this order, and the first "no" is its reason:

1. it is enabled and has content;
2. its condition, if it has one, holds in the state (`gate_of`);
3. it is constant, or one of its keys stands in the text;
4. its secondary keys agree.

`NOT_CONSIDERED` says what is left to the program that builds the prompt.

Source: rp.state, section 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sessions_app.protocol.condition import Condition, compile_condition
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.condition_values import State
from sessions_app.protocol.text import is_blank, trimmed

NOT_CONSIDERED = (
    "Probability, sticky, cooldown and delay: an entry is active or not, by its state, its keys and the text alone.",
    "Recursion: the content of active entries is not searched for keys.",
    "Scan depth, position, groups and token budgets: the caller chooses the text and places the entries.",
    "Keys that are regular expressions (/like this/i) never match.",
)

# A longer key is matched wherever it stands: looking for its ends would take its length for each place in the text.
LONGEST_WORD = 100

# How such files write a regular expression; running strangers' patterns could take for ever.
_PATTERN = re.compile(r"/.+/[a-z]*", re.DOTALL)


class Reason(StrEnum):
    """Why an entry is active or not; the words of the gate are the protocol's."""

    CONSTANT = "constant"
    KEY_MATCH = "key-match"
    DISABLED = "disabled"
    EMPTY = "empty"
    GATE_CLOSED = "adapter-gate"
    CONDITION_FAILED = "state-condition"
    CONDITION_INVALID = "state-condition-invalid"
    STATE_UNAVAILABLE = "state-condition-unavailable"
    NO_KEY_MATCH = "no-key-match"
    SECONDARY_KEYS = "secondary-keys"
    PATTERN_KEYS = "pattern-keys"


class SecondaryLogic(StrEnum):
    """What is asked of the secondary keys, where there are any."""

    AND_ANY = "and-any"
    AND_ALL = "and-all"
    NOT_ANY = "not-any"
    NOT_ALL = "not-all"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `state_condition` is as stored or imported: None and `""` mean that there is none."""

    entry_id: str
    content: str
    keys: tuple[str, ...] = ()
    title: str = ""
    order: int = 100
    state_condition: object = None
    enabled: bool = True
    constant: bool = False
    case_sensitive: bool = False
    whole_words: bool = False
    secondary_keys: tuple[str, ...] = ()
    secondary_logic: SecondaryLogic = SecondaryLogic.AND_ANY


@dataclass(frozen=True, slots=True)
class GateDiagnostic:
    """Why a gate could not be decided, so that it is closed; `code` is that of the condition's own diagnostic."""

    reason: Reason
    message: str
    code: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return `{status, reason, message}`, and `code` where there is one."""
        told = {"status": "excluded", "reason": self.reason.value, "message": self.message}
        return told if self.code is None else {**told, "code": self.code}


class Gate(NamedTuple):
    """What the condition of an entry says; a condition that is merely false gives no diagnostic."""

    active: bool
    reason: Reason | None = None
    diagnostics: tuple[GateDiagnostic, ...] = ()


class EntryStatus(NamedTuple):
    """One entry, whether it is active, why or why not, and what could not be decided."""

    entry: Entry
    active: bool
    reason: Reason
    diagnostics: tuple[GateDiagnostic, ...] = ()


OPEN, CLOSED = Gate(active=True), Gate(active=False, reason=Reason.GATE_CLOSED)


def checked_condition(state_condition: object) -> Condition | None:
    """Return the condition of an entry that is about to be saved, None where it has none.

    Raises ConditionInvalid for anything but null, `""` and a condition.
    """
    return None if state_condition in (None, "") else compile_condition(state_condition)


def active_entries(entries: Iterable[Entry], state: State | None, text: str) -> list[EntryStatus]:
    """Return the status of each entry, in the order given.

    state: namespace -> value, or None where a session has no state to ask; gated entries are then inactive.
    text: what is searched for keys, usually the last messages.
    """
    texts = _Texts(text)
    return [_status(entry, state, texts) for entry in entries]


def gate_of(state_condition: object, state: State | None) -> Gate:
    """Return what a stored or imported condition says of a state; whatever it is, nothing is raised."""
    try:
        condition = checked_condition(state_condition)
    except ConditionInvalid as refused:
        return _undecided(Reason.CONDITION_INVALID, refused.sentence())
    if condition is None:
        return OPEN
    if state is None:
        return _undecided(Reason.STATE_UNAVAILABLE, "There is no state to ask here, so that the condition cannot hold.")
    outcome = condition.evaluate(state)
    if outcome.diagnostic is not None:
        return _undecided(Reason.CONDITION_FAILED, outcome.diagnostic.message, outcome.diagnostic.code)
    return OPEN if outcome.active else CLOSED


def is_pattern(key: str) -> bool:
    """Tell whether a trimmed key is a regular expression, which never matches."""
    return _PATTERN.fullmatch(key) is not None


@dataclass(frozen=True, slots=True)
class _Texts:
    """The text that is searched, and the same in lower case, made once for all entries."""

    exact: str
    lower: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "exact", text)
        object.__setattr__(self, "lower", text.lower())

    def have(self, key: str, entry: Entry) -> bool:
        """Tell whether a key stands in the text, in the way that the entry asks for."""
        sought = trimmed(key)
        if sought == "" or is_pattern(sought):
            return False
        text = self.exact
        if not entry.case_sensitive:
            sought, text = sought.lower(), self.lower
        if not entry.whole_words or not _is_word(sought) or sought not in text:
            return sought in text
        # ASCII letters alone have word ends: Chinese and Japanese are written without spaces.
        return re.search(rf"(?<!\w){re.escape(sought)}(?!\w)", text, re.ASCII) is not None


def _is_word(key: str) -> bool:
    return len(key) <= LONGEST_WORD and len(key.split()) == 1


def _status(entry: Entry, state: State | None, texts: _Texts) -> EntryStatus:
    if not entry.enabled:
        return EntryStatus(entry, active=False, reason=Reason.DISABLED)
    if is_blank(entry.content):
        return EntryStatus(entry, active=False, reason=Reason.EMPTY)
    gate = gate_of(entry.state_condition, state)
    if gate.reason is not None:
        return EntryStatus(entry, active=False, reason=gate.reason, diagnostics=gate.diagnostics)
    reason = _activation(entry, texts)
    return EntryStatus(entry, active=reason in (Reason.CONSTANT, Reason.KEY_MATCH), reason=reason)


def _activation(entry: Entry, texts: _Texts) -> Reason:
    if entry.constant:
        return Reason.CONSTANT
    if not _any_of(entry.keys, entry, texts):
        return Reason.PATTERN_KEYS if any(is_pattern(trimmed(key)) for key in entry.keys) else Reason.NO_KEY_MATCH
    return Reason.KEY_MATCH if _secondary_keys_agree(entry, texts) else Reason.SECONDARY_KEYS


def _secondary_keys_agree(entry: Entry, texts: _Texts) -> bool:
    keys = [key for key in entry.secondary_keys if not is_blank(key)]
    if not keys:
        return True
    found = [texts.have(key, entry) for key in keys]
    return {
        SecondaryLogic.AND_ANY: any(found),
        SecondaryLogic.AND_ALL: all(found),
        SecondaryLogic.NOT_ANY: not any(found),
        SecondaryLogic.NOT_ALL: not all(found),
    }[entry.secondary_logic]


def _any_of(keys: Sequence[str], entry: Entry, texts: _Texts) -> bool:
    return any(texts.have(key, entry) for key in keys)


def _undecided(reason: Reason, message: str, code: str | None = None) -> Gate:
    return Gate(active=False, reason=reason, diagnostics=(GateDiagnostic(reason, message, code),))
