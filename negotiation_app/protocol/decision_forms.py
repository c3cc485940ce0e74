"""The forms of decisions: what each kind of decision is about, and what value it approves. Source: section 2."""

from __future__ import annotations

from typing import Any

from negotiation_app.protocol import forms, names
from negotiation_app.protocol.forms import Problems, Reader, note
from negotiation_app.protocol.forms_of_rows import one_or_more
from negotiation_app.protocol.names import DecisionKind

_APPROVED = forms.members(
    {"comparator": forms.one_of(names.Comparator), "value": forms.nullable(one_or_more)},
)
_RESOLUTION = forms.members({"resolution": forms.one_of(names.Resolution)}, {"winner": forms.ref})
_VALUES: dict[DecisionKind, Reader] = {
    DecisionKind.APPROVE_CRITERION: _APPROVED,
    DecisionKind.RESOLVE_CONTRADICTION: _RESOLUTION,
    DecisionKind.CHANGE_MODE: forms.one_of(names.Mode),
    DecisionKind.NOTE_BASIS: forms.text,
}
_NEEDS_SUBJECT = (DecisionKind.APPROVE_CRITERION, DecisionKind.OVERRIDE_REVIEW, DecisionKind.RESOLVE_CONTRADICTION)
_NEEDS_VALUE = (DecisionKind.APPROVE_CRITERION, DecisionKind.RESOLVE_CONTRADICTION, DecisionKind.CHANGE_MODE)
_MAY_HAVE_SUBJECT = (*_NEEDS_SUBJECT, DecisionKind.CLOSE, DecisionKind.NOTE_BASIS)

_DECISION = forms.members(
    {
        "ref": forms.ref,
        "kind": forms.one_of(DecisionKind),
        "seenVersion": forms.version,
        "reason": forms.text,
    },
    {"subject": forms.text, "value": lambda raw, path, problems: raw},
)


def decision(raw: Any, path: str, problems: Problems) -> Any:
    """A decision; its value is checked by its kind and kept as it was sent."""
    found = _DECISION(raw, path, problems)
    if found is None or found.get("kind") is None:
        return found
    kind, subject, value = found["kind"], found.get("subject"), found.get("value")
    if kind in _NEEDS_SUBJECT and subject is None:
        note(problems, path + "/subject", f"is required for {kind}")
    if subject is not None:
        _check_subject(kind, subject, path + "/subject", problems)
    if kind in _NEEDS_VALUE and value is None:
        note(problems, path + "/value", f"is required for {kind}")
    elif value is not None:
        reader = _VALUES.get(kind)
        if reader is None:
            note(problems, path + "/value", f"does not belong to {kind}")
        else:
            reader(value, path + "/value", problems)
    return found


def _check_subject(kind: DecisionKind, subject: str, path: str, problems: Problems) -> None:
    if kind not in _MAY_HAVE_SUBJECT:
        note(problems, path, f"does not belong to {kind}")
    elif kind != DecisionKind.NOTE_BASIS:
        forms.ref(subject, path, problems)


def approved(value: Any) -> dict[str, Any]:
    """Return what a stored APPROVE_CRITERION approves: the comparator and the values, None to retire."""
    found: dict[str, Any] = forms.read(_APPROVED, value)
    return found


def outcome(raw: Any, path: str, problems: Problems) -> Any:
    return raw if raw in ("REAFFIRM", "RETIRE") else note(problems, path, "has to be REAFFIRM or RETIRE")


def simulation_kind(raw: Any, path: str, problems: Problems) -> Any:
    return raw if raw in ("ROLE_PLAY", "RED_TEAM") else note(problems, path, "has to be ROLE_PLAY or RED_TEAM")
