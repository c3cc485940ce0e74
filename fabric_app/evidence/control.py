"""The owner's end of the guard: start it, talk to it over its control socket, end it.

`guard.py` says what the messages are. The guard gets a clean environment, no descriptors but its socket, and a session
of its own, so that no signal meant for the worker's group reaches it. Every wait has a limit.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GUARD_FILE = Path(__file__).with_name("guard.py")
RECEIVE_BYTES = 65_536
SEND_SECONDS = 5.0
# Longer than the guard's own last sweep.
END_SECONDS = 7.0


@dataclass(frozen=True)
class Message:
    """One message of the guard; `descriptor` is the read end of the output pipe, with "started" alone."""

    event: str
    values: dict[str, Any]
    descriptor: int | None = None


class GuardLost(Exception):
    """The guard died or does not answer; nothing more can be run by it."""


class Guard:
    """A running guard process and the socket to it."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.socket, far_end = socket.socketpair()
        with far_end:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD_FILE)],
                stdin=far_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict[str, str](),
                cwd="/",
                start_new_session=True,
            )
        self.socket.settimeout(SEND_SECONDS)
        self._received = bytearray()
        self._setup = setup
        self._configured = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: dict[str, Any]) -> None:
        """Send one message; the first is preceded by the configuration. Raises GuardLost."""
        messages = [message] if self._configured else [self._setup, message]
        self._configured = True
        try:
            self.socket.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        except OSError as error:
            raise GuardLost from error

    def receive(self) -> list[Message]:
        """Return the messages that are there, once the socket is readable. Raises GuardLost at its end."""
        try:
            chunk, descriptors, _, _ = socket.recv_fds(self.socket, RECEIVE_BYTES, maxfds=1)
        except OSError as error:
            raise GuardLost from error
        if not chunk:
            raise GuardLost
        self._received += chunk
        *lines, rest = bytes(self._received).split(b"\n")
        self._received = bytearray(rest)
        return [self._message(line, descriptors) for line in lines]

    def end(self) -> None:
        """Close the socket, upon which the guard kills what it started, and wait for its end."""
        self.socket.close()
        self._wait()

    def abandon(self) -> None:
        """End a guard that is lost: its surviving half kills what was started."""
        self.socket.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.send_signal(signal.SIGCONT)  # a command may have stopped it
        self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @staticmethod
    def _message(line: bytes, descriptors: list[int]) -> Message:
        values = json.loads(line)
        if values["event"] != "started":
            return Message(values["event"], values)
        if not descriptors:  # this process has no number left for it
            raise GuardLost
        os.set_inheritable(descriptors[0], False)
        return Message(values["event"], values, descriptors[0])
