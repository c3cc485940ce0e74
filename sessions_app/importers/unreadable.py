"""What a reader of YAML, loose JSON or TOML says of a text that it refuses; the importer adds which source it was."""

from __future__ import annotations


class Unreadable(Exception):  # noqa: N818, RUF100 - becomes a typed refusal or a notice, and is never seen from outside
    """A text is refused; `line` and `column` count from 1, and are None where no one place is at fault."""

    def __init__(self, detail: str, line: int | None = None, column: int | None = None) -> None:
        self.detail = detail
        self.line = line
        self.column = column
        super().__init__(self.sentence())

    def sentence(self) -> str:
        if self.line is None:
            return self.detail
        column = "" if self.column is None else f", column {self.column}"
        return f"Line {self.line}{column}: {self.detail}"
