"""What there is to say about an import that was taken: each kind of thing once, with how often and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.importers.notice_kinds import NoticeCode, Severity

SHOWN_LABELS = 5
MOST_PLACES = 100


@dataclass(frozen=True)
class Notice:
    """One kind of thing; `path` is its first place, `places` the first `MOST_PLACES` of all `count` of them."""

    code: NoticeCode
    severity: Severity
    message: str
    path: str
    count: int = 1
    places: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code.value,
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
            "count": self.count,
            "places": list(self.places),
        }


@dataclass(frozen=True)
class Report:
    """The notices of one import, in the order in which their kinds were first met."""

    notices: tuple[Notice, ...] = ()

    def __iter__(self) -> Iterator[Notice]:
        return iter(self.notices)

    def of(self, code: NoticeCode) -> Notice | None:
        """Return the notice of a kind, None where there was nothing of it."""
        return next((notice for notice in self.notices if notice.code is code), None)

    def as_json(self) -> list[dict[str, Any]]:
        return [notice.as_json() for notice in self.notices]


@dataclass
class _Met:
    """How often one kind of thing was met, and where."""

    count: int = 0
    places: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def again(self, path: str, label: str) -> None:
        self.count += 1
        if self.count <= MOST_PLACES:
            self.places.append(path)
            self.labels.append(label)


class Telling:
    """Gathers what there is to say while a file is read."""

    def __init__(self) -> None:
        self._met: dict[NoticeCode, _Met] = {}

    def tell(self, code: NoticeCode, path: str, label: str = "") -> None:
        """Say that there is such a thing at `path`; `label` is how a person knows the place, as an entry's title."""
        self._met.setdefault(code, _Met()).again(path, label)

    def report(self) -> Report:
        return Report(tuple(_notice(code, met) for code, met in self._met.items()))


def _notice(code: NoticeCode, met: _Met) -> Notice:
    sentence = code.sentence
    labels = list(dict.fromkeys(label for label in met.labels if label))[:SHOWN_LABELS]
    if labels:
        left = met.count - len(labels)
        sentence = f"{sentence} ({met.count}: {', '.join(labels)}{f' and {left} more' if left > 0 else ''})"
    return Notice(code, code.severity, sentence, met.places[0], met.count, tuple(met.places))
