"""What of the scenarios is not asked of this server, with the reason for each, and which members it may add.

Binding is every case without the tags and the note named here; of some tags a part.
"""

from __future__ import annotations

from typing import Any

NOT_BINDING_TAGS = {
    "peer-defect": "records a defect of another implementation, and its note says what a better server does",
    "peer-quirk": "records a choice of another implementation that the document does not make",
}
NOT_BINDING_NOTE = "seed silent"

# Tag -> what of such a case is compared, and why no more.
PARTLY_BINDING = {
    "fault-injection": "returns, final head and ledger values; versions and events in between belong to a protocol of "
    "several writes, where this server has one transaction",
    "window": "head, certification.current and error codes; this server keeps its whole history",
}

# Case -> why nothing of it is compared.
LEFT_OUT: dict[str, str] = {}

# Members that this server has beside those of a case.
EXTRA_MEMBERS = {
    "createdAt": "times are left out of the cases",
    "ts": "times are left out of the cases",
    "updatedAt": "times are left out of the cases",
    "updatedBy": "authors are left out of the cases",
    "text": "texts of events are left out of the cases",
    "message": "texts of failures and of errors are left out of the cases",
    "quarantine": "`get` says why a stored head is not trusted",
    "next": "`history` says where the next page begins",
    "explanation": "an error of a quarantined head says why",
    "reason": "an error says why",
    "attempts": "an error says how often was tried",
    "errors": "an error lists all problems",
    "action": "an error names the action",
    "key": "an error names the key",
    "topic": "an error names the topic",
    "bytes": "an error says how large",
    "limit": "an error says how large at most",
    "netDelta": "an error names the reduction",
    "file": "an error names the file",
    "files": "an error names the files",
}
# Of these, errors alone may have more than the case.
ONLY_IN_ERRORS = frozenset(
    (
        "explanation",
        "reason",
        "attempts",
        "errors",
        "action",
        "key",
        "topic",
        "bytes",
        "limit",
        "netDelta",
        "file",
        "files",
    )
)

# Relaxations of a single comparison.
RECENT_LABELS = "`recentLabels` are those of the newest 20 active transitions, where the cases have the oldest 20"
NULL_DATA = "an event whose data is null and one without data are the same event here"


def is_binding(case: dict[str, Any]) -> bool:
    """Tell whether anything of the case is compared."""
    tags, note = set(case.get("tags", ())), case.get("note") or ""
    return not tags & set(NOT_BINDING_TAGS) and NOT_BINDING_NOTE not in note and case["name"] not in LEFT_OUT
