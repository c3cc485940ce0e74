"""The product for a bench: a home of its own, on the database that DATABASE_URL names or on SQLite in that home."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def own_product() -> Iterator[Path]:
    """Set Django up, migrate, and yield the home, which goes when the block ends. Import models only inside."""
    with tempfile.TemporaryDirectory(prefix="statehouse-bench-") as home:
        os.environ |= {
            "STATEHOUSE_HOME": home,
            "SECRET_KEY": "k" * 50,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "STATEHOUSE_LOG_LEVEL": "ERROR",
        }
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield Path(home)
