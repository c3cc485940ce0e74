"""What a file brings, whatever its kind: texts for a session, a world book, and a namespace of initial variables.

| kind | brings |
|---|---|
| card | a greeting with its alternatives, the book, the namespace of its MVU variables |
| world info | a book, and the namespace where it has MVU variables |
| chat | messages with their variants |
| session | a whole session's document |

Source: rp.state users, "The files people bring".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from fabric_app.mesh.strict_json import MAX_DEPTH, loads
from sessions_app.importers.books import ImportedBook
from sessions_app.importers.cards import ImportedCard, read_card
from sessions_app.importers.chat import ImportedMessage, read_chat
from sessions_app.importers.detect import FileKind, kind_of
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS, ImportLimits
from sessions_app.importers.mvu import ImportedNamespace, has_variables, read_mvu
from sessions_app.importers.mvu_documents import Source
from sessions_app.importers.mvu_remarks import Remark
from sessions_app.importers.report import Notice
from sessions_app.importers.world_info import read_world_info_file
from sessions_app.protocol.events import Role
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.text import is_blank, trimmed

Json = dict[str, Any]
TITLE_CHARS = 200
# A document's values nest inside of events, and schemas twice as deep as they say.
DOCUMENT_DEPTH = MAX_DEPTH * 3


@dataclass(frozen=True)
class Brought:
    """The content of a file. `document` is there for a session alone; `notices` tell what could not be carried over."""

    kind: FileKind
    title: str
    namespace: ImportedNamespace | None = None
    book: ImportedBook | None = None
    messages: tuple[ImportedMessage, ...] = ()
    document: Any = None
    notices: tuple[Json, ...] = ()

    def summary(self) -> Json:
        """Return what would come in, for a preview."""
        namespace = None if self.namespace is None else self.namespace.as_json()
        book = None
        if self.book is not None:
            book = {"title": self.book_title, "entries": self.book.wire_entries()}
        return {
            "kind": self.kind.value,
            "title": self.title,
            "namespace": namespace,
            "book": book,
            "messages": len(self.messages),
            "notices": list(self.notices),
        }

    @property
    def book_title(self) -> str:
        name = "" if self.book is None else trimmed(self.book.name)
        return _line(name) or self.title


def read_file(
    content: bytes, filename: str, *, limits: Limits, file_limits: ImportLimits = DEFAULT_IMPORT_LIMITS
) -> Brought:
    """Return what a file brings. filename: gives a title where the file has none.

    Raises ImportRefused and its kind, InvalidJSON for a session's document, and what MVU variables are refused for.
    """
    kind = kind_of(content, filename, file_limits)
    if kind is FileKind.SESSION:
        document = loads(content, max_depth=DOCUMENT_DEPTH, integers_as_doubles=True)
        return Brought(kind, _title("", filename), document=document)
    if kind is FileKind.CHAT:
        return _chat(content, filename, file_limits)
    if kind is FileKind.CARD:
        return _card(content, filename, limits, file_limits)
    book, report = read_world_info_file(content, file_limits)
    title = _title(book.name, filename)
    namespace, remarks = _variables(_sources(book), title, limits)
    return Brought(kind, title, namespace, book, notices=_notices(report, remarks))


def _chat(content: bytes, filename: str, limits: ImportLimits) -> Brought:
    chat, report = read_chat(content, limits)
    title = _title(chat.character_name, filename)
    return Brought(FileKind.CHAT, title, messages=chat.messages, notices=_notices(report, ()))


def _card(content: bytes, filename: str, limits: Limits, file_limits: ImportLimits) -> Brought:
    card, report = read_card(content, filename, file_limits)
    title = _title(card.name, filename)
    sources = [*_sources(card.book), *(Source(name, text) for name, text in card.texts())]
    namespace, remarks = _variables(sources, title, limits)
    return Brought(
        FileKind.CARD, title, namespace, card.book, _greeting(card, title), notices=_notices(report, remarks)
    )


def _greeting(card: ImportedCard, title: str) -> tuple[ImportedMessage, ...]:
    variants = tuple(text for text in (card.first_message, *card.alternate_greetings) if not is_blank(text))
    if not variants:
        return ()
    return (ImportedMessage(Role.ASSISTANT, title, variants[0], variants, 0, ""),)


def _sources(book: ImportedBook | None) -> list[Source]:
    return [] if book is None else [Source(entry.title, entry.content) for entry in book.entries]


def _variables(
    sources: list[Source], title: str, limits: Limits
) -> tuple[ImportedNamespace | None, tuple[Remark, ...]]:
    if not has_variables(sources):
        return None, ()
    return read_mvu(sources, limits, title=title)


def _notices(report: Iterable[Notice], remarks: Iterable[Remark]) -> tuple[Json, ...]:
    told = [notice.as_json() for notice in report]
    for remark in remarks:
        place = {"path": remark.path or ""} | ({} if remark.source is None else {"source": remark.source})
        told.append({**remark.as_diagnostic(), **place})
    return tuple(told)


def _title(name: str, filename: str) -> str:
    return _line(name) or _line(PurePath(filename).stem) or "Imported"


def _line(text: str) -> str:
    return trimmed(text.replace("\0", " "))[:TITLE_CHARS]
