"""Writers that wait: for whom, how long, and how they are called off."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark.errors import PySparkException

from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from support.drivers import wait_until


@pytest.fixture
def flat(tables: Any) -> TableName:
    """A table with the rows 0 to 9."""
    name: TableName = tables.create("flat", "id INT, n INT")
    tables.sql("INSERT INTO flat SELECT int(id), 0 FROM range(10)")
    return name


@pytest.fixture
def parts(tables: Any) -> TableName:
    """Eight partitions with the rows 0 to 9 each."""
    name: TableName = tables.create("parts", "id INT, n INT", "PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO parts SELECT int(id % 10), 0, concat('p', int(id / 10)) FROM range(80)")
    return name


@contextmanager
def locked(tables: Any, table: TableName, partition: str | None = None) -> Iterator[int]:
    """Another client holds the lock of a change."""
    client = tables.client
    txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
    client.allocate_write_id(txn_id, table)
    client.lock(
        txn_id,
        [LockComponent(table, LockKind.EXCL_WRITE, OperationKind.UPDATE, partition)],
        "somebody",
        "elsewhere",
        "their tool",
    )
    try:
        yield txn_id
    finally:
        client.abort(txn_id)


def waiting(tables: Any, table: TableName) -> list[HeldLock]:
    return [lock for lock in tables.client.held_locks(table) if lock.state is LockState.WAITING]


def assert_nothing_is_left(tables: Any, table: TableName, *holders: int) -> None:
    """On the table only the locks of these, and none of the transactions that came after them."""
    wait_until(lambda: {lock.txn_id for lock in tables.client.held_locks(table)} == set(holders), "no lock is left")
    if holders:
        assert max(info.id for info in tables.open_transactions()) == max(holders)


@pytest.mark.beyond_the_gate(
    "one cell of each; `unit/transactions`", but=["UPDATE parts SET n = n + 1 WHERE d = 'p3' AND id < 5"]
)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE parts SET n = n + 1 WHERE d = 'p3' AND id < 5",
        "DELETE FROM parts WHERE d IN ('p3', 'p4') AND id = 1",
        "INSERT INTO parts PARTITION (d = 'p3') SELECT id, n FROM parts WHERE d = 'p4'",
        "INSERT INTO parts VALUES (1, 2, 'p3'), (3, 4, 'new')",
    ],
)
def test_a_statement_that_names_its_partitions_waits_for_nobody_else(
    tables: Any, parts: TableName, statement: str
) -> None:
    with locked(tables, parts, "d=p0"):
        assert tables.sql(statement)[0][0] > 0
    assert tables.sql("SELECT count(*) FROM parts WHERE d = 'p0'") == [(10,)]


def test_an_update_of_the_same_partition_waits_and_names_the_holder(tables: Any, parts: TableName) -> None:
    tables.sql("SET spark.hiveacid.lock.timeoutMs = 300")
    try:
        with (
            locked(tables, parts, "d=p3"),
            pytest.raises(PySparkException, match="somebody on elsewhere") as raised,
        ):
            tables.sql("UPDATE parts SET n = 1 WHERE d = 'p3'")
    finally:
        tables.sql("RESET spark.hiveacid.lock.timeoutMs")
    assert (raised.value.getCondition(), raised.value.getSqlState()) == ("HIVE_ACID_LOCK_TIMEOUT", "57033")


def test_a_setting_that_is_misspelt_or_no_number_changes_nothing_and_is_named(tables: Any, flat: TableName) -> None:
    for key, value, sub in (("lock.timeout", "5", "MISSPELT_SETTING"), ("lock.timeoutMs", "soon", "NOT_A_NUMBER")):
        tables.sql(f"SET spark.hiveacid.{key} = {value}")
        try:
            with pytest.raises(PySparkException, match=rf"spark\.hiveacid\.{key}") as raised:
                tables.sql("DELETE FROM flat")
        finally:
            tables.sql(f"RESET spark.hiveacid.{key}")
        assert raised.value.getCondition() == f"HIVE_ACID_CONFIGURATION.{sub}"
    assert tables.sql("SELECT count(*) FROM flat") == [(10,)]


@pytest.mark.beyond_the_gate("one cell of each; `unit/transactions`", but=["group"])
@pytest.mark.parametrize("way", ["group", "tag", "all"])
def test_a_statement_that_waits_for_a_lock_is_cancelled_like_a_job(tables: Any, flat: TableName, way: str) -> None:
    context = tables.spark.sparkContext

    def run() -> Any:
        context.setJobGroup("mine", "to be cancelled")
        context.addJobTag("mine")
        return tables.spark.sql(f"DELETE FROM {flat}").collect()

    with ThreadPoolExecutor(1) as pool, locked(tables, flat) as holder:
        running = pool.submit(run)
        wait_until(lambda: waiting(tables, flat), "the statement waits")
        context.cancelJobGroup("not mine")
        context.cancelJobsWithTag("not mine")
        assert not running.done()
        cancelled_s = time.monotonic()
        {
            "group": lambda: context.cancelJobGroup("mine"),
            "tag": lambda: context.cancelJobsWithTag("mine"),
            "all": context.cancelAllJobs,
        }[way]()
        with pytest.raises(PySparkException) as raised:
            running.result(timeout=60)
        assert time.monotonic() - cancelled_s < 10, "it ends at once, not with the limit of the wait"
        assert (raised.value.getCondition(), raised.value.getSqlState()) == ("HIVE_ACID_CANCELLED", "57014")
        assert_nothing_is_left(tables, flat, holder)
    assert tables.sql("SELECT count(*) FROM flat") == [(10,)]


@pytest.mark.beyond_the_gate("one cell of each; `unit/transactions`")
@pytest.mark.parametrize("same", [True, False], ids=["one-partition", "eight-partitions"])
def test_eight_writers_end_without_losing_an_update(tables: Any, parts: TableName, same: bool) -> None:
    """Each adds to the same rows; who waited goes on behind the lock it has waited for."""

    def update(writer: int) -> int:
        partition = "p0" if same else f"p{writer}"
        text = f"UPDATE {parts} SET n = n + {10**writer} WHERE d = '{partition}' AND id < 3"
        return tables.spark.sql(text).collect()[0][0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(update, range(8))) == [3] * 8
    changed = tables.sql("SELECT d, n FROM parts WHERE n > 0 GROUP BY d, n ORDER BY d")
    assert changed == ([("p0", 11_111_111)] if same else [(f"p{n}", 10**n) for n in range(8)])
    assert_nothing_is_left(tables, parts)
