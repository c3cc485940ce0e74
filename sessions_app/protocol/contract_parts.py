"""The parts of a contract: the protocol in words, each definition, and each namespace as it is now.

Whatever is asked to be left out is left out; `contract` decides about that.

Source: issue "Sessions", what the model reads; rp.state, section 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fabric_app.mesh.canonical import json_bytes
from sessions_app.protocol.changes import OPERAND
from sessions_app.protocol.definition import Definition, Operation, Rule, UpdateMode
from sessions_app.protocol.numbers import MAX_SAFE_INTEGER
from sessions_app.protocol.projection import PROTOCOL_VERSION, Namespace, Projection
from sessions_app.protocol.schema import Schema

Json = dict[str, Any]


class Part(StrEnum):
    """What can be left out of one namespace, in the order in which it is; the values are the wire's own."""

    GUIDANCE = "guidance"
    DESCRIPTIONS = "descriptions"
    RULE_SCHEMAS = "ruleSchemas"
    SCHEMA = "schema"
    WHEN = "when"
    CONDITION = "condition"
    DIAGNOSTICS = "diagnostics"
    VALUE = "currentValue"
    HOLDS = "conditions"


STABLE_PARTS = (Part.GUIDANCE, Part.DESCRIPTIONS, Part.RULE_SCHEMAS, Part.SCHEMA, Part.WHEN, Part.CONDITION)
CHANGING_PARTS = (Part.DIAGNOSTICS, Part.VALUE, Part.HOLDS)

Step = tuple[Part, str]
Left = frozenset[Step]

_REQUIREMENTS = {
    UpdateMode.RULES_REQUIRED: "required",
    UpdateMode.SCHEMA_ONLY: "optional",
    UpdateMode.DISABLED: "updates-forbidden",
}
_DOES = {
    Operation.SET: "Replaces what is at the path, or adds a member to an object; never merges. The parent must exist.",
    Operation.INCREMENT: "Adds `by`, which may be negative, to a number that is there.",
    Operation.APPEND: "Adds one item at the end of an array that is there; a list becomes one item.",
    Operation.REMOVE: "Removes what is at the path; an array closes the gap.",
}
_CONSTRAINTS = (
    "All effects of a commit are taken together or none is.",
    "One effect for each namespace at most, with the expectedRevision that is given here; no effect without changes.",
    "A path is a JSON Pointer with ~0 for ~ and ~1 for /, empty for the whole value; nothing in it is mended.",
    "No two changes of an effect name the same place, or one that is inside of the other.",
    "A change that names a rule has the rule's target as its path, the rule's op, and `by` within the rule's bounds.",
    "A rule with a condition can be used only where the condition holds just before the change.",
    "A rule with the cadence every-turn is expected on every turn on which its condition holds.",
    "After all changes the value has to fit the schema. A reason is a text that says why, in the story's terms.",
)


def _operation(op: Operation) -> Json:
    operands = dict.fromkeys(operand for operand in OPERAND.values() if operand is not None)
    own = OPERAND[op]
    return {
        "required": ["op", "path", *([] if own is None else [own]), "reason"],
        "forbidden": [operand for operand in operands if operand != own],
        "does": _DOES[op],
    }


PROTOCOL: Json = {
    "protocolVersion": PROTOCOL_VERSION,
    "effect": {
        "kind": "state.update",
        "namespace": "id of the namespace",
        "expectedRevision": "its expectedRevision",
        "payload": {"changes": ["one or more changes"]},
    },
    "operations": {op.value: _operation(op) for op in Operation},
    "ruleId": {
        "required": "Every change names a rule.",
        "optional": "A change may name a rule, which then binds it; otherwise the schema alone does.",
        "updates-forbidden": "Nothing can be changed.",
    },
    "constraints": list(_CONSTRAINTS),
}


def stable_half(projection: Projection, left: Left) -> Json:
    """Return the half that the definitions alone decide on."""
    definitions = [definition_part(name, each.definition, left) for name, each in projection.namespaces.items()]
    return {"protocol": PROTOCOL, "definitions": definitions}


def definition_part(name: str, definition: Definition, left: Left) -> Json:
    """Return what is told of one definition."""
    keeps = _Keeps(name, left)
    told: Json = {"namespace": name, "title": definition.title}
    if definition.description is not None and keeps(Part.DESCRIPTIONS):
        told["description"] = definition.description
    told["updateMode"] = definition.update_mode.value
    told["ruleIdRequirement"] = _REQUIREMENTS[definition.update_mode]
    if definition.update_mode is UpdateMode.SCHEMA_ONLY and keeps(Part.SCHEMA):
        told["schema"] = _schema(definition.schema, keeps)
    told["rules"] = [_rule(rule, definition, keeps) for rule in definition.rules]
    return told


