"""Scans of one table as its rows are deleted, beside flat ORC files with exactly the rows that are left."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

from measures import Measure, ensure_equal, measure_rounds
from pyspark.sql import DataFrame
from workbench import Workbench

DELETED: Sequence[tuple[str, str, str]] = (
    ("0 %", "", "true"),
    ("1 %", "DELETE FROM acid WHERE id % 100 = 7", "id % 100 <> 7"),
    ("10 %", "DELETE FROM acid WHERE id % 10 = 7", "id % 10 <> 7"),
)
"""How much is gone, the DELETE that gets there from the line before, and the condition of the rows left."""


def measure_scans(bench: Workbench) -> Sequence[Measure]:
    """Count, sum, selective filter and all columns, for each share of deleted rows."""
    spark, flat = bench.spark, bench.folder / "flat"
    bench.create("acid")
    ensure_equal("rows inserted", bench.insert("acid"), bench.rows)
    measures: list[Measure] = []
    for share, deletion, left in DELETED:
        if deletion:
            spark.sql(deletion)
        shutil.rmtree(flat, ignore_errors=True)
        spark.read.parquet(str(bench.source)).where(left).write.orc(str(flat))
        acid, baseline = (lambda: spark.table("acid")), (lambda: spark.read.orc(str(flat)))
        for name, query in queries(bench).items():
            if name != "all columns":
                ensure_equal(f"{name} at {share}", query(acid()), query(baseline()))
        cases = {
            f"{name}, {share} deleted": (bind(query, acid), bind(query, baseline))
            for name, query in queries(bench).items()
        }
        measures += measure_rounds(cases, bench.rounds)
    return measures


def queries(bench: Workbench) -> dict[str, Callable[[DataFrame], object]]:
    """By name; each plans anew, so that nothing is kept from the round before."""
    first, last = bench.rows // 2, bench.rows // 2 + bench.rows // 1000
    return {
        "count(*)": lambda frame: frame.count(),
        "sum of a column": lambda frame: frame.selectExpr("sum(number)").collect()[0][0],
        "selective filter": lambda frame: tuple(
            frame.where(f"id BETWEEN {first} AND {last}")
            .selectExpr("count(*)", "sum(amount)", "max(code)")
            .collect()[0]
        ),
        "all columns": lambda frame: frame.write.format("noop").mode("overwrite").save(),
    }


def bind(query: Callable[[DataFrame], object], frame: Callable[[], DataFrame]) -> Callable[[], object]:
    """The query on a frame that is made when it runs."""
    return lambda: query(frame())
