"""What is refused as a condition: where it stops being one, and what to write instead.

Source: rp.state, section 5.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Self

from fabric_app.mesh.errors import Problem
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.text import shown

_WORD = re.compile(r"\w+")

_NO_ARITHMETIC = "there is no arithmetic; compare with a number that is worked out"

# What people write who know another language -> what this one has for it.
_WORDS = {
    "and": "write && for it",
    "or": "write || for it",
    "not": "write ! for it",
    "True": "write true for it",
    "False": "write false for it",
    "None": "write null for it",
    "NULL": "write null for it",
    "undefined": "test with exists(namespace, path) instead",
}
_SIGNS = {
    "=": "compare with == or !=",
    "&": "write && for 'and'",
    "|": "write || for 'or'",
    "'": 'put texts in double quotes, as in "night"',
    "`": 'put texts in double quotes, as in "night"',
    "“": 'put texts in straight double quotes, as in "night"',
    "”": 'put texts in straight double quotes, as in "night"',
    '"': "close the text with a double quote; inside it use JSON's escapes alone, and \\n for a new line",
    ".": 'a dot stands only between digits; read a property by its path, as in state("story", "/bag/coins")',
    "-": "a minus stands right before the digits of its number, and there is no arithmetic",
    **dict.fromkeys("+*/%", _NO_ARITHMETIC),
    "[": 'there is no index access; name the place by a path, as in state("story", "/bag/0")',
    ",": "a comma stands only between a namespace and its path",
}
_NO_SUCH_SIGN = "it has no meaning here; remove it"
_NO_SUCH_WORD = 'the only words are state, exists, true, false and null; read a variable by state("story", "/path")'

# The grammar's terminals, as people call them.
_TERMINALS = {
    "STRING": "a text in double quotes",
    "NUMBER": "a number",
    "TRUE": "true",
    "FALSE": "false",
    "NULL": "null",
    "STATE": "state(",
    "EXISTS": "exists(",
    "NOT": "!",
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": "a comma",
    "EQUALITY": "== or !=",
    "ORDER": "a comparison",
    "_OR": "||",
    "_AND": "&&",
    "$END": "the end",
}
_VALUE_STARTS = frozenset(("STRING", "NUMBER", "TRUE", "FALSE", "NULL", "STATE", "EXISTS", "NOT", "LPAR"))


class ConditionInvalid(ProtocolRefusal):
    """A text is no condition; `position` is the index of the code point, from 0, where it stops being one."""

    code, status = "CONDITION_INVALID", 422
    message = "The condition cannot be read: {summary}"

    def __init__(self, problems: Collection[Problem], *, position: int = 0) -> None:
        super().__init__(tuple(problems))
        self.position = position
        self.details["position"] = position

    @classmethod
    def because(cls, detail: str, *, position: int = 0) -> Self:
        """Return the error with its one problem, `detail`, a sentence that says what to do."""
        return cls([Problem("", cls.code, detail)], position=position)

    def sentence(self) -> str:
        return self.message.format(summary=" ".join(problem.detail for problem in self.problems))

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "position": self.position}


def unreadable(text: str, position: int) -> ConditionInvalid:
    """Return the error for a character at which no token begins."""
    word = _WORD.match(text, position)
    found = word[0] if word else text[position]
    return ConditionInvalid.because(f"At position {position}, {shown(found)}: {_advice(found)}.", position=position)


def unexpected(found: str, position: int, expected: Collection[str]) -> ConditionInvalid:
    """Return the error for a token, or the end (`""`), that cannot stand where it does; `expected` are terminals."""
    what = shown(found) if found else "the end"
    advice = _NO_ARITHMETIC if _is_subtraction(found, expected) else f"expected {_in_words(expected)}"
    return ConditionInvalid.because(f"At position {position}, {what}: {advice}.", position=position)


def _advice(found: str) -> str:
    if found in _WORDS:
        return _WORDS[found]
    return _SIGNS.get(found, _NO_SUCH_WORD if found[0].isalpha() else _NO_SUCH_SIGN)


def _is_subtraction(found: str, expected: Collection[str]) -> bool:
    return found.startswith("-") and "NUMBER" not in expected


def _in_words(expected: Collection[str]) -> str:
    if _VALUE_STARTS.issubset(expected):
        return "a value, state(...), exists(...), ! or ("
    words = [word for terminal, word in _TERMINALS.items() if terminal in expected]
    return " or ".join(words)
