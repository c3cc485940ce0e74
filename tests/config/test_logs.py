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


FAIL = """
import logging
from config.logs import configure
configure({"format": "%s", "level": "INFO"})
def refuse(token):
    raise RuntimeError("refused")
try:
    refuse("".join(["sh_", "never-", "shown"]))
except RuntimeError:
    logging.getLogger("theirs").exception("it failed")
"""


def lines(form: str, program: str = SPEAK) -> list[str]:
    spoken = subprocess.run(
        [sys.executable, "-c", program % form], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
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

    @pytest.mark.parametrize("form", ["json", "console"])
    def test_a_failure_is_told_with_its_place_and_without_what_was_in_hand(self, form):
        told = "\n".join(lines(form, FAIL))

        assert "RuntimeError" in told
        assert "refuse" in told
        assert "never-shown" not in told

    def test_an_unknown_form_is_refused_by_name(self):
        with pytest.raises(ValueError, match="STATEHOUSE_LOG_FORMAT"):
            configure({"format": "xml", "level": "INFO"})
