"""Comparing what the server answered with what a case expects.

Ids and digests are equal up to renaming: a name in the case stands for one value of ours, and never for two. Every
member of the case has to be there and match; members beside them have to be on the list of allowed ones.
"""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.left_out import EXTRA_MEMBERS, ONLY_IN_ERRORS

RENAMED = re.compile(r"<(event:\d+|digest:\d+)>")
ANY_DIGEST, ANY_ID = "<digest>", "<uuid>"
DIGEST = re.compile("sha256:[0-9a-f]{64}")
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
RUN_ERRORS = {
    "timeout": re.compile(r"timeout after (\d+)ms"),
    "aborted-before-execution": re.compile("aborted before execution"),
    "aborted": re.compile("aborted"),
    "signal": re.compile("process terminated by signal"),
    "spawn": re.compile("."),
}
RUN_ERROR = re.compile(r"<(timeout|aborted-before-execution|aborted|signal|spawn)(?::([^>]*))?>")


class Mismatch(AssertionError):
    """The server's answer is not what the case expects."""


class Names:
    """Which value of ours a name of the case stands for, both ways round."""

    def __init__(self) -> None:
        self._value: dict[str, str] = {}
        self._name: dict[str, str] = {}

    def stands_for(self, name: str, value: Any) -> bool:
        if not isinstance(value, str) or RENAMED.fullmatch(value):
            return False
        return self._value.setdefault(name, value) == value and self._name.setdefault(value, name) == name


class Matching:
    """Compares the values of one case. ignored: names of members that are not compared in it."""

    def __init__(self, *, ignored: frozenset[str] = frozenset()) -> None:
        self.names = Names()
        self.ignored = ignored

    def match(self, expected: Any, found: Any, path: str, *, in_error: bool = False) -> None:
        """Raise Mismatch, with the place, where `found` is not what is expected."""
        if isinstance(expected, dict) and isinstance(found, dict):
            self._match_members(expected, found, path, in_error=in_error)
        elif isinstance(expected, list) and isinstance(found, list):
            if len(expected) != len(found):
                raise Mismatch(f"{path}: {len(found)} items instead of {len(expected)}: {found} instead of {expected}")
            for index, (wanted, item) in enumerate(zip(expected, found, strict=True)):
                self.match(wanted, item, f"{path}/{index}", in_error=in_error)
        elif not self._is_same(expected, found):
            raise Mismatch(f"{path}: {found!r} instead of {expected!r}")

    def _match_members(self, expected: dict[str, Any], found: dict[str, Any], path: str, *, in_error: bool) -> None:
        for name, wanted in expected.items():
            if name in self.ignored:
                continue
            if name not in found:
                raise Mismatch(f"{path}: lacks {name!r} ({wanted!r})")
            self.match(wanted, found[name], f"{path}/{name}", in_error=in_error or name == "error")
        for name in found.keys() - expected.keys():
            if name not in EXTRA_MEMBERS or (name in ONLY_IN_ERRORS and not in_error):
                raise Mismatch(f"{path}: has {name!r} ({found[name]!r}), which is not on the list")

    def _is_same(self, expected: Any, found: Any) -> bool:
        if isinstance(expected, str):
            return self._is_same_text(expected, found)
        return type(expected) is type(found) and bool(expected == found)

    def _is_same_text(self, expected: str, found: Any) -> bool:
        if RENAMED.fullmatch(expected):
            return self.names.stands_for(expected, found)
        if expected in (ANY_DIGEST, ANY_ID):
            pattern = DIGEST if expected == ANY_DIGEST else UUID
            return isinstance(found, str) and pattern.fullmatch(found) is not None
        if error := RUN_ERROR.fullmatch(expected):
            return isinstance(found, str) and _is_run_error(error[1], error[2], found)
        return isinstance(found, str) and expected == found


def _is_run_error(kind: str, detail: str | None, found: str) -> bool:
    said = RUN_ERRORS[kind].match(found)
    return said is not None and (kind != "timeout" or said[1] == detail)
