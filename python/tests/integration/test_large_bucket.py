"""A bucket of millions of rows: many stripes, many batches, delete deltas of the size of the data."""

from __future__ import annotations

from typing import Any

import pytest

ROWS = 3_000_000
INSERT = f"INSERT INTO t SELECT /*+ COALESCE(1) */ id, concat('row ', id % 1000) FROM range({ROWS})"
ALL, THIRDS, TENTHS = (sum(range(0, ROWS, step)) for step in (1, 3, 10))


def check(tables: Any, rows: int, total: int | None) -> None:
    """Number of rows and sum of `id`, read whole, by a filter on each half of the rows, and without any column."""
    assert tables.sql("SELECT count(id), sum(id), count(name) FROM t") == [(rows, total, rows)]
    assert tables.sql("SELECT count(*) FROM t") == [(rows,)]
    halves = tables.sql(f"SELECT id < {ROWS // 2}, count(*) FROM t GROUP BY 1")
    assert sum(count for _, count in halves) == rows


@pytest.mark.slow
def test_three_million_rows_in_one_bucket_are_deleted_inserted_again_and_deleted(tables: Any) -> None:
    tables.create("t", "id BIGINT, name STRING")
    assert tables.sql(INSERT) == [(ROWS,)]
    assert [path.split("/")[1] for path in tables.files("t")] == ["bucket_00000"]
    check(tables, ROWS, ALL)

    assert tables.sql("DELETE FROM t WHERE id % 3 = 0") == [(1_000_000,)]
    check(tables, 2_000_000, ALL - THIRDS)
    assert tables.sql("SELECT count(*), min(id), max(id) FROM t WHERE id > 2999990") == [(6, 2999992, 2999999)]
    assert tables.sql("DELETE FROM t WHERE id % 3 = 0") == [(0,)]

    assert tables.sql(INSERT) == [(ROWS,)]
    check(tables, 5_000_000, 2 * ALL - THIRDS)

    # rows of both generations, some of whose namesakes in the first are gone already
    both = tables.sql("DELETE FROM t WHERE id % 10 = 0")
    gone_already = len(range(0, ROWS, 30))
    assert both == [(2 * 300_000 - gone_already,)]
    check(tables, 5_000_000 - both[0][0], 2 * ALL - THIRDS - 2 * TENTHS + sum(range(0, ROWS, 30)))
    assert {path.split("/")[1] for path in tables.files("t")} == {"bucket_00000"}

    assert tables.sql("DELETE FROM t") == [(5_000_000 - both[0][0],)]
    check(tables, 0, None)
    assert tables.sql("DELETE FROM t") == [(0,)]
    assert tables.sql("INSERT INTO t VALUES (1, 'row 1')") == [(1,)]
    check(tables, 1, 1)
