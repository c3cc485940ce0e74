"""What the importers refuse; every error lists all independent problems, each with its place in the file.

A place is a JSON Pointer into the file's JSON; in a chat its first step is `lines`, its second the number of the line,
counted from 1.
"""

from __future__ import annotations

from sessions_app.protocol.errors import ProtocolRefusal


class ImportRefused(ProtocolRefusal):
    """A file cannot be imported; nothing of it is kept."""

    code, status = "IMPORT_REFUSED", 422
    message = "The file cannot be imported: {summary}"


class KindUnknown(ImportRefused):
    """The content is none of the files that can be imported."""

    code, status = "IMPORT_KIND_UNKNOWN", 422
    message = "The file is not known: {summary}"


class JSONUnreadable(ImportRefused):
    """The text of the file is not JSON, or not the part of JSON that is kept without loss."""

    code, status = "IMPORT_JSON_UNREADABLE", 422
    message = "The file's JSON cannot be read: {summary}"


class NotACard(ImportRefused):
    """The content is readable, and is no character card."""

    code, status = "IMPORT_NOT_A_CARD", 422
    message = "This is no character card: {summary}"


class NotAWorldBook(ImportRefused):
    """The content is readable, and is no world book."""

    code, status = "IMPORT_NOT_A_WORLD_BOOK", 422
    message = "This is no world book: {summary}"


class NotAChat(ImportRefused):
    """The content is no chat of one JSON object a line."""

    code, status = "IMPORT_NOT_A_CHAT", 422
    message = "This is no chat: {summary}"


class PictureUnreadable(ImportRefused):
    """A PNG file is damaged, or the text in it is."""

    code, status = "IMPORT_PNG_UNREADABLE", 422
    message = "The picture cannot be read: {summary}"


class ArchiveUnreadable(ImportRefused):
    """A zip archive is damaged, encrypted, or packed in a way that is not read."""

    code, status = "IMPORT_ARCHIVE_UNREADABLE", 422
    message = "The archive cannot be read: {summary}"


class ImportTooLarge(ImportRefused):
    """A file is larger than what is read, as it is or unpacked."""

    code, status = "IMPORT_TOO_LARGE", 413
    message = "The file is too large: {summary}"
