"""What a DELETE costs by files and rows it touches, beside Delta, Iceberg, Trino and partitions written anew.

`./dev bench grid` makes a table of ten files for each cell, deletes 1, 10 or 29 % of the rows of 1, 3 or 10 files, and
scans what is left. The rows of all engines are compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from peers.comparison import Workers, compare, write_source
from peers.environments import PEERS, TRINO
from peers.grid_run import GridRun, Spot, find_sides
from peers.options import FULL_ROWS, build_parser
from peers.statement_run import Cell

SMALLEST_ROWS = 2_000


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    peers = (*PEERS, TRINO)
    parser = build_parser("grid", __doc__.partition("\n")[0], rows=FULL_ROWS // 2, peers=peers)
    parser.add_argument("--rounds", type=int, default=3, help="rounds that count (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    chosen.rows = FULL_ROWS // 2 if chosen.scale else chosen.rows
    if set(chosen.against) - set(peers) or chosen.rounds < 1 or chosen.rows < SMALLEST_ROWS:
        parser.error(f"peers are {', '.join(peers)}; at least one round and {SMALLEST_ROWS:,} rows")
    return chosen


def measure(chosen: argparse.Namespace, workers: Workers, folder: Path) -> Sequence[Cell]:
    """All rounds."""
    sides = find_sides(workers)
    if not chosen.no_warm_up:
        print("warm-up", flush=True)
        small = GridRun(sides, workers, write_source(workers, folder, SMALLEST_ROWS), SMALLEST_ROWS)
        small.run_round(0, [Spot(1, 10)])
    run = GridRun(sides, workers, write_source(workers, folder, chosen.rows), chosen.rows)
    for number in range(1, chosen.rounds + 1):
        print(f"round {number}", flush=True)
        run.run_round(number)
    return run.cells


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes. Returns 0; raises when an engine fails, or the rows of two differ."""
    chosen = parse_options(arguments)
    compare(chosen, "grid", " in ten files", lambda workers, folder: measure(chosen, workers, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
