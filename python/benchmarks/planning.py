"""Planning of a read of all partitions, beside that of flat tables with as many: metastore, listing and splits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench

PARTITIONS = (10, 1_000, 10_000)


def measure_planning(bench: Workbench) -> Sequence[Measure]:
    """No task runs; each partition has one file of one row. There are fewer partitions than `rows`."""
    measures: list[Measure] = []
    for count in (count for count in PARTITIONS if count < bench.rows):
        make(bench, count)
        for table in ("planned", "flat_planned"):
            ensure_equal("rows", bench.spark.table(table).count(), count)
        runs = {f"{count:,} partitions": (partial(plan, bench, "planned"), partial(plan, bench, "flat_planned"))}
        measures += measure_rounds(runs, bench.rounds)
        for table in ("planned", "flat_planned"):
            bench.spark.sql(f"DROP TABLE {table}")
    return measures


def make(bench: Workbench, count: int) -> None:
    """Both tables, of the same rows."""
    spark = bench.spark
    properties = {"planned": "TBLPROPERTIES ('transactional'='true')", "flat_planned": ""}
    spark.conf.set("hive.exec.dynamic.partition.mode", "nonstrict")
    spark.conf.set("hive.exec.max.dynamic.partitions", str(2 * count))
    for table, clause in properties.items():
        spark.sql(f"CREATE TABLE {table} (id INT) PARTITIONED BY (k INT) STORED AS ORC {clause}")
        spark.sql(f"INSERT INTO {table} SELECT 1, CAST(id AS INT) FROM range(0, {count}, 1, 2)")


def plan(bench: Workbench, table: str) -> None:
    """The physical plan with its splits, as a job would have them."""
    bench.spark.catalog.refreshTable(table)
    frame = bench.spark.sql(f"SELECT id FROM {table}")
    ensure_equal("there are splits", frame.rdd.getNumPartitions() > 0, True)
