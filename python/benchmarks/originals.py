"""Scans of converted tables with the same rows in 1, 10 and 100 files of one bucket, with a row deleted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from columns import COLUMNS
from measures import Measure, ensure_equal, measure_rounds, timed
from workbench import Workbench

FILES = (1, 10, 100)


def measure_originals(bench: Workbench) -> Sequence[Measure]:
    """A sum beside that of the same files without deletes, for which no row is numbered; the DELETE is in the note."""
    measures: list[Measure] = []
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    for files in FILES:
        for table in ("originals", "untouched"):
            bench.spark.sql(f"CREATE TABLE {table} ({columns}) STORED AS ORC")
            write_originals(bench, bench.metastore.warehouse / table, files)
            bench.spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('transactional'='true')")
        seconds = timed(lambda: bench.spark.sql(f"DELETE FROM originals WHERE id = {bench.rows // 2}"))
        ensure_equal("rows left", bench.spark.table("originals").count(), bench.rows - 1)
        case = (partial(add_up, bench, "originals"), partial(add_up, bench, "untouched"))
        (measure,) = measure_rounds({f"sum, {files} originals": case}, bench.rounds)
        measures.append(
            Measure(
                measure.name,
                measure.seconds,
                measure.baseline_seconds,
                measure.kept_seconds,
                f"the DELETE: {seconds:.3f} s",
            )
        )
        for table in ("originals", "untouched"):
            bench.spark.sql(f"DROP TABLE {table}")
    return measures


def write_originals(bench: Workbench, folder: Path, files: int) -> None:
    """Writes the source data into so many files of bucket 0."""
    written = folder.with_name(f"{folder.name}-written")
    rows = bench.spark.read.parquet(str(bench.source))
    rows.repartition(files, "id").write.mode("overwrite").orc(written.as_uri())
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(sorted(written.glob("part-*.orc"))):
        part.rename(folder / (f"000000_0_copy_{number}" if number else "000000_0"))


def add_up(bench: Workbench, table: str) -> object:
    """A column of all rows."""
    return bench.spark.table(table).selectExpr("sum(number)").collect()[0][0]
