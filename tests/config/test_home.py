"""The home is private and its secret is made once, whoever comes at the same time."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from config.home import HomeIsTaken, only_one_up, prepare_home


class TestPreparingTheHome:
    def test_only_its_owner_can_enter_and_read(self, tmp_path):
        home = tmp_path / "home"

        is_new = prepare_home(home, secret_file=home / "secret-key", folders=(home / "broker",))

        assert is_new
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "secret-key").stat().st_mode) == 0o600
        assert len((home / "secret-key").read_text().strip()) >= 50

    def test_a_second_time_changes_nothing(self, tmp_path):
        prepare_home(tmp_path, secret_file=tmp_path / "secret-key", folders=())
        secret = (tmp_path / "secret-key").read_text()

        is_new = prepare_home(tmp_path, secret_file=tmp_path / "secret-key", folders=())

        assert not is_new
        assert (tmp_path / "secret-key").read_text() == secret

    def test_of_many_at_once_one_makes_the_secret(self, tmp_path):
        def prepare(_: int) -> bool:
            return prepare_home(tmp_path, secret_file=tmp_path / "secret-key", folders=())

        with ThreadPoolExecutor(16) as pool:
            made = list(pool.map(prepare, range(64)))

        assert made.count(True) == 1
        assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


class TestHoldingTheHome:
    def test_a_second_one_is_refused_until_the_first_lets_go(self, tmp_path):
        with only_one_up(tmp_path), pytest.raises(HomeIsTaken), only_one_up(tmp_path):
            pass

        with only_one_up(tmp_path):
            pass
