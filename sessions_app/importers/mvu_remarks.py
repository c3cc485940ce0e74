"""What there is to say about an import of MVU variables, each remark with its kind, its place and its source.

A remark that is more than information becomes a setup diagnostic of the namespace, as the state works differently from
what the card's author meant until somebody looks at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sessions_app.importers.notice_kinds import Severity


class RemarkCode(StrEnum):
    """Kinds of remarks; the values are the codes of setup diagnostics."""

    PAIR_AMBIGUOUS = "MVU_PAIR_AMBIGUOUS"
    TEXT_LEFT_OUT = "MVU_TEXT_LEFT_OUT"
    HINT_LEFT_OUT = "MVU_HINT_LEFT_OUT"
    RANGE_LEFT_OUT = "MVU_RANGE_LEFT_OUT"
    SCHEMA_CUT = "MVU_SCHEMA_CUT"
    EMPTY_OBJECT_OPENED = "MVU_EMPTY_OBJECT_OPENED"
    DOCUMENTS_MERGED = "MVU_DOCUMENTS_MERGED"
    RULE_LEFT_OUT = "MVU_RULE_LEFT_OUT"
    RULE_TARGET_UNKNOWN = "MVU_RULE_TARGET_UNKNOWN"
    CONDITION_AS_GUIDANCE = "MVU_CONDITION_AS_GUIDANCE"
    RULES_UNTRANSLATABLE = "MVU_RULES_UNTRANSLATABLE"
    RULES_TOO_MANY = "MVU_RULES_TOO_MANY"
    OPERATIONS_NOT_RUN = "MVU_OPERATIONS_NOT_RUN"
    REMARKS_CUT = "MVU_REMARKS_CUT"


@dataclass(frozen=True)
class Remark:
    """One remark; `path` is a pointer into the imported value, `source` the title of where it was read."""

    code: RemarkCode
    message: str
    severity: Severity = Severity.INFO
    path: str | None = None
    source: str | None = None

    def as_diagnostic(self) -> dict[str, str]:
        told = {"code": self.code.value, "severity": self.severity.value, "message": self.message}
        return told | ({} if not self.path else {"path": self.path})
