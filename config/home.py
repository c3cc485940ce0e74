"""The folder that the embedded product keeps its files in, `STATEHOUSE_HOME`: private, with a secret key made once."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


class HomeIsTaken(Exception):
    """Another `up` runs on this home."""


def prepare_home(home: Path, *, secret_file: Path, folders: tuple[Path, ...]) -> bool:
    """Make the home with its folders and secret key; return whether anything that settings read was new.

    The home can be entered by its owner alone (0700); a home that is open to others is closed.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    home.chmod(0o700)
    made = [_made_folder(folder) for folder in folders]
    return _made_secret(secret_file) or any(made)


@contextmanager
def only_one_up(home: Path) -> Iterator[None]:
    """Hold the home for this process, until it ends in whatever way. Raises HomeIsTaken where another one has it."""
    with (home / "up.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HomeIsTaken from None
        yield


def _made_folder(folder: Path) -> bool:
    if folder.is_dir():
        return False
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return True


def _made_secret(file: Path) -> bool:
    """Write a secret under a name of its own and link it into place: whoever comes second keeps the first one's."""
    if file.exists():
        return False
    temporary = file.with_name(f"{file.name}.{uuid4().hex}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as opened:
        opened.write(secrets.token_urlsafe(50) + "\n")
        opened.flush()
        os.fsync(opened.fileno())
    try:
        file.hardlink_to(temporary)
    except FileExistsError:
        return False
    finally:
        temporary.unlink()
    return True
