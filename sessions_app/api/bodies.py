"""The bodies that the sessions' API takes, as JSON Schemas; `ANYTHING` is left to the protocol to read."""

from __future__ import annotations

from fabric_app.mesh.http.schemas import (
    ANYTHING,
    BOOLEAN,
    SEQUENCE,
    TEXT,
    VERSION,
    list_of,
    taken,
    text_up_to,
)
from sessions_app.models import TITLE_CHARS
from sessions_app.protocol.events import Role

TITLE = text_up_to(TITLE_CHARS)
REASON = text_up_to(4_096)
NUMBER = {**SEQUENCE, "minimum": 1}
ROLE = {"type": "string", "enum": [each.value for each in Role]}

NEW_SESSION = taken({"title": TITLE, "bootstrap": ANYTHING}, required=("title",))
SESSION_CHANGE = taken({"title": TITLE, "expectedVersion": VERSION}, required=("title",))
ERASURE = taken({"reason": REASON, "expectedVersion": VERSION}, required=("reason",))
FORK = taken({"title": TITLE, "message": NUMBER}, required=("title",))
NEW_MESSAGE = taken({"role": ROLE, "text": TEXT, "name": TITLE, "hidden": BOOLEAN}, required=("role", "text"))
MESSAGE_CHANGE = taken({"text": TEXT, "expectedVersion": VERSION}, required=("text",))
DELETION = taken(
    {"messages": {**list_of(NUMBER), "maxItems": 10_000}, "from": NUMBER, "reason": REASON, "expectedVersion": VERSION}
)
DELETION_PREVIEW = taken({"messages": {**list_of(NUMBER), "maxItems": 10_000}, "from": NUMBER})
VERSION_ONLY = taken({"expectedVersion": VERSION})
NEW_TURN = taken({"name": TITLE})
COMMIT = taken(
    {
        "effects": ANYTHING,
        "text": TEXT,
        "epoch": VERSION,
        "retry": taken({"token": text_up_to(200), "patches": ANYTHING}, required=("token", "patches")),
    }
)
COMMIT_PREVIEW = taken({"effects": ANYTHING, "text": TEXT, "epoch": VERSION})
CANCELLATION = taken({"text": TEXT, "reason": REASON})
CONFIGURATION = taken(
    {"request": ANYTHING, "turn": NUMBER, "message": NUMBER, "reason": REASON, "expectedVersion": VERSION},
    required=("request",),
)
CONFIGURATION_PREVIEW = taken({"request": ANYTHING}, required=("request",))
REPAIR = taken({"reason": REASON, "expectedVersion": VERSION}, required=("reason",))
CONDITION = taken({"condition": ANYTHING}, required=("condition",))
ACTIVATION = taken({"text": text_up_to(200_000)}, required=("text",))
ATTACHMENT = taken({"book": text_up_to(36)}, required=("book",))
NEW_BOOK = taken({"title": TITLE, "entries": ANYTHING}, required=("title", "entries"))
BOOK_CHANGE = taken({"title": TITLE, "entries": ANYTHING, "expectedVersion": VERSION}, required=("title", "entries"))
