"""What is in quarantine, decided by an operator: released or skipped for good, previewed and with a reason."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.http.pages import address, page
from sessions_app.access import REPAIR
from sessions_app.operations import quarantine
from sessions_app.pages.acts import Act, act_page
from sessions_app.pages.doors import on, readable


@page
@require_http_methods(["GET", "HEAD", "POST"])
def release(request: HttpRequest, session_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Show what releasing an entity would change, or release it."""
    session = readable(request, session_id, REPAIR)

    def carry_out(version: int, reason: str) -> str:
        quarantine.release_from_quarantine(
            sequence=sequence, reason=reason, expected_version=version, **on(request, session)
        )
        return address("session", session.pk)

    act = Act(
        title=f"Release entity {sequence}",
        explains="It is tried again at its old place, and what stands after it is run again.",
        button="Release it",
        done=f"Entity {sequence} counts again.",
        preview=lambda session: quarantine.preview_release(session=session, sequence=sequence),
        carry_out=carry_out,
        needs_reason=True,
        is_grave=False,
    )
    return act_page(request, session, act)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def skip(request: HttpRequest, session_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Show that an entity would never count again, or set it aside."""
    session = readable(request, session_id, REPAIR)

    def carry_out(version: int, reason: str) -> str:
        quarantine.skip_quarantined(sequence=sequence, reason=reason, expected_version=version, **on(request, session))
        return address("session", session.pk)

    act = Act(
        title=f"Skip entity {sequence}",
        explains="It never counts again, and needs nobody's attention. The log keeps it.",
        button="Skip it for good",
        done=f"Entity {sequence} is set aside.",
        preview=lambda session: quarantine.preview_skip(session=session, sequence=sequence),
        carry_out=carry_out,
        needs_reason=True,
    )
    return act_page(request, session, act)
