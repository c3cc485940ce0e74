"""Names: the ids of namespaces and rules, and the keys that nothing may have.

Source: rp.state, sections 1 and 3.
"""

from __future__ import annotations

import re
from typing import Any, TypeGuard

# A client in JavaScript would reach an object's prototype through them.
UNSAFE_KEYS = frozenset(("__proto__", "prototype", "constructor"))
ID_CHARS = 128
ID_FORM = "a lower-case letter or digit, then up to 127 of a-z 0-9 . _ : -"

_ID = re.compile(r"[a-z0-9][a-z0-9._:-]{0,127}")


def is_id(value: Any) -> TypeGuard[str]:
    """Tell whether the value can be the id of a namespace or of a rule."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None
