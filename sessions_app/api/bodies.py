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
EPOCH = {**VERSION, "type": "integer"}
MOST_NAMED = 10_000
NAMED = {**list_of(NUMBER), "maxItems": MOST_NAMED}
MOST_BOOKS = 64
ROLE = {"type": "string", "enum": [each.value for each in Role]}

NEW_SESSION = taken({"title": TITLE, "bootstrap": ANYTHING}, required=("title",))
SESSION_CHANGE = taken({"title": TITLE, "expectedVersion": VERSION}, required=("title",))
ERASURE = taken({"reason": REASON, "expectedVersion": VERSION}, required=("reason",))
FORK = taken({"title": TITLE, "message": NUMBER}, required=("title",))
NEW_MESSAGE = taken({"role": ROLE, "text": TEXT, "name": TITLE, "hidden": BOOLEAN}, required=("role", "text"))
MESSAGE_CHANGE = taken({"text": TEXT, "expectedVersion": VERSION}, required=("text",))
MESSAGE_REMOVAL = taken({"reason": REASON, "expectedVersion": VERSION})
DELETION = taken({"messages": NAMED, "from": NUMBER, "reason": REASON, "expectedVersion": VERSION})
DELETION_PREVIEW = taken({"messages": NAMED, "from": NUMBER})
NOTHING = taken({})
VERSION_ONLY = taken({"expectedVersion": VERSION})
NEW_TURN = taken({"name": TITLE})
COMMIT = taken(
    {
        "effects": ANYTHING,
        "text": TEXT,
        "epoch": EPOCH,
        "retry": taken({"token": text_up_to(200), "patches": ANYTHING}, required=("token", "patches")),
    }
)
COMMIT_PREVIEW = taken({"effects": ANYTHING, "text": TEXT, "epoch": EPOCH})
CANCELLATION = taken({"text": TEXT, "reason": REASON})
CONFIGURATION = taken(
    {"request": ANYTHING, "turn": NUMBER, "message": NUMBER, "reason": REASON, "expectedVersion": VERSION},
    required=("request",),
)
CONFIGURATION_PREVIEW = taken({"request": ANYTHING}, required=("request",))
REPAIR = taken({"reason": REASON, "expectedVersion": VERSION}, required=("reason",))
CONDITION = taken({"condition": ANYTHING}, required=("condition",))
BOOK_ID = text_up_to(36)
ACTIVATION = taken(
    {"text": text_up_to(200_000), "books": {**list_of(BOOK_ID), "maxItems": MOST_BOOKS}}, required=("text",)
)
ATTACHMENT = taken({"book": BOOK_ID}, required=("book",))
NEW_BOOK = taken({"title": TITLE, "entries": ANYTHING}, required=("title", "entries"))
BOOK_CHANGE = taken({"title": TITLE, "entries": ANYTHING, "expectedVersion": VERSION}, required=("title", "entries"))
