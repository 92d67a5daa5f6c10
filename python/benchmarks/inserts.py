"""INSERT … SELECT of all source rows, beside writing them as flat ORC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench


def measure_inserts(bench: Workbench) -> Sequence[Measure]:
    """Both read the same Parquet and write ZLIB; each round begins with an empty table."""
    target = bench.folder / "written"

    def insert() -> None:
        ensure_equal("rows inserted", bench.insert("inserted"), bench.rows)

    def write() -> None:
        bench.spark.read.parquet(str(bench.source)).write.mode("overwrite").orc(str(target))

    cases = {"INSERT … SELECT": (insert, write)}
    (measure,) = measure_rounds(cases, bench.rounds, before_round=lambda: bench.create("inserted"))
    written = size_mib(bench.metastore.warehouse / "inserted"), size_mib(target)
    bench.spark.sql("DROP TABLE inserted")
    return [replace(measure, note=f"{written[0]:.0f} MiB against {written[1]:.0f} MiB")]


def size_mib(folder: Path) -> float:
    """Bytes of all data files below the folder, in MiB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".crc") / 2**20
