"""Every row that is stored of one session, to be held against itself later."""

from __future__ import annotations

import uuid
from typing import Any

from sessions_app.models import Entity, Message, Namespace, Session, SessionEvent, Snapshot, Turn, Variant

OF_A_SESSION = (SessionEvent, Message, Turn, Entity, Snapshot, Namespace)


def stored_rows(session_id: uuid.UUID) -> dict[str, list[dict[str, Any]]]:
    """Return every column of every row by table; the drafts of refused commits are nothing to rely on."""
    found = {model.__name__: model._default_manager.filter(session_id=session_id) for model in OF_A_SESSION}
    found["Session"] = Session.objects.filter(pk=session_id)
    found["Variant"] = Variant.objects.filter(message__session_id=session_id)
    return {name: list(rows.order_by("pk").values()) for name, rows in found.items()}
