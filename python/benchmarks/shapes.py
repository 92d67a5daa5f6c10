"""Tables of six shapes, after a chart of Presto's: flat files, a base, and a base with 1 and 5 deletes or inserts.

All hold the same rows. A delta of inserts has a hundredth of them, and a delete takes away a hundredth that the base
has besides. The baseline are flat files with the rows, in the order of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from columns import COLUMNS
from measures import Measure, ensure_equal, measure_rounds
from workbench import Workbench

_ALL = ", ".join(f"max({name})" for name in COLUMNS)
QUERIES = {
    "count": "SELECT count(*) FROM {t}",
    "count where": "SELECT count(*) FROM {t} WHERE number < 500000",
    "max of all": f"SELECT {_ALL} FROM {{t}}",
    "max of all where": f"SELECT {_ALL} FROM {{t}} WHERE number < 500000",
}
DELTAS = (0, 1, 5)


def measure_shapes(bench: Workbench) -> Sequence[Measure]:
    """Each query on each shape, beside flat files."""
    source = bench.spark.read.parquet(str(bench.source))
    source.createOrReplaceTempView("source")
    source.write.format("orc").mode("overwrite").saveAsTable("flat")
    makers = {f"{n} deletes": partial(make_deletes, bench, n) for n in DELTAS}
    makers |= {f"{n} inserts": partial(make_inserts, bench, n) for n in DELTAS[1:]}
    measures: list[Measure] = []
    for shape, make in makers.items():
        make()
        title = "base" if shape.startswith("0") else f"base, {shape}"
        for query in QUERIES.values():
            ensure_equal(f"{query} of {title}", answer(bench, query, "shaped"), answer(bench, query, "flat"))
        cases: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            f"{name}, {title}": (partial(answer, bench, query, "shaped"), partial(answer, bench, query, "flat"))
            for name, query in QUERIES.items()
        }
        measures += measure_rounds(cases, bench.rounds)
    for table in ("shaped", "flat"):
        bench.spark.sql(f"DROP TABLE {table}")
    return measures


def make_deletes(bench: Workbench, count: int) -> None:
    """A base with all rows and others, which are deleted."""
    bench.create("shaped")
    others = ", ".join(name if name != "id" else f"id + {bench.rows} AS id" for name in COLUMNS)
    more = f" UNION ALL SELECT {others} FROM source WHERE id % 100 < {count}" if count else ""
    bench.spark.sql(f"INSERT OVERWRITE shaped SELECT * FROM source{more}")
    for number in range(count):
        bench.spark.sql(f"DELETE FROM shaped WHERE id >= {bench.rows} AND (id - {bench.rows}) % 100 = {number}")


def make_inserts(bench: Workbench, count: int) -> None:
    """A base without some rows, which are inserted."""
    bench.create("shaped")
    bench.spark.sql(f"INSERT OVERWRITE shaped SELECT * FROM source WHERE id % 100 >= {count}")
    for number in range(count):
        bench.spark.sql(f"INSERT INTO shaped SELECT * FROM source WHERE id % 100 = {number}")


def answer(bench: Workbench, query: str, table: str) -> object:
    """The only row of a query, planned anew."""
    return bench.spark.sql(query.format(t=table)).collect()[0]
