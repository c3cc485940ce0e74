"""`manage.py count_complexity` on real files, without a database."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

LANGUAGE = "typescript/javascript"


def run(*arguments: str | Path) -> tuple[list[dict[str, Any]], str]:
    """Return the printed lines, and the error that the command ended with."""
    printed, error = io.StringIO(), ""
    try:
        call_command("count_complexity", *map(str, arguments), stdout=printed)
    except CommandError as failure:
        error = str(failure)
    return [json.loads(line) for line in printed.getvalue().splitlines()], error


class TestCountComplexity:
    def test_files_are_printed_as_they_were_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("é b.ts").write_text("if (a) b();")

        lines, error = run("./é b.ts", "c.py", tmp_path / "é b.ts")

        counted = {"supported": True, "language": LANGUAGE, "count": 1}
        assert lines == [
            {"file": "é b.ts", **counted},
            {"file": "c.py", "supported": False},
            {"file": str(tmp_path / "é b.ts"), **counted},
        ]
        assert error == ""

    def test_a_folder_is_walked_for_supported_files(self, tmp_path: Path) -> None:
        for name in ("b/y.tsx", "b/x.js", "a.ts", "z.md"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("while (a) b();")

        lines, error = run(tmp_path)

        assert [Path(line["file"]).name for line in lines] == ["a.ts", "x.js", "y.tsx"]
        assert error == ""

    def test_files_that_cannot_be_counted_have_an_error_and_the_others_a_count(self, tmp_path: Path) -> None:
        (tmp_path / "a.ts").write_text("while (a) b();")
        (tmp_path / "hostile.ts").write_text("if(a){" * 200_000)
        os.mkfifo(tmp_path / "pipe.ts")

        lines, error = run(*(tmp_path / n for n in ("pipe.ts", "gone.ts", "hostile.ts", "a.ts")), "--timeout-seconds=1")

        unreadable = "COMPLEXITY_FILE_UNREADABLE"
        assert [line.get("error") for line in lines] == [unreadable, unreadable, "COMPLEXITY_TIMEOUT", None]
        assert lines[3]["count"] == 1
        assert error == "3 of the files could not be counted."
