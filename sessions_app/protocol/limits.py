"""How much of everything: one frozen value, given to each function of the protocol that has a bound.

Depth counts arrays and objects that stand in one another (a scalar has depth 0); sizes in characters are Unicode code
points, sizes in bytes are UTF-8 of compact JSON. A deployment may make its own `Limits`; `DEFAULT_LIMITS` are the
documented ones.

Source: rp.state, sections 1, 3, 5 and 14.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Every bound of the protocol; a value exactly at its bound is accepted."""

    # Values: each initial value, current value, and value of a change.
    depth: int = 64
    nodes: int = 100_000
    value_chars: int = 1_000_000

    # Definitions.
    schema_depth: int = 64
    schema_nodes: int = 10_000
    rules: int = 1_024
    guidance: int = 64
    text_chars: int = 10_000
    pointer_chars: int = 4_096
    condition_chars: int = 4_096
    condition_tokens: int = 1_023

    # Sessions.
    namespaces: int = 32
    setup_diagnostics: int = 256

    # Commits, and corrections of refused ones.
    effects: int = 64
    changes: int = 256
    issues: int = 64
    patches: int = 64
    reason_chars: int = 4_096
    commit_bytes: int = 262_144


@dataclass(frozen=True)
class StoredLimits:
    """Most of what one session keeps. `chars` are code points."""

    message_chars: int = 200_000
    messages: int = 200_000
    namespace_bytes: int = 1_000_000
    draft_seconds: int = 900
    books: int = 64
    import_events: int = 200_000


DEFAULT_LIMITS = Limits()
