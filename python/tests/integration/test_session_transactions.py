"""`hive_acid.transaction`: several statements of a session, one commit."""

from __future__ import annotations

import time
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import InvalidStatement
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.model.table import TableName
from integration.conftest import rows


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


@pytest.mark.beyond_the_gate("`unit/execution/test_session_transaction.py`; the golden file of transactions in SQL")
def test_a_block_can_be_rolled_back_and_its_session_goes_on(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark) as transaction:
        tables.sql("INSERT INTO flat VALUES (3, 'c')")
        transaction.rollback()
        with pytest.raises(PySparkException) as caught:
            tables.sql("INSERT INTO flat VALUES (4, 'd')")
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.ROLLED_BACK"
    assert tables.sql("INSERT INTO flat VALUES (5, 'e')") == [(1,)]
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b"), (5, "e")]


@pytest.mark.beyond_the_gate("`unit/operators/test_session_transactions.py`; the golden file of transactions in SQL")
def test_a_transaction_of_sql_and_a_block_of_python_do_not_end_each_other(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO flat VALUES (3, 'c')")
        with pytest.raises(PySparkException) as caught:
            tables.sql("COMMIT")
        assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.OF_BLOCK"
    tables.sql("START TRANSACTION")
    with pytest.raises(PySparkException) as caught, hive_acid.transaction(tables.spark):
        raise AssertionError("the block begins")
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.NESTED"
    tables.sql("DELETE FROM flat WHERE id = 3")
    tables.sql("COMMIT")
    assert rows(tables.spark, flat) == [(1, "a"), (2, "b")]


def test_a_session_has_one_transaction_at_a_time(tables: Any, flat: TableName) -> None:
    with hive_acid.transaction(tables.spark) as outer:
        with pytest.raises(InvalidStatement, match="the session is already in one"):
            hive_acid.transaction(tables.spark).__enter__()
        tables.sql("DELETE FROM flat WHERE id = 1")
        assert [info.id for info in tables.open_transactions() if info.id >= outer.id] == [outer.id]
    assert rows(tables.spark, flat) == [(2, "b")]
    with pytest.raises(InvalidStatement, match="has ended"):
        _ = outer.id
