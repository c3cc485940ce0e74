"""What a model reads before it commits: the protocol, the definitions, and then the state as it is now.

What changes seldom comes first: protocol and definitions are the same bytes for the same definitions and budget,
whatever the values are, so that a model's provider can keep them. Revisions, values, diagnostics and whether each
condition holds now come last, and after them what was left out.

The budget holds for the compact JSON text and for the Markdown in every language. What is left out, in this order, of
the largest namespaces first:
- of the definitions, until they take at most `STABLE_SHARE` of the budget: guidance, descriptions, the schemas of
  rules, schemas, `when`, conditions;
- of the state, until all fits: diagnostics, values, whether conditions hold.
A value, or the schemas of the rules of one namespace, that alone would pass the budget is left out at once. Each of
these is named in `omitted`. Revisions, modes, and of each rule its id, target, operation and bounds are never left out;
where they do not fit, there is no contract.

Source: issue "Sessions", what the model reads; rp.state, section 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fabric_app.mesh.canonical import dumps, json_bytes
from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.contract_parts import (
    CHANGING_PARTS,
    STABLE_PARTS,
    Json,
    Left,
    Part,
    Step,
    changing_half,
    definition_part,
    largest_rest,
    namespace_part,
    rule_schema_bytes,
    stable_half,
)
from sessions_app.protocol.contract_text import Language, changing_markdown, stable_markdown
from sessions_app.protocol.projection import Projection

# Of the budget, in hundredths; the rest is for the values.
STABLE_SHARE = 67


class ContractTooLarge(StatehouseError):
    """Not even the ids of rules and the revisions fit into the size that was asked for."""

    code, status = "CONTRACT_TOO_LARGE", 422
    message = (
        "The contract of this session needs {neededBytes} bytes at least, {limitBytes} were asked for. Ask for more."
    )


@dataclass(frozen=True)
class Contract:
    """A contract in its two parts; `omitted` is what was left out of both, by namespace."""

    stable: Json
    changing: Json

    @property
    def omitted(self) -> Mapping[str, Sequence[str]]:
        """What was left out: the name of a part -> the namespaces."""
        return self.changing["omitted"]  # type: ignore[no-any-return]  # made by `changing_half`

    def as_json(self) -> Json:
        return self.stable | self.changing

    def as_markdown(self, language: Language = Language.ENGLISH) -> str:
        """Return the contract for a model to read, its own sentences in this language."""
        return stable_markdown(self.stable, language) + changing_markdown(self.changing, language)

    def json_prefix(self) -> str:
        """Return what the compact JSON text begins with whatever the values are."""
        return dumps(self.stable)[:-1]

    def markdown_prefix(self, language: Language = Language.ENGLISH) -> str:
        """Return what the Markdown begins with whatever the values are."""
        return stable_markdown(self.stable, language)


def contract_of(projection: Projection, *, max_bytes: int) -> Contract:
    """Return the contract of a session, in at most `max_bytes` bytes of UTF-8 however it is written.

    Raises ContractTooLarge where the parts that are never left out do not fit.
    """
    stable_left = _stable_left(projection, max_bytes)
    stable = stable_half(projection, stable_left)

    def whole(left: Left) -> Contract:
        return Contract(stable, changing_half(projection, stable_left, left))

    values = {name: json_bytes(each.value) for name, each in projection.namespaces.items()}
    oversize = frozenset((Part.VALUE, name) for name, size in values.items() if size > max_bytes)
    steps = _steps(projection, CHANGING_PARTS, oversize)
    return whole(_fewest(steps, oversize, lambda left: _size(whole(left)) <= max_bytes))


def _stable_left(projection: Projection, max_bytes: int) -> Left:
    """Return what is left out of the definitions; decided by them and the budget alone."""
    reserved = _size(Contract({}, largest_rest(projection)))
    oversize = frozenset(
        (Part.RULE_SCHEMAS, name)
        for name, each in projection.namespaces.items()
        if rule_schema_bytes(each.definition) > max_bytes
    )
    steps = _steps(projection, STABLE_PARTS, oversize)
    wanted = min(max_bytes * STABLE_SHARE // 100, max_bytes - reserved)

    def size(left: Left) -> int:
        return _size(Contract(stable_half(projection, left), {}))

    left = _fewest(steps, oversize, lambda left: size(left) <= wanted)
    needed = size(left) + reserved
    if needed > max_bytes:
        raise ContractTooLarge(neededBytes=needed, limitBytes=max_bytes)
    return left


def _fewest(steps: Sequence[Step], always: Left, fits: Callable[[Left], bool]) -> Left:
    """Return what is always left out with the first steps of the list, as few as make it fit, or all of them."""
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if fits(always.union(steps[:middle])):
            high = middle
        else:
            low = middle + 1
    return always.union(steps[:low])


def _steps(projection: Projection, parts: Iterable[Part], always: Left) -> list[Step]:
    """Return what else can be left out, in order: part by part, and of each the largest namespace first."""
    steps: list[Step] = []
    for part in parts:
        sizes = {name: _part_bytes(projection, name, part, always) for name in projection.namespaces}
        largest_first = sorted((name for name in sizes if sizes[name]), key=lambda name: -sizes[name])
        steps += [(part, name) for name in largest_first]
    return steps


def _part_bytes(projection: Projection, name: str, part: Part, always: Left) -> int:
    """Return how many bytes a part takes in one namespace; 0 where it has no such part."""
    namespace, state = projection.namespaces[name], projection.values()

    def size(left: Left) -> int:
        if part in STABLE_PARTS:
            return json_bytes(definition_part(name, namespace.definition, left))
        return json_bytes(namespace_part(name, namespace, state, left))

    return size(always) - size(always | {(part, name)})


def _size(contract: Contract) -> int:
    """Return the bytes of the longest way to write a contract, or a half of one."""
    texts = [dumps(contract.as_json())]
    for language in Language:
        stable = stable_markdown(contract.stable, language) if contract.stable else ""
        texts.append(stable + (changing_markdown(contract.changing, language) if contract.changing else ""))
    return max(len(text.encode("utf-8", "surrogatepass")) for text in texts)
