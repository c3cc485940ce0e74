"""Addresses of the sessions' API, below `/api/v1/`. Messages, turns and events are named by their numbers."""

from __future__ import annotations

from django.urls import path

from fabric_app.mesh.http import converters  # noqa: F401 - registers `number`
from sessions_app.api import books, history, imports, messages, sessions, state, turns

app_name = "sessions-api"
SESSION = "sessions/<uuid:session_id>/"
MESSAGE = f"{SESSION}messages/<number:number>/"
VARIANT = f"{MESSAGE}variants/<number:variant>/"
TURN = f"{SESSION}turns/<number:number>/"
ENTITY = f"{SESSION}entities/<number:sequence>/"
BOOK = "world-books/<uuid:book_id>/"

urlpatterns = [
    path("sessions/", sessions.Sessions.as_view(), name="sessions"),
    path(SESSION, sessions.OneSession.as_view(), name="session"),
    path(f"{SESSION}fork/", sessions.Fork.as_view(), name="fork"),
    path(f"{SESSION}export/", sessions.Export.as_view(), name="export"),
    path(f"{SESSION}state/", state.State.as_view(), name="state"),
    path(f"{SESSION}reads/", state.Reads.as_view(), name="reads"),
    path(f"{SESSION}contract/", state.Contract.as_view(), name="contract"),
    path(f"{SESSION}conditions/", state.Conditions.as_view(), name="conditions"),
    path(f"{SESSION}activations/", state.Activations.as_view(), name="activations"),
    path(f"{SESSION}messages/", messages.Messages.as_view(), name="messages"),
    path(f"{SESSION}messages/deletion/", messages.Deletion.as_view(), name="deletion"),
    path(f"{SESSION}messages/deletion/preview/", messages.DeletionPreview.as_view(), name="deletion-preview"),
    path(MESSAGE, messages.OneMessage.as_view(), name="message"),
    path(f"{MESSAGE}regeneration/", messages.Regeneration.as_view(), name="regeneration"),
    path(f"{MESSAGE}regeneration/preview/", messages.RegenerationPreview.as_view(), name="regeneration-preview"),
    path(f"{MESSAGE}variants/", messages.Variants.as_view(), name="variants"),
    path(f"{VARIANT}selection/", messages.Selection.as_view(), name="selection"),
    path(f"{VARIANT}selection/preview/", messages.SelectionPreview.as_view(), name="selection-preview"),
    path(f"{SESSION}turns/", turns.Turns.as_view(), name="turns"),
    path(TURN, turns.OneTurn.as_view(), name="turn"),
    path(f"{TURN}commit/", turns.Commit.as_view(), name="commit"),
    path(f"{TURN}commit/preview/", turns.CommitPreview.as_view(), name="commit-preview"),
    path(f"{TURN}cancellation/", turns.Cancellation.as_view(), name="cancellation"),
    path(f"{SESSION}configurations/", turns.Configurations.as_view(), name="configurations"),
    path(f"{SESSION}configurations/preview/", turns.ConfigurationPreview.as_view(), name="configuration-preview"),
    path(f"{SESSION}events/", history.Events.as_view(), name="events"),
    path(f"{SESSION}events/stream/", history.EventTail.as_view(), name="events-stream"),
    path(f"{SESSION}events/<number:sequence>/", history.OneEvent.as_view(), name="event"),
    path(f"{SESSION}entities/", history.Entities.as_view(), name="entities"),
    path(f"{ENTITY}release/", history.Release.as_view(), name="release"),
    path(f"{ENTITY}release/preview/", history.ReleasePreview.as_view(), name="release-preview"),
    path(f"{ENTITY}skip/preview/", history.SkipPreview.as_view(), name="skip-preview"),
    path(f"{ENTITY}skip/", history.Skip.as_view(), name="skip"),
    path(f"{SESSION}books/", books.Attachments.as_view(), name="attachments"),
    path(f"{SESSION}books/<uuid:book_id>/", books.OneAttachment.as_view(), name="attachment"),
    path("session-imports/", imports.Imports.as_view(), name="imports"),
    path("session-imports/preview/", imports.ImportPreview.as_view(), name="import-preview"),
    path("world-books/", books.WorldBooks.as_view(), name="world-books"),
    path(BOOK, books.OneWorldBook.as_view(), name="world-book"),
    path(f"{BOOK}export/", imports.BookExport.as_view(), name="world-book-export"),
    path(f"{BOOK}archive/", books.ArchivedWorldBook.as_view(), name="world-book-archive"),
    path(f"{BOOK}unarchive/", books.UnarchivedWorldBook.as_view(), name="world-book-unarchive"),
]
