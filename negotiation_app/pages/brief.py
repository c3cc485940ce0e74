"""The brief: to read, to print and to download; and the audit bundle."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.http.pages import page, show
from fabric_app.mesh.http.values import moment
from negotiation_app.bundles import bundle_of
from negotiation_app.pages.doors import in_negotiation, readable
from negotiation_app.pages.position import batna_row, issue_row, strategy_row
from negotiation_app.pages.registers import criterion_row, ledger_rows, proposition_row, review_row
from negotiation_app.protocol.brief import brief
from negotiation_app.queries import state_document


@page
@require_safe
def brief_page(request: HttpRequest, ref: str) -> HttpResponse:
    """Show the brief; the print view is the same page on paper."""
    held = readable(request, ref)
    now = timezone.now()
    state = state_document(held.row, now=now)
    propositions = [proposition_row(state, name) for name in state["propositions"]]
    context = {
        **in_negotiation(request, held, "negotiation-brief"),
        "at": moment(now),
        "parties": state["parties"].values(),
        "issues": [issue_row(state, issue) for issue in state["issues"]],
        "batna": batna_row(state),
        "strategy": strategy_row(state),
        "contradictions": [
            {"ref": name, "members": [proposition_row(state, each) for each in row["members"]]}
            for name, row in state["contradictions"].items()
            if row["status"] == "OPEN"
        ],
        "ledger": ledger_rows(held.row, state),
        "criteria": [criterion_row(name, row) for name, row in state["criteria"].items()],
        "reviews": [review_row(state, name, row) for name, row in state["reviews"].items()],
        "propositions": [row for row in propositions if not row["is_superseded"]],
    }
    return show(request, "negotiation_app/brief", context)


@page
@require_safe
def markdown(request: HttpRequest, ref: str) -> HttpResponse:
    """Send the brief as Markdown."""
    held = readable(request, ref)
    text = brief(state_document(held.row, now=timezone.now()))
    return _attached(text, f"{ref}-brief.md", "text/markdown; charset=utf-8")


@page
@require_safe
def bundle(request: HttpRequest, ref: str) -> HttpResponse:
    """Send the audit bundle, which `manage.py verify_bundle` proves."""
    held = readable(request, ref)
    text = dumps(bundle_of(held.row, now=timezone.now()))
    return _attached(text, f"{ref}-bundle.json", "application/json")


def _attached(text: str, filename: str, content_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Cache-Control": "no-store"}
    return HttpResponse(text.encode("utf-8", "replace"), content_type=content_type, headers=headers)
