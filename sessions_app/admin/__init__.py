"""The admin of the sessions: every model to look at, nothing to edit; repairs go through operations.

Django looks for this package by name; importing its modules registers them.
"""

from sessions_app.admin import books, rows, sessions

__all__ = ["books", "rows", "sessions"]
