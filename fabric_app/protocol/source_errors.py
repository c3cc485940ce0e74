"""Errors of reading and counting source files of a workspace."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_app.mesh.errors import StatehouseError


class ComplexityPathOutside(StatehouseError):
    """Names that lead out of the workspace root before any link is followed."""

    code, status = "COMPLEXITY_PATH_OUTSIDE", 400
    message = "Outside the workspace root: {files}. Name files relative to the root."

    def __init__(self, files: Sequence[str]) -> None:
        super().__init__(files=list(files))


class ComplexityFileUnreadable(StatehouseError):
    """Files that cannot be counted: gone without a ledger, not regular, linked out of the root, or too large.

    Takes `(file, reason)` for each; the details name the first as `file` and `reason`, and all as `errors`.
    """

    code, status = "COMPLEXITY_FILE_UNREADABLE", 422
    message = "Cannot count {file!r}: {reason}."

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        file, reason = self.problems[0]
        errors = [{"file": file, "reason": reason} for file, reason in self.problems]
        super().__init__(file=file, reason=reason, errors=errors)


class ComplexityTimeout(StatehouseError):
    """Counting did not end within its bounds of time and memory."""

    code, status = "COMPLEXITY_TIMEOUT", 422
    message = "Counting stopped at {file!r}: {reason}. Leave the file out, or ask an operator to raise the limit."


class RootNotVisible(StatehouseError):
    """This process does not see the workspace's folder."""

    code, status = "ROOT_NOT_VISIBLE", 503
    message = "The workspace root is not visible to the process that answers. Ask an operator where it is served."
