"""The canonical form of JSON values, and the two digests that a verification leaves.

Canonical form: compact, members in the order in which they stand, text as it is but for `"`, `\\`, control characters
(short escapes where JSON has them, else lower-case `\\u00xx`) and lone surrogates (`\\udxxx`); UTF-8.
Only texts, integers, booleans and null are hashed here; the form of fractions is not part of it.

Source: fabric 7.2.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from fabric_app.protocol.records import TransitionRecord

DIGEST_CHARS = len("sha256:") + 64
NOTHING = "sha256:" + hashlib.sha256(b"").hexdigest()

_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(value: Any) -> bytes:
    """Return the canonical form. Raises ValueError for NaN and infinities, TypeError for what JSON lacks."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")


def digest(value: Any) -> str:
    """Return `sha256:<hex>` over the canonical form; of a text that is its JSON string, quotes included."""
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def evidence_digest(targets: Sequence[TransitionRecord]) -> str:
    """Return the digest of the targets' identities and commands, whole texts, in the order given."""
    return digest(
        [
            {
                "transitionId": target.transition_id,
                "label": target.label,
                "to": target.to,
                "evidence": list(target.evidence),
            }
            for target in targets
        ]
    )


def result_digest(results: Sequence[dict[str, Any]], failures: Sequence[dict[str, Any]]) -> str:
    """Return the digest of a report's results and failures, both in their bounded form."""
    return digest({"results": list(results), "failures": list(failures)})
