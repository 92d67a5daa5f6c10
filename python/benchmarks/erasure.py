"""What an erasure costs, beside Delta and Iceberg with the same rows: `./dev bench erasure`.

Every method erases the same people from a table of its own, one group after the other. Rounds are interleaved and
begin with a small table, which does not count. After each erasure the rows are counted, and all files of the table are
searched for the people. Results are written as JSON.
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
from pathlib import Path

from peers.client import Machine, started_worker
from peers.environments import OURS, PEERS, prepare
from peers.erasure_report import publish, summarise
from peers.erasure_run import Run, write_source
from peers.methods import METHODS
from peers.options import FULL_ROWS, build_parser, find_facts

DAYS = 50
WARM_UP_ROWS = 200_000
"""At most, and no more than a tenth of the rows: the JVM compiles most of what it runs in them."""


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = build_parser("erasure", __doc__.partition("\n")[0], rows=200_000)
    parser.add_argument("--days", type=int, default=DAYS, help="partitions of the table (default: %(default)s)")
    parser.add_argument(
        "--subjects",
        type=_numbers,
        help="how many people are erased, one number after the other; by default a 20,000th and a 2,000th of the rows",
    )
    parser.add_argument(
        "--methods",
        type=lambda text: text.split(","),
        default=[method.name for method in METHODS if method.engine != OURS],
        help="the methods of peers, by their names, one after the other; by default all",
    )
    parser.add_argument("--rounds", type=int, help="rounds that count (default: 5, with --scale 1)")
    chosen = parser.parse_args(arguments)
    chosen.rows = FULL_ROWS if chosen.scale else chosen.rows
    chosen.rounds = (1 if chosen.scale else 5) if chosen.rounds is None else chosen.rounds
    chosen.subjects = chosen.subjects or [max(1, chosen.rows // 20_000), max(1, chosen.rows // 2_000)]
    unknown = set(chosen.against) - set(PEERS)
    if unknown or chosen.rounds < 1 or sum(chosen.subjects) > chosen.rows // 100:
        parser.error(f"peers are {', '.join(PEERS)}; at least one round; at most a hundredth of the rows as people")
    if set(chosen.methods) - {method.name for method in METHODS}:
        parser.error(f"methods are {', '.join(dict.fromkeys(method.name for method in METHODS))}")
    return chosen


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def run_rounds(chosen: argparse.Namespace, folder: Path, run: Run) -> None:
    """Fills the run. Methods take turns in being first."""
    engines = [OURS, *chosen.against]
    machine = Machine(len(os.sched_getaffinity(0)), chosen.memory)
    methods = [
        method
        for method in METHODS
        if method.engine == OURS or (method.engine in engines and method.name in chosen.methods)
    ]
    for name in engines:
        prepare(name)  # before anything runs beside it
    with ExitStack() as stack:
        workers = {name: stack.enter_context(started_worker(name, folder / name, machine)) for name in engines}
        run.workers |= workers
        source = write_source(workers[OURS], folder / "source", chosen.rows, chosen.days)
        if not chosen.no_warm_up:
            rows = min(WARM_UP_ROWS, max(1_000, chosen.rows // 10))
            small = write_source(workers[OURS], folder / "small", rows, min(5, chosen.days))
            print("warm-up", flush=True)
            for method in methods:
                Run().erase_groups(method, workers[method.engine], small, [1], 0)
        for number in range(1, chosen.rounds + 1):
            print(f"round {number}", flush=True)
            turn = number % len(methods)
            for method in methods[turn:] + methods[:turn]:
                run.attempt(method, workers[method.engine], source, chosen.subjects, number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes. Returns 0, or 1 if an engine has failed; raises when a count is wrong.

    The results until then are written all the same.
    """
    chosen = parse_options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-erasure-", dir=chosen.folder)).resolve()
    load_before, run = os.getloadavg(), Run()
    try:
        run_rounds(chosen, folder, run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        facts = find_facts(chosen, run.workers) | {
            "days": chosen.days,
            "load_before": load_before,
            "load_after": os.getloadavg(),
        }
        cells = [cell.describe() for cell in run.cells]
        result = {**facts, "failures": run.failures, "medians": summarise(run.cells), "cells": cells}
        chosen.result.parent.mkdir(exist_ok=True)
        chosen.result.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(f"\n{publish(result, is_kept=chosen.publish and not run.failures)}\nwritten to {chosen.result}")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
