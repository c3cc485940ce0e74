"""The admin: every model to look at, nothing to edit; repairs, grants and revocations go through operations.

Django looks for this package by name; importing its modules registers them.
"""

from fabric_app.admin import log_rows, projections, runs, site, tokens, workspaces

__all__ = ["log_rows", "projections", "runs", "site", "tokens", "workspaces"]
