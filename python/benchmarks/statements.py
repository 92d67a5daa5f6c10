"""What statements cost, beside Delta, Iceberg and flat ORC with the same rows: `./dev bench statements`.

All sides run the same statements one after the other: a load, scans, updates, deletes, merges, a compaction, and
statements about one row each. Every side runs a step before any runs the next, and they take turns in being first.
After each change the rows of all are compared. A round on a small table goes before and does not count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from peers.comparison import Workers, compare, write_source
from peers.environments import PEERS
from peers.options import FULL_ROWS, build_parser
from peers.statement_run import Cell, StatementRun
from peers.statements import SIDES

SMALLEST_ROWS = 2_000


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = build_parser("statements", __doc__.partition("\n")[0], rows=1_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (default: %(default)s)")
    parser.add_argument(
        "--repeats", type=int, default=10, help="statements about one row, of each kind (default: %(default)s)"
    )
    chosen = parser.parse_args(arguments)
    chosen.rows = FULL_ROWS if chosen.scale else chosen.rows
    if set(chosen.against) - set(PEERS) or chosen.rounds < 1 or chosen.repeats < 1 or chosen.rows < SMALLEST_ROWS:
        parser.error(f"peers are {', '.join(PEERS)}; at least one round, one statement and {SMALLEST_ROWS:,} rows")
    return chosen


def measure(chosen: argparse.Namespace, workers: Workers, folder: Path) -> Sequence[Cell]:
    """All rounds."""
    sides = [side for side in SIDES if side.engine in workers]
    runs = {
        rows: StatementRun(sides, workers, write_source(workers, folder, rows), rows)
        for rows in sorted({SMALLEST_ROWS, chosen.rows})
    }
    if not chosen.no_warm_up:
        print("warm-up", flush=True)
        runs[SMALLEST_ROWS].run_round(0, min(chosen.repeats, 5))
    for number in range(1, chosen.rounds + 1):
        print(f"round {number}", flush=True)
        runs[chosen.rows].run_round(number, chosen.repeats)
    return runs[chosen.rows].cells


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes. Returns 0; raises when an engine fails, or the rows of two differ."""
    chosen = parse_options(arguments)
    title = f", {chosen.repeats} statements about one row of each kind"
    compare(chosen, "statements", title, lambda workers, folder: measure(chosen, workers, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
