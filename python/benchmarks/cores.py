"""Changes that lie in few files: how many cores are at work.

The baseline is the same UPDATE of rows that are spread over all files; the note has processor seconds by seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench

FILES = 10


def measure_cores(bench: Workbench) -> Sequence[Measure]:
    """UPDATE of half the rows of one file, and of 1 % of the rows of all; each round has new tables."""
    measures = []
    cases = {
        "half of one file": (f"id < {bench.rows // FILES} AND id % 2 = 0", f"id % {2 * FILES} = 1"),
        "1 % of all files": ("id % 100 = 3", "id % 100 = 1"),
    }
    source = bench.spark.read.parquet(str(bench.source))
    for name, conditions in cases.items():
        ours, spread = (
            partial(update, bench, table, condition, source.where(condition).count())
            for table, condition in zip(("one", "other"), conditions, strict=True)
        )
        (measure,) = measure_rounds({name: (ours, spread)}, bench.rounds, before_round=partial(make, bench))
        cores = (measure.cpu_seconds or 0.0) / measure.seconds
        measures.append(replace(measure, note=f"{cores:.2f} cores at work"))
    for table in ("one", "other"):
        bench.spark.sql(f"DROP TABLE {table}")
    return measures


def make(bench: Workbench) -> None:
    """Two tables whose files hold ranges of IDs."""
    rows = bench.spark.read.parquet(str(bench.source)).repartitionByRange(FILES, "id")
    rows.createOrReplaceTempView("ranges")
    for table in ("one", "other"):
        bench.create(table)
        bench.spark.sql(f"INSERT INTO {table} SELECT * FROM ranges")


def update(bench: Workbench, table: str, condition: str, count: int) -> None:
    """One statement; its table has the rows of the source."""
    changed = bench.spark.sql(f"UPDATE {table} SET remark = 'updated' WHERE {condition}").collect()[0][0]
    ensure_equal("rows updated", changed, count)
