"""From the text of a condition to its compiled form: lark's LALR parser builds the closures while it reads.

Nothing here recurses: the parser keeps its own stack, and no tree is ever made. One token more than allowed ends the
reading at once.

Source: rp.state, section 5.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from sessions_app.protocol import condition_compile as compiled
from sessions_app.protocol.condition_compile import DIRECT_HEIGHT, Compiler, Part
from sessions_app.protocol.condition_errors import ConditionInvalid, unexpected, unreadable
from sessions_app.protocol.condition_lookup import Lookup
from sessions_app.protocol.errors import PointerInvalid
from sessions_app.protocol.names import ID_FORM, is_id
from sessions_app.protocol.numbers import as_double
from sessions_app.protocol.text import shown

GRAMMAR = Path(__file__).with_name("condition_grammar.lark")


def parse(text: str, *, max_tokens: int, direct_height: int = DIRECT_HEIGHT) -> Part:
    """Return the compiled condition.

    direct_height: see `Compiler`. Raises ConditionInvalid where the text is no condition or has too many tokens.
    """
    reading = _parser(direct_height).parse_interactive(text)
    try:
        for count, token in enumerate(reading.iter_parse(), start=1):
            if count > max_tokens:
                raise _refused(token, f"one token more than the {max_tokens} that are allowed; write a shorter one")
        return reading.feed_eof()  # type: ignore[no-any-return]  # what the last reduction returned
    except UnexpectedCharacters as stop:
        raise unreadable(text, stop.pos_in_stream or 0) from None
    except UnexpectedToken as stop:
        position = len(text) if stop.token.type == "$END" else _position(stop.token)
        raise unexpected(str(stop.token), position, reading.accepts()) from None


def tokens(source: str) -> list[str]:
    """Return the tokens of a text that is a condition, in order."""
    return [str(token) for token in _parser(DIRECT_HEIGHT).lex(source)]


class _Building(Transformer[Token, Part]):
    """What each rule of the grammar becomes; called by the parser at each reduction."""

    def __init__(self, compiler: Compiler) -> None:
        super().__init__()
        self.compiler = compiler

    def disjunction(self, operands: list[Part]) -> Part:
        return self.compiler.disjunction(operands)

    def conjunction(self, operands: list[Part]) -> Part:
        return self.compiler.conjunction(operands)

    def equality(self, children: list[Any]) -> Part:
        signs, operands = children[1::2], children[2::2]
        rest = [(str(sign), _position(sign), operand) for sign, operand in zip(signs, operands, strict=True)]
        return self.compiler.comparison(children[0], rest)

    comparison = equality

    def negation(self, children: list[Any]) -> Part:
        return self.compiler.negation(children[-1], count=len(children) - 1)

    def string(self, children: list[Token]) -> Part:
        value = json.loads(children[0])
        return compiled.literal(value, shown(value))

    def number(self, children: list[Token]) -> Part:
        value = as_double(float(children[0]))
        if value is None:
            raise _refused(children[0], "no double is so large; write a number that is at most 1.7976931348623157e308")
        return compiled.literal(value, shown(children[0])[1:-1])

    def true(self, _: list[Token]) -> Part:
        return compiled.literal(True, "true")

    def false(self, _: list[Token]) -> Part:
        return compiled.literal(False, "false")

    def null(self, _: list[Token]) -> Part:
        return compiled.literal(None, "null")

    def state(self, arguments: list[Token]) -> Part:
        return compiled.lookup_of(_lookup(*arguments))

    def exists(self, arguments: list[Token]) -> Part:
        return compiled.existence_of(_lookup(*arguments))


@cache
def _parser(direct_height: int) -> Lark:
    building = _Building(Compiler(direct_height))
    grammar = GRAMMAR.read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=building, maybe_placeholders=False)


def _lookup(namespace: Token, path: Token) -> Lookup:
    name, text = json.loads(namespace), json.loads(path)
    if not is_id(name):
        raise _refused(namespace, f"no namespace has such a name; write {ID_FORM}")
    try:
        return Lookup.at(name, text)
    except PointerInvalid as stop:
        raise _refused(path, f"no path is written so: {stop.problems[0].detail.rstrip('.')}") from None


def _refused(token: Token, why: str) -> ConditionInvalid:
    position = _position(token)
    return ConditionInvalid.because(f"At position {position}, {shown(token)}: {why}.", position=position)


def _position(token: Token) -> int:
    return token.start_pos or 0
