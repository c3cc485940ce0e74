"""What a command finds when it runs, and what its outcome says."""

from __future__ import annotations

import hashlib
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from fabric_app.evidence.outcome import CommandOutcome, aborted_outcome
from fabric_app.evidence.runner import EvidenceRun

GIBIBYTE = 1 << 30
MEBIBYTE = 1 << 20
C_LIBRARYS_OWN_SIGNALS = 0b11 << 31  # 32 and 33, which no program can send or set
NOTHING = f"sha256:{hashlib.sha256().hexdigest()}"
Runs = Callable[..., EvidenceRun]


class TestOutcome:
    def test_exit_0_confirms(self, run: EvidenceRun) -> None:
        outcome = run.run("printf yes", timeout_ms=5000)

        digest = f"sha256:{hashlib.sha256(b'yes').hexdigest()}"
        assert outcome == CommandOutcome("confirmed", 0, "yes", 3, 0, digest, None, outcome.duration_ms, escaped=False)

    def test_another_exit_code_violates(self, run: EvidenceRun) -> None:
        outcome = run.run("exit 7", timeout_ms=5000)

        assert (outcome.status, outcome.exit_code, outcome.error) == ("violated", 7, None)

    def test_a_signal_that_ends_the_shell_is_an_error(self, run: EvidenceRun) -> None:
        outcome = run.run("kill -TERM $$", timeout_ms=5000)

        assert (outcome.status, outcome.exit_code) == ("error", None)
        assert outcome.error == "process terminated by signal SIGTERM"

    def test_a_signal_that_ends_a_child_of_the_shell_is_an_exit_code(self, run: EvidenceRun) -> None:
        outcome = run.run("sh -c 'kill -KILL $$'; exit $?", timeout_ms=5000)

        assert (outcome.status, outcome.exit_code) == ("violated", 128 + signal.SIGKILL)

    @pytest.mark.parametrize(
        ("command", "error"),
        [
            pytest.param("", "spawn EINVAL", id="empty"),
            pytest.param("echo a\0b", "spawn EINVAL", id="NUL"),
            pytest.param("echo \ud800", "spawn EINVAL", id="lone surrogate"),
            pytest.param(": " + "x" * 131_072, "spawn E2BIG", id="larger than an argument may be"),
        ],
    )
    def test_a_command_that_no_shell_can_take_is_an_error(self, run: EvidenceRun, command: str, error: str) -> None:
        outcome = run.run(command, timeout_ms=5000)
        after = run.run("true", timeout_ms=5000)

        assert outcome.status == "error"
        assert outcome.error is not None
        assert outcome.error.startswith(error)
        assert (outcome.output_digest, after.status) == (NOTHING, "confirmed")

    @pytest.mark.parametrize("limits", [{}, {"max_open_files": 256}], ids=["spawned", "forked"])
    def test_a_missing_folder_is_an_error_for_each_command(
        self, run_with: Runs, tmp_path: Path, limits: dict[str, int]
    ) -> None:
        run = run_with(cwd=tmp_path / "deleted", **limits)

        outcomes = [run.run("true", timeout_ms=5000) for _ in range(2)]

        assert [outcome.status for outcome in outcomes] == ["error", "error"]
        assert str(outcomes[0].error).startswith("spawn ENOENT")

    def test_a_command_that_begins_with_a_dash_is_no_option_of_the_shell(self, run: EvidenceRun) -> None:
        outcome = run.run("-x; exit 5", timeout_ms=5000)

        assert outcome.exit_code == 5

    def test_a_command_that_never_ran_says_so(self) -> None:
        outcome = aborted_outcome()

        assert (outcome.status, outcome.error) == ("error", "aborted before execution")
        assert (outcome.output_digest, outcome.output_bytes) == (NOTHING, 0)

    @pytest.mark.parametrize("timeout_ms", [0, -1, float("nan"), float("inf")])
    def test_a_timeout_that_is_none_is_refused(self, run: EvidenceRun, timeout_ms: float) -> None:
        with pytest.raises(ValueError, match="timeout"):
            run.run("true", timeout_ms=timeout_ms)


