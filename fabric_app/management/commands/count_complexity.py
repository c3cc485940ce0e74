"""`manage.py count_complexity PATH...`: the decision points of any files, one JSON object a line."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fabric_app.evidence.counting import count_files
from fabric_app.evidence.source_files import normalised
from fabric_app.protocol.complexity import LANGUAGE, FileCount, language_of
from fabric_app.protocol.source_errors import ComplexityFileUnreadable, ComplexityTimeout

MIB = 1024 * 1024
ANYWHERE = Path("/")
BATCH = 200
UNCOUNTED = (ComplexityFileUnreadable, ComplexityTimeout)


@dataclass(frozen=True)
class Limits:
    """What the count of one file may use; see the options of the same names."""

    max_bytes: int
    timeout_seconds: float
    max_memory_bytes: int


class Command(BaseCommand):
    """Prints `{file, supported, language, count}` a file, or `{file, supported, error, reason}`.

    Exits with 1 where a supported file has no count.
    """

    help = "Count the decision points of .ts, .js, .tsx and .jsx files; folders are walked for such files."
    requires_system_checks: list[str] = []  # noqa: RUF012 - declared so by the framework

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", type=Path)
        parser.add_argument("--max-bytes", type=int, default=8 * MIB, help="largest file that is read")
        parser.add_argument("--timeout-seconds", type=float, default=10.0, help="for each file")
        parser.add_argument("--max-memory-bytes", type=int, default=1024 * MIB, help="of the counting process")

    def handle(self, *_args: Any, **options: Any) -> None:
        limits = Limits(options["max_bytes"], options["timeout_seconds"], options["max_memory_bytes"])
        failed = 0
        for line in lines(_files(options["paths"]), limits):
            failed += "error" in line
            self.stdout.write(json.dumps(line))
        if failed:
            raise CommandError(f"{failed} of the files could not be counted.")


def lines(paths: Iterable[Path], limits: Limits) -> Iterator[dict[str, Any]]:
    """Yield the line of each path. Many share a process; where that fails, each gets one of its own."""
    remaining = iter(paths)
    while batch := list(islice(remaining, BATCH)):
        try:
            found = _counted(batch, limits)
        except UNCOUNTED:
            yield from (_line_alone(path, limits) for path in batch)
        else:
            yield from (_line(path, count) for path, count in zip(batch, found, strict=True))


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each file named, and the supported files below each folder named, in the order of their names."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            yield from (Path(folder, name) for name in sorted(names) if language_of(name))


def _counted(paths: Sequence[Path], limits: Limits) -> list[FileCount]:
    """Return a count a path; the root is the whole file system, since whoever runs a command may read it."""
    names = [str(path.absolute()) for path in paths]
    by_name = {found.file: found for found in count_files(ANYWHERE, names, **asdict(limits))}
    return [by_name[name] for [name] in (normalised(ANYWHERE, [name]) for name in names)]


def _line_alone(path: Path, limits: Limits) -> dict[str, Any]:
    try:
        [found] = _counted([path], limits)
    except UNCOUNTED as problem:
        return _failed(path, problem.code, problem.details["reason"])
    return _line(path, found)


def _line(path: Path, found: FileCount) -> dict[str, Any]:
    if not found.supported:
        return {"file": str(path), "supported": False}
    if found.missing:
        return _failed(path, ComplexityFileUnreadable.code, "it does not exist")
    return {"file": str(path), "supported": True, "language": LANGUAGE, "count": found.count}


def _failed(path: Path, code: str, reason: str) -> dict[str, Any]:
    return {"file": str(path), "supported": True, "error": code, "reason": reason}
