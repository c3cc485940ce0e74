"""Throughput of counting beside tree-sitter's bare parse of the same files: at least 0.7 of it.

Run as `python tests/bench/bench_complexity.py`; prints the ratio, and the cost of one call of the child process.
Both sides are measured in turns and in processor time, so that other load on the machine weighs little, and on both.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tree_sitter import Language, Parser

from fabric_app.evidence.counting import count_files
from fabric_app.protocol.complexity import GRAMMARS, count_decision_points

FILES = 120
FUNCTIONS = 60
ROUNDS = 7
FLOOR = 0.7
MIB = 1024 * 1024
FUNCTION = """
/** Settles the batch %(n)d: {@link Order}s that were paid for, in the order in which they came. */
export async function settle%(n)d(orders%(types)s, options = { retries: 3, dryRun: false }) {
  const total = orders.reduce((sum, order) => sum + order.price * order.quantity, 0);
  if (!orders.length || total <= 0) return null;
  for (const order of orders) {
    const label = `order ${order.id}: ${order.open ? "open" : 'settled'} if (nothing) changes`;
    try {
      await gateway.charge(order.customer?.account ?? fallback, { amount: total, label, pattern: /\\/if\\s+(\\d+)/g });
    } catch (error) {
      log.warn("charge failed", error.code, label);
      switch (error.code) { case "limit": return retry(order); case "closed": break; default: throw error; }
    }
  }
  return Object.freeze({ total, count: orders.length, settledAt: new Date().toISOString() });
}
"""
ELEMENT = """
export const Row%(n)d = ({ order, onOpen }) => (
  <li className="row" onClick={() => onOpen(order.id)}>{order.open ? <b>open if asked</b> : <i>settled</i>}</li>
);
"""


def corpus() -> list[tuple[str, bytes]]:
    """Return generated modules with their names, several megabytes in all, the same ones each time."""
    chance = random.Random(20)
    return [_module(index, chance) for index in range(FILES)]


def _module(index: int, chance: random.Random) -> tuple[str, bytes]:
    suffix = sorted(GRAMMARS)[index % len(GRAMMARS)]
    types = ": readonly Order[]" if suffix.startswith(".ts") else ""
    templates = [FUNCTION, ELEMENT] if suffix.endswith("x") else [FUNCTION]
    parts = [chance.choice(templates) % {"n": n, "types": types} for n in range(FUNCTIONS)]
    return f"module{index}{suffix}", "".join(parts).encode()


def seconds(act: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    act()
    return clock() - began


def ratio(files: list[tuple[str, bytes]]) -> float:
    """Return the throughput of counting over that of the bare parse, from medians of interleaved rounds."""
    parsers = {suffix: Parser(Language(grammar())) for suffix, grammar in GRAMMARS.items()}

    def parse() -> None:
        for name, source in files:
            parsers[Path(name).suffix].parse(source)

    def count() -> None:
        for name, source in files:
            count_decision_points(name, source)

    rounds = [(seconds(parse, time.process_time), seconds(count, time.process_time)) for _ in range(ROUNDS)]
    parsing, counting = (statistics.median(column) for column in zip(*rounds, strict=True))
    size = sum(len(source) for _, source in files) / MIB
    print(f"parse {size / parsing:.1f} MiB/s, count {size / counting:.1f} MiB/s of {size:.1f} MiB")
    return parsing / counting


def call_seconds(files: list[tuple[str, bytes]]) -> tuple[float, float]:
    """Return the seconds of one call for one small file, and of one call for the whole corpus."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "small.ts").write_text("if (a) b();\n")
        for name, source in files:
            (root / name).write_bytes(source)

        def call(*names: str) -> float:
            bounds = {"max_bytes": MIB, "timeout_seconds": 60, "max_memory_bytes": 512 * MIB}
            return statistics.median(seconds(lambda: count_files(root, names, **bounds)) for _ in range(ROUNDS))

        return call("small.ts"), call(*(name for name, _ in files))


def main() -> int:
    files = corpus()
    found = ratio(files)
    small, whole = call_seconds(files)
    print(f"one call: {small * 1000:.0f} ms for one small file, {whole * 1000:.0f} ms for all {len(files)} files")
    print(f"ratio {found:.2f} (at least {FLOOR})")
    return 0 if found >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
