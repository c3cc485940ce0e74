"""Importing a file with a preview: what it would bring, what could not be carried over, and then the import itself.

The file is chosen once and sent twice: no copy of it waits on the server. What is confirmed is bound to what was shown:
another file, or a session that moved since, shows its own preview first.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.canonical import digest_bytes
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError, VersionConflict
from fabric_app.mesh.http.forms import text
from fabric_app.mesh.http.pages import address, page, problem_of, show
from fabric_app.mesh.http.uploads import takes_files
from fabric_app.mesh.http.values import moment_of_ms, size
from sessions_app.access import ADD, ADD_BOOK, CORRECT, require_everywhere
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS
from sessions_app.models import Session
from sessions_app.operations.imports import import_file, import_into_session, preview_import
from sessions_app.pages.changes_view import groups_of
from sessions_app.pages.doors import PLACE, by_whom, in_session, number_in, on, readable
from sessions_app.pages.printing import INLINE_CHARS, Text, cut, pretty
from sessions_app.pages.states import severity_state
from sessions_app.pages.trees import Budget, Tree
from sessions_app.queries import settled

Json = dict[str, Any]
METHODS = ["GET", "HEAD", "POST"]
SHOWN_ENTRIES = 30
SHOWN_NOTICES = 60
TREE_STEPS = 120
KINDS = {
    "card": "a character card",
    "world-info": "a world book",
    "chat": "a chat",
    "session": "an exported session",
}


@dataclass(frozen=True)
class Upload:
    """A file as it was sent, with the digest that names its content."""

    content: bytes
    name: str
    digest: str


@takes_files(DEFAULT_IMPORT_LIMITS.file_bytes)
@page
@require_http_methods(METHODS)
def importing(request: HttpRequest) -> HttpResponse:
    """Show the form of an import, the preview of a file, or import it as a session or book of its own."""
    require_everywhere(request.user, ADD)
    require_everywhere(request.user, ADD_BOOK)
    if request.method != "POST":
        return _form(request, None)
    upload, preview = None, None
    try:
        upload = _upload(request)
        preview = preview_import(content=upload.content, filename=upload.name)
        if not _is_confirmed(request, upload):
            return _form(request, None, preview=_shown(preview), upload=upload)
        made = import_file(
            content=upload.content,
            filename=upload.name,
            title=text(request.POST, "title").strip() or None,
            user=request.user,
            **by_whom(request),
        )
    except StatehouseError as error:
        return _form(request, None, preview=_shown(preview), upload=upload, error=error)
    notices.success(request, _told(made))
    if made["session"] is not None:
        return redirect("session", made["session"])
    return redirect("world-book", made["book"])


@takes_files(DEFAULT_IMPORT_LIMITS.file_bytes)
@page
@require_http_methods(METHODS)
def into_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show the same for a session that lives already; what comes in is owned by a visible note of the host."""
    session = readable(request, session_id, CORRECT)
    if request.method != "POST":
        return _form(request, session)
    upload, preview = None, None
    try:
        upload = _upload(request)
        session, preview = settled(session, lambda session: _preview_into(session, upload))
        if not _is_confirmed(request, upload):
            return _form(request, session, preview=_shown(preview), upload=upload)
        made = import_into_session(
            content=upload.content,
            filename=upload.name,
            user=request.user,
            expected_version=number_in(request, "version"),
            **on(request, session),
        )
    except StatehouseError as error:
        return _form(request, session, preview=_shown(preview), upload=upload, error=error)
    notices.success(request, _told(made))
    return redirect("session", session.pk)


def _preview_into(session: Session, upload: Upload) -> Json:
    return preview_import(content=upload.content, filename=upload.name, session=session)


