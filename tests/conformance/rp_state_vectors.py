"""The cases of one file of role-play state, from `tests/vectors` or the folder that STATEHOUSE_VECTORS names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)


def cases(name: str) -> list[Any]:
    """Return one parameter a case of `rp-state/<name>.json`; another set of vectors may lack the file."""
    file = VECTORS / "rp-state" / f"{name}.json"
    if not file.exists() and VECTORS != OWN_VECTORS:
        return []
    told = json.loads(file.read_text(encoding="utf-8"))
    return [pytest.param(case, id=f"rp_state-{name}-{case['name']}") for case in told]
