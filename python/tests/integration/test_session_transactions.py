"""`hive_acid.transaction`: several statements of a session, one commit."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import hive_acid
from hive_acid.errors import InvalidStatement
from hive_acid.metastore.statistics import keep_statistics
from hive_acid.metastore.types import LockState
from hive_acid.model.table import TableName
from support.drivers import wait_until


@pytest.fixture
def flat(tables: Any) -> TableName:
    """A table with the rows (1, 'a') and (2, 'b')."""
    name: TableName = tables.create("flat")
    tables.sql("INSERT INTO flat VALUES (1, 'a'), (2, 'b')")
    return name


@pytest.fixture
def outside(spark: SparkSession) -> SparkSession:
    """Another session of the same application."""
    return spark.newSession()


def rows(spark: SparkSession, table: TableName) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())


def test_statements_see_what_those_before_them_wrote_and_nobody_else_does(
    tables: Any, flat: TableName, outside: SparkSession
) -> None:
    other = tables.create("other")
    with hive_acid.transaction(tables.spark) as txn:
        assert tables.sql("INSERT INTO flat VALUES (3, 'c'), (4, 'd')") == [(2,)]
        assert tables.sql("UPDATE flat SET name = concat(name, '!') WHERE id IN (1, 3)") == [(2,)]
        assert tables.sql("DELETE FROM flat WHERE name IN ('d', 'b')") == [(2,)]
        assert tables.sql("INSERT INTO other SELECT * FROM flat") == [(2,)]
        assert rows(tables.spark, flat) == rows(tables.spark, other) == [(1, "a!"), (3, "c!")]
        assert rows(outside, flat) == [(1, "a"), (2, "b")]
        assert rows(outside, other) == []
        own = txn.id
        assert own in [info.id for info in tables.open_transactions()]
    assert own not in {lock.txn_id for lock in tables.client.held_locks(flat)}
    for session in (tables.spark, outside):
        assert rows(session, flat) == rows(session, other) == [(1, "a!"), (3, "c!")]
    folders = {path.split("/")[0] for path in tables.files("flat")}
    assert len({name.rsplit("_", 1)[0].removeprefix("delete_") for name in folders}) == 2, "one write ID for all of it"


def test_a_commit_waits_where_a_table_with_statistics_was_altered_just_now(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark):
        assert tables.sql("INSERT INTO flat VALUES (3, 'c')") == [(1,)]
        raw = tables.client._raw_table(flat)
        raw.parameters |= {"numRows": "2", "note": "now", "transient_lastDdlTime": str(int(time.time()))}
        alter = "alter_table_with_environment_context"
        tables.client._change(alter, flat.database, flat.table, raw, keep_statistics())
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b"), (3, "c")]
    left = tables.client.table(flat).parameters
    assert left["note"] == "now"
    assert "numRows" not in left, "it was counted without the new row"


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_rows_are_replaced_by_a_condition_within(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO flat VALUES (3, 'c')")
        replaced = tables.sql("INSERT INTO flat REPLACE WHERE id > 1 SELECT id + 1, upper(name) FROM flat WHERE id > 1")
        assert replaced == [(4, 2, 2)]
        assert tables.sql("INSERT INTO flat REPLACE WHERE id = 4 VALUES (4, 'd')") == [(2, 1, 1)]
    assert rows(tables.spark, flat) == [(1, "a"), (3, "B"), (4, "d")]


def test_a_row_inserted_within_may_be_updated_and_deleted_within(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO flat VALUES (5, 'new')")
        for _ in range(3):
            assert tables.sql("UPDATE flat SET name = concat(name, '+') WHERE id = 5") == [(1,)]
        tables.sql("INSERT INTO flat VALUES (6, 'gone')")
        assert tables.sql("DELETE FROM flat WHERE id = 6") == [(1,)]
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b"), (5, "new+++")]


@pytest.mark.beyond_the_gate("with adaptive execution", cells=["false"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_scans_below_shuffles_broadcasts_and_subqueries_see_it_too(tables: Any, flat: TableName, adaptive: str) -> None:
    """Spark plans these on threads of its own."""
    tables.sql(f"SET spark.sql.adaptive.enabled = {adaptive}")
    shuffled = "SELECT a.name, count(*) FROM flat a JOIN flat b ON a.id = b.id + 0 GROUP BY a.name ORDER BY a.name"
    try:
        with hive_acid.transaction(tables.spark):
            tables.sql("INSERT INTO flat VALUES (3, 'c')")
            tables.sql("DELETE FROM flat WHERE id = 1")
            expected = [("b", 1), ("c", 1)]
            assert tables.sql(shuffled) == expected
            for hint in ("BROADCAST(b)", "MERGE(b)", "SHUFFLE_HASH(b)"):
                assert tables.sql(shuffled.replace("SELECT", f"SELECT /*+ {hint} */", 1)) == expected
            assert tables.sql("SELECT (SELECT max(name) FROM flat), (SELECT count(*) FROM flat)") == [("c", 2)]
            with pytest.raises((PySparkException, Py4JJavaError), match="Reading as an RDD"):
                tables.spark.table(str(flat)).rdd.collect()
            assert sorted(row.id for row in tables.spark.table(str(flat)).toLocalIterator()) == [2, 3]
    finally:
        tables.sql("RESET spark.sql.adaptive.enabled")


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_partitions_made_within_are_read_within(tables: Any) -> None:
    parts = tables.create("parts", "id INT", "PARTITIONED BY (d STRING)")
    with hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO parts VALUES (1, 'a'), (2, 'b')")
        assert tables.sql("DELETE FROM parts WHERE d = 'a'") == [(1,)]
        assert rows(tables.spark, parts) == [(2, "b")]
    assert rows(tables.spark, parts) == [(2, "b")]


def test_an_error_that_leaves_the_block_undoes_all_of_it(tables: Any, flat: TableName) -> None:
    before = tables.files("flat")
    with pytest.raises(ZeroDivisionError), hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO flat VALUES (3, 'c')")
        tables.sql("DELETE FROM flat WHERE id = 1")
        raise ZeroDivisionError
    assert tables.client.held_locks(flat) == []
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b")]
    assert tables.files("flat") == before


def test_an_error_of_a_writing_statement_that_is_caught_still_undoes_all_of_it(tables: Any, flat: TableName) -> None:
    with pytest.raises(InvalidStatement) as caught, hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO flat VALUES (3, 'c')")
        with pytest.raises((PySparkException, Py4JJavaError)):
            tables.sql("UPDATE flat SET name = raise_error('on purpose') WHERE id = 1")
        with pytest.raises(PySparkException, match="HIVE_ACID_TRANSACTION_STATE"):
            tables.sql("SELECT * FROM flat")
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b")]


def test_a_conflict_is_told_to_the_caller(tables: Any, flat: TableName, outside: SparkSession) -> None:
    with pytest.raises(InvalidStatement), hive_acid.transaction(tables.spark):
        assert len(rows(tables.spark, flat)) == 2
        outside.sql(f"UPDATE {flat} SET name = 'theirs' WHERE id = 1")
        assert rows(tables.spark, flat) == [(1, "a"), (2, "b")], "the snapshot is that of the beginning"
        with pytest.raises(PySparkException) as caught:
            tables.sql("UPDATE flat SET name = 'ours' WHERE id = 1")
        assert (caught.value.getCondition(), caught.value.getSqlState()) == ("HIVE_ACID_WRITE_CONFLICT", "40001")
    assert rows(tables.spark, flat) == [(1, "theirs"), (2, "b")]


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_rows_are_moved_by_an_insert_and_a_truncate(tables: Any, flat: TableName, outside: SparkSession) -> None:
    archive = tables.create("archive")
    with hive_acid.transaction(tables.spark):
        tables.sql("INSERT OVERWRITE archive SELECT * FROM flat")
        tables.sql("TRUNCATE TABLE flat")
        assert (rows(tables.spark, archive), rows(tables.spark, flat)) == ([(1, "a"), (2, "b")], [])
    for session in (tables.spark, outside):
        assert (rows(session, archive), rows(session, flat)) == ([(1, "a"), (2, "b")], [])


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
        assert caught.value.getCondition() == "HIVE_ACID_WRITE_CONFLICT"
    assert (rows(tables.spark, archive), rows(tables.spark, flat)) == ([], [(1, "a"), (2, "b"), (3, "late")])
    wait_until(lambda: tables.open_transactions() == [], "the reads have ended")


def test_caches_are_neither_read_nor_filled_within_and_are_right_afterwards(
    tables: Any, flat: TableName, outside: SparkSession
) -> None:
    tables.sql("CACHE TABLE flat")
    try:
        with hive_acid.transaction(tables.spark):
            tables.sql("DELETE FROM flat WHERE id = 1")
            with pytest.raises(PySparkException, match="Reading or filling a cache"):
                rows(tables.spark, flat)
            assert rows(outside, flat) == [(1, "a"), (2, "b")]
        assert rows(tables.spark, flat) == rows(outside, flat) == [(2, "b")]
    finally:
        tables.sql("UNCACHE TABLE flat")


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_session_transaction.py`; the golden file of transactions; the other tests of the file"
)
def test_a_cache_of_shuffled_rows_is_not_read_within(tables: Any, flat: TableName) -> None:
    """Spark plans one adaptively, so that its scans are not among the leaves of its plan."""
    query = "SELECT name, count(*) FROM flat GROUP BY name ORDER BY name"
    cached = tables.spark.sql(query).cache()
    again = cached.distinct().cache()
    try:
        assert sorted(again.collect()) == cached.collect() == [("a", 1), ("b", 1)]
        with hive_acid.transaction(tables.spark):
            tables.sql("DELETE FROM flat WHERE id = 1")
            with pytest.raises(PySparkException, match="Reading or filling a cache"):
                tables.sql(query)
            with pytest.raises(PySparkException, match="Reading or filling a cache"):
                tables.sql(f"SELECT DISTINCT * FROM ({query})")
    finally:
        tables.spark.catalog.clearCache()


def test_a_session_has_one_transaction_at_a_time(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark) as outer:
        with pytest.raises(InvalidStatement, match="the session is in one already"):
            hive_acid.transaction(tables.spark).__enter__()
        tables.sql("DELETE FROM flat WHERE id = 1")
        assert [info.id for info in tables.open_transactions() if info.id >= outer.id] == [outer.id]
    assert rows(tables.spark, flat) == [(2, "b")]
    with pytest.raises(InvalidStatement, match="has ended"):
        _ = outer.id


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
