"""`state.get`, `state.history` and `state.complexity`, from indexed rows.

Source: state layer, "Actions"; fabric 5, 6.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings

from fabric_app.certificate_rows import certificates_of, recent_certificates
from fabric_app.counting import all_ledgers, count_now, ledgers_of, recorded_counts, recorded_deltas
from fabric_app.mesh.keys import live_entry
from fabric_app.mesh.models import Workspace
from fabric_app.protocol.arguments import ComplexityArguments, HistoryArguments
from fabric_app.protocol.bounds import RECENT_CERTIFICATES, RECENT_LABEL_TRANSITIONS
from fabric_app.protocol.complexity import comparison
from fabric_app.protocol.heads import Quarantined
from fabric_app.protocol.reads import Listed, Reading, head_json, last_net_delta
from fabric_app.protocol.records import record_json
from fabric_app.protocol.views import View
from fabric_app.state_keys import GOAL_KEY
from fabric_app.stored_heads import HeadReading, read_head
from fabric_app.transition_rows import Scope, Shown, last_with_delta, newest_of, page_of, scope_of

Json = dict[str, Any]


def current_state(workspace: Workspace) -> Json:
    """Return `{head, quarantine, goal, complexity, certification, recentLabels}`.

    A head that cannot be trusted is null, and `quarantine` says why; labels are those of the newest active transitions.
    """
    head = read_head(workspace.id)
    scope = scope_of(workspace.id, head, include_archived=False)
    listed = recent_certificates(scope, count=RECENT_CERTIFICATES, scanned=settings.STATEHOUSE["MAX_READ_EVENTS"])
    newest = newest_of(scope, RECENT_LABEL_TRANSITIONS)
    read = _reading(scope, newest, listed)
    overlay = read.head_overlay
    goal = live_entry(workspace.id, GOAL_KEY)
    return {
        "head": None if head.identity is None else head_json(head.value, head.version, overlay),
        "quarantine": quarantine_json(head),
        "goal": goal.value if goal else None,
        "complexity": _complexity_totals(workspace, scope),
        "certification": {
            "current": overlay.certificate if overlay else None,
            "recent": [each.as_json() for each in listed],
        },
        "recentLabels": read.view.labels_of(read.view.records),
    }


def history(
    workspace: Workspace, arguments: HistoryArguments, *, after: int | None = None, page: int | None = None
) -> Json:
    """Return `{transitions, labels, certifications, next}`: the oldest that match, after a sequence if one is given.

    page: the most to return; `limit` and the server's own bound hold beside it. `next`: the sequence to go on after,
    null where nothing follows.
    """
    bound = settings.STATEHOUSE["MAX_READ_EVENTS"]
    size = min(given for given in (arguments.limit, page, bound) if given is not None)
    scope = scope_of(workspace.id, read_head(workspace.id), include_archived=arguments.include_archived)
    shown, is_more = page_of(scope, label=arguments.label, after=after or 0, size=size)
    listed = certificates_of(scope, shown, limit=bound)
    read = _reading(scope, shown, listed)
    records = read.view.records
    return {
        "transitions": [record_json(record, read.overlay(record)) for record in records],
        "labels": read.view.labels_of(records),
        "certifications": [each.as_json() for each in listed if each.certificate.target_ids & read.view.ids],
        "next": records[-1].sequence if is_more else None,
    }


def complexity(workspace: Workspace, arguments: ComplexityArguments) -> Json:
    """Return `{files, netDelta}`: the files' counts now beside their ledgers; every file with a ledger by default.

    Raises the errors of counting; RootNotVisible where this process does not see the files.
    """
    ledgers = all_ledgers(workspace.id) if arguments.files is None else {}
    files = list(ledgers) if arguments.files is None else list(arguments.files)
    if not files:
        return {"files": [], "netDelta": 0}
    counts = count_now(workspace, files)
    if arguments.files is not None:
        ledgers = ledgers_of(workspace.id, [found.file for found in counts if found.supported])
    return comparison(counts, recorded_counts(ledgers), recorded_deltas(ledgers))


def quarantine_json(head: HeadReading) -> Json | None:
    """Return why a stored head is not trusted: `{reason, explanation, version}`, or None."""
    if not isinstance(head.status, Quarantined):
        return None
    return {
        "reason": head.status.reason.value,
        "explanation": head.status.explanation,
        "version": head.version,
    }


def _reading(scope: Scope, shown: list[Shown], listed: tuple[Listed, ...]) -> Reading:
    by_sequence = {each.certificate.sequence: each.certificate.certificate_id for each in listed}
    outcomes = {
        each.record.transition_id: by_sequence[each.certified_by]
        for each in shown
        if each.certified_by is not None and each.certified_by in by_sequence
    }
    view = View(tuple(each.record for each in shown), hidden_from=scope.hidden_from)
    return Reading(view, scope.head.identity, listed, outcomes)


def _complexity_totals(workspace: Workspace, scope: Scope) -> Json:
    counts = recorded_counts(all_ledgers(workspace.id))
    last = last_with_delta(scope)
    return {
        "files": len(counts),
        "decisionPoints": sum(counts.values()),
        "lastNetDelta": last_net_delta([last] if last else []),
    }
