"""INSERT … SELECT of all source rows, also into buckets and new partitions, beside writing them as flat ORC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from columns import COLUMNS
from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench

BUCKETS = 16
PARTITIONS = (200, 10_000)
FEWEST_ROWS = 100
"""In a partition; fewer partitions are made of few rows."""


def measure_inserts(bench: Workbench) -> Sequence[Measure]:
    """Both read the same Parquet and write ZLIB; each round begins with an empty table."""
    target, shuffled = bench.folder / "written", bench.folder / "shuffled"

    def insert(table: str) -> None:
        ensure_equal("rows inserted", bench.insert(table), bench.rows)

    def create() -> None:
        bench.create("inserted")
        bench.create("bucketed", f"CLUSTERED BY (id) INTO {BUCKETS} BUCKETS")

    def write() -> None:
        bench.spark.read.parquet(str(bench.source)).write.mode("overwrite").orc(str(target))

    def write_shuffled() -> None:
        rows = bench.spark.read.parquet(str(bench.source)).repartition(BUCKETS, "id")
        rows.write.mode("overwrite").orc(str(shuffled))

    cases = {
        "INSERT … SELECT": (partial(insert, "inserted"), write),
        f"the same into {BUCKETS} buckets": (partial(insert, "bucketed"), write_shuffled),
    }
    measures = measure_rounds(cases, bench.rounds, before_round=create)
    tables = {"inserted": target, "bucketed": shuffled}
    sizes = [(size_mib(bench.metastore.warehouse / table), size_mib(flat)) for table, flat in tables.items()]
    for table in tables:
        bench.spark.sql(f"DROP TABLE {table}")
    noted = [
        replace(measure, note=f"{size:.0f} MiB against {flat:.0f} MiB")
        for measure, (size, flat) in zip(measures, sizes, strict=True)
    ]
    return [*noted, *(measure_partitions(bench, count) for count in PARTITIONS if FEWEST_ROWS * count <= bench.rows)]


def measure_partitions(bench: Workbench, count: int) -> Measure:
    """All rows into so many new partitions, beside the same shuffle and flat ORC; with what one takes more."""
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    bench.spark.conf.set("hive.exec.dynamic.partition.mode", "nonstrict")
    bench.spark.conf.set("hive.exec.max.dynamic.partitions", str(2 * count))
    source = bench.spark.read.parquet(str(bench.source)).selectExpr("*", f"CAST(id % {count} AS INT) AS part")
    source.createOrReplaceTempView("parted")

    def create() -> None:
        bench.spark.sql("DROP TABLE IF EXISTS parts")
        properties = "TBLPROPERTIES ('transactional'='true')"
        bench.spark.sql(f"CREATE TABLE parts ({columns}) PARTITIONED BY (part INT) STORED AS ORC {properties}")

    def insert() -> None:
        ensure_equal("rows", bench.spark.sql("INSERT INTO parts SELECT * FROM parted").collect()[0][0], bench.rows)

    def write() -> None:
        shuffled = source.repartition("part").sortWithinPartitions("part")
        shuffled.write.mode("overwrite").partitionBy("part").orc(str(bench.folder / "parted"))

    (measure,) = measure_rounds({f"into {count:,} new partitions": (insert, write)}, bench.rounds, before_round=create)
    bench.spark.sql("DROP TABLE parts")
    more_ms = ((measure.cpu_seconds or 0.0) - (measure.baseline_cpu_seconds or 0.0)) / count * 1000
    return replace(measure, note=f"{more_ms:.1f} ms of processors more for each")


def size_mib(folder: Path) -> float:
    """Bytes of all data files below the folder, in MiB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".crc") / 2**20
