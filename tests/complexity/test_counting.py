"""Counting files of a workspace in a real child process, within its bounds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from fabric_app.evidence.counting import count_files
from fabric_app.protocol.complexity import FileCount
from fabric_app.protocol.source_errors import (
    ComplexityFileUnreadable,
    ComplexityPathOutside,
    ComplexityTimeout,
    RootNotVisible,
)

MIB = 1024 * 1024
# Takes the grammar far longer than any limit here; each level makes the next one dearer.
HOSTILE = "if(a){" * 200_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.ts").write_text("if (a) b();\n")
    (tmp_path / "[id].tsx").write_text("for (;;) { while (a) b(); }\n")
    (tmp_path / "hostile.ts").write_text(HOSTILE)
    return tmp_path


def counted(
    root: Path, *files: str, timeout_seconds: float = 20, max_memory_bytes: int = 512 * MIB, max_bytes: int = 8 * MIB
) -> list[FileCount]:
    return count_files(
        root, files, max_bytes=max_bytes, timeout_seconds=timeout_seconds, max_memory_bytes=max_memory_bytes
    )


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


class TestCountFiles:
    def test_each_file_is_counted_once_in_order(self, root: Path) -> None:
        found = counted(root, "[id].tsx", "./a.ts", "no.py", "a.ts", "gone.js")

        assert found == [
            FileCount(file="[id].tsx", supported=True, count=2),
            FileCount(file="a.ts", supported=True, count=1),
            FileCount(file="no.py", supported=False, count=None),
            FileCount(file="gone.js", supported=True, count=None, missing=True),
        ]

    def test_a_file_larger_than_a_pipe_is_counted(self, root: Path) -> None:
        (root / "large.ts").write_text("if (a) b();\n" * 100_000)

        assert counted(root, "large.ts") == [FileCount(file="large.ts", supported=True, count=100_000)]

    def test_an_empty_file_counts_nothing(self, root: Path) -> None:
        (root / "empty.ts").touch()

        assert counted(root, "empty.ts", "a.ts")[0].count == 0

    def test_no_files_need_no_process(self, root: Path) -> None:
        assert counted(root, timeout_seconds=0) == []
        assert counted(root, "no.py", timeout_seconds=0) == [FileCount("no.py", supported=False, count=None)]

    def test_every_unreadable_file_is_named(self, root: Path) -> None:
        (root / "folder.ts").mkdir()
        os.mkfifo(root / "pipe.ts")

        with pytest.raises(ComplexityFileUnreadable) as refused:
            counted(root, "folder.ts", "a.ts", "pipe.ts")

        assert [problem["file"] for problem in refused.value.details["errors"]] == ["folder.ts", "pipe.ts"]
        assert children() == []

    def test_a_path_outside_is_refused(self, root: Path) -> None:
        with pytest.raises(ComplexityPathOutside):
            counted(root, "a.ts", "../a.ts")

    def test_a_root_that_is_not_there_is_not_visible(self, root: Path) -> None:
        for nowhere in (root / "nowhere", root / "a.ts"):
            with pytest.raises(RootNotVisible):
                counted(nowhere, "a.ts")

    def test_calls_side_by_side_do_not_disturb_each_other(self, root: Path) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: counted(root, "a.ts", "[id].tsx"), range(8)))

        assert {tuple(one.count for one in counts) for counts in found} == {(1, 2)}


class TestBounds:
    def test_hostile_nesting_ends_in_time_with_the_name_of_the_file(self, root: Path) -> None:
        began = time.monotonic()

        with pytest.raises(ComplexityTimeout) as stopped:
            counted(root, "a.ts", "hostile.ts", timeout_seconds=1)

        assert stopped.value.details == {"file": "hostile.ts", "reason": "more than 1 s"}
        assert time.monotonic() - began < 5
        assert children() == []

    def test_too_much_memory_ends_the_count_with_the_name_of_the_file(self, root: Path) -> None:
        (root / "large.ts").write_text("if (a) b();\n" * 600_000)

        with pytest.raises(ComplexityTimeout) as stopped:
            counted(root, "large.ts", max_memory_bytes=160 * MIB)

        assert stopped.value.details["file"] == "large.ts"
        assert children() == []

    def test_the_child_ends_in_time_also_when_its_parent_was_killed(self, root: Path) -> None:
        script = (
            "import sys; from pathlib import Path; from fabric_app.evidence.counting import count_files\n"
            "count_files(Path(sys.argv[1]), ['hostile.ts'],"
            " max_bytes=10**7, timeout_seconds=1.5, max_memory_bytes=2**29)"
        )
        parent = subprocess.Popen([sys.executable, "-c", script, str(root)], cwd=Path(__file__).parents[2])
        child = wait_for_child(parent.pid)

        parent.send_signal(signal.SIGKILL)
        parent.wait()

        gone, alive = psutil.wait_procs([child], timeout=10)
        assert (len(gone), alive) == (1, [])

    def test_the_child_sees_no_environment(self, root: Path) -> None:
        with ThreadPoolExecutor(1) as pool:
            counting = pool.submit(counted, root, "hostile.ts", timeout_seconds=1)
            environment = wait_for_child(os.getpid()).environ()

            assert isinstance(counting.exception(), ComplexityTimeout)
        assert "PATH" not in environment


def wait_for_child(pid: int) -> psutil.Process:
    """Return the first child of a process whose own program has begun, waiting at most ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for child in psutil.Process(pid).children():
            if "-I" in child.cmdline():
                return child
        time.sleep(0.02)
    raise AssertionError("no child was started")