def _upload(request: HttpRequest) -> Upload:
    """Return the file that was sent. Raises InvalidArguments."""
    file, limit = request.FILES.get("file"), DEFAULT_IMPORT_LIMITS.file_bytes
    if file is None:
        raise InvalidArguments([Problem("/file", "required", "Choose a file.")])
    if (file.size or 0) > limit:
        raise InvalidArguments([Problem("/file", "too_long", f"It has more than {size(limit)}.")])
    content = file.read()
    return Upload(content, str(file.name or ""), digest_bytes(content))


def _is_confirmed(request: HttpRequest, upload: Upload) -> bool:
    return "import" in request.POST and request.POST.get("previewed") == upload.digest


def _form(
    request: HttpRequest,
    session: Session | None,
    *,
    preview: Json | None = None,
    upload: Upload | None = None,
    error: StatehouseError | None = None,
) -> HttpResponse:
    into = {} if session is None else in_session(request, session, "session-settings")
    context = {
        **into,
        "title": "Import" if session is None else f"Import into {session.title}",
        "place": PLACE,
        "problem": None if error is None else problem_of(error),
        "is_moved": isinstance(error, VersionConflict),
        "is_other_file": error is None and "import" in request.POST,
        "preview": preview,
        "upload": upload,
        "here": address("session-import") if session is None else address("session-import-into", session.pk),
        "typed_title": text(request.POST, "title"),
        "limit": size(DEFAULT_IMPORT_LIMITS.file_bytes),
    }
    status = 200 if error is None else error.status
    if request.htmx and not request.htmx.history_restore_request:  # type: ignore[attr-defined]  # django_htmx's
        # htmx shows answers that are no errors: the sentence is in the part.
        return render(request, "sessions_app/parts/import_preview.html", context)
    return show(request, "sessions_app/import", context, status=status)


def _shown(told: Json | None) -> Json | None:
    """Return what a preview prints, cut to what a page can bear."""
    if told is None:
        return None
    return {
        "kind": told["kind"],
        "kind_words": KINDS.get(told["kind"], told["kind"]),
        "title": told["title"],
        "messages": told["messages"],
        "namespace": _namespace(told["namespace"]),
        "book": _book(told["book"]),
        "notices": [_notice(each) for each in told["notices"][:SHOWN_NOTICES]],
        "left_notices": max(len(told["notices"]) - SHOWN_NOTICES, 0),
        "session": _session(told.get("session")),
        "groups": groups_of(told.get("changes", [])),
        "version": told.get("version"),
    }


def _namespace(told: Json | None) -> Json | None:
    if told is None:
        return None
    tree = Tree(lambda _path, _start: "", "", budget=Budget(TREE_STEPS))
    return {
        "name": told["namespace"],
        "steps": tree.steps(told["initialValue"]),
        "definition": pretty(told["definition"], most=8_000),
        "rules": len(told["definition"]["rules"]),
    }


def _book(told: Json | None) -> Json | None:
    if told is None or not told["entries"]:
        return None
    entries = told["entries"]
    shown = [
        (each["title"] or f"entry {each['id']}", cut(", ".join(each["keys"]), INLINE_CHARS).shown)
        for each in entries[:SHOWN_ENTRIES]
    ]
    return {
        "title": told["title"],
        "count": len(entries),
        "entries": shown,
        "left": max(len(entries) - SHOWN_ENTRIES, 0),
    }


def _notice(told: Json) -> Json:
    message: Text = cut(str(told.get("message", "")), INLINE_CHARS)
    return {
        "state": severity_state(str(told.get("severity", "warning"))),
        "message": message.shown,
        "path": str(told.get("path", ""))[:INLINE_CHARS],
        "count": told.get("count", 1),
    }


def _session(told: Json | None) -> Json | None:
    if told is None:
        return None
    return {**told, "first_at": moment_of_ms(told["firstAtMs"]), "last_at": moment_of_ms(told["lastAtMs"])}


def _told(made: Json) -> str:
    count = len(made["notices"])
    return f"Imported, with {count} remark{'' if count == 1 else 's'} as previewed." if count else "Imported."
