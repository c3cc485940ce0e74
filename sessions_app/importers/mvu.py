"""The initial variables of MVU cards and books as a namespace, with a generated schema and update rules.

1. Every document with initial values is read; one that cannot be read, or has what no state may have, refuses the
   import with every such place, since a state without half of its variables would be another state.
2. The trees are merged in the order of the sources, which is the order of their binding.
3. The sentences of `[mvu_update]` entries are laid over the tree. A set of rules that cannot be carried over leaves the
   namespace `disabled`, with a setup diagnostic.
4. Operation blocks in texts are never run; a setup diagnostic says so.

Of several greetings the caller gives the one that the session begins with.

Source: users of rp.state, "The files people bring", sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from fabric_app.mesh.errors import Problem
from sessions_app.importers.mvu_documents import (
    Block,
    Source,
    has_initial_values,
    initial_blocks,
    is_rules,
    read_block,
)
from sessions_app.importers.mvu_remarks import Remark, RemarkCode, Severity
from sessions_app.importers.mvu_rule_texts import RuleTexts, Untranslatable, read_rules
from sessions_app.importers.mvu_rules import RawRule, rules_of
from sessions_app.importers.mvu_schema import schema_of
from sessions_app.importers.mvu_values import Branch, merged, plain, tree_of
from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.bootstrap import VERSION, bootstrap_of
from sessions_app.protocol.errors import ProtocolRefusal, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.text import shown
from sessions_app.protocol.values import normalised

NAMESPACE = "story"
TITLE = "Story"
OPERATION_TAGS = ("<updatevariable>", "<jsonpatch>")
MAX_REMARKS = 1_000


class InitialVariablesInvalid(ProtocolRefusal):
    """Initial variables cannot be imported; each problem's path is the source's index and the place in its value."""

    code, status = "INITIAL_VARIABLES_INVALID", 422
    message = "The initial variables cannot be imported: {summary}"


@dataclass(frozen=True)
class ImportedNamespace:
    """A namespace in normal form, which a bootstrap or a configuration takes; `setup` are its diagnostics."""

    namespace: str
    initial_value: Any
    definition: dict[str, Any]
    setup: tuple[dict[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the namespace as a bootstrap takes it."""
        return {
            "namespace": self.namespace,
            "initialValue": self.initial_value,
            "definition": self.definition,
            "diagnostics": {"setup": list(self.setup), "lastCommit": []},
        }


def has_variables(sources: Sequence[Source]) -> bool:
    """Tell whether any source has initial variables of MVU."""
    return any(map(has_initial_values, sources))


def read_mvu(
    sources: Sequence[Source], limits: Limits, *, namespace: str = NAMESPACE, title: str = TITLE
) -> tuple[ImportedNamespace, tuple[Remark, ...]]:
    """Return the namespace that the sources describe, and what there is to say about how they were read.

    sources: entries, fields and the greeting in binding order. Raises InitialVariablesInvalid where there are no
    initial values or one of them cannot be read, and what `bootstrap_of` raises where a limit is passed.
    """
    remarks: list[Remark] = []
    tree = _tree(sources, limits, remarks)
    value = normalised(plain(tree), limits)
    texts = RuleTexts()
    may_change = _read_all_rules(sources, tree, texts, limits, remarks)
    sentences = {path: tuple(said) for path, said in texts.by_path.items()}
    schema = schema_of(tree, sentences, limits, remarks)
    rules = rules_of(tree, sentences, namespace=namespace, limits=limits, remarks=remarks)
    rules, may_change = _within_limits(rules, limits, remarks), may_change and len(rules) <= limits.rules
    remarks += _operations_not_run(sources)
    definition = {
        "title": title,
        "updateMode": "rules-required" if may_change else "disabled",
        "schema": schema,
        "rules": rules,
    }
    made = ImportedNamespace(namespace, value, definition, _setup(remarks, limits))
    kept = bootstrap_of({"version": VERSION, "namespaces": [made.as_json()]}, limits).namespaces[0]
    told = ImportedNamespace(namespace, kept.initial_value, kept.definition.as_json(), kept.setup)
    return told, _shortened(remarks)


