"""The admin of the negotiations: every model to look at, nothing to edit; repairs go through operations.

Django looks for this package by name; importing its modules registers them.
"""

from negotiation_app.admin import beside, history, negotiations

__all__ = ["beside", "history", "negotiations"]
