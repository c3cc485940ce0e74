"""Conditions as closures, built from the smallest parts up: no generated code, and no recursion that depth can exhaust.

A part is compiled in one of two ways, which answer alike.

- Shallow (at most `DIRECT_HEIGHT` levels): `run` calls the `run` of its operands.
- Deep: `steps` is a generator function that yields each deep operand and is sent its value; `run` keeps the generators
  of all levels on a list, so that a condition may nest as deep as its number of tokens lets it.

Chains of one level are loops in both. `&&` and `||` do not look at what they skip.

Source: rp.state, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from sessions_app.protocol.condition_lookup import Lookup, Run, exists, reading, testing
from sessions_app.protocol.condition_values import (
    COMPARISONS,
    MIRRORED,
    NUMBERS,
    Comparison,
    Scalar,
    State,
    not_boolean,
)

# Frames that one evaluation may add to its caller's.
DIRECT_HEIGHT = 32

COMPUTED = "the result of an operator"

Steps = Callable[[State], "Generator[Steps, Scalar, Scalar]"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A compiled part of a condition; `label` is what messages call it, `steps` is there where it is deep."""

    run: Run
    label: str = COMPUTED
    height: int = 0
    steps: Steps | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LiteralPart(Part):
    """A literal, known before any evaluation."""

    value: Scalar


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LookupPart(Part):
    """A `state(...)` that stands for itself."""

    lookup: Lookup


def literal(value: Scalar, label: str) -> Part:
    return LiteralPart(run=lambda _: value, label=label, value=value)


def lookup_of(lookup: Lookup) -> Part:
    return LookupPart(run=reading(lookup), label=lookup.label, lookup=lookup)


def existence_of(lookup: Lookup) -> Part:
    return Part(run=exists(lookup))


@dataclass(frozen=True, slots=True)
class Compiler:
    """Puts parts together; those higher than `direct_height` become deep."""

    direct_height: int = DIRECT_HEIGHT

    def negation(self, operand: Part, *, count: int) -> Part:
        """Return `count` exclamation marks before the operand."""
        inner, label, flips = operand.run, operand.label, count % 2 == 1

        def verdict(value: Scalar) -> bool:
            if type(value) is not bool:
                raise not_boolean(label, value)
            return value is not flips

        def run(state: State) -> bool:
            return verdict(inner(state))

        def steps(state: State) -> Generator[Steps, Scalar, Scalar]:
            return verdict((yield operand.steps) if operand.steps else inner(state))

        return self._part(run, steps, [operand])

    def conjunction(self, operands: Sequence[Part]) -> Part:
        return self._part(_run_until(False, operands), _steps_until(False, operands), operands)

    def disjunction(self, operands: Sequence[Part]) -> Part:
        return self._part(_run_until(True, operands), _steps_until(True, operands), operands)

    def comparison(self, first: Part, rest: Sequence[tuple[str, int, Part]]) -> Part:
        """Return a left-associative chain of comparisons: operators with their positions, and what is right of each."""
        left, links = first.label, []
        for symbol, position, operand in rest:
            links.append((Comparison(symbol, position, left, operand.label), operand))
            left = COMPUTED
        if len(links) == 1:
            test, second = links[0]
            direct = _with_literal(first, test, second)
            if direct is not None:
                return Part(run=direct, height=1)
        return self._chain(first, links)

    def _chain(self, first: Part, links: Sequence[tuple[Comparison, Part]]) -> Part:
        begin, tests = first.run, [(COMPARISONS[link.symbol], link.test, operand.run) for link, operand in links]

        def run(state: State) -> Scalar:
            value = begin(state)
            for compare, test, operand in tests:
                right = operand(state)
                both_numbers = type(value) in NUMBERS and type(right) in NUMBERS
                value = compare(value, right) if both_numbers else test(value, right)
            return value

        def steps(state: State) -> Generator[Steps, Scalar, Scalar]:
            value = (yield first.steps) if first.steps else begin(state)
            for link, operand in links:
                right = (yield operand.steps) if operand.steps else operand.run(state)
                value = link.test(value, right)
            return value

        return self._part(run, steps, [first, *(operand for _, operand in links)])

    def _part(self, run: Run, steps: Steps, operands: Sequence[Part]) -> Part:
        height = 1 + max(operand.height for operand in operands)
        if height <= self.direct_height:
            return Part(run=run, height=height)
        return Part(run=lambda state: _on_a_list(steps, state), height=height, steps=steps)


def _run_until(stop: bool, operands: Sequence[Part]) -> Run:
    labelled = [(operand.run, operand.label) for operand in operands]

    def run(state: State) -> bool:
        for operand, label in labelled:
            value = operand(state)
            if value is stop:
                return stop
            if type(value) is not bool:
                raise not_boolean(label, value)
        return not stop

    return run


def _steps_until(stop: bool, operands: Sequence[Part]) -> Steps:
    def steps(state: State) -> Generator[Steps, Scalar, Scalar]:
        for operand in operands:
            value = (yield operand.steps) if operand.steps else operand.run(state)
            if value is stop:
                return stop
            if type(value) is not bool:
                raise not_boolean(operand.label, value)
        return not stop

    return steps


def _with_literal(left: Part, comparison: Comparison, right: Part) -> Run | None:
    """Return the short way of `state(...) > 3` or `3 < state(...)`, and None for any other comparison."""
    if isinstance(left, LookupPart) and isinstance(right, LiteralPart):
        place, value, symbol = left.lookup, right.value, comparison.symbol
        return testing(place, symbol, value, lambda found: comparison.test(place.scalar(found), value))
    if isinstance(left, LiteralPart) and isinstance(right, LookupPart):
        place, value, symbol = right.lookup, left.value, MIRRORED[comparison.symbol]
        return testing(place, symbol, value, lambda found: comparison.test(value, place.scalar(found)))
    return None


def _on_a_list(steps: Steps, state: State) -> Scalar:
    """Run a deep part: its own steps and those of all levels below it, one list entry a level."""
    running = [steps(state)]
    value: Scalar = None
    while True:
        try:
            deeper = running[-1].send(value)
        except StopIteration as end:
            running.pop()
            value = end.value
            if not running:
                return value
        else:
            running.append(deeper(state))
            value = None
