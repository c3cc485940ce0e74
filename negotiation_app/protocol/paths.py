"""Field paths: what change detection, dependencies and stale checks compare. Source: section 1, "Field paths"."""

from __future__ import annotations

from collections.abc import Iterator


def upwards(path: str) -> Iterator[str]:
    """Yield the path and every path above it, the nearest first."""
    while path:
        yield path
        path, _, _ = path.rpartition("/")


def covers(above: str, path: str) -> bool:
    """Tell whether `path` is `above` or lies below it."""
    return path == above or path.startswith(above + "/")


def meet(one: str, other: str) -> bool:
    """Tell whether a change of one concerns the other."""
    return covers(one, other) or covers(other, one)


def proposition(ref: str) -> str:
    return f"propositions/{ref}"


def evidence_of(ref: str) -> str:
    return f"evidence/{ref}"


def fact(slot: str) -> str:
    return f"facts/{slot}"


def judgement(ref: str) -> str:
    return f"judgements/{ref}"


def boundary(key: str) -> str:
    return f"boundaries/{key}"


def offer(side: str) -> str:
    return f"offers/{side}"


def proposal(ref: str) -> str:
    return f"proposals/{ref}"


def contradiction(ref: str) -> str:
    return f"contradictions/{ref}"


def criterion(ref: str) -> str:
    return f"criteria/{ref}"


def concession(ref: str) -> str:
    return f"concessions/{ref}"


def review(ref: str) -> str:
    return f"reviews/{ref}"


def issue(ref: str) -> str:
    return f"issues/{ref}"


def party(ref: str) -> str:
    return f"parties/{ref}"


STATUS = "negotiation/status"
MODE = "negotiation/mode"
EXPECTATION = "negotiation/expectedToContinue"
COUNTERPART = "process/counterpart"
DEADLINE = "process/deadline"
BATNA = "batna"
STRATEGY = "strategy"
