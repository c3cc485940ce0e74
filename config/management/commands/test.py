"""`manage.py test`: lint, types, import contracts, migrations, then pytest. With arguments: pytest alone with them."""

from __future__ import annotations

import importlib.util
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

TOOLS = Path(sys.executable).parent
CHECKS = (
    ("lint", [str(TOOLS / "ruff"), "check", "."]),
    ("format", [str(TOOLS / "ruff"), "format", "--check", "."]),
    ("types", [sys.executable, "-m", "mypy"]),
    ("import contracts", [str(TOOLS / "lint-imports"), "--no-cache"]),
    ("migrations", [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]),
)
PYTEST = [sys.executable, "-m", "pytest"]


class Command(BaseCommand):
    help = "Check and test everything; with arguments, run pytest alone with them."
    requires_system_checks = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """Take the arguments as they are: they are pytest's, not ours."""
        if not importlib.util.find_spec("pytest"):
            raise SystemExit("The test tools are not in this environment. Run: python3 manage.py test")
        sys.exit(self.handle(arguments=argv[2:]))

    def handle(self, *args: Any, **options: Any) -> int:  # type: ignore[override]  # an exit status, not a text
        arguments: list[str] = options["arguments"]
        if not (settings.BASE_DIR / "tests").is_dir():
            raise CommandError("There are no tests here.")
        with tempfile.TemporaryDirectory(prefix="statehouse-test-") as home:
            environment = _environment(home)
            failed = [] if arguments else [name for name, argv in CHECKS if not _passes(name, argv, environment)]
            if failed:
                print(f"--- failed before the tests: {', '.join(failed)}", flush=True)
            status = subprocess.run([*PYTEST, *arguments], cwd=settings.BASE_DIR, env=environment, check=False)
        return status.returncode or int(bool(failed))


def _environment(home: str) -> dict[str, str]:
    """Return the caller's environment with a home and a secret key of this run's own, where none were given."""
    own = {"STATEHOUSE_HOME": home, "SECRET_KEY": secrets.token_urlsafe(50)}
    # pytest's own setting names the test settings; the one that manage.py set would go before it.
    return {name: value for name, value in (own | os.environ).items() if name != "DJANGO_SETTINGS_MODULE"}


def _passes(name: str, argv: list[str], environment: dict[str, str]) -> bool:
    print(f"--- {name}", flush=True)
    return subprocess.run(argv, cwd=settings.BASE_DIR, env=environment, check=False).returncode == 0
