"""INSERT … SELECT of all source rows, beside writing them as flat ORC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench

BUCKETS = 16


def measure_inserts(bench: Workbench) -> Sequence[Measure]:
    """Both read the same Parquet and write ZLIB; each round begins with an empty table."""
    target = bench.folder / "written"

    def insert(table: str) -> None:
        ensure_equal("rows inserted", bench.insert(table), bench.rows)

    def create() -> None:
        bench.create("inserted")
        bench.create("bucketed", f"CLUSTERED BY (id) INTO {BUCKETS} BUCKETS")

    def write() -> None:
        bench.spark.read.parquet(str(bench.source)).write.mode("overwrite").orc(str(target))

    cases = {
        "INSERT … SELECT": (partial(insert, "inserted"), write),
        f"the same into {BUCKETS} buckets": (partial(insert, "bucketed"), write),
    }
    measures = measure_rounds(cases, bench.rounds, before_round=create)
    written = [size_mib(bench.metastore.warehouse / table) for table in ("inserted", "bucketed")]
    for table in ("inserted", "bucketed"):
        bench.spark.sql(f"DROP TABLE {table}")
    flat = size_mib(target)
    return [
        replace(measure, note=f"{size:.0f} MiB against {flat:.0f} MiB")
        for measure, size in zip(measures, written, strict=True)
    ]


def size_mib(folder: Path) -> float:
    """Bytes of all data files below the folder, in MiB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".crc") / 2**20
