"""Reports fail closed, and no event outgrows the log, whatever the texts are."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_app.mesh.texts import cut_text
from fabric_app.protocol import events, verification
from fabric_app.protocol.bounds import (
    ENVELOPE_BYTES,
    EVENT_OUTPUT_BYTES,
    EVENT_TEXT_BYTES,
    MAX_EVENT_BYTES,
    OUTPUT_BYTES,
    RESULT_TEXT_BYTES,
    cut_escaped,
    escaped_length,
)
from fabric_app.protocol.certificates import event_certificate
from fabric_app.protocol.digests import NOTHING, canonical, digest
from fabric_app.protocol.heads import HeadIdentity
from fabric_app.protocol.records import TransitionRecord
from fabric_app.protocol.verification import NOT_RUN, CommandOutcome, Status, assess, command_result, report
from tests.protocol.strategies import long_texts

CONFIRMED = CommandOutcome(status=Status.CONFIRMED, exit_code=0, output="ok", output_bytes=2)
VIOLATED = CommandOutcome(status=Status.VIOLATED, exit_code=7)
HEAD = HeadIdentity(transition_id="t1", label="a", to="one", version=2)


def record(number: int = 1, *, evidence: tuple[str, ...] = ("true",), text: str = "claim") -> TransitionRecord:
    return TransitionRecord(
        transition_id=f"t{number}", sequence=number, label=f"l{text}", to=f"to{text}", summary=text, evidence=evidence
    )


outcomes = st.sampled_from([CONFIRMED, CONFIRMED, CONFIRMED, VIOLATED, NOT_RUN])
evidence_lists = st.lists(st.lists(st.sampled_from(["true", "exit 7"]), max_size=3), max_size=4)


class TestAssessing:
    @given(evidence_lists, st.lists(outcomes, max_size=12), st.booleans(), st.none() | st.just("worker lost"))
    @settings(max_examples=300, deadline=None)
    def test_certified_means_at_least_one_result_and_all_confirmed(
        self, evidence: list[list[str]], drawn: list[CommandOutcome], labels_given: bool, run_error: str | None
    ) -> None:
        targets = [record(number, evidence=tuple(commands)) for number, commands in enumerate(evidence, start=1)]
        count = len(verification.commands_of(targets))

        shown = report(assess(targets, drawn[:count], labels_given=labels_given, run_error=run_error))

        confirmed = [result["status"] == "confirmed" for result in shown["results"]]
        everything_ran = count > 0 and all(evidence) and all(confirmed) and run_error is None
        assert len(confirmed) == count
        assert shown["certified"] is everything_ran
        assert shown["violated"] is not shown["certified"]
        assert shown["certificationStatus"] == ("certified" if shown["certified"] else "failed")
        assert (shown["failures"] == []) is shown["certified"]

    def test_failures_come_in_their_order(self) -> None:
        targets = [record(1, evidence=()), record(2, evidence=("exit 7", "sleep 9", "true"))]
        stopped = CommandOutcome(status=Status.ERROR, exit_code=None, error="timeout after 5ms")

        shown = report(assess(targets, [VIOLATED, stopped, CONFIRMED], labels_given=True))

        assert [list(failure) for failure in shown["failures"]] == [
            ["reason", "message", "transitionId", "label"],
            ["reason", "message", "command", "status", "exitCode"],
            ["reason", "message", "command", "status", "exitCode", "error"],
        ]
        assert [failure["reason"] for failure in shown["failures"]] == [
            "missing-evidence",
            "nonzero-exit",
            "execution-error",
        ]

    def test_commands_that_never_ran_fail_with_the_digest_of_nothing(self) -> None:
        shown = report(assess([record(evidence=("true", "true"))], [CONFIRMED], labels_given=False))

        assert shown["certified"] is False
        assert shown["results"][1]["error"] == "aborted before execution"
        assert shown["results"][1]["outputDigest"] == "sha256:" + sha256(b"").hexdigest() == NOTHING

    def test_a_certificate_that_could_not_be_published_is_none(self) -> None:
        passed = assess([record()], [CONFIRMED], labels_given=False)

        failed = verification.with_reporting_failure(passed, "disk full")

        shown = report(failed, certificate={"any": 1}, reporting_error="disk full")
        assert (shown["certified"], shown["reportingError"]) == (False, "disk full")
        assert "certificate" not in shown
        assert shown["failures"][-1]["reason"] == "reporting-error"
        assert shown["resultDigest"] != passed.result_digest

    def test_a_result_has_its_members_in_order_and_within_bounds(self) -> None:
        noisy = CommandOutcome(
            status=Status.ERROR, exit_code=None, output="\u20ac" * 20_000, output_bytes=60_000, error="e" * 9_000
        )

        result = command_result("c" * 9_000, "x" * 9_000, noisy)

        assert list(result) == [
            "claim", "claimDigest", "claimOmittedBytes", "command", "commandDigest", "commandOmittedBytes",
            "status", "exitCode", "output", "outputBytes", "outputOmittedBytes", "outputDigest",
            "error", "errorDigest", "errorOmittedBytes",
        ]  # fmt: skip
        assert {len(result[name]) for name in ("claim", "command", "error")} == {RESULT_TEXT_BYTES}
        assert len(result["output"].encode()) == OUTPUT_BYTES - OUTPUT_BYTES % 3
        assert result["outputOmittedBytes"] == 60_000 - len(result["output"].encode())
        assert result["claimDigest"] == digest("c" * 9_000)


class TestWritingEvents:
    def test_plain_texts_are_cut_at_the_documented_bytes(self) -> None:
        loud = CommandOutcome(status=Status.VIOLATED, exit_code=1, output="o" * 5_000, output_bytes=5_000)
        failed = assess([record(text="s" * 9_000)], [loud], labels_given=False)

        (data,) = events.violated_data(failed, HEAD, ts=1)

        (result,) = data["results"]
        assert len(result["claim"]) == EVENT_TEXT_BYTES
        assert result["claimOmittedBytes"] == 9_000 - EVENT_TEXT_BYTES
        assert (len(result["output"]), result["outputOmittedBytes"]) == (EVENT_OUTPUT_BYTES, 904)
        assert result["commandOmittedBytes"] == 0

    def test_seventeen_targets_take_two_events_and_results_stand_in_the_first(self) -> None:
        targets = [record(number) for number in range(1, 18)]
        failed = assess(targets, [VIOLATED] * 17, labels_given=True)

        first, second = events.violated_data(failed, None, ts=1)

        assert [len(data["targets"]) for data in (first, second)] == [16, 1]
        assert [len(data["results"]) for data in (first, second)] == [8, 0]
        assert first["omittedResultCount"] == second["omittedResultCount"] == 9
        assert second["targetChunk"] == {"index": 1, "count": 2}

    def test_a_rejection_lists_eight_deleted_keys_an_event(self) -> None:
        deleted = [(f"state/complexity/{number}.ts", number) for number in range(1, 10)]

        first, second = events.rejected_data("t1", "CODE: why", ts=1, deleted=deleted, errors=["e"] * 9)

        assert [len(data["rollback"]["deleted"]) for data in (first, second)] == [8, 1]
        assert [len(data["rollback"]["errors"]) for data in (first, second)] == [8, 0]
        assert first["rollback"]["omittedErrorCount"] == second["rollback"]["omittedErrorCount"] == 1
        assert (first["rollback"]["restored"], first["quarantine"]) == (False, True)

    def test_a_repair_of_huge_heads_names_them_by_digest(self) -> None:
        huge = {"label": "x" * 200_000}

        data = events.repaired_data(action="restore", reason="r", before=huge, after={"label": "a"}, actor="maya")
        larger = events.repaired_data(action="restore", reason="r", before=huge, after=huge, actor="maya")

        assert data["before"] == huge
        assert larger["before"] == {"digest": digest(huge), "bytes": len(canonical(huge))}

    @given(long_texts(), long_texts(), st.integers(0, 20))
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    def test_no_event_outgrows_the_log(self, text: str, output: str, count: int) -> None:
        targets = [
            record(number, evidence=(text, text) if number % 3 else (), text=text) for number in range(1, count + 1)
        ]
        head = HeadIdentity(transition_id="t1", label=text, to=text, version=2)
        loud = CommandOutcome(Status.ERROR, None, output[:32_000], 99_999, 0, NOTHING, error=text)
        failed = assess(targets, [loud] * len(verification.commands_of(targets)), labels_given=True, run_error=text)

        written: list[Any] = [
            *events.violated_data(failed, head, ts=1),
            *(events.certified_data(failed, head, ts=1) if targets else ()),
            *events.rejected_data("t1", text, ts=1, deleted=[("k" * 256, 1)] * 9, errors=[text] * 9),
            events.goal_met_data(text, loud),
            events.repaired_data(action="restore", reason=text, before=text, after={"a": text}, actor="maya"),
        ]

        assert all(len(canonical(data)) <= MAX_EVENT_BYTES - ENVELOPE_BYTES for data in written)

    @given(st.sampled_from([16_384, 65_536, 262_144]), st.sampled_from(["\x00", '"', "\u20ac"]))
    @settings(max_examples=9, deadline=None)
    def test_targets_that_were_cut_still_certify_the_head(self, most: int, character: str) -> None:
        target = record(text=character * 4_000)
        head = HeadIdentity(target.transition_id, target.label, target.to, version=2)
        passed = assess([target], [CONFIRMED], labels_given=False)

        (data,) = events.certified_data(passed, head, ts=1, max_event_bytes=most)

        event = {"id": "e1", "sequence": 1, "kind": "state.certified", "data": data}
        certificate = event_certificate(event)
        assert certificate is not None
        assert certificate.covers(head)
        assert head.equals_json(certificate.head)
        assert len(canonical(data)) <= most - ENVELOPE_BYTES


class TestCutting:
    @given(long_texts(most=300), st.integers(0, 400))
    @settings(max_examples=200, deadline=None)
    def test_a_cut_is_the_longest_prefix_of_whole_characters(self, text: str, limit: int) -> None:
        kept, omitted = cut_text(text, limit)

        size = len(kept.encode("utf-8", "surrogatepass"))
        assert text.startswith(kept)
        assert size <= limit
        assert size + omitted == len(text.encode("utf-8", "surrogatepass"))
        following = text[len(kept) : len(kept) + 1]
        assert not following or size + len(following.encode("utf-8", "surrogatepass")) > limit

    @given(long_texts(most=300), st.integers(0, 400))
    @settings(max_examples=200, deadline=None)
    def test_an_escaped_cut_is_measured_as_the_canonical_form(self, text: str, limit: int) -> None:
        kept, _ = cut_escaped(text, limit)

        assert escaped_length(kept) == len(canonical(kept)) - 2 <= limit
