"""One line an event, as JSON or for people, ours and libraries' alike."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from django.conf import settings

from config.logs import configure

SPEAK = """
import logging, structlog
from config.logs import configure
configure({"format": "%s", "level": "INFO"})
structlog.contextvars.bind_contextvars(request_id="r1")
structlog.get_logger("ours").info("committed", sequence=7)
logging.getLogger("theirs").warning("slow %%s", "query")
logging.getLogger("theirs").debug("not asked for")
"""


def lines(form: str) -> list[str]:
    spoken = subprocess.run(
        [sys.executable, "-c", SPEAK % form], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    return spoken.stderr.splitlines()


class TestLines:
    def test_json_has_the_same_members_whoever_speaks(self):
        ours, theirs = map(json.loads, lines("json"))

        assert (ours["event"], ours["sequence"], ours["request_id"], ours["level"]) == ("committed", 7, "r1", "info")
        assert (theirs["event"], theirs["logger"], theirs["request_id"]) == ("slow query", "theirs", "r1")

    def test_people_get_one_line_an_event(self):
        ours, theirs = lines("console")

        assert "committed" in ours
        assert "slow query" in theirs

    def test_an_unknown_form_is_refused_by_name(self):
        with pytest.raises(ValueError, match="STATEHOUSE_LOG_FORMAT"):
            configure({"format": "xml", "level": "INFO"})
