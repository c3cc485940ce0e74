"""Who may do what on a session or a world book: model-level permissions of groups, or object-level grants.

Doors ask here before they call an operation. What an account cannot read does not exist for it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from fabric_app.mesh.access import may, visible
from fabric_app.mesh.errors import NotFound, NotPermitted
from sessions_app.models import Session, WorldBook

READ = "read_session"
WRITE = "write_session"
CONFIGURE = "configure_session"
CORRECT = "correct_session"
ERASE = "erase_session"
REPAIR = "repair_session"
ADD = "add_session"
READ_BOOK, WRITE_BOOK, ADD_BOOK = "read_worldbook", "write_worldbook", "add_worldbook"


def holds(user: Any, permission: str, target: Session | WorldBook) -> bool:
    """Tell whether the account holds a permission (its codename) on a session or book."""
    return may(user, f"sessions_app.{permission}", target)


def visible_sessions(user: Any) -> QuerySet[Session]:
    """Return the sessions that the account can read."""
    return visible(user, f"sessions_app.{READ}", Session)


def visible_books(user: Any) -> QuerySet[WorldBook]:
    """Return the world books that the account can read."""
    return visible(user, f"sessions_app.{READ_BOOK}", WorldBook)


def session_for(user: Any, session_id: uuid.UUID, permission: str = READ) -> Session:
    """Return the session where the account holds the permission. Raises NotFound (unreadable), NotPermitted."""
    session = Session.objects.filter(pk=session_id).first()
    if session is None or not holds(user, READ, session):
        raise NotFound(what="session", name=str(session_id))
    if permission != READ and not holds(user, permission, session):
        raise NotPermitted(permission=permission, target=f"session {session.title}")
    return session


def book_for(user: Any, book_id: uuid.UUID, permission: str = READ_BOOK) -> WorldBook:
    """Return the world book where the account holds the permission. Raises NotFound, NotPermitted."""
    book = WorldBook.objects.filter(pk=book_id).first()
    if book is None or not holds(user, READ_BOOK, book):
        raise NotFound(what="world book", name=str(book_id))
    if permission != READ_BOOK and not holds(user, permission, book):
        raise NotPermitted(permission=permission, target=f"world book {book.title}")
    return book


def require_everywhere(user: Any, permission: str) -> None:
    """Return where the account holds a permission on all sessions or books, such as making one. Raises NotPermitted."""
    if not user.has_perm(f"sessions_app.{permission}"):
        raise NotPermitted(permission=permission, target="sessions and world books")


def reader_of(session: Session) -> Callable[[Any], bool]:
    """Return a question for open streams: may this account, read afresh, still read the session?"""
    session_id = session.pk

    def reads(user: Any) -> bool:
        found = Session.objects.filter(pk=session_id).first()
        return found is not None and holds(user, READ, found)

    return reads
