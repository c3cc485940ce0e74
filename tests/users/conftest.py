"""A workspace whose runs are executed in the test itself, and a mark by which their processes are found again."""

from __future__ import annotations

from tests.evidence.conftest import mark
from tests.runs.conftest import folder, workspace

__all__ = ["folder", "mark", "workspace"]
