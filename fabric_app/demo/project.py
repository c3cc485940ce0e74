"""The demo's small real project: a token service with tests, stage by stage, in a git history where git is there.

A stage holds the files that one commit changes (`stages/<number>-<name>/`).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

STAGES = Path(__file__).parent / "stages"
GIT_SECONDS = 30
AUTHOR = ("-c", "user.name=Maya Lindqvist", "-c", "user.email=maya@example.invalid", "-c", "commit.gpgsign=false")


class Project:
    """A working copy in `folder`, which is made anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._git = shutil.which("git")
        self._run("init", "-q", "-b", "main")

    def apply(self, stage: str, message: str) -> None:
        """Write a stage's files over the working copy and commit them."""
        shutil.copytree(STAGES / stage, self.folder, dirs_exist_ok=True)
        self.commit(message)

    def replace(self, file: str, old: str, new: str, message: str) -> None:
        """Edit one file in place and commit it; `old` has to be there."""
        path = self.folder / file
        text = path.read_text()
        if old not in text:
            raise ValueError(f"{file} does not hold {old!r}")
        path.write_text(text.replace(old, new))
        self.commit(message)

    def commit(self, message: str) -> None:
        self._run("add", "-A")
        self._run("commit", "-q", "-m", message)

    def _run(self, *arguments: str) -> None:
        if self._git is not None:
            subprocess.run(
                [self._git, *AUTHOR, *arguments],
                cwd=self.folder,
                check=True,
                timeout=GIT_SECONDS,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
