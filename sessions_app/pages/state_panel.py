"""The state of a session as its page shows it: a panel a namespace, and what the last turn changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import State, moment_of_ms, who
from sessions_app.models import Session, SessionEvent
from sessions_app.pages.changes_view import changed_rows
from sessions_app.pages.printing import INLINE_CHARS, Text, cut, inline
from sessions_app.pages.states import MODES, severity_state
from sessions_app.pages.trees import TREE_STEPS, Budget, Mark, Step, Tree
from sessions_app.protocol.projection import Namespace, Projection, WireDiagnostic

Json = dict[str, Any]
Marks = dict[str, dict[str, Mark]]
SHOWN_DIAGNOSTICS = 50
LEAST_STEPS = 10


@dataclass(frozen=True)
class DiagnosticRow:
    """What went wrong without anything being refused, in words."""

    state: State
    message: str
    code: str
    path: str
    rule: str


@dataclass(frozen=True)
class NamespacePanel:
    """One namespace: what it is, what it holds, and what is to be said of it."""

    name: str
    title: str
    description: Text
    revision: int
    mode: str
    mode_words: str
    rule_count: int
    steps: list[Step]
    setup: list[DiagnosticRow]
    last_commit: list[DiagnosticRow]
    value_address: str
    definition_address: str
    reset_address: str
    delete_address: str


def panels_of(
    session: Session, projection: Projection, marks: Marks | None = None, *, at: int | None = None
) -> list[NamespacePanel]:
    """Return a panel for each namespace; together their trees keep to what a page can bear.

    at: the event after which the state was so, None for the state as it is.
    """
    left = len(projection.namespaces)
    budget = TREE_STEPS
    panels = []
    for name, namespace in projection.namespaces.items():
        mine = Budget(max(budget // left, LEAST_STEPS))
        given = mine.left
        panels.append(
            _panel(
                session,
                name,
                namespace,
                Tree(rest_of(session, name, at), file_of(session, name, at), (marks or {}).get(name, {}), mine),
            )
        )
        budget -= given - max(mine.left, 0)
        left -= 1
    return panels


def rest_of(session: Session, name: str, at: int | None) -> Callable[[str, int], str]:
    """Return where the rest of a value is shown, by its place and the first child to show."""

    def rest(path: str, start: int) -> str:
        return address("namespace-value", session.pk, name, path=path, start=start or "", at=at)

    return rest


def file_of(session: Session, name: str, at: int | None) -> str:
    """Return where the whole value is downloaded."""
    return address("namespace-file", session.pk, name, at=at)


def last_turn(session: Session, event: SessionEvent | None) -> tuple[Json | None, Marks]:
    """Return what the panel of the last turn prints, and the marks that it leaves in the trees."""
    if event is None:
        return None, {}
    changed = event.data["changed"]
    rows = changed_rows(changed)
    shown = {
        "sequence": event.sequence,
        "address": address("session-event", session.pk, event.sequence),
        "turn": event.data["turn"],
        "message": event.data["message"],
        "at": moment_of_ms(event.created_at_ms),
        "by": who(event.actor),
        "rows": rows,
        "left": len(changed) - len(rows),
    }
    marks: Marks = {}
    for each in changed:
        was = inline(each["before"], INLINE_CHARS // 4) if "before" in each else None
        # Of several changes of one place the first knows what stood there before the turn.
        marks.setdefault(each["namespace"], {}).setdefault(each["path"], Mark(was))
    return shown, marks


def diagnostic_rows(diagnostics: Iterable[WireDiagnostic]) -> list[DiagnosticRow]:
    return [
        DiagnosticRow(
            state=severity_state(str(each.get("severity", "warning"))),
            message=cut(str(each.get("message", "")), INLINE_CHARS).shown,
            code=str(each.get("code", "")),
            path=str(each.get("path") or "")[:INLINE_CHARS],
            rule=str(each.get("ruleId") or ""),
        )
        for each in list(diagnostics)[:SHOWN_DIAGNOSTICS]
    ]


def _panel(session: Session, name: str, namespace: Namespace, tree: Tree) -> NamespacePanel:
    definition = namespace.definition
    return NamespacePanel(
        name=name,
        title=definition.title[:INLINE_CHARS],
        description=cut(definition.description or "", INLINE_CHARS),
        revision=namespace.revision,
        mode=definition.update_mode.value,
        mode_words=MODES[definition.update_mode],
        rule_count=len(definition.rules),
        steps=tree.steps(namespace.value),
        setup=diagnostic_rows(namespace.setup),
        last_commit=diagnostic_rows(namespace.last_commit),
        value_address=address("namespace-value", session.pk, name),
        definition_address=address("namespace-definition", session.pk, name),
        reset_address=address("namespace-reset", session.pk, name),
        delete_address=address("namespace-delete", session.pk, name),
    )
