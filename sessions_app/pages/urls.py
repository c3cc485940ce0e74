"""Addresses of the pages of sessions and world books."""

from __future__ import annotations

from django.urls import path

from sessions_app.pages import (
    books,
    conditions,
    definitions,
    imports,
    listing,
    messages,
    namespaces,
    past,
    quarantine,
    session,
    session_books,
    sessions,
    timeline,
    turns,
)

SESSION = "sessions/<uuid:session_id>/"
MESSAGE = f"{SESSION}messages/<int:number>/"
TURN = f"{SESSION}turns/<int:number>/"
EVENT = f"{SESSION}events/<int:sequence>/"
NAMESPACE = f"{SESSION}namespaces/<str:name>/"
BOOK = "world-books/<uuid:book_id>/"

urlpatterns = [
    path("sessions/", listing.listing, name="sessions"),
    path("sessions/live/", listing.live, name="sessions-live"),
    path("sessions/new/", sessions.create, name="session-new"),
    path("sessions/import/", imports.importing, name="session-import"),
    path(SESSION, session.session, name="session"),
    path(f"{SESSION}live/", session.live, name="session-live"),
    path(f"{SESSION}messages/", messages.say, name="message-new"),
    path(MESSAGE, messages.one, name="message"),
    path(f"{MESSAGE}edit/", messages.edit, name="message-edit"),
    path(f"{MESSAGE}delete/", messages.delete, name="message-delete"),
    path(f"{MESSAGE}regenerate/", messages.regenerate, name="message-regenerate"),
    path(f"{MESSAGE}variants/", messages.variants, name="message-variants"),
    path(f"{MESSAGE}variants/<int:variant>/", messages.select, name="variant-select"),
    path(f"{SESSION}turns/", turns.begin, name="turn-new"),
    path(TURN, turns.commit, name="turn"),
    path(f"{TURN}cancel/", turns.cancel, name="turn-cancel"),
    path(f"{SESSION}timeline/", timeline.timeline, name="session-timeline"),
    path(f"{SESSION}timeline/download/", timeline.download, name="session-timeline-download"),
    path(EVENT, timeline.event, name="session-event"),
    path(f"{EVENT}file/", timeline.event_file, name="session-event-file"),
    path(f"{EVENT}state/", past.past, name="session-past"),
    path(f"{SESSION}compare/", past.compare, name="session-compare"),
    path(f"{SESSION}new-namespace/", definitions.create, name="namespace-new"),
    path(f"{SESSION}check-definition/", definitions.check, name="definition-check"),
    path(f"{NAMESPACE}value/", namespaces.value, name="namespace-value"),
    path(f"{NAMESPACE}value/file/", namespaces.value_file, name="namespace-file"),
    path(f"{NAMESPACE}correct/", namespaces.correct, name="namespace-correct"),
    path(f"{NAMESPACE}definition/", definitions.definition, name="namespace-definition"),
    path(f"{NAMESPACE}reset/", namespaces.reset, name="namespace-reset"),
    path(f"{NAMESPACE}delete/", namespaces.delete, name="namespace-delete"),
    path(f"{SESSION}conditions/", conditions.playground, name="session-conditions"),
    path(f"{SESSION}books/", session_books.books, name="session-books"),
    path(f"{SESSION}books/attach/", session_books.attach, name="session-book-attach"),
    path(f"{SESSION}books/<uuid:book_id>/detach/", session_books.detach, name="session-book-detach"),
    path(f"{SESSION}entities/<int:sequence>/release/", quarantine.release, name="entity-release"),
    path(f"{SESSION}entities/<int:sequence>/skip/", quarantine.skip, name="entity-skip"),
    path(f"{SESSION}fork/", sessions.fork, name="session-fork"),
    path(f"{SESSION}export/", sessions.export, name="session-export"),
    path(f"{SESSION}settings/", sessions.settings, name="session-settings"),
    path(f"{SESSION}erase/", sessions.erase, name="session-erase"),
    path(f"{SESSION}import/", imports.into_session, name="session-import-into"),
    path("world-books/", books.listing, name="world-books"),
    path("world-books/new/", books.create, name="world-book-new"),
    path(BOOK, books.book, name="world-book"),
    path(f"{BOOK}entry/", books.entry, name="world-book-entry"),
    path(f"{BOOK}check/", books.check, name="world-book-check"),
]
