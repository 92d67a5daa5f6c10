"""Compaction of 500 deltas in a session whose driver has a heap of 1 GB, beside reading and writing the same rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from columns import COLUMNS
from heap import HEAP, find_memory, run_apart
from measures import Measure, ensure_equal, timed
from pyspark.sql import SparkSession
from workbench import Workbench, build_session

DELTAS = 500
DELETED = 100
"""Every so manieth row is deleted, in five statements."""


def measure_compactions(bench: Workbench) -> Sequence[Measure]:
    """A minor compaction, then a major one of what that left; twice as many rows as the other series have."""
    rows = 2 * bench.rows
    fill(bench, rows)
    expected = count_rows(bench)
    answer = run_apart(__file__, bench)
    ensure_equal("rows, and a sum", count_rows(bench), (expected[0] + 2, expected[1]))
    bench.spark.sql("DROP TABLE piled")
    return [
        Measure(name, answer[key], answer["baseline"], (answer[key],), answer["memory"] if key == "major" else "")
        for name, key in ((f"minor, {DELTAS} deltas, {rows} rows", "minor"), ("major of what that left", "major"))
    ]


def fill(bench: Workbench, rows: int) -> None:
    """As many inserts as DELTAS, each into two buckets, and five deletes."""
    bench.create("piled")
    bench.spark.sql("ALTER TABLE piled SET TBLPROPERTIES ('NO_AUTO_COMPACTION'='true')")
    expressions = [f"{expression} AS {name}" for name, (_, expression) in COLUMNS.items()]
    part = rows // DELTAS
    for number in range(DELTAS):
        bench.spark.range(number * part, (number + 1) * part, 1, 2).selectExpr(*expressions).writeTo("piled").append()
    for remainder in range(5):
        bench.spark.sql(f"DELETE FROM piled WHERE id % {5 * DELETED} = {remainder * DELETED}")


def count_rows(bench: Workbench) -> tuple[int, int]:
    """The number of rows, and the sum of a column."""
    row = bench.spark.table("piled").selectExpr("count(*)", "sum(number)").collect()[0]
    return row[0], row[1]


def compact_once(spark: SparkSession, kind: str) -> None:
    """By the session itself."""
    (row,) = spark.sql(f"ALTER TABLE piled COMPACT '{kind}'").collect()
    ensure_equal(kind, row.state in ("ready for cleaning", "succeeded"), True)


def compact(metastore_uri: str, warehouse: Path, folder: Path) -> None:
    """The part of the other process: prints its answer as one line of JSON."""
    with TemporaryDirectory(dir=folder) as local:
        spark = build_session(metastore_uri, warehouse, Path(local), HEAP)
        copy = (Path(local) / "copy").as_uri()
        baseline = timed(lambda: spark.table("piled").write.orc(copy))
        seconds: dict[str, float] = {}
        for kind in ("minor", "major"):
            seconds[kind] = timed(partial(compact_once, spark, kind))
            # the metastore takes no other request until something has been written
            spark.sql("INSERT INTO piled (id, number) VALUES (-1, 0)")
        answer = {**seconds, "baseline": baseline, "memory": find_memory(spark)}
        spark.stop()
        print(json.dumps(answer))


if __name__ == "__main__":
    compact(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
