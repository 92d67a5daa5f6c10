"""Statements about transactions, locks and compactions, against a real metastore."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException, PySparkValueError

import hive_acid
from hive_acid import AcidTable
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind, TransactionState
from hive_acid.model.table import TableName
from support.drivers import wait_until
from support.spark_lines import named_by_spark, since

WORKER = "worker-host-3"


def condition(tables: Any, text: str) -> str:
    with pytest.raises(AnalysisException) as raised:
        tables.sql(text)
    return str(raised.value.getCondition())


def dicts(tables: Any, text: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in tables.spark.sql(text).collect()]


@pytest.fixture
def flat(tables: Any) -> TableName:
    return tables.create("flat")


@pytest.fixture
def parts(tables: Any) -> TableName:
    """Three partitions, one of them of NULL."""
    name = tables.create("parts", more="PARTITIONED BY (k INT, s STRING)")
    tables.sql("INSERT INTO parts VALUES (1, 'x', 1, 'a/b'), (2, 'y', 2, 'B'), (3, 'z', NULL, 'B')")
    return name


@pytest.fixture
def pool(tables: Any) -> str:
    """One that nobody else serves."""
    return f"pool_{tables.database}"


def work(tables: Any, pool: str, error: str | None = None) -> bool:
    """Somebody takes the next entry of the pool, if there is one, and says that it is done."""
    job = tables.client.next_compaction(WORKER, "test", pool)
    if job is None:
        return False
    txn_id = tables.client.open_compaction("somebody", "worker-host", "test", job.kind)
    job = replace(job, user="somebody", highest_write_id=1, error=error)
    tables.client.start_compaction(job, txn_id)
    if error:
        tables.client.mark_failed(job)
        tables.client.abort(txn_id)
    else:
        tables.client.mark_compacted(job)
        tables.client.commit(txn_id)
    return True


def test_locks_of_a_writer_and_of_who_waits_for_it(tables: Any, parts: TableName) -> None:
    client = tables.client
    holder, waiter = (client.open_transaction("ada", "her-host", "a tool") for _ in range(2))
    component = LockComponent(parts, LockKind.EXCL_WRITE, OperationKind.UPDATE, "k=1/s=a%2Fb")
    held, _ = client.lock(holder, [component], "ada", "her-host", "a tool")
    waiting, state = client.lock(waiter, [replace(component, partition=None)], "bob", "his-host", "a tool")
    assert state is LockState.WAITING
    try:
        first, second = dicts(tables, "SHOW LOCKS parts EXTENDED")
        assert first.pop("acquired_at") > 1_600_000_000_000
        assert first == {
            "lockid": f"{held}.1",
            "database": tables.database,
            "table": "parts",
            "partition": "k=1/s=a%252Fb",  # the server escapes it once more
            "lock_state": "ACQUIRED",
            "blocked_by": None,
            "lock_type": "EXCL_WRITE",
            "transaction_id": holder,
            "last_heartbeat": None,
            "user": "ada",
            "hostname": "her-host",
            "agent_info": "a tool",
        }
        assert (second["lockid"], second["lock_state"]) == (f"{waiting}.1", "WAITING")
        assert second["blocked_by"] == f"{held}.1"
        assert second["acquired_at"] is None
        for text, count in {
            f"SHOW LOCKS SPARK_CATALOG.{tables.database}.PARTS": 2,
            f"SHOW LOCKS DATABASE {tables.database}": 2,
            "SHOW LOCKS parts PARTITION (s = 'a/b')": 1,
            "SHOW LOCKS parts PARTITION (k = '01', s = 'a/b')": 1,
            "SHOW LOCKS parts PARTITION (k = 2)": 0,
        }.items():
            assert len(tables.sql(text)) == count, text
        assert {held, waiting} <= {int(row[0].split(".")[0]) for row in tables.sql("SHOW LOCKS")}
        assert tables.sql(f"ABORT TRANSACTIONS {waiter} {holder}") == [(waiter, "ABORTED"), (holder, "ABORTED")]
        assert tables.sql("SHOW LOCKS parts") == []
    finally:
        client.abort_transactions([holder, waiter])


def test_open_transactions_are_shown_and_aborted(tables: Any, flat: TableName) -> None:
    client = tables.client
    txn_id = client.open_transaction("ada", "her-host", "a tool")
    (row,) = [row for row in dicts(tables, "SHOW TRANSACTIONS") if row["txnid"] == txn_id]
    assert row.pop("startedtime") <= row.pop("lastheartbeattime")
    assert row == {"txnid": txn_id, "state": "OPEN", "user": "ada", "host": "her-host"}
    assert condition(tables, f"ABORT TRANSACTIONS {txn_id} 9000000000000") == "HIVE_ACID_TRANSACTION_NOT_OPEN"
    tables.sql(f"EXPLAIN ABORT TRANSACTIONS {txn_id}")
    assert client.transaction_state(txn_id) is TransactionState.OPEN
    assert tables.sql(f"ABORT TRANSACTIONS {txn_id}") == [(txn_id, "ABORTED")]
    assert condition(tables, f"ABORT TRANSACTIONS {txn_id}") == "HIVE_ACID_TRANSACTION_NOT_OPEN"
    assert client.transaction_state(txn_id) is not TransactionState.OPEN


def test_a_writer_whose_transaction_is_aborted_writes_nothing(tables: Any, flat: TableName) -> None:
    with pytest.raises(PySparkException) as raised, hive_acid.transaction(tables.spark) as transaction:
        tables.sql("INSERT INTO flat VALUES (1, 'a')")
        assert tables.sql(f"ABORT TRANSACTIONS {transaction.id}") == [(transaction.id, "ABORTED")]
        tables.sql("INSERT INTO flat VALUES (2, 'b')")
    assert raised.value.getCondition() in (
        "HIVE_ACID_TRANSACTION_ABORTED",
        "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED",
    )
    assert tables.sql("SELECT * FROM flat") == []


@pytest.mark.beyond_the_gate("`unit/sql/test_operator_statements.py`, `unit/operators`; the other tests of the file")
def test_all_partitions_are_requested_one_by_one(tables: Any, parts: TableName, pool: str) -> None:
    tables.sql(f"EXPLAIN EXTENDED ALTER TABLE parts COMPACT 'major' POOL '{pool}'")
    assert tables.sql("SHOW COMPACTIONS parts") == []
    ids = {}
    for row in dicts(tables, f"ALTER TABLE parts COMPACT 'major' POOL '{pool}'"):
        ids[row["partition"]] = row.pop("compaction_id")
        assert (row["database"], row["table"], row["type"]) == (tables.database, "parts", "MAJOR")
        assert (row["state"], row["accepted"], row["reason"]) == ("initiated", True, None)
    names = ["k=1/s=a%2Fb", "k=2/s=B", "k=__HIVE_DEFAULT_PARTITION__/s=B"]
    assert sorted(ids) == names
    (again,) = dicts(tables, f"ALTER TABLE parts PARTITION (k = '01') COMPACT 'minor' POOL '{pool}'")
    assert (again["partition"], again["compaction_id"], again["accepted"]) == (names[0], None, False)
    assert str(ids[names[0]]) in again["reason"]
    null = "k = '__HIVE_DEFAULT_PARTITION__'"
    (of_null,) = dicts(tables, f"ALTER TABLE parts PARTITION ({null}) COMPACT 'minor' POOL '{pool}'")
    assert (of_null["partition"], of_null["accepted"]) == (names[2], False)
    queued = dicts(tables, f"SHOW COMPACTIONS DATABASE {tables.database} POOL '{pool}' ORDER BY compactionid DESC")
    assert [row["compactionid"] for row in queued] == sorted(ids.values(), reverse=True)
    assert {(row["type"], row["state"], row["initiatorid"], row["txnid"]) for row in queued} == {
        ("MAJOR", "initiated", "manual", None)
    }
    for text, count in {
        "SHOW COMPACTIONS parts PARTITION (s = 'B')": 2,
        "SHOW COMPACTIONS parts PARTITION (k = NULL, s = 'B') TYPE 'major'": 1,
        "SHOW COMPACTIONS parts PARTITION (k = '__HIVE_DEFAULT_PARTITION__')": 1,
        "SHOW COMPACTIONS parts TYPE 'minor'": 0,
        "SHOW COMPACTIONS parts STATUS 'initiated' LIMIT 2": 2,
        f"SHOW COMPACTIONS COMPACT_ID = {ids[names[1]]}": 1,
    }.items():
        assert len(tables.sql(text)) == count, text


def test_who_waits_hears_how_a_compaction_ended(tables: Any, parts: TableName, pool: str) -> None:
    tables.spark.conf.set("spark.hiveacid.compaction.pollMs", "20")
    try:
        with ThreadPoolExecutor(1) as other:
            text = f"ALTER TABLE parts PARTITION (s = 'B') COMPACT 'minor' AND WAIT POOL '{pool}'"
            running = other.submit(tables.sql, text)
            wait_until(lambda: work(tables, pool), "the first is requested")
            assert not running.done()
            wait_until(lambda: work(tables, pool), "the second is requested")
            rows = running.result(60)
        assert [row[5] for row in rows] == ["ready for cleaning"] * 2
        (row, _) = dicts(tables, "SHOW COMPACTIONS parts")
        assert (row["workerhost"], row["hightestwriteid"], row["poolname"]) == (None, 1, pool)
        assert None not in (row["txnid"], row["nexttxnid"], row["committime"], row["starttime"])
        with ThreadPoolExecutor(1) as other:
            table = AcidTable.forName(tables.spark, "parts")
            running = other.submit(lambda: table.compact("major", {"k": 1}, wait=True, pool=pool).collect())
            wait_until(lambda: work(tables, pool, "the disk is full"), "it is requested")
            with pytest.raises(AnalysisException, match="the disk is full") as raised:
                running.result(60)
        assert raised.value.getCondition() == "HIVE_ACID_COMPACTION_FAILED"
        (failed,) = dicts(tables, "SHOW COMPACTIONS parts STATUS 'failed'")
        assert (failed["workerhost"], failed["workerid"], failed["errormessage"]) == (
            "worker-host",
            "3",
            "the disk is full",
        )
    finally:
        tables.spark.conf.unset("spark.hiveacid.compaction.pollMs")


@pytest.mark.beyond_the_gate("`unit/sql/test_operator_statements.py`, `unit/operators`; the other tests of the file")
def test_a_wait_for_a_compaction_is_cancelled_like_a_job(tables: Any, flat: TableName, pool: str) -> None:
    context = tables.spark.sparkContext

    def run() -> Any:
        context.setJobGroup("compacting", "to be cancelled")
        return tables.sql(f"ALTER TABLE flat COMPACT 'major' AND WAIT POOL '{pool}'")

    with ThreadPoolExecutor(1) as other:
        running = other.submit(run)
        wait_until(lambda: tables.sql("SHOW COMPACTIONS flat"), "it is requested")
        context.cancelJobGroup("compacting")
        with pytest.raises(AnalysisException, match="SHOW COMPACTIONS lists") as raised:
            running.result(60)
    assert raised.value.getCondition() == "HIVE_ACID_CANCELLED"
    assert len(tables.sql("SHOW COMPACTIONS flat STATUS 'initiated'")) == 1


def test_what_cannot_be_compacted_is_refused_and_nothing_is_queued(tables: Any, flat: TableName) -> None:
    tables.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    tables.sql("CREATE VIEW seen AS SELECT * FROM flat")
    for text, expected in {
        "ALTER TABLE plain COMPACT 'major'": "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL",
        "ALTER TABLE seen COMPACT 'major'": "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL",
        "ALTER TABLE nothing COMPACT 'major'": "TABLE_OR_VIEW_NOT_FOUND",
        "ALTER TABLE other.db.t COMPACT 'major'": "HIVE_ACID_UNSUPPORTED_TABLE.OTHER_CATALOG",
        "ALTER TABLE flat PARTITION (k = 1) COMPACT 'major'": named_by_spark("PARTITIONS_NOT_FOUND"),
        "ALTER TABLE flat COMPACT 'rebalance' ORDER BY id": "HIVE_ACID_UNSUPPORTED_TABLE.ORDER_BY",
        "ALTER TABLE flat COMPACT 'mayor'": "HIVE_ACID_SYNTAX_ERROR",
        "SHOW LOCKS nothing": "TABLE_OR_VIEW_NOT_FOUND",
        "SHOW COMPACTIONS DATABASE nothing": "SCHEMA_NOT_FOUND",
    }.items():
        assert condition(tables, text) == expected, text
    with hive_acid.transaction(tables.spark):
        assert condition(tables, "ALTER TABLE flat COMPACT 'major'") == "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION"
    with pytest.raises(PySparkValueError):
        AcidTable.forName(tables.spark, "flat").compact("full")
    assert tables.sql(f"SHOW COMPACTIONS DATABASE {tables.database}") == []


@pytest.mark.parametrize(
    ("literal", "name"),
    [
        ("'it\\'s'", "s=it%27s"),
        ("'it' '\\'s'", "s=it%27s"),
        ("r'a\\b'", "s=a%5Cb"),
        ("'a\\\\b'", "s=a%5Cb"),
        ("X'78'", "s=x"),
        ("'\\u0078'", "s=x"),
        pytest.param("'it''s'", "s=it%27s", marks=since("4.0", "a doubled quotation mark as one")),
    ],
)
def test_values_of_a_partition_are_those_that_spark_reads(tables: Any, literal: str, name: str) -> None:
    tables.create("lit", "id INT", "PARTITIONED BY (s STRING)")
    tables.sql("INSERT INTO lit VALUES (1, \"it's\"), (2, 'a\\\\b'), (3, 'x')")
    clause = f"PARTITION (s = {literal})"
    assert tables.sql(f"SHOW PARTITIONS lit {clause}") == [(name,)]
    (asked,) = dicts(tables, f"ALTER TABLE lit {clause} COMPACT 'major' POOL 'p_{tables.database}'")
    assert asked["partition"] == name
    assert [row["partname"] for row in dicts(tables, f"SHOW COMPACTIONS lit {clause}")] == [name]
    assert dicts(tables, f"SHOW LOCKS lit {clause}") == []
