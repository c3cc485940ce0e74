"""The scenarios of the negotiation, from `tests/vectors` or the folder that STATEHOUSE_VECTORS names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)


def scenarios() -> list[Any]:
    """Return one parameter a scenario, with the file and the scenario as its id."""
    found = []
    for file in sorted((VECTORS / "negotiation").glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        found += [pytest.param(each, id=f"negotiation-{file.stem}-{each['id']}") for each in told]
    return found
