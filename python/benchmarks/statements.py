"""What statements cost, beside Delta, Iceberg and flat ORC with the same rows: `./dev bench statements`.

All sides run the same statements one after the other: a load, scans, updates, deletes, merges, a compaction, and
statements about one row each. Every side runs a step before any runs the next, and they take turns in being first.
After each change the rows of all are compared. A round on a small table goes before and does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from peers.client import Machine, started_worker
from peers.environments import OURS, PEERS, prepare
from peers.options import FULL_ROWS, build_parser, find_facts
from peers.statement_report import publish, summarise
from peers.statement_run import StatementRun
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


def run_rounds(chosen: argparse.Namespace, folder: Path) -> StatementRun:
    """All that is measured."""
    engines = [OURS, *chosen.against]
    sides = [side for side in SIDES if side.engine in engines]
    cores = len(os.sched_getaffinity(0))
    for name in engines:
        prepare(name)  # before anything runs beside it
    with ExitStack() as stack:
        machine = Machine(cores, chosen.memory)
        workers = {name: stack.enter_context(started_worker(name, folder / name, machine)) for name in engines}
        runs = {}
        for rows in sorted({SMALLEST_ROWS, chosen.rows}):
            source = (folder / f"source-{rows}").as_uri()
            workers[OURS].call("peers.statements:write_rows", folder=source, rows=rows, tasks=max(8, 2 * cores))
            runs[rows] = StatementRun(sides, workers, f"parquet.`{source}`", rows)
        if not chosen.no_warm_up:
            print("warm-up", flush=True)
            runs[SMALLEST_ROWS].run_round(0, min(chosen.repeats, 5))
        for number in range(1, chosen.rounds + 1):
            print(f"round {number}", flush=True)
            runs[chosen.rows].run_round(number, chosen.repeats)
        return runs[chosen.rows]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes. Returns 0; raises when an engine fails, or the rows of two differ."""
    chosen = parse_options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-statements-", dir=chosen.folder)).resolve()
    load_before = os.getloadavg()
    try:
        run = run_rounds(chosen, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result = {
        **find_facts(chosen, {name: each.spark for name, each in run.workers.items()}),
        "repeats": chosen.repeats,
        "load_before": load_before,
        "load_after": os.getloadavg(),
        "medians": summarise(run.cells),
        "cells": [asdict(cell) for cell in run.cells],
    }
    chosen.result.parent.mkdir(exist_ok=True)
    chosen.result.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(f"\n{publish(result, is_kept=chosen.publish)}\nwritten to {chosen.result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
