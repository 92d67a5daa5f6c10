"""What an erasure costs, beside Delta and Iceberg with the same rows: `./dev bench erasure`.

Every method erases the same people from a table of its own, one group after the other. Rounds are interleaved and
begin with a small table, which does not count. After each erasure the rows are counted, and all files of the table are
searched for the people. Results are written as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow.dataset
from measures import ensure_equal
from peers.client import Machine, WorkerClient, started_worker
from peers.environments import OURS, PEERS, ROOT, prepare
from peers.erasure_report import Cell, format_cells, publish, summarise
from peers.events import Source
from peers.files import find_remains, list_sizes
from peers.methods import METHODS, Method

import hive_acid

RESULT = ROOT / ".build" / "bench-erasure.json"
FULL_ROWS = 20_000_000
DAYS = 50
WARM_UP_ROWS = 20_000


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev bench erasure", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--scale", action="store_true", help=f"{FULL_ROWS:,} rows")
    parser.add_argument("--days", type=int, default=DAYS, help="partitions of the table (default: %(default)s)")
    parser.add_argument(
        "--subjects",
        type=_numbers,
        help="how many people are erased, one number after the other; by default a 20,000th and a 2,000th of the rows",
    )
    parser.add_argument(
        "--against",
        type=lambda text: [name for name in text.split(",") if name],
        default=list(PEERS),
        help=f"peers, of {', '.join(PEERS)}; an empty text for none (default: all)",
    )
    parser.add_argument("--rounds", type=int, help="rounds that count (default: 5, with --scale 1)")
    parser.add_argument("--memory", default="3g", help="heap of each engine's session (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where the data go; a temporary folder by default")
    parser.add_argument("--result", type=Path, default=RESULT, help="the JSON of the results (default: %(default)s)")
    parser.add_argument("--no-warm-up", action="store_true", help="begin with the measured table")
    parser.add_argument("--publish", action="store_true", help="write the table into docs/benchmarks.md")
    chosen = parser.parse_args(arguments)
    chosen.rows = FULL_ROWS if chosen.scale else chosen.rows
    chosen.rounds = (1 if chosen.scale else 5) if chosen.rounds is None else chosen.rounds
    chosen.subjects = chosen.subjects or [max(1, chosen.rows // 20_000), max(1, chosen.rows // 2_000)]
    unknown = set(chosen.against) - set(PEERS)
    if unknown or chosen.rounds < 1 or sum(chosen.subjects) > chosen.rows // 100:
        parser.error(f"peers are {', '.join(PEERS)}; at least one round; at most a hundredth of the rows as people")
    return chosen


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def erase_groups(
    method: Method, worker: WorkerClient, source: Source, groups: Sequence[int], round_: int
) -> list[Cell]:
    """A table of its own, from which one group of people after the other is erased; a result for each."""
    root, cells, first, left = method.root(worker), list[Cell](), 0, source.rows
    load_s = method.load(worker, source.folder)
    ensure_equal(f"{method.engine}: rows loaded", method.count(worker), left)
    for size in groups:
        people = source.victims(first, size)
        first += size
        rows = count_rows_of(source, people)
        before = list_sizes(root)
        done = method.erase(worker, people)
        left -= rows
        ensure_equal(f"{method.engine}, {method.name}: rows left", method.count(worker), left)
        remains = find_remains(root, "email", people)
        ensure_equal(f"{method.engine}, {method.name}: rows left in files", remains.rows, 0)
        written = sum(size_ for path, size_ in done.files.items() if path not in before)
        cells.append(
            Cell(
                engine=method.engine,
                method=method.name,
                round=round_,
                subjects=size,
                rows=rows,
                phases=done.phases,
                bytes_before=sum(before.values()),
                bytes_written=written,
                peak_mib=done.peak_mib,
                load_s=load_s,
                texts_left=remains.texts,
            )
        )
        print(format_cells([cells[-1]]), flush=True)
    method.drop(worker)
    shutil.rmtree(root, ignore_errors=True)
    return cells


def count_rows_of(source: Source, people: Sequence[str]) -> int:
    """The rows of people in the source, counted without any of the engines."""
    dataset = pyarrow.dataset.dataset(source.folder)
    return int(dataset.count_rows(filter=pyarrow.dataset.field("email").isin(list(people))))


def write_source(worker: WorkerClient, folder: Path, rows: int, days: int) -> Source:
    """The rows, written once."""
    source = Source(folder, rows, days)
    worker.call("peers.events:write_events", folder=folder.as_uri(), rows=rows, days=days, population=source.population)
    return source


def run_rounds(chosen: argparse.Namespace, folder: Path) -> tuple[list[Cell], Mapping[str, str]]:
    """All results, and the version of each engine's Spark. Methods take turns in being first."""
    engines = [OURS, *chosen.against]
    machine = Machine(len(os.sched_getaffinity(0)), chosen.memory)
    methods = [method for method in METHODS if method.engine in engines]
    cells: list[Cell] = []
    for name in engines:
        prepare(name)  # before anything runs beside it
    with ExitStack() as stack:
        workers = {name: stack.enter_context(started_worker(name, folder / name, machine)) for name in engines}
        source = write_source(workers[OURS], folder / "source", chosen.rows, chosen.days)
        if not chosen.no_warm_up:
            small = write_source(workers[OURS], folder / "small", min(WARM_UP_ROWS, chosen.rows), min(5, chosen.days))
            print("warm-up", flush=True)
            for method in methods:
                erase_groups(method, workers[method.engine], small, [1], 0)
        for number in range(1, chosen.rounds + 1):
            print(f"round {number}", flush=True)
            turn = number % len(methods)
            for method in methods[turn:] + methods[:turn]:
                cells += erase_groups(method, workers[method.engine], source, chosen.subjects, number)
        return cells, {name: worker.spark for name, worker in workers.items()}


def find_facts(chosen: argparse.Namespace, sparks: Mapping[str, str]) -> dict[str, object]:
    """The machine, the versions and the size, which belong to every figure."""
    releases = {OURS: hive_acid.__version__} | {name: PEERS[name].release for name in chosen.against}
    return {
        "engines": {name: {"release": releases[name], "spark": spark} for name, spark in sparks.items()},
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "heap": chosen.memory,
        "rows": chosen.rows,
        "days": chosen.days,
        "rounds": chosen.rounds,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, writes. Returns 0, or raises when a count is wrong or an engine fails."""
    chosen = parse_options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-erasure-", dir=chosen.folder)).resolve()
    load_before = os.getloadavg()
    try:
        cells, sparks = run_rounds(chosen, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    facts = find_facts(chosen, sparks) | {"load_before": load_before, "load_after": os.getloadavg()}
    result = {**facts, "medians": summarise(cells), "cells": [cell.describe() for cell in cells]}
    chosen.result.parent.mkdir(exist_ok=True)
    chosen.result.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(f"\n{publish(result, is_kept=chosen.publish)}\nwritten to {chosen.result}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
