"""Optimistic locking: one conditional UPDATE, and a bounded retry around it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import models

from fabric_app.mesh.errors import VersionConflict

Row = TypeVar("Row", bound=models.Model)
Result = TypeVar("Result")

ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.002


def swap(row: Row, *, expected: int, **values: Any) -> Row:
    """Write `values` and version `expected` + 1 where the row still has version `expected`; return it as it is now.

    The model has an integer field `version`. Raises VersionConflict, and then nothing is written.
    """
    moved = type(row)._default_manager.filter(pk=row.pk, version=expected).update(version=expected + 1, **values)
    row.refresh_from_db()
    if moved != 1:
        raise VersionConflict(expected=expected, current=getattr(row, "version"))  # noqa: B009 - the field is the models' own
    return row


def retried(attempt: Callable[[], Result], *, lost: type[Exception], attempts: int = ATTEMPTS) -> Result:
    """Call `attempt` until it does not raise `lost`, at most `attempts` times, waiting a random moment in between.

    `attempt` reads afresh each time, decides again, and is one transaction. The last loss is raised to the caller.
    """
    for number in range(1, attempts):
        try:
            return attempt()
        except lost:
            pause_after_loss(number)
    return attempt()


def pause_after_loss(number: int) -> None:
    """Wait a random moment after the given loss (the first is 1), longer each time, so that writers spread out."""
    time.sleep(random.uniform(0, FIRST_PAUSE_SECONDS * 2**number))  # noqa: S311 - guards nothing
