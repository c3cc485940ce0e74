"""Time of a compiled condition beside the same test as a Python lambda over the same dictionaries: at most 8 times.

Run as `python tests/bench/bench_conditions.py`; prints the ratios for 2 and for 5 look-ups, and what compiling costs.
Both sides are measured in turns and in processor time, so that other load on the machine weighs little, and on both.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sessions_app.protocol.condition import compile_condition
from sessions_app.protocol.condition_parse import parse

CALLS = 20_000
ROUNDS = 15
CEILING = 8.0
STATE: dict[str, Any] = {
    "story": {"季节": "冬", "characters": {"李钰": {"好感度": 62, "mood": "calm", "met": True}}},
    "world": {"day": 40, "hour": 9, "open": True},
}
CASES: list[tuple[str, str, Callable[[dict[str, Any]], bool]]] = [
    (
        "2 look-ups",
        'state("story", "/characters/李钰/好感度") >= 60 && state("story", "/季节") == "冬"',
        lambda s: s["story"]["characters"]["李钰"]["好感度"] >= 60 and s["story"]["季节"] == "冬",
    ),
    (
        "2 shallow look-ups",
        'state("world", "/day") > 30 && state("world", "/hour") < 12',
        lambda s: s["world"]["day"] > 30 and s["world"]["hour"] < 12,
    ),
    (
        "5 shallow look-ups",
        """state("world", "/day") > 30 && state("world", "/hour") < 12 && state("world", "/open")
            && state("story", "/季节") == "冬" && state("world", "/day") != 50""",
        lambda s: (
            s["world"]["day"] > 30
            and s["world"]["hour"] < 12
            and s["world"]["open"]
            and s["story"]["季节"] == "冬"
            and s["world"]["day"] != 50
        ),
    ),
    (
        "2 look-ups, of each other",
        'state("world", "/day") < state("story", "/characters/李钰/好感度")',
        lambda s: s["world"]["day"] < s["story"]["characters"]["李钰"]["好感度"],
    ),
    (
        "5 look-ups",
        """state("world", "/day") >= 30 && !(state("story", "/季节") == "夏")
            && (state("story", "/characters/李钰/mood") == "angry" || state("story", "/characters/李钰/met"))
            && state("story", "/characters/李钰/好感度") >= 60""",
        lambda s: (
            s["world"]["day"] >= 30
            and s["story"]["季节"] != "夏"
            and (s["story"]["characters"]["李钰"]["mood"] == "angry" or s["story"]["characters"]["李钰"]["met"])
            and s["story"]["characters"]["李钰"]["好感度"] >= 60
        ),
    ),
]


def seconds(function: Callable[[dict[str, Any]], Any]) -> float:
    """Return the processor time of one call, over CALLS of them."""
    begun = time.process_time()
    for _ in range(CALLS):
        function(STATE)
    return (time.process_time() - begun) / CALLS


def ratio(source: str, test: Callable[[dict[str, Any]], bool]) -> tuple[float, float, float]:
    """Return the median times of the condition and of the lambda, and the median of their ratios."""
    evaluate = compile_condition(source).evaluate
    assert evaluate(STATE).active is test(STATE) is True
    pairs = [(seconds(evaluate), seconds(test)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    return ours, theirs, statistics.median(one / other for one, other in pairs)


def main() -> int:
    slow = False
    for name, source, test in CASES:
        ours, theirs, times = ratio(source, test)
        slow = slow or times > CEILING
        print(f"{name}: {ours * 1e9:.0f} ns, lambda {theirs * 1e9:.0f} ns, ratio {times:.2f} (at most {CEILING})")
    begun = time.process_time()
    for _ in range(100):
        parse(CASES[2][1], max_tokens=1_023)
    print(f"compiling the last one: {(time.process_time() - begun) * 10:.2f} ms, once a text")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
