"""The folder broker hands over each message once and whole; Redis that is away is noticed soon."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from django.conf import settings
from kombu import Connection

from config import broker

MESSAGES = 300
SENDERS = READERS = 4
CLOSED_PORT = "redis://127.0.0.1:1/0"
PUBLISH = """
import time
from kombu.exceptions import OperationalError
from config.celery import app
begun = time.monotonic()
try:
    app.send_task("nothing", queue="evidence.default")
except OperationalError:
    print(time.monotonic() - begun)
"""


def connect(folder: Path) -> Connection:
    return Connection("folder://localhost/", transport_options=broker.folder_options(folder))


class TestSendingByFolder:
    def test_many_senders_and_readers_pass_each_message_once_and_whole(self, tmp_path):
        payloads = [{"id": number, "text": "x" * (number * 50)} for number in range(MESSAGES)]

        def send(share: list[dict]) -> None:
            with connect(tmp_path) as connection, connection.SimpleQueue("evidence.default") as queue:
                for payload in share:
                    queue.put(payload)

        def read(_: int) -> list[dict]:
            received = []
            with connect(tmp_path) as connection, connection.SimpleQueue("evidence.default") as queue:
                while len(received) < MESSAGES:
                    try:
                        message = queue.get(timeout=1.5)
                    except Empty:
                        break
                    message.ack()
                    received.append(message.payload)
            return received

        with ThreadPoolExecutor(SENDERS + READERS) as pool:
            readers = [pool.submit(read, number) for number in range(READERS)]
            list(pool.map(send, [payloads[start::SENDERS] for start in range(SENDERS)]))
            received = [payload for reader in readers for payload in reader.result()]

        assert sorted(received, key=lambda payload: payload["id"]) == payloads
        assert not list((tmp_path / "claimed").iterdir())

    def test_a_queue_is_not_served_with_anothers_messages(self, tmp_path):
        with connect(tmp_path) as connection:
            connection.SimpleQueue("evidence.gpu").put({"for": "gpu"})

            with pytest.raises(Empty):
                connection.SimpleQueue("evidence.default").get(timeout=0.2)


class TestSweepingClaims:
    def test_old_ones_go_and_young_ones_stay(self, tmp_path):
        claimed = tmp_path / "claimed"
        claimed.mkdir()
        (claimed / "old.q.msg").touch()
        (claimed / "young.q.msg").touch()
        now = time.time()
        os.utime(claimed / "old.q.msg", (now - 7200, now - 7200))

        gone = broker.sweep_claims(tmp_path, now=now)

        assert gone == 1
        assert [file.name for file in claimed.iterdir()] == ["young.q.msg"]


class TestReachability:
    def test_a_folder_that_can_be_made_is_reachable(self, tmp_path):
        assert broker.is_reachable("", tmp_path / "not" / "yet")

    def test_redis_that_is_away_is_not(self, tmp_path):
        assert not broker.is_reachable(CLOSED_PORT, tmp_path)

    @pytest.mark.redis
    def test_redis_that_answers_is(self, tmp_path):
        assert broker.is_reachable(settings.REDIS_URL, tmp_path)


class TestSendingWithoutRedis:
    def test_it_fails_soon_and_says_so(self):
        environment = os.environ | {"REDIS_URL": CLOSED_PORT, "DJANGO_SETTINGS_MODULE": "config.settings"}

        sent = subprocess.run(
            [sys.executable, "-c", PUBLISH],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

        assert float(sent.stdout) < 2.5
