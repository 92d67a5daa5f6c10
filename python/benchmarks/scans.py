"""Scans of one table in each state that it passes through, beside flat ORC with exactly the rows that are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measures import Measure, ensure_equal, measure_rounds
from originals import write_originals
from pyspark.sql import DataFrame, SparkSession
from workbench import Workbench

BUCKETS = 8


@dataclass(frozen=True)
class State:
    """A state of the table: the statement that leads to it from the one before, and which rows are left."""

    name: str
    statement: str
    left: str


_LEFT = "id % 10000 <> 1 AND id % 100 <> 7 AND id % 10 <> 7"
STATES: Sequence[State] = (
    State("no deletes", "", "true"),
    State("0.01 % deleted", "DELETE FROM acid WHERE id % 10000 = 1", "id % 10000 <> 1"),
    State("1 % deleted", "DELETE FROM acid WHERE id % 100 = 7", "id % 10000 <> 1 AND id % 100 <> 7"),
    State("10 % deleted", "DELETE FROM acid WHERE id % 10 = 7", _LEFT),
    State("after minor", "ALTER TABLE acid COMPACT 'minor'", _LEFT),
    State("after major", "ALTER TABLE acid COMPACT 'major'", _LEFT),
)


def measure_scans(bench: Workbench) -> Sequence[Measure]:
    """Count, sum, filters and all columns in each state, and of files that were there before the table was ACID."""
    bench.create("acid", f"CLUSTERED BY (id) INTO {BUCKETS} BUCKETS")
    ensure_equal("rows inserted", bench.insert("acid"), bench.rows)
    measures: list[Measure] = []
    for state in STATES:
        if state.statement:
            bench.spark.sql(state.statement)
        expected = bench.spark.read.parquet(str(bench.source)).where(state.left).count()
        ensure_equal(f"rows, {state.name}", bench.spark.table("acid").count(), expected)
        measures += compare(bench, "acid", state.name)
    bench.spark.sql("DROP TABLE acid")
    return [*measures, *measure_converted(bench)]


def measure_converted(bench: Workbench) -> Sequence[Measure]:
    """The same of a table of original files, none of which is deleted from."""
    bench.create("converted", transactional=False)
    write_originals(bench, bench.metastore.warehouse / "converted", BUCKETS)
    bench.spark.sql("ALTER TABLE converted SET TBLPROPERTIES ('transactional'='true')")
    measures = compare(bench, "converted", "originals")
    bench.spark.sql("DROP TABLE converted")
    return measures


def compare(bench: Workbench, table: str, name: str) -> Sequence[Measure]:
    """Each query beside the same of flat files, whose rows have the same order as those of the table."""
    spark = bench.spark
    spark.table(table).write.format("orc").mode("overwrite").saveAsTable("flat")
    for query, run in queries(bench).items():
        if query != "all columns":
            ensure_equal(f"{query}, {name}", run(spark.table(table)), run(spark.table("flat")))
    cases = {
        f"{query}, {name}": (bind(run, spark, table), bind(run, spark, "flat")) for query, run in queries(bench).items()
    }
    measures = measure_rounds(cases, bench.rounds)
    spark.sql("DROP TABLE flat")
    return measures


def queries(bench: Workbench) -> dict[str, Callable[[DataFrame], object]]:
    """By name; each plans anew, so that nothing is kept from the round before."""
    first, last = bench.rows // 2, bench.rows // 2 + bench.rows // 1000

    def filtered(condition: str) -> Callable[[DataFrame], object]:
        columns = ("count(*)", "sum(amount)", "max(code)")
        return lambda frame: tuple(frame.where(condition).selectExpr(*columns).collect()[0])

    return {
        "count(*)": lambda frame: frame.count(),
        "sum of a column": lambda frame: frame.selectExpr("sum(number)").collect()[0][0],
        "clustered filter": filtered(f"id BETWEEN {first} AND {last}"),
        "random filter": filtered("number BETWEEN 0 AND 999"),
        "all columns": lambda frame: frame.write.format("noop").mode("overwrite").save(),
    }


def bind(query: Callable[[DataFrame], object], spark: SparkSession, table: str) -> Callable[[], object]:
    """The query on the table, looked up when it runs."""
    return lambda: query(spark.table(table))
