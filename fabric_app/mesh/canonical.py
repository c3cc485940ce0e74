"""Compact JSON text and SHA-256 digests.

The text keeps the order of members, leaves non-ASCII as it is and escapes control characters, so that a value reads
back as it was written and equal values written alike have equal digests. Source: fabric, 7.2.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: Any) -> str:
    """Return `value` as compact JSON text in insertion order; lone surrogates are escaped. Raises ValueError on NaN."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_bytes(value: Any) -> int:
    """Return the size of `value` as compact JSON in UTF-8 bytes, escapes included."""
    return len(dumps(value).encode())


def digest_bytes(content: bytes) -> str:
    """Return `sha256:<hex>` of the bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def digest(value: Any) -> str:
    """Return `sha256:<hex>` of the value's compact JSON text."""
    return digest_bytes(dumps(value).encode())
