"""The product's settings in a home folder and with a key that belong to this test run.

The environment is filled in before the settings read it, so that processes which tests start see the same home.
Whatever the caller set (`DATABASE_URL`, `REDIS_URL`, `STATEHOUSE_HOME`, ...) is left as it is.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path


def _own_home() -> str:
    """Make a folder for this run and see that it goes when the process that made it ends."""
    home, owner = tempfile.mkdtemp(prefix="statehouse-test-"), os.getpid()
    atexit.register(lambda: shutil.rmtree(home, ignore_errors=True) if os.getpid() == owner else None)
    return home


if "STATEHOUSE_HOME" not in os.environ:
    os.environ["STATEHOUSE_HOME"] = _own_home()
Path(os.environ["STATEHOUSE_HOME"]).mkdir(parents=True, exist_ok=True)
os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
os.environ.setdefault("STATEHOUSE_LOG_LEVEL", "WARNING")

from config.settings import *  # noqa: E402, F403  # the environment has to be complete first

# Signing people in is not what these tests measure.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
