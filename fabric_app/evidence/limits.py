"""Limits of a run of evidence commands: plain values, handed in by the caller who reads the settings."""

from __future__ import annotations

from dataclasses import dataclass

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM")


@dataclass(frozen=True)
class RunLimits:
    """What one run may use. `None` leaves the limit of the worker process as it is; none is ever raised above it.

    output_prefix_bytes: size of the retained output of a command, in bytes of UTF-8.
    drain_seconds: how long shell and output pipe may take to close after a kill.
    max_processes: processes of the user that runs the command (no limit for root); the others are per process.
    run_as_user: login name; needs a worker that runs as root.
    environment_allow: names of the variables that reach a command; every other one is left out.
    """

    output_prefix_bytes: int = 32_768
    drain_seconds: float = 1.0
    max_processes: int | None = None
    max_memory_bytes: int | None = None
    max_file_bytes: int | None = None
    max_cpu_seconds: int | None = None
    max_open_files: int | None = None
    run_as_user: str | None = None
    environment_allow: tuple[str, ...] = PASSED_ON

    def resource_limits(self) -> dict[str, int]:
        """Return the limits that are set, by the name of their constant in the module `resource`."""
        named = {
            "RLIMIT_NPROC": self.max_processes,
            "RLIMIT_AS": self.max_memory_bytes,
            "RLIMIT_FSIZE": self.max_file_bytes,
            "RLIMIT_CPU": self.max_cpu_seconds,
            "RLIMIT_NOFILE": self.max_open_files,
        }
        return {name: value for name, value in named.items() if value is not None}
