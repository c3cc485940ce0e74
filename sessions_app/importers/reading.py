"""One reading of a file: typed readers that gather every problem, and what there is to tell.

`null` is absent everywhere. A number among texts, a text or a fraction for an order, and 0 or 1 for a flag are taken
and told, since cards of the big sites have them; anything else of a wrong type is a problem.

Source: users of rp.state, "Import refuses a good card because of a null or a number".
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import Problem
from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.errors import ImportRefused
from sessions_app.importers.limits import ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.report import Telling
from sessions_app.protocol.numbers import MAX_SAFE_INTEGER
from sessions_app.protocol.text import trimmed

Json = dict[str, Any]
WRONG_TYPE, TOO_LONG, TOO_MANY = "wrong_type", "too_long", "too_many"

_WHOLE = re.compile(r"[+-]?[0-9]{1,15}", re.ASCII)
# A key that is a regular expression may have commas of its own.
_JOINED_KEY = re.compile(r"\s*+/(?:[^/\\]|\\.)++/[dgimsuvy]*+(?=\s*+(?:,|\Z))|[^,]++", re.DOTALL)


class Reading:
    """The problems and notices of one reading; `label` names the part that is being read, for people."""

    def __init__(self, limits: ImportLimits) -> None:
        self.limits = limits
        self.problems: list[Problem] = []
        self.telling = Telling()
        self.label = ""

    def refuse(self, path: str, code: str, detail: str) -> None:
        if len(self.problems) < self.limits.problems:
            self.problems.append(Problem(path, code, detail))

    def tell(self, code: NoticeCode, path: str, label: str | None = None) -> None:
        self.telling.tell(code, path, self.label if label is None else label)

    def raise_if_any(self, kind: type[ImportRefused] = ImportRefused) -> None:
        if self.problems:
            raise kind(self.problems)

    def text(self, raw: Any, path: str, most: int) -> str:
        """Return a text as it is, a number as it is written, and "" for null."""
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            self.tell(NoticeCode.READ_AS_TEXT, path)
            return dumps(raw)
        if raw is None:
            return ""
        if not isinstance(raw, str):
            self.refuse(path, WRONG_TYPE, f"Expected a text, and this is {_kind(raw)}.")
            return ""
        if len(raw) > most:
            self.refuse(path, TOO_LONG, f"The text has {len(raw)} characters; at most {most} are kept.")
        return raw

    def texts(self, raw: Any, path: str, *, most: int, most_chars: int) -> tuple[str, ...]:
        """Return a list of texts; one text is a list that is joined by commas."""
        if isinstance(raw, str):
            raw = split_keys(raw, most)
        if raw is None:
            return ()
        if not isinstance(raw, list):
            self.refuse(path, WRONG_TYPE, f"Expected a list of texts, and this is {_kind(raw)}.")
            return ()
        if len(raw) > most:
            self.refuse(path, TOO_MANY, f"There are {len(raw)} texts; at most {most} are kept.")
            return ()
        read = ((each, self.text(each, pointer(path, index), most_chars)) for index, each in enumerate(raw))
        return tuple(text for each, text in read if each is not None)

    def flag(self, raw: Any, path: str, *, default: bool) -> bool:
        if raw is None:
            return default
        if isinstance(raw, bool):
            return raw
        if isinstance(raw, int | float) and raw in (0, 1):
            self.tell(NoticeCode.READ_AS_FLAG, path)
            return raw == 1
        self.refuse(path, WRONG_TYPE, f"Expected true or false, and this is {_kind(raw)}.")
        return default

    def whole(self, raw: Any, path: str, *, default: int) -> int:
        """Return a whole number; a fraction is rounded down, digits in a text are read."""
        if raw is None:
            return default
        number = int(raw) if isinstance(raw, str) and _WHOLE.fullmatch(trimmed(raw)) else raw
        if isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= MAX_SAFE_INTEGER:
            if number != raw or number != math.floor(number):
                self.tell(NoticeCode.READ_AS_NUMBER, path)
            return math.floor(number)
        self.refuse(path, WRONG_TYPE, f"Expected a whole number, and this is {_kind(raw)}.")
        return default

    def extensions(self, owner: Mapping[str, Any], path: str) -> Json:
        """Return the owner's extensions; anything but an object is left alone, and told."""
        raw = owner.get("extensions")
        if isinstance(raw, dict):
            return raw
        if raw not in (None, [], ""):
            self.tell(NoticeCode.EXTENSIONS_NOT_AN_OBJECT, pointer(path, "extensions"))
        return {}


def split_keys(joined: str, most: int) -> list[str]:
    """Return the keys of a text in which they are joined by commas, without blank ones, and not many beyond `most`."""
    found = (trimmed(match[0]) for match in _JOINED_KEY.finditer(joined))
    return list(islice((key for key in found if key), most + 1))


def _kind(raw: Any) -> str:
    if isinstance(raw, bool):
        return "true or false"
    return {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}.get(
        type(raw), "something else"
    )
