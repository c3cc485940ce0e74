"""What commands print: a flood costs no memory and fails nothing, and bytes that are no text are kept and shown."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psutil
import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fabric_app.models import RunStatus, Workspace
from fabric_app.operations.accounts import issue_token
from fabric_app.queries import mesh_read
from tests.factories import move
from tests.people import client_with
from tests.runs.conftest import verified

MEBIBYTE = 1024 * 1024
FLOOD_BYTES = 2_000_000_000
KEPT_BYTES = 32_768
LOOK_SECONDS = 0.02


class Peak:
    """The most memory that this process had while it was watched, in bytes."""

    def __init__(self) -> None:
        self.bytes = 0


@contextmanager
def watched() -> Iterator[Peak]:
    """Look at this process's resident memory, again and again, for the length of the block."""
    process, peak, is_over = psutil.Process(), Peak(), threading.Event()

    def look() -> None:
        while not is_over.wait(LOOK_SECONDS):
            peak.bytes = max(peak.bytes, process.memory_info().rss)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peak
    finally:
        is_over.set()
        watcher.join()


class TestAFlood:
    @pytest.mark.timeout(120)
    def test_is_confirmed_counted_to_the_byte_and_not_kept_in_memory(self, workspace: Workspace) -> None:
        move(workspace, "warm", "warm", evidence=["head -c 20000000 /dev/zero"])
        verified(workspace)
        move(workspace, "flood", "flooded", evidence=[f"head -c {FLOOD_BYTES} /dev/zero"])
        before = psutil.Process().memory_info().rss

        with watched() as peak:
            run = verified(workspace)

        [result] = run.report["results"]
        assert (run.status, result["status"]) == (RunStatus.CONFIRMED, "confirmed")
        assert result["outputBytes"] == FLOOD_BYTES
        assert result["outputOmittedBytes"] == FLOOD_BYTES - KEPT_BYTES
        assert peak.bytes - before < 20 * MEBIBYTE


class TestBytesThatAreNoText:
    def test_are_confirmed_and_read_back_wherever_they_are_shown(self, workspace: Workspace) -> None:
        move(workspace, "rotation", "locked", evidence=[r"printf '\362\n'; exit 0"])
        olga = get_user_model().objects.create_superuser("olga")
        _, secret = issue_token(user=olga, name="t", expires_in=timedelta(days=1), now=timezone.now())
        api, browser = client_with(secret), Client()
        browser.force_login(olga)

        run = verified(workspace)

        [result] = run.report["results"]
        assert (run.status, result["output"]) == (RunStatus.CONFIRMED, "\ufffd\n")
        assert result["outputDigest"] == f"sha256:{hashlib.sha256(bytes([0o362, 10])).hexdigest()}"
        here = f"/api/v1/runs/{run.pk}/"
        assert api.get(here).json()["report"] == run.report
        assert b"".join(api.get(f"{here}output/").streaming_content) == bytes([0o362, 10])
        assert api.get(f"{here}entries/").status_code == 200
        assert api.get("/api/v1/workspaces/harbour/transitions/").json()["certifications"]
        assert browser.get(reverse("admin:fabric_app_run_change", args=[run.pk])).status_code == 200
        [entry] = run.entries.filter(kind="output")
        shown = browser.get(reverse("admin:fabric_app_runentry_change", args=[entry.pk])).content.decode()
        assert "\ufffd" in shown

    def test_of_a_failure_are_in_the_violation_too(self, workspace: Workspace) -> None:
        move(workspace, "rotation", "locked", evidence=[r"printf '\362\n\000\033'; exit 1"])

        run = verified(workspace)

        assert run.status == RunStatus.VIOLATED
        violated = mesh_read(workspace, topic="fabric.state", limit=100)[-1]
        assert violated["kind"] == "state.violated"
        assert violated["data"]["results"][0]["output"] == "\ufffd\n\0\x1b"
