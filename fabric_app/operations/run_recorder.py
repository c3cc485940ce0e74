"""What a worker tells of a run while it executes it: output, progress, and that it lives.

- Entries are gathered and stored together, soon enough for a reader to see them live and rarely enough not to slow the
  commands down. Past the bound of stored output nothing but progress is stored.
- Every store is a heartbeat and asks whether the run was cancelled; while nothing happens both are done now and then.
- A run that was taken away ends it all: `RunTakenAway` passes through.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.utils import timezone

from fabric_app.evidence.outcome import CommandOutcome
from fabric_app.models import Run, RunEntryKind, RunStatus
from fabric_app.operations.run_entries import NewEntry, RunTakenAway, add_entries, status_entry
from fabric_app.operations.run_output import StoredOutput
from fabric_app.operations.run_plan import Command

CANCEL_ACKNOWLEDGED = "cancel acknowledged"
FLUSH_SECONDS = 0.025
# Storing may take this share of the time at most: after a slow store the next one waits.
PAUSE_FACTOR = 4
FLUSH_BYTES = 512 * 1024
HEARTBEAT_SECONDS = 2.0
LOOK_SECONDS = 0.3
# Progress is told five times a second at first, and less often the longer a run takes.
PROGRESS_SECONDS = 0.2
SLOWEST_PROGRESS_SECONDS = 5.0


class RunRecorder:
    """Records a claimed run; its methods are the hooks of the runner. Times inside are those of `time.monotonic`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._output = StoredOutput(settings.STATEHOUSE["RUN_STORED_OUTPUT_BYTES"])
        self._entries: list[NewEntry] = []
        self._index = 0
        self._is_cancelled = False
        self._told_cut = False
        self._told_cancel = False
        self._told_bytes = 0
        self._started_at = self._stored_at = self._looked_at = self._progress_at = time.monotonic()
        self._next_flush_at = self._stored_at

    def command_started(self, index: int, command: Command) -> None:
        """index: from 1."""
        self._index = index
        self._entries.append(NewEntry(RunEntryKind.COMMAND_STARTED, index, {**command.as_json(), **self._progress()}))
        self._flush_if_due()

    def output(self, chunk: bytes) -> None:
        self._output.feed(chunk)
        self._flush_if_due()

    def command_finished(self, outcome: CommandOutcome) -> None:
        self._take_output(is_end=True)
        told = {
            "status": str(outcome.status),
            "exitCode": outcome.exit_code,
            "error": outcome.error,
            "outputBytes": outcome.output_bytes,
            "outputDigest": outcome.output_digest,
            "durationMs": outcome.duration_ms,
        }
        shown = {name: value for name, value in told.items() if value is not None}
        self._entries.append(NewEntry(RunEntryKind.COMMAND_FINISHED, self._index, shown))
        self._flush_if_due()

    def is_cancelled(self) -> bool:
        """Store what is due, and tell whether somebody cancelled the run. Raises RunTakenAway."""
        self._flush_if_due()
        now = time.monotonic()
        if now - self._stored_at >= HEARTBEAT_SECONDS:
            self.flush()
        elif now - self._looked_at >= LOOK_SECONDS:
            self._look()
        if self._is_cancelled and not self._told_cancel:
            self._told_cancel = True
            self._entries.append(status_entry(CANCEL_ACKNOWLEDGED))
        return self._is_cancelled

    def flush(self) -> None:
        """Store everything that is gathered, at once. Raises RunTakenAway."""
        self._take_output(is_end=False)
        self._tell_progress()
        before = time.monotonic()
        entries, self._entries = self._entries, []
        self._is_cancelled |= add_entries(
            self._run.pk,
            entries,
            worker=self._run.worker,
            now=timezone.now(),
            output_bytes=self._output.total_bytes,
            command_index=self._index,
        )
        self._stored_at = self._looked_at = time.monotonic()
        self._next_flush_at = self._stored_at + max(FLUSH_SECONDS, PAUSE_FACTOR * (self._stored_at - before))

    def _flush_if_due(self) -> None:
        now = time.monotonic()
        if self._output.pending_bytes >= FLUSH_BYTES or (now >= self._next_flush_at and self._has_news(now)):
            self.flush()

    def _has_news(self, now: float) -> bool:
        return bool(self._entries) or self._output.pending_bytes > 0 or self._is_progress_due(now)

    def _look(self) -> None:
        """Ask whether the run is still ours and wanted."""
        worker, status, cancel_requested_at = Run.objects.values_list("worker", "status", "cancel_requested_at").get(
            pk=self._run.pk
        )
        if (worker, status) != (self._run.worker, RunStatus.RUNNING):
            raise RunTakenAway
        self._looked_at = time.monotonic()
        self._is_cancelled |= cancel_requested_at is not None

    def _take_output(self, *, is_end: bool) -> None:
        for piece in self._output.pieces(is_end=is_end):
            self._entries.append(NewEntry(RunEntryKind.OUTPUT, self._index, output=piece))
        if self._output.is_cut and not self._told_cut:
            self._told_cut = True
            limit = settings.STATEHOUSE["RUN_STORED_OUTPUT_BYTES"]
            self._entries.append(NewEntry(RunEntryKind.OUTPUT, self._index, {"omittedAfterBytes": limit}))

    def _is_progress_due(self, now: float) -> bool:
        if self._output.total_bytes == self._told_bytes:
            return False
        pace = (now - self._started_at) / 50
        return now - self._progress_at >= max(PROGRESS_SECONDS, min(pace, SLOWEST_PROGRESS_SECONDS))

    def _tell_progress(self) -> None:
        now = time.monotonic()
        if self._is_progress_due(now):
            self._progress_at, self._told_bytes = now, self._output.total_bytes
            self._entries.append(NewEntry(RunEntryKind.PROGRESS, self._index, self._progress()))

    def _progress(self) -> dict[str, int]:
        return {
            "commandIndex": self._index,
            "commandCount": self._run.command_count,
            "outputBytes": self._output.total_bytes,
            "elapsedMs": round((time.monotonic() - self._started_at) * 1000),
        }
