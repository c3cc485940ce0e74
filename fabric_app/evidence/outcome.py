"""What came of one evidence command: the values that a report, its digests and its events are made of."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Literal

from fabric_app.evidence.output import BoundedOutput

Status = Literal["confirmed", "violated", "error"]

ABORTED = "aborted"
ABORTED_BEFORE_EXECUTION = "aborted before execution"
GUARD_LOST = "guard process lost"
ESCAPED_NOTE = "; a descendant left the process group"


@dataclass(frozen=True)
class CommandOutcome:
    """One command's outcome. `error` is set exactly where `status` is "error"; `exit_code` is None there.

    output: bounded prefix of stdout and stderr together; the three `output_*` describe the whole stream.
    escaped: a descendant outside the process group was still alive when the command was over.
    """

    status: Status
    exit_code: int | None
    output: str
    output_bytes: int
    output_omitted_bytes: int
    output_digest: str
    error: str | None
    duration_ms: int
    escaped: bool


def exited_outcome(code: int, output: BoundedOutput, *, duration_ms: int, escaped: bool) -> CommandOutcome:
    """Return the outcome of a shell that exited by itself: exit 0 confirms, any other code violates."""
    status: Status = "confirmed" if code == 0 else "violated"
    return _outcome(status, code, None, output, duration_ms=duration_ms, escaped=escaped)


def failed_outcome(
    error: str, output: BoundedOutput | None = None, *, duration_ms: int = 0, escaped: bool = False
) -> CommandOutcome:
    """Return the outcome of a command that did not come to an exit code; an escaped descendant is named in the text."""
    text = error + ESCAPED_NOTE if escaped else error
    return _outcome("error", None, text, output or BoundedOutput(), duration_ms=duration_ms, escaped=escaped)


def aborted_outcome() -> CommandOutcome:
    """Return the outcome of a command that never ran, because the run was cancelled before."""
    return failed_outcome(ABORTED_BEFORE_EXECUTION)


def timeout_error(timeout_ms: float) -> str:
    whole = int(timeout_ms)
    return f"timeout after {whole if whole == timeout_ms else timeout_ms}ms"


def signal_error(number: int) -> str:
    known = {member.value: member.name for member in signal.Signals}
    return f"process terminated by signal {known.get(number, f'SIG{number}')}"


def _outcome(
    status: Status, code: int | None, error: str | None, output: BoundedOutput, *, duration_ms: int, escaped: bool
) -> CommandOutcome:
    return CommandOutcome(
        status=status,
        exit_code=code,
        output=output.text,
        output_bytes=output.total_bytes,
        output_omitted_bytes=output.omitted_bytes,
        output_digest=output.digest,
        error=error,
        duration_ms=duration_ms,
        escaped=escaped,
    )
