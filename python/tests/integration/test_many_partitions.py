"""A thousand partitions in one statement, ten thousand in one table."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import pytest

from integration.conftest import Tables
from integration.test_partition_pruning import add_partitions
from support.polling import eventually

LOG = logging.getLogger(__name__)
WRITTEN, ALL = 1_000, 10_000


@pytest.mark.slow
def test_every_statement_reaches_every_one_of_ten_thousand_partitions(tables: Tables) -> None:
    name = tables.create("p", "id INT, v STRING", "PARTITIONED BY (k INT)")
    root = tables.location("p")

    def timed(what: str, action: Callable[[], object]) -> object:
        start = time.monotonic()
        result = action()
        LOG.info("%s: %.1f s", what, time.monotonic() - start)
        return result

    def check(statement: str, expected: int) -> None:
        assert timed(statement, lambda: tables.sql(statement)) == [(expected,)]

    check(f"INSERT INTO p SELECT id, 'a', id % {WRITTEN} FROM range({3 * WRITTEN})", 3 * WRITTEN)
    new = {f"k={k}": f"file:{root}/k={k}" for k in range(WRITTEN, ALL)}
    timed("9,000 partitions more", lambda: add_partitions(tables, name, new))
    assert len(tables.client.partition_names(name)) == ALL
    check("SELECT count(*) FROM p", 3 * WRITTEN)
    check("SELECT count(*) FROM p WHERE k = 7", 3)
    check("UPDATE p SET v = 'b' WHERE k = 7", 3)
    check("UPDATE p SET v = 'c' WHERE id = 7", 1)
    check(f"DELETE FROM p WHERE id >= {2 * WRITTEN}", WRITTEN)
    merge = "MERGE INTO p USING (SELECT 8 AS n) ON id = n WHEN MATCHED THEN DELETE"
    assert timed(merge, lambda: tables.sql(merge)) == [(1, 0, 1, 0)]
    check(f"INSERT OVERWRITE p SELECT id, 'd', k FROM p WHERE k < {WRITTEN // 10}", 2 * WRITTEN // 10 - 1)
    assert dict(tables.sql("SELECT v, count(*) FROM p GROUP BY v")) == {
        "a": 2 * WRITTEN - 2 * WRITTEN // 10,
        "d": 2 * WRITTEN // 10 - 1,
    }
    timed("TRUNCATE TABLE p PARTITION (k = 9)", lambda: tables.sql("TRUNCATE TABLE p PARTITION (k = 9)"))
    check("SELECT count(*) FROM p", 2 * WRITTEN - 3)
    assert eventually(lambda: tables.open_transactions() == [])
