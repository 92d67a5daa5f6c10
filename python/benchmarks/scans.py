"""Scans of one table as its rows are deleted, beside a flat ORC table with exactly the rows that are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from measures import Measure, ensure_equal, measure_rounds
from pyspark.sql import DataFrame, SparkSession
from workbench import Workbench

DELETED: Sequence[tuple[str, str, str]] = (
    ("0 %", "", "true"),
    ("1 %", "DELETE FROM acid WHERE id % 100 = 7", "id % 100 <> 7"),
    ("10 %", "DELETE FROM acid WHERE id % 10 = 7", "id % 10 <> 7"),
)
"""How much is gone, the DELETE that gets there from the line before, and the condition of the rows left."""


def measure_scans(bench: Workbench) -> Sequence[Measure]:
    """Count, sum, selective filter and all columns, for each share of deleted rows."""
    spark = bench.spark
    bench.create("acid")
    ensure_equal("rows inserted", bench.insert("acid"), bench.rows)
    measures: list[Measure] = []
    for share, deletion, left in DELETED:
        if deletion:
            spark.sql(deletion)
        rows_left = spark.read.parquet(str(bench.source)).where(left)
        rows_left.write.format("orc").mode("overwrite").saveAsTable("flat")
        for name, query in queries(bench).items():
            if name != "all columns":
                ensure_equal(f"{name} at {share}", query(spark.table("acid")), query(spark.table("flat")))
        cases = {
            f"{name}, {share} deleted": (bind(query, spark, "acid"), bind(query, spark, "flat"))
            for name, query in queries(bench).items()
        }
        measures += measure_rounds(cases, bench.rounds)
    spark.sql("DROP TABLE acid")
    spark.sql("DROP TABLE flat")
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


def bind(query: Callable[[DataFrame], object], spark: SparkSession, table: str) -> Callable[[], object]:
    """The query on the table, looked up when it runs."""
    return lambda: query(spark.table(table))
