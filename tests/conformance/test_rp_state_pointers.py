"""Pointers: what parses, what is at a path, what it stands in, and which paths conflict."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol import pointer
from sessions_app.protocol.errors import PointerInvalid
from sessions_app.protocol.values import same
from tests.conformance.rp_state_vectors import cases


def parsed(given: dict[str, Any]) -> dict[str, Any]:
    return {"segments": list(pointer.parse(given["pointer"], allow_root=given.get("allowRoot", True)))}


def read(given: dict[str, Any]) -> dict[str, Any]:
    found = pointer.read(given["document"], pointer.parse(given["pointer"]))
    return {"found": True, "value": found.value} if isinstance(found, pointer.Found) else {"found": False}


def parent(given: dict[str, Any]) -> dict[str, Any]:
    found = pointer.parent(given["document"], pointer.parse(given["pointer"]))
    return {"parent": found.container, "key": found.key}


def conflict(given: dict[str, Any]) -> dict[str, Any]:
    return {"conflict": pointer.conflicts(pointer.parse(given["left"]), pointer.parse(given["right"]))}


ANSWERS = {"parse": parsed, "read": read, "parent": parent, "conflict": conflict}


def answer(given: dict[str, Any]) -> dict[str, Any]:
    try:
        return ANSWERS[given["op"]](given)
    except PointerInvalid as error:
        return {"error": error.code}


@pytest.mark.parametrize("case", cases("pointers"))
def test_a_pointer_is_answered_as_told(case: dict[str, Any]) -> None:
    found = answer(case["input"])

    assert same(found, case["expected"]), found
