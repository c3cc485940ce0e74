"""Values of issues: of the issue's type, wherever they are stated. Source: sections 4 and 12."""

from __future__ import annotations

from collections.abc import Mapping

from negotiation_app.protocol.refusals import ValueTypeMismatch
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.values import Value


def check_type(state: Negotiation, issue: str, value: Value, path: str) -> None:
    """Raise ValueTypeMismatch where a value is not of its issue's type."""
    expected = state.issues[issue].type
    if value.type != expected:
        raise ValueTypeMismatch(path=path, issue=issue, expected=expected, actual=str(value.type))


def check_types(state: Negotiation, terms: Mapping[str, Value], path: str) -> None:
    for issue, value in terms.items():
        check_type(state, issue, value, f"{path}/{issue}")