def rule_schema_bytes(definition: Definition) -> int:
    """Return how many bytes the schemas of all rules take, each distinct one written once to know."""
    sizes: dict[int, int] = {}
    total = 0
    for rule in definition.rules:
        part = _rule_part(rule, definition)
        if part is not None:
            if id(part) not in sizes:
                sizes[id(part)] = json_bytes(part)
            total += sizes[id(part)]
    return total


def _rule(rule: Rule, definition: Definition, keeps: _Keeps) -> Json:
    told: Json = {"ruleId": rule.id, "target": rule.target, **rule.effect.as_json()}
    if keeps(Part.WHEN):
        told["when"] = rule.when
    if rule.condition is not None and keeps(Part.CONDITION):
        told["condition"] = rule.condition
    told["cadence"] = rule.cadence.value
    if rule.guidance and keeps(Part.GUIDANCE):
        told["guidance"] = list(rule.guidance)
    if keeps(Part.RULE_SCHEMAS):
        told |= _rule_schema(rule, definition, keeps)
    return told


def _rule_schema(rule: Rule, definition: Definition, keeps: _Keeps) -> Json:
    """Return the schema that a change by this rule has to fit, under its name; nothing where none speaks of it."""
    part = _rule_part(rule, definition)
    names = {Operation.INCREMENT: "resultSchema", Operation.REMOVE: "parentSchema"}
    return {} if part is None else {names.get(rule.effect.op, "valueSchema"): _schema(part, keeps)}


def _rule_part(rule: Rule, definition: Definition) -> Schema | None:
    """Return the part of the schema for a rule: of its target, of an item there, or of what the target stands in."""
    is_remove = rule.effect.op is Operation.REMOVE
    part = definition.checker.part_at(rule.segments[:-1] if is_remove else rule.segments)
    return part.get("items") if part is not None and rule.effect.op is Operation.APPEND else part


def _schema(schema: Schema, keeps: _Keeps) -> Schema:
    """Return a schema without its texts where these are left out; what only looks like a text is data and stays."""
    if keeps(Part.DESCRIPTIONS):
        return schema
    bare = {keyword: kept for keyword, kept in schema.items() if keyword not in ("title", "description")}
    if "properties" in bare:
        bare["properties"] = {name: _schema(node, keeps) for name, node in bare["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(bare.get(keyword), dict):
            bare[keyword] = _schema(bare[keyword], keeps)
    return bare


def changing_half(projection: Projection, stable_left: Left, left: Left) -> Json:
    """Return the half that says how the state is now, and what was left out of both."""
    state = projection.values()
    namespaces = [namespace_part(name, each, state, left) for name, each in projection.namespaces.items()]
    return {
        "revision": projection.revision,
        "namespaces": namespaces,
        "omitted": _omitted(projection.namespaces, stable_left | left),
    }


def namespace_part(name: str, namespace: Namespace, state: Mapping[str, Any], left: Left) -> Json:
    """Return what is told of one namespace as it is now; state: every namespace's value, for the conditions."""
    keeps = _Keeps(name, left)
    told: Json = {"namespace": name, "expectedRevision": namespace.revision}
    grave = [dict(each) for each in (*namespace.setup, *namespace.last_commit) if each.get("severity") != "info"]
    if keeps(Part.VALUE):
        told["currentValue"] = namespace.value
    if namespace.rules.conditions and keeps(Part.HOLDS):
        told["conditions"] = [_holds(rule_id, namespace, state) for rule_id in namespace.rules.conditions]
    if grave and keeps(Part.DIAGNOSTICS):
        told["diagnostics"] = grave
    return told


def _holds(rule_id: str, namespace: Namespace, state: Mapping[str, Any]) -> Json:
    outcome = namespace.rules.conditions[rule_id].evaluate(state)
    told: Json = {"ruleId": rule_id, "holds": outcome.active}
    return told if outcome.diagnostic is None else told | {"diagnostic": outcome.diagnostic.as_json()}


def _omitted(names: Iterable[str], left: Left) -> dict[str, list[str]]:
    """Return what was left out: part -> namespaces, both in their order."""
    told = {part.value: [name for name in names if (part, name) in left] for part in Part}
    return {part: names for part, names in told.items() if names}


def largest_rest(projection: Projection) -> Json:
    """Return the largest that the changing half can be with all left out that can be; no value decides on it."""
    names = list(projection.namespaces)
    return {
        "revision": MAX_SAFE_INTEGER,
        "namespaces": [{"namespace": name, "expectedRevision": MAX_SAFE_INTEGER} for name in names],
        "omitted": {part.value: names for part in Part},
    }


@dataclass(frozen=True)
class _Keeps:
    """Tells whether a part of one namespace is kept."""

    namespace: str
    left: Left

    def __call__(self, part: Part) -> bool:
        return (part, self.namespace) not in self.left
