"""The bootstrap of a session: its first namespaces, owned by no message.

`{version: 2, namespaces: [{namespace, initialValue, definition, diagnostics: {setup?, lastCommit: []}}]}`

Setup diagnostics are brought into one form: `code` (default `STATE_SETUP_NOTICE`), `severity` (info, warning or error,
else warning), `message` (else `reason`, else the code), `path` where it is a text that is not empty. Other fields are
dropped. A code or message that is blank, or no text, counts as absent.

Source: rp.state, sections 3 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol.definition import Definition
from sessions_app.protocol.definition_reading import namespace_id, read_definition
from sessions_app.protocol.errors import NamespaceLimit, ValueInvalid
from sessions_app.protocol.findings import Findings
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.pointer import below
from sessions_app.protocol.schema import fitting
from sessions_app.protocol.text import is_blank, trimmed, without_surrogates

VERSION = 2
BOOTSTRAP_FIELDS = ("version", "namespaces")
NAMESPACE_FIELDS = ("namespace", "initialValue", "definition", "diagnostics")
DIAGNOSTICS_FIELDS = ("setup", "lastCommit")

SETUP_NOTICE = "STATE_SETUP_NOTICE"
SEVERITIES = ("info", "warning", "error")

Diagnostic = dict[str, str]


@dataclass(frozen=True)
class InitialNamespace:
    """One namespace as a session begins with it; `setup` are its diagnostics in wire form."""

    namespace: str
    initial_value: Any
    definition: Definition
    setup: tuple[Diagnostic, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "initialValue": self.initial_value,
            "definition": self.definition.as_json(),
            "diagnostics": {"setup": list(self.setup), "lastCommit": []},
        }


@dataclass(frozen=True)
class Bootstrap:
    """The first namespaces of a session, in the order in which they were given."""

    namespaces: tuple[InitialNamespace, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"version": VERSION, "namespaces": [namespace.as_json() for namespace in self.namespaces]}


def bootstrap_of(raw: Any, limits: Limits) -> Bootstrap:
    """Return the bootstrap that `raw` describes, in normal form.

    Raises DefinitionInvalid, PointerInvalid, ConditionInvalid, SchemaInvalid, ValueInvalid or NamespaceLimit, with
    every problem.
    """
    findings = Findings(limits)
    namespaces = _namespaces(raw, findings)
    findings.raise_if_any()
    return Bootstrap(namespaces=tuple(namespaces))


def setup_diagnostics(raw: Any, limits: Limits) -> tuple[Diagnostic, ...]:
    """Return setup diagnostics in normal form. Raises DefinitionInvalid."""
    findings = Findings(limits)
    setup = _setup(raw, "", findings)
    findings.raise_if_any()
    return setup


def check_namespace_count(count: int, limits: Limits) -> None:
    """Raise NamespaceLimit where a session would have more namespaces than it may."""
    if count > limits.namespaces:
        raise NamespaceLimit.at("", f"There would be {count} namespaces; at most {limits.namespaces} are allowed.")


def _namespaces(raw: Any, findings: Findings) -> list[InitialNamespace]:
    given = findings.fields(raw, "", BOOTSTRAP_FIELDS, "A bootstrap")
    if given is None:
        return []
    version = given.get("version")
    if isinstance(version, bool) or version != VERSION:
        findings.add("/version", f"The version of this protocol is {VERSION}.")
    items = given.get("namespaces")
    if not isinstance(items, list):
        findings.add("/namespaces", "Give a list of namespaces; it may be empty.")
        return []
    findings.asked("/namespaces", lambda: check_namespace_count(len(items), findings.limits))
    return list(_read_all(items[: findings.limits.namespaces], findings))


def _read_all(items: list[Any], findings: Findings) -> Iterator[InitialNamespace]:
    seen: set[str] = set()
    for index, item in enumerate(items):
        path = f"/namespaces/{index}"
        found = _namespace(item, path, findings)
        if found is None:
            continue
        if found.namespace in seen:
            findings.add(f"{path}/namespace", f"{found.namespace} is there twice; choose another id.")
        seen.add(found.namespace)
        yield found


def _namespace(raw: Any, path: str, findings: Findings) -> InitialNamespace | None:
    given = findings.fields(raw, path, NAMESPACE_FIELDS, "A namespace")
    if given is None:
        return None
    name = findings.asked(f"{path}/namespace", lambda: namespace_id(given.get("namespace")))
    definition = read_definition(given.get("definition"), f"{path}/definition", findings)
    value = _initial_value(given, f"{path}/initialValue", definition, findings)
    setup = _diagnostics(given.get("diagnostics"), f"{path}/diagnostics", findings)
    if name is None or definition is None:
        return None
    return InitialNamespace(namespace=name, initial_value=value, definition=definition, setup=setup)


def _initial_value(given: dict[str, Any], path: str, definition: Definition | None, findings: Findings) -> Any:
    if "initialValue" not in given:
        findings.add(path, "Give the value that the namespace begins with; null is one.", ValueInvalid)
        return None
    if definition is None:
        return None
    return findings.asked(path, lambda: fitting(given["initialValue"], definition.checker, findings.limits))


def _diagnostics(raw: Any, path: str, findings: Findings) -> tuple[Diagnostic, ...]:
    given = findings.fields(raw, path, DIAGNOSTICS_FIELDS, "The diagnostics of a namespace")
    if given is None:
        return ()
    if given.get("lastCommit") != []:
        findings.add(f"{path}/lastCommit", "Give an empty list: nothing was committed yet.")
    return _setup(given.get("setup", []), f"{path}/setup", findings)


def _setup(raw: Any, path: str, findings: Findings) -> tuple[Diagnostic, ...]:
    items = findings.listed(raw, path, findings.limits.setup_diagnostics, "diagnostics") or []
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            findings.add(below(path, index), "A diagnostic is an object with code, severity, message and path.")
    return tuple(_diagnostic(item) for item in items if isinstance(item, dict))


def _diagnostic(item: dict[str, Any]) -> Diagnostic:
    code = _text(item.get("code")) or SETUP_NOTICE
    severity = item.get("severity")
    path = item.get("path")
    return {
        "code": code,
        "severity": severity if severity in SEVERITIES else "warning",
        "message": _text(item.get("message")) or _text(item.get("reason")) or code,
        **({"path": without_surrogates(path)} if isinstance(path, str) and path else {}),
    }


def _text(raw: Any) -> str | None:
    """Return the trimmed text of a diagnostic, or None where there is none."""
    return None if not isinstance(raw, str) or is_blank(raw) else trimmed(without_surrogates(raw))