def _tree(sources: Sequence[Source], limits: Limits, remarks: list[Remark]) -> Branch:
    problems: list[Problem] = []
    trees = []
    chars = 0
    for index, source in enumerate(sources):
        found = initial_blocks(source)
        if found.has_other_text:
            message = "The text around the code block was left out."
            remarks.append(Remark(RemarkCode.TEXT_LEFT_OUT, message, source=source.title))
        for block in found.blocks:
            chars += len(block.text)
            if chars > limits.value_chars:
                raise InitialVariablesInvalid.at(f"/{index}", f"There are more than {limits.value_chars} characters.")
            document = _document(block, f"/{index}", source, limits, problems)
            if document is not None:
                trees.append(tree_of(document, source.title, remarks))
    if problems:
        raise InitialVariablesInvalid(problems[: limits.issues])
    if not trees:
        raise InitialVariablesInvalid.at("", "No entry is titled [initvar], and no text has an <initvar> block.")
    return _merged(trees, remarks)


def _document(
    block: Block, path: str, source: Source, limits: Limits, problems: list[Problem]
) -> dict[str, Any] | None:
    """Return the object that a block describes; what is wrong with it goes to `problems`."""
    code, name = InitialVariablesInvalid.code, shown(source.title)
    try:
        value = normalised(read_block(block, limits), limits)
    except Unreadable as refusal:
        problems.append(Problem(path, code, f"In {name}: {refusal.sentence()}"))
    except ValueInvalid as refusal:
        problems += [Problem(path + each.path, code, f"In {name}: {each.detail}") for each in refusal.problems]
    else:
        if isinstance(value, dict):
            return value
        if value is not None:
            problems.append(Problem(path, code, f"In {name}: the document is no object; give names with values."))
    return None


def _merged(trees: list[Branch], remarks: list[Remark]) -> Branch:
    if len(trees) > 1:
        message = f"{len(trees)} documents were merged in their order: objects deeply, all else as a whole."
        remarks.append(Remark(RemarkCode.DOCUMENTS_MERGED, message))
    return reduce(merged, trees)


def _read_all_rules(
    sources: Sequence[Source], tree: Branch, texts: RuleTexts, limits: Limits, remarks: list[Remark]
) -> bool:
    """Add what the entries with rules say; return whether all of them could be carried over."""
    is_whole = True
    for source in filter(is_rules, sources):
        try:
            read_rules(source, tree, texts, limits, remarks)
        except Untranslatable as stop:
            is_whole = False
            message = f"The rules in {shown(source.title)} cannot be carried over: {stop}. Updates are off until then."
            remarks.append(Remark(RemarkCode.RULES_UNTRANSLATABLE, message, Severity.ERROR, source=source.title))
    return is_whole


def _within_limits(rules: list[RawRule], limits: Limits, remarks: list[Remark]) -> list[RawRule]:
    if len(rules) <= limits.rules:
        return rules
    message = f"There would be {len(rules)} rules; at most {limits.rules} are allowed. Updates are off until then."
    remarks.append(Remark(RemarkCode.RULES_TOO_MANY, message, Severity.ERROR))
    return []


def _operations_not_run(sources: Sequence[Source]) -> Iterator[Remark]:
    for source in sources:
        text = source.content.lower()
        if not is_rules(source) and any(tag in text for tag in OPERATION_TAGS):
            message = f"{shown(source.title)} has a block of operations, which was not run."
            yield Remark(RemarkCode.OPERATIONS_NOT_RUN, message, Severity.WARNING, source=source.title)


def _setup(remarks: list[Remark], limits: Limits) -> tuple[dict[str, str], ...]:
    """Return the setup diagnostics, errors first; where there would be too many, the last one says how many more."""
    grave = sorted(
        (remark for remark in remarks if remark.severity is not Severity.INFO),
        key=lambda remark: remark.severity is not Severity.ERROR,
    )
    return tuple(remark.as_diagnostic() for remark in _cut(grave, limits.setup_diagnostics))


def _shortened(remarks: list[Remark]) -> tuple[Remark, ...]:
    grave_first = sorted(remarks, key=lambda remark: remark.severity is Severity.INFO)
    return tuple(_cut(grave_first if len(remarks) > MAX_REMARKS else remarks, MAX_REMARKS))


def _cut(remarks: list[Remark], most: int) -> list[Remark]:
    if len(remarks) <= most:
        return remarks
    message = f"And {len(remarks) - most + 1} more remarks of this kind."
    return [*remarks[: most - 1], Remark(RemarkCode.REMARKS_CUT, message, Severity.WARNING)]
