"""The scenarios of the negotiation, from `tests/vectors` or the folder that STATEHOUSE_VECTORS names.

`negotiation` holds the given ones, `negotiation-own` those of what the product adds around them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
FOLDERS = ("negotiation", "negotiation-own")
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)


def scenarios() -> list[Any]:
    """Return one parameter a scenario, with the file and the scenario as its id."""
    found = []
    for folder in FOLDERS:
        for file in sorted((VECTORS / folder).glob("*.json")):
            told = json.loads(file.read_text(encoding="utf-8"))
            found += [pytest.param(each, id=f"{folder}-{file.stem}-{each['id']}") for each in told]
    return found
