"""Definitions as they come in: read in the documented order, every independent problem at its place.

Order: unknown fields, title, mode, description, rules one by one, duplicate ids, schema. The error that is raised is
of the kind of the first problem and lists them all.

Source: rp.state, section 3.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from sessions_app.protocol.condition import compile_condition
from sessions_app.protocol.definition import Cadence, Definition, Effect, Operation, Rule, UpdateMode
from sessions_app.protocol.errors import DefinitionInvalid, PointerInvalid, SchemaInvalid
from sessions_app.protocol.findings import Findings
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.names import ID_FORM, is_id
from sessions_app.protocol.numbers import Number, as_double, is_number
from sessions_app.protocol.pointer import below, parse
from sessions_app.protocol.schema import Schema, normalised_schema

DEFINITION_FIELDS = ("title", "description", "updateMode", "schema", "rules")
RULE_FIELDS = ("id", "target", "when", "condition", "effect", "guidance", "cadence")
BOUNDS = ("minimum", "maximum")

Choice = TypeVar("Choice", bound=StrEnum)


def definition_of(raw: Any, limits: Limits, path: str = "") -> Definition:
    """Return the definition that `raw` describes, which stands at `path` of a larger input.

    Raises DefinitionInvalid, PointerInvalid, ConditionInvalid or SchemaInvalid, with every problem.
    """
    findings = Findings(limits)
    definition = read_definition(raw, path, findings)
    findings.raise_if_any()
    if definition is None:
        raise AssertionError("a definition that has no problem can be read")
    return definition


def namespace_id(raw: Any, path: str = "") -> str:
    """Return the id of a namespace, which stands at `path` of a larger input. Raises DefinitionInvalid."""
    if not is_id(raw):
        raise DefinitionInvalid.at(path, f"The id of a namespace is {ID_FORM}.")
    return raw


def read_definition(raw: Any, path: str, findings: Findings) -> Definition | None:
    """Return the definition at `path` of a larger input, or None where `findings` got a problem."""
    before = len(findings.problems)
    given = findings.fields(raw, path, DEFINITION_FIELDS, "A definition")
    if given is None:
        return None
    title = findings.text(given.get("title"), f"{path}/title")
    mode = _choice(given.get("updateMode"), f"{path}/updateMode", UpdateMode, findings)
    description = findings.text(given["description"], f"{path}/description") if "description" in given else None
    rules = _rules(given.get("rules"), f"{path}/rules", findings)
    schema = _schema(given, f"{path}/schema", findings)
    if len(findings.problems) > before or title is None or mode is None or schema is None:
        return None
    return Definition(title=title, description=description, update_mode=mode, schema=schema, rules=tuple(rules))


def _schema(given: dict[str, Any], path: str, findings: Findings) -> Schema | None:
    if "schema" not in given:
        findings.add(path, "A definition needs a schema; {} allows anything.", SchemaInvalid)
        return None
    return findings.asked(path, lambda: normalised_schema(given["schema"], findings.limits))


def _rules(raw: Any, path: str, findings: Findings) -> list[Rule]:
    """Return the rules that can be read; ids that come twice are refused after all rules were read."""
    items = findings.listed(raw, path, findings.limits.rules, "rules") or []
    rules = [_rule(item, below(path, index), findings) for index, item in enumerate(items)]
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        rule_id = item.get("id") if isinstance(item, dict) else None
        if is_id(rule_id) and seen.setdefault(rule_id, index) != index:
            findings.add(f"{path}/{index}/id", f"Rule {seen[rule_id]} has the id {rule_id} too; choose another.")
    return [rule for rule in rules if rule is not None]


def _rule(raw: Any, path: str, findings: Findings) -> Rule | None:
    given = findings.fields(raw, path, RULE_FIELDS, "A rule")
    if given is None:
        return None
    rule_id = _id(given.get("id"), f"{path}/id", findings)
    target = _target(given.get("target"), f"{path}/target", findings)
    when = findings.text(given.get("when"), f"{path}/when")
    condition = _condition(given, f"{path}/condition", findings)
    effect = _effect(given.get("effect"), f"{path}/effect", findings)
    guidance = _guidance(given, f"{path}/guidance", findings)
    cadence = _cadence(given.get("cadence"), f"{path}/cadence", findings)
    if target == "" and effect is not None and effect.op is Operation.REMOVE:
        findings.add(f"{path}/target", "The whole value cannot be removed; name a place inside it.", PointerInvalid)
    if rule_id is None or target is None or when is None or effect is None or cadence is None:
        return None
    return Rule(
        id=rule_id,
        target=target,
        when=when,
        condition=condition,
        effect=effect,
        guidance=guidance,
        cadence=cadence,
    )


def _id(raw: Any, path: str, findings: Findings) -> str | None:
    if is_id(raw):
        return raw
    findings.add(path, f"The id of a rule is {ID_FORM}.")
    return None


def _target(raw: Any, path: str, findings: Findings) -> str | None:
    if not isinstance(raw, str):
        findings.add(path, "Give the path that the rule is for, such as /characters/mood.")
        return None
    if len(raw) > findings.limits.pointer_chars:
        findings.add(path, f"The path is longer than {findings.limits.pointer_chars} characters.", PointerInvalid)
        return None
    return None if findings.asked(path, lambda: parse(raw)) is None else raw


def _condition(given: dict[str, Any], path: str, findings: Findings) -> str | None:
    if "condition" not in given:
        return None
    limits = findings.limits
    compiled = findings.asked(
        path,
        lambda: compile_condition(
            given["condition"], max_code_points=limits.condition_chars, max_tokens=limits.condition_tokens
        ),
    )
    return None if compiled is None else compiled.source


def _effect(raw: Any, path: str, findings: Findings) -> Effect | None:
    op = raw.get("op") if isinstance(raw, dict) else None
    allowed = ("op", *BOUNDS) if op == Operation.INCREMENT else ("op",)
    given = findings.fields(raw, path, allowed, f"The effect of {op}" if isinstance(op, str) else "An effect")
    if given is None:
        return None
    operation = _choice(op, f"{path}/op", Operation, findings)
    least, most = (_bound(given, name, f"{path}/{name}", findings) for name in BOUNDS)
    if least is not None and most is not None and least > most:
        findings.add(f"{path}/minimum", "minimum is above maximum; no step would fit.")
    return None if operation is None else Effect(op=operation, minimum=least, maximum=most)


def _bound(given: dict[str, Any], name: str, path: str, findings: Findings) -> Number | None:
    if name not in given:
        return None
    number = as_double(given[name]) if is_number(given[name]) else None
    if number is None:
        findings.add(path, "Give a finite number, or leave it out.")
    return number


def _guidance(given: dict[str, Any], path: str, findings: Findings) -> tuple[str, ...]:
    items = findings.listed(given.get("guidance", []), path, findings.limits.guidance, "texts") or []
    texts = [findings.text(item, below(path, index)) for index, item in enumerate(items)]
    return tuple(text for text in texts if text is not None)


def _cadence(raw: Any, path: str, findings: Findings) -> Cadence | None:
    return Cadence.WHEN_APPLICABLE if raw is None else _choice(raw, path, Cadence, findings)


def _choice(raw: Any, path: str, choices: type[Choice], findings: Findings) -> Choice | None:
    names = [choice.value for choice in choices]
    if isinstance(raw, str) and raw in names:
        return choices(raw)
    findings.add(path, f"Give one of {', '.join(names)}.")
    return None
