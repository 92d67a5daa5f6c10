"""What an ACID table costs, beside the same rows as flat ORC in the same Spark: `./dev bench`.

Every comparison is run in interleaved rounds, of which the first is dropped; medians and their ratio are printed and
written as JSON. Counts are checked: a run that returns wrong rows fails.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from big_delete import measure_big_delete
from compactions import measure_compactions
from cores import measure_cores
from inserts import measure_inserts
from measures import Measure, format_table
from originals import measure_originals
from planning import measure_planning
from pruning import measure_pruning
from scans import measure_scans
from series_report import publish
from shapes import measure_shapes
from single_deletes import measure_single_deletes
from workbench import Workbench, started_workbench

import hive_acid

RESULT = Path(__file__).resolve().parents[2] / ".build" / "bench.json"

SERIES: dict[str, tuple[str, Callable[[Workbench], Sequence[Measure]]]] = {
    "scan": ("scans in 8 buckets: no deletes, 0.01 %, 1 %, 10 %, after compactions; originals", measure_scans),
    "shape": ("a base, 1 and 5 deletes, 1 and 5 inserts, against flat ORC with the same rows", measure_shapes),
    "plan": ("planning a read of 10, 1,000 and 10,000 partitions, against flat tables", measure_planning),
    "cores": ("UPDATE in one file and in all, and how many cores are at work", measure_cores),
    "insert": (
        "INSERT … SELECT, into buckets, 200 and 10,000 partitions",
        measure_inserts,
    ),
    "delete": ("latency of a DELETE of one row, and its calls to the metastore", measure_single_deletes),
    "originals": ("a scan of a table that was converted with 1, 10 and 100 files, one row deleted", measure_originals),
    "pruning": ("statements on one of 10,000 partitions, against one of 20", measure_pruning),
    "compaction": ("500 deltas under a driver heap of 1 GB, against reading and writing the rows", measure_compactions),
    "big-delete": ("DELETE of all rows under a driver heap of 1 GB", measure_big_delete),
}


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds (default: %(default)s), the first of which is dropped; 2 or more"
    )
    parser.add_argument(
        "--only",
        choices=SERIES,
        action="append",
        help="; ".join(f"{k}: {v[0]}" for k, v in SERIES.items()).replace("%", "%%"),
    )
    parser.add_argument("--folder", type=Path, help="where the data go; a temporary folder by default")
    parser.add_argument("--result", type=Path, default=RESULT, help="the JSON of the results (default: %(default)s)")
    parser.add_argument("--publish", action="store_true", help="write each series into docs/benchmarks.md, at its mark")
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 2 or chosen.rows < 1000:
        parser.error("at least 2 rounds and 1000 rows are needed")
    return chosen


def describe_run(bench: Workbench) -> dict[str, Any]:
    """What figures belong to: versions, machine, sizes."""
    return {
        "version": hive_acid.__version__,
        "spark": bench.spark.version,
        "cores": bench.spark.sparkContext.defaultParallelism,
        "heap": bench.spark.conf.get("spark.driver.memory"),
        "system": f"{platform.system()} {platform.machine()}",
        "rows": bench.rows,
        "rounds_kept": bench.rounds - 1,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write. Returns 0, or raises when a count is wrong."""
    chosen = parse_options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-bench-", dir=chosen.folder))
    series: list[dict[str, Any]] = []
    started = time.perf_counter()
    try:
        with started_workbench(folder, chosen.rows, chosen.rounds) as bench:
            facts = describe_run(bench)
            print(", ".join(f"{key} {value}" for key, value in facts.items()), flush=True)
            for name in chosen.only or SERIES:
                title, measure = SERIES[name]
                print(f"\n{name}: {title}", flush=True)
                before = os.getloadavg()
                measured = measure(bench)
                loads = {"load_average_before": before, "load_average_after": os.getloadavg()}
                print(format_table(measured), flush=True)
                series.append({"series": name, **loads, "results": [describe_measure(found) for found in measured]})
                if chosen.publish:
                    publish(name, title, {**facts, **loads}, measured)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    chosen.result.parent.mkdir(exist_ok=True)
    chosen.result.write_text(json.dumps({**facts, "series": series}, indent=2) + "\n", "utf-8")
    print(f"\n{time.perf_counter() - started:.0f} s in all, written to {chosen.result}")
    return 0


def describe_measure(measure: Measure) -> dict[str, Any]:
    """A measure with its ratios."""
    return asdict(measure) | {"ratio": measure.ratio, "cpu_ratio": measure.cpu_ratio}


if __name__ == "__main__":
    sys.exit(main())
