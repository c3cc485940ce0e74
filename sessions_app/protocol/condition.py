"""The condition language: a text that is compiled once and then asked against any state.

- Refused when compiled: what is not a text, blank, too long, or no condition. Position and remedy are in the error.
- Inactive when asked: a false condition, and without exception one that meets a missing place, a type that it cannot
  use, or a result that is no boolean. The latter come with one diagnostic.
- State values have the form in which sessions keep them (`values.normalised`).

Source: rp.state, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sessions_app.protocol.condition_compile import Part
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.condition_parse import parse
from sessions_app.protocol.condition_values import Inactive, State, not_boolean
from sessions_app.protocol.diagnostics_codes import Diagnostic
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.text import trimmed

# Compiled conditions that are kept; a usual one takes about 3 KiB, one of 1,023 tokens up to 150.
CACHED_CONDITIONS = 1_024


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a condition holds; a diagnostic says why it could not be decided, and then it does not."""

    active: bool
    diagnostic: Diagnostic | None = None


ACTIVE, INACTIVE = Outcome(active=True), Outcome(active=False)


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition: immutable, equal to another of the same `source`, and copied or pickled as its source."""

    source: str
    part: Part = field(repr=False, compare=False)
    max_tokens: int = field(repr=False, compare=False)

    def evaluate(self, state: State) -> Outcome:
        """Return whether the condition holds in a state, a map from namespace to value. Raises nothing."""
        try:
            value = self.part.run(state)
        except Inactive as stop:
            return Outcome(active=False, diagnostic=stop.diagnostic)
        if value is True:
            return ACTIVE
        if value is False:
            return INACTIVE
        return Outcome(active=False, diagnostic=not_boolean(self.part.label, value).diagnostic)

    def __copy__(self) -> Condition:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Condition:
        return self

    def __reduce__(self) -> tuple[Callable[[str, int], Condition], tuple[str, int]]:
        return _compiled, (self.source, self.max_tokens)


def compile_condition(
    text: object,
    *,
    max_code_points: int = DEFAULT_LIMITS.condition_chars,
    max_tokens: int = DEFAULT_LIMITS.condition_tokens,
) -> Condition:
    """Return the compiled condition; the same text is compiled once.

    max_code_points counts the text as it is given, white space at its ends included. Its `source` has none there.
    Raises ConditionInvalid with a position in the text as it is given.
    """
    if not isinstance(text, str):
        raise ConditionInvalid.because('It is no text; send one, as in state("story", "/mood") == "calm".')
    if len(text) > max_code_points:
        raise ConditionInvalid.because(f"It has {len(text)} characters; at most {max_code_points} are allowed.")
    source = trimmed(text)
    if source == "":
        raise ConditionInvalid.because("It is blank; leave the condition out where there is none.")
    try:
        return _compiled(source, max_tokens)
    except ConditionInvalid:
        parse(text, max_tokens=max_tokens)  # raises alike, with the place in the longer text
        raise


@lru_cache(maxsize=CACHED_CONDITIONS)
def _compiled(source: str, max_tokens: int) -> Condition:
    return Condition(source, parse(source, max_tokens=max_tokens), max_tokens)
