"""Views of committed transitions: the archive boundary, the label filter, and the order of labels.

The last representation transition is the boundary: the default view starts with it. While earlier records are archived
the boundary's `from` belongs to them, and is neither matched nor listed.

Source: state layer, "state.history"; fabric 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fabric_app.protocol.records import TransitionRecord


@dataclass(frozen=True)
class View:
    """Records in sequence order. `hidden_from`: id of the boundary whose `from` is archived, if so."""

    records: tuple[TransitionRecord, ...]
    hidden_from: str | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(record.transition_id for record in self.records)

    def matching(self, label: str | None) -> list[TransitionRecord]:
        """Return the records that a label names, as label, destination or origin; all of them without one."""
        if not label:
            return list(self.records)
        return [record for record in self.records if self._is_named(record, label)]

    def labels_of(self, records: Iterable[TransitionRecord]) -> list[str]:
        """Return the distinct labels of records in their order: origin, destination, label."""
        names: dict[str, None] = {}
        for record in records:
            for name in (self._origin(record), record.to, record.label):
                if name:
                    names.setdefault(name)
        return list(names)

    def selected(self, labels: Sequence[str]) -> list[TransitionRecord]:
        """Return the records that any of the labels names, each once, in sequence order; blank labels name none."""
        wanted = {label for label in labels if label.strip() != ""}
        return [record for record in self.records if any(self._is_named(record, label) for label in wanted)]

    def _is_named(self, record: TransitionRecord, label: str) -> bool:
        return label in (record.label, record.to, self._origin(record))

    def _origin(self, record: TransitionRecord) -> str | None:
        return None if record.transition_id == self.hidden_from else record.from_


def view_of(records: Iterable[TransitionRecord], *, include_archived: bool) -> View:
    """Return the view of committed records."""
    ordered = sorted(records, key=lambda record: record.sequence)
    boundaries = [index for index, record in enumerate(ordered) if record.is_boundary]
    if include_archived or not boundaries or boundaries[-1] == 0:
        return View(tuple(ordered))
    active = ordered[boundaries[-1] :]
    return View(tuple(active), hidden_from=active[0].transition_id)
