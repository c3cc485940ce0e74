"""Reading source files of a workspace: never outside its root, never blocking, never more than a limit.

A name is judged as text first (`..` and absolute names), then as what it leads to. Links are fine as long
as they end inside the root. The resolved path is opened one folder at a time without following links, so
that a link put there after the check is refused and not followed; what is opened must be a regular file.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from fabric_app.protocol.source_errors import ComplexityFileUnreadable, ComplexityPathOutside

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO that nobody writes to would hold a blocking open for ever.
REGULAR = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
GONE = {errno.ENOENT, errno.ENOTDIR}
OUTSIDE = "it is a link that leads out of the workspace root"


def normalised(root: Path, files: Sequence[str]) -> list[str]:
    """Return the names relative to `root`, with `/`, each once, in order; blank ones are skipped.

    Looks at the text alone. Raises ComplexityPathOutside with every name that leads out of the root.
    """
    base = posixpath.abspath(root)
    relative = {file: posixpath.relpath(posixpath.join(base, file), base) for file in files if file.strip()}
    outside = [file for file, name in relative.items() if name == ".." or name.startswith("../")]
    if outside:
        raise ComplexityPathOutside(outside)
    return list(dict.fromkeys(relative.values()))


def read_source(root: Path, file: str, *, max_bytes: int) -> bytes | None:
    """Return the content of `file`, a name that `normalised` gave, or None where it does not exist.

    Raises ComplexityFileUnreadable for whatever is no regular file inside `root`, is larger than `max_bytes`,
    or cannot be opened.
    """
    try:
        return _read_inside(root, file, max_bytes)
    except OSError as problem:
        if problem.errno in GONE:
            return None
        raise _unreadable(file, os.strerror(problem.errno or errno.EIO)) from problem
    except ValueError as problem:
        raise _unreadable(file, "no file can have this name") from problem


def _read_inside(root: Path, file: str, max_bytes: int) -> bytes:
    base = os.path.realpath(root)
    resolved = os.path.realpath(Path(base, file))
    if os.path.commonpath([base, resolved]) != base:
        raise _unreadable(file, OUTSIDE)
    *folders, name = os.path.relpath(resolved, base).split("/")
    with ExitStack() as stack:
        folder = _opened(stack, base, FOLDER, None)
        for step in folders:
            folder = _opened(stack, step, FOLDER, folder)
        # Looked at before it is opened: to open some devices is to act on them.
        _require_regular(file, os.stat(name, dir_fd=folder, follow_symlinks=False), max_bytes)
        descriptor = _opened(stack, name, REGULAR, folder)
        _require_regular(file, os.fstat(descriptor), max_bytes)
        content = _read_up_to(descriptor, max_bytes + 1)
    if len(content) > max_bytes:
        raise _unreadable(file, _too_large(max_bytes))
    return content


def _opened(stack: ExitStack, path: str, flags: int, folder: int | None) -> int:
    descriptor = os.open(path, flags, dir_fd=folder)
    stack.callback(os.close, descriptor)
    return descriptor


def _require_regular(file: str, found: os.stat_result, max_bytes: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _unreadable(file, "it is not a regular file")
    if found.st_size > max_bytes:
        raise _unreadable(file, _too_large(max_bytes))


def _read_up_to(descriptor: int, limit: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as source:
        return source.read(limit)


def _too_large(max_bytes: int) -> str:
    return f"it is larger than {max_bytes} bytes"


def _unreadable(file: str, reason: str) -> ComplexityFileUnreadable:
    return ComplexityFileUnreadable([(file, reason)])
