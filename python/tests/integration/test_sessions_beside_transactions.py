"""What other sessions do while a session is in `hive_acid.transaction`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import hive_acid
from hive_acid.errors import InvalidStatement
from hive_acid.metastore.types import LockState
from hive_acid.model.table import TableName
from integration.conftest import rows
from support.drivers import wait_until


def test_a_conflict_is_told_to_the_caller(tables: Any, flat: TableName, outside: SparkSession) -> None:
    with pytest.raises(InvalidStatement), hive_acid.transaction(tables.spark):
        assert len(rows(tables.spark, flat)) == 2
        outside.sql(f"UPDATE {flat} SET name = 'theirs' WHERE id = 1")
        assert rows(tables.spark, flat) == [(1, "a"), (2, "b")], "the snapshot is that of the beginning"
        with pytest.raises(PySparkException) as caught:
            tables.sql("UPDATE flat SET name = 'ours' WHERE id = 1")
        assert (caught.value.getCondition(), caught.value.getSqlState()) == (
            "HIVE_ACID_WRITE_CONFLICT.CHANGED_BY",
            "40001",
        )
    assert rows(tables.spark, flat) == [(1, "theirs"), (2, "b")]


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_a_row_that_came_after_the_rows_were_read_is_not_truncated(
    tables: Any, flat: TableName, outside: SparkSession
) -> None:
    archive = tables.create("archive")
    with pytest.raises(InvalidStatement), hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO archive SELECT * FROM flat")
        outside.sql(f"INSERT INTO {flat} VALUES (3, 'late')")
        with pytest.raises(PySparkException) as caught:
            tables.sql("TRUNCATE TABLE flat")
        assert caught.value.getCondition() == "HIVE_ACID_WRITE_CONFLICT.CHANGED"
    assert (rows(tables.spark, archive), rows(tables.spark, flat)) == ([], [(1, "a"), (2, "b"), (3, "late")])
    wait_until(lambda: tables.open_transactions() == [], "the reads have ended")


def test_a_transaction_does_not_wait_for_those_who_wait_for_it(
    tables: Any, flat: TableName, outside: SparkSession
) -> None:
    """The metastore grants locks in the order of the requests: one for what it holds would stand behind theirs."""
    outside.conf.set("spark.hiveacid.lock.timeoutMs", "60000")
    tables.sql("SET spark.hiveacid.lock.timeoutMs = 5000")
    update = "UPDATE flat SET name = concat(name, '+')"
    try:
        with ThreadPoolExecutor(1) as pool:
            with hive_acid.transaction(tables.spark):
                assert tables.sql(f"{update} WHERE id = 1") == [(1,)]
                theirs = pool.submit(outside.sql, f"UPDATE {flat} SET name = 'theirs' WHERE id = 2")
                locks = tables.client.held_locks
                wait_until(lambda: LockState.WAITING in {lock.state for lock in locks(flat)}, "the other waits")
                assert tables.sql(f"{update} WHERE id = 2") == [(1,)]
                assert tables.sql("DELETE FROM flat WHERE id = 1") == [(1,)]
                assert tables.sql("INSERT INTO flat VALUES (3, 'c')") == [(1,)]
                assert rows(tables.spark, flat) == [(2, "b+"), (3, "c")]
            assert theirs.result().collect()[0][0] == 1
    finally:
        tables.sql("RESET spark.hiveacid.lock.timeoutMs")
    assert rows(tables.spark, flat) == [(2, "theirs"), (3, "c")]


def test_a_frame_of_another_session_is_not_written_within(tables: Any, flat: TableName, outside: SparkSession) -> None:
    target = f"{tables.database}.flat"
    frame = outside.createDataFrame([(3, "theirs")], "id INT, name STRING")
    for write in (lambda: frame.write.insertInto(target), lambda: frame.writeTo(target).append()):
        with pytest.raises(PySparkException) as caught, hive_acid.transaction(tables.spark):
            tables.sql("INSERT INTO flat VALUES (4, 'ours')")
            write()
        assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_SESSION"
        assert rows(tables.spark, flat) == [(1, "a"), (2, "b")]
    frame.write.insertInto(target)
    with hive_acid.transaction(outside):
        frame.write.insertInto(target)
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b"), (3, "theirs"), (3, "theirs")]


def in_batch(spark: SparkSession, folder: Path, write: Callable[[DataFrame], None]) -> None:
    """Runs a stream whose only batch has the row (3, 'new'), and raises what `write` raises."""
    folder.mkdir()
    (folder / "one.json").write_text('{"id": 3, "name": "new"}')
    stream = spark.readStream.schema("id INT, name STRING").json(str(folder)).writeStream
    query = stream.foreachBatch(lambda frame, _: write(frame)).trigger(availableNow=True)
    query.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination(120)


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_a_batch_is_written_in_the_transaction_of_its_own_session(tables: Any, flat: TableName, tmp_path: Path) -> None:
    tables.create("done", "id INT")
    target, done = f"{tables.database}.flat", f"{tables.database}.done"

    def in_the_streams_parent(frame: DataFrame) -> None:
        with hive_acid.transaction(tables.spark):
            frame.write.insertInto(target)

    def beside_its_own(frame: DataFrame) -> None:
        with hive_acid.transaction(frame.sparkSession):
            frame.write.insertInto(target)
            tables.sql(f"INSERT INTO {done} VALUES (1)")

    for index, write in enumerate((in_the_streams_parent, beside_its_own)):
        with pytest.raises(PySparkException, match="OTHER_SESSION"):
            in_batch(tables.spark, tmp_path / str(index), write)
        assert rows(tables.spark, flat) == [(1, "a"), (2, "b")]

    def right(frame: DataFrame) -> None:
        with hive_acid.transaction(frame.sparkSession):
            frame.write.insertInto(target)
            frame.sparkSession.sql(f"INSERT INTO {done} VALUES (1)")

    in_batch(tables.spark, tmp_path / "right", right)
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b"), (3, "new")]
    assert tables.sql("SELECT * FROM done") == [(1,)]


def test_a_block_runs_beside_inserts_into_other_partitions(tables: Any, outside: SparkSession) -> None:
    tables.create("parts", "id INT, v INT", "PARTITIONED BY (p INT)")
    tables.sql("INSERT INTO parts SELECT id, 0, id % 2 FROM range(6)")
    with hive_acid.transaction(tables.spark):
        tables.sql("SELECT count(*) FROM parts")
        outside.sql(f"INSERT INTO {tables.database}.parts VALUES (100, 0, 7), (101, 0, 0)").collect()
        assert tables.sql("UPDATE parts SET v = v + 1 WHERE id = 0 AND p = 0") == [(1,)]
        assert tables.sql("UPDATE parts SET v = v + 1 WHERE id = 1") == [(1,)]
    assert tables.sql("SELECT id, v, p FROM parts WHERE v > 0 OR id > 99 ORDER BY id") == [
        (0, 1, 0), (1, 1, 1), (100, 0, 7), (101, 0, 0),
    ]  # fmt: skip


def test_a_block_that_has_lost_a_race_is_run_again(tables: Any, flat: TableName, outside: SparkSession) -> None:
    calls: list[str] = []

    def change() -> int:
        (seen,) = tables.sql("SELECT name FROM flat WHERE id = 1")[0]
        if not calls:
            outside.sql(f"UPDATE {flat} SET name = 'theirs' WHERE id = 1").collect()
        calls.append(seen)
        return int(tables.sql("UPDATE flat SET name = concat(name, '!') WHERE id = 1")[0][0])

    assert hive_acid.run_in_transaction(tables.spark, change) == 1
    assert calls == ["a", "theirs"]
    assert rows(outside, flat) == [(1, "theirs!"), (2, "b")]
