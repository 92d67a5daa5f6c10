"""DELETE of one row of a large table: how long, and how many calls to the metastore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any

from measures import Measure, ensure_equal, timed
from workbench import Workbench

DELETIONS = 11


def measure_single_deletes(bench: Workbench) -> Sequence[Measure]:
    """The median over rows spread over the table, without the first; its calls by method are in the note."""
    bench.create("single")
    ensure_equal("rows inserted", bench.insert("single"), bench.rows)
    seconds, calls = [], []
    for number in range(DELETIONS):
        victim = (2 * number + 1) * bench.rows // (2 * DELETIONS)
        with counted_calls(bench) as counter:
            seconds.append(timed(partial(delete_one, bench, victim)))
        calls.append(counter)
    ensure_equal("rows left", bench.spark.table("single").count(), bench.rows - DELETIONS)
    bench.spark.sql("DROP TABLE single")
    kept, last = tuple(seconds[1:]), calls[-1]
    note = f"{last.total()} calls: " + ", ".join(f"{name} {count}" for name, count in last.items())
    return [Measure("DELETE of one row", median(kept), None, kept, note)]


def delete_one(bench: Workbench, victim: int) -> None:
    """One statement, from its text to its result row."""
    changed = bench.spark.sql(f"DELETE FROM single WHERE id = {victim}").collect()[0][0]
    ensure_equal("rows deleted", changed, 1)


@contextmanager
def counted_calls(bench: Workbench) -> Iterator[Counter[str]]:
    """Counts the calls of our own metastore client by method; what Spark's client asks is not among them."""
    counter: Counter[str] = Counter()
    client: Any = bench.attachment.metastore
    call = client._call

    def counting(method: str, *args: Any, **options: Any) -> Any:
        counter[method] += 1
        return call(method, *args, **options)

    client._call = counting
    try:
        yield counter
    finally:
        del client._call