class TestSurroundings:
    """Alike whether the shell is spawned, or forked because limits must be set in it."""

    @pytest.fixture(params=[{}, {"max_open_files": 256}], ids=["spawned", "forked"])
    def run(self, run_with: Runs, request: pytest.FixtureRequest) -> EvidenceRun:
        return run_with(**request.param)

    def test_the_folder_is_the_one_that_was_named(self, run: EvidenceRun, tmp_path: Path) -> None:
        assert run.run("pwd -P", timeout_ms=5000).output == f"{tmp_path.resolve()}\n"

    def test_standard_input_is_empty(self, run: EvidenceRun) -> None:
        outcome = run.run("cat; printf end", timeout_ms=5000)

        assert (outcome.status, outcome.output) == ("confirmed", "end")

    def test_only_variables_of_the_allow_list_are_there(self, run_with: Runs) -> None:
        secrets = {"DATABASE_URL": "d", "SECRET_KEY": "s", "CELERY_BROKER_URL": "b", "API_TOKEN": "t"}
        run = run_with(environment={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **secrets})

        names = {line.partition("=")[0] for line in run.run("env", timeout_ms=5000).output.splitlines()}

        assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "LANG"}

    def test_the_guard_itself_has_no_secret_to_show(self, run_with: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_KEY", "well-hidden")
        run = run_with()

        outcome = run.run("cat /proc/$PPID/environ", timeout_ms=5000)

        assert (outcome.status, "well-hidden" in outcome.output) == ("confirmed", False)

    def test_no_descriptor_is_inherited(self, run: EvidenceRun, tmp_path: Path) -> None:
        with (tmp_path / "secret").open("w") as held:
            listing = run.run("ls -l /proc/self/fd | sed -n 's/.* \\([0-9]* -> .*\\)/\\1/p'", timeout_ms=5000)

            assert held.fileno() > 2
        names = [line.split(" -> ")[0] for line in listing.output.splitlines()]
        assert names == ["0", "1", "2", "3"]  # the fourth is the folder that ls reads
        assert "0 -> /dev/null" in listing.output

    def test_signals_have_their_default_effect(self, run: EvidenceRun) -> None:
        status = run.run("cat /proc/self/status", timeout_ms=5000).output

        masks = dict(line.split(":\t", 1) for line in status.splitlines())
        changed = [int(masks[name], 16) & ~C_LIBRARYS_OWN_SIGNALS for name in ("SigBlk", "SigIgn", "SigCgt")]
        assert changed == [0, 0, 0]

    def test_each_command_leads_a_session_of_its_own(self, run: EvidenceRun) -> None:
        command = "set -- $(cut -d' ' -f5,6 /proc/$$/stat); [ $1 = $$ ] && [ $2 = $$ ]"

        assert run.run(command, timeout_ms=5000).status == "confirmed"


class TestOutput:
    def test_one_gibibyte_is_counted_and_hashed_in_little_memory(self, run: EvidenceRun) -> None:
        run.run("true", timeout_ms=5000)
        process, seen, peak = psutil.Process(), 0, 0
        before = process.memory_info().rss

        def look(chunk: bytes) -> None:
            nonlocal seen, peak
            seen += len(chunk)
            if seen % (64 * MEBIBYTE) < len(chunk):
                peak = max(peak, process.memory_info().rss)

        outcome = run.run("head -c 1073741824 /dev/zero", timeout_ms=60_000, on_output=look)

        assert (outcome.status, outcome.output_bytes, seen) == ("confirmed", GIBIBYTE, GIBIBYTE)
        assert outcome.output == "\0" * 32_768
        assert outcome.output_omitted_bytes == GIBIBYTE - 32_768
        assert outcome.output_digest == "sha256:49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14"
        assert peak - before < 20 * MEBIBYTE

    def test_bytes_that_are_no_text_are_replaced_and_hashed_raw(self, run: EvidenceRun) -> None:
        outcome = run.run(r"printf '\362\n\000\377'; exit 0", timeout_ms=5000)

        assert (outcome.status, outcome.output) == ("confirmed", "\ufffd\n\0\ufffd")
        assert outcome.output_digest == f"sha256:{hashlib.sha256(bytes([0o362, 10, 0, 255])).hexdigest()}"

    def test_binary_output_reaches_the_caller_byte_by_byte(self, run: EvidenceRun, tmp_path: Path) -> None:
        payload = bytes(range(256)) * 1000
        (tmp_path / "payload").write_bytes(payload)
        chunks: list[bytes] = []

        outcome = run.run("cat payload", timeout_ms=5000, on_output=chunks.append)

        assert b"".join(chunks) == payload
        assert outcome.output_digest == f"sha256:{hashlib.sha256(payload).hexdigest()}"

    def test_both_streams_go_through_one_pipe_so_that_equal_runs_have_equal_digests(self, run: EvidenceRun) -> None:
        command = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done"

        outcomes = [run.run(command, timeout_ms=5000) for _ in range(10)]

        assert outcomes[0].output.startswith("out 1\nerr 1\nout 2\nerr 2\n")
        assert len({outcome.output_digest for outcome in outcomes}) == 1

    def test_a_child_that_still_writes_after_the_shell_is_waited_for(self, run: EvidenceRun) -> None:
        outcome = run.run("(sleep 0.3; printf late) & printf early-", timeout_ms=5000)

        assert (outcome.status, outcome.output) == ("confirmed", "early-late")

    def test_output_arrives_while_the_command_runs(self, run: EvidenceRun) -> None:
        seen = threading.Event()

        outcome = run.run(
            "printf first; sleep 60", timeout_ms=30_000, on_output=lambda _: seen.set(), cancelled=seen.is_set
        )

        assert (outcome.error, outcome.output) == ("aborted", "first")


class TestManyCommands:
    def test_two_hundred_in_one_run_share_a_guard(self, run: EvidenceRun) -> None:
        parents = {run.run("echo $PPID", timeout_ms=5000).output for _ in range(200)}

        assert len(parents) == 1

    def test_a_run_may_be_held_by_any_thread(self, run_with: Runs) -> None:
        outcomes: list[str] = []

        def work() -> None:
            outcomes.append(run_with().run("sleep 0.1; echo done", timeout_ms=5000).output)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert outcomes == ["done\n"] * 4

    def test_a_closed_run_refuses_commands(self, run: EvidenceRun) -> None:
        run.run("true", timeout_ms=5000)
        run.close()

        with pytest.raises(ValueError, match="closed"):
            run.run("true", timeout_ms=5000)
