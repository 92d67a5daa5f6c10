"""Compactions of the queue are done by Spark: the same rows with the same IDs in fewer files."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyarrow import orc
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import AcidTable
from hive_acid.metastore.compaction_types import CompactionKind, CompactionState
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.session.session import attach
from integration.conftest import Compactions, Tables
from support.compaction_states import LEFT_TO_CLEANER
from support.polling import eventually

MAJOR, MINOR, REBALANCE = CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE


def rows_with_ids(tables: Tables, name: str) -> list[tuple[object, ...]]:
    return sorted(tables.sql(f"SELECT ROW__ID, * FROM {name}"), key=str)


def change(tables: Tables, name: str) -> None:
    tables.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    tables.sql(f"INSERT INTO {name} VALUES (4, 'd'), (5, NULL)")
    tables.sql(f"UPDATE {name} SET name = 'B' WHERE id = 2")
    tables.sql(f"DELETE FROM {name} WHERE id IN (1, 5)")


def test_a_major_compaction_leaves_a_base(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    change(tables, "t")
    before = rows_with_ids(tables, "t")
    outcome = compactions.run(table, MAJOR)
    assert outcome.folders[0].startswith("base_0000004_v")
    assert rows_with_ids(tables, "t") == before
    done = compactions.last(table)
    assert done.state in LEFT_TO_CLEANER and (done.highest_write_id, done.error) == (4, None)


def test_the_history_outlives_what_is_folded(tables: Tables, compactions: Compactions, spark: SparkSession) -> None:
    table = tables.create("t")
    change(tables, "t")
    compactions.run(table, MINOR)
    tables.sql("INSERT INTO t VALUES (9, 'i')")
    (folder,) = compactions.run(table, MAJOR).folders
    for path in tables.location("t").glob("*delta*"):
        shutil.rmtree(path)  # as the Cleaner does, in its own time
    history = AcidTable.forName(spark, "t").history().collect()
    assert [(row.writeId, row.operation) for row in history if row.statement] == [
        (5, "INSERT"),
        (4, "DELETE"),
        (3, "UPDATE"),
        (2, "INSERT"),
        (1, "INSERT"),
    ]
    assert {tuple(row.foldedInto) for row in history if row.statement} == {(folder,)}


def test_the_session_does_what_its_statement_asks_for(tables: Tables) -> None:
    tables.create("t")
    change(tables, "t")
    before = rows_with_ids(tables, "t")
    ((_, _, partition, kind, _, state, accepted, reason),) = tables.sql("ALTER TABLE t COMPACT 'minor' AND WAIT")
    assert (partition, kind, accepted, reason) == (None, "MINOR", True, None)
    assert state == "ready for cleaning"
    assert rows_with_ids(tables, "t") == before
    assert any(path.startswith("delta_0000001_0000004_v") for path in tables.files("t"))


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
@pytest.mark.parametrize(
    ("properties", "found"),
    [
        ({"orc.compress": "SNAPPY", "orc.stripe.size": "65536"}, {"compression": "SNAPPY"}),
        (
            {"orc.row.index.stride": "5000", "orc.compress.size": "8192"},
            {"row_index_stride": 5000, "compression_size": 8192},
        ),
    ],
)
def test_properties_of_the_statement_count_for_the_files_it_makes(
    tables: Tables, properties: dict[str, str], found: dict[str, object]
) -> None:
    tables.create("t", "id BIGINT, name STRING")
    for _ in range(2):
        tables.sql("INSERT INTO t SELECT id, sha2(CAST(id AS STRING), 256) FROM range(0, 10000, 1, 1)")
    said = ", ".join(f"'tblprops.{key}'='{value}'" for key, value in properties.items())
    tables.sql(f"ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES ({said})")
    (base,) = tables.location("t").glob("base_*")
    file = orc.ORCFile(base / "bucket_00000")
    assert {key: getattr(file, key) for key in found} == found
    assert (file.nstripes > 1) == ("orc.stripe.size" in properties)
    assert tables.sql("SELECT count(*), count(DISTINCT ROW__ID) FROM t") == [(20000, 20000)]


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
def test_a_property_that_is_not_applied_is_refused_before_anything_is_requested(tables: Tables) -> None:
    table = tables.create("t")
    change(tables, "t")
    properties = "('compactor.mapreduce.map.memory.mb'='1024')"
    with pytest.raises(AnalysisException, match=r"memory\.mb = '1024' is not supported") as caught:
        tables.sql(f"ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES {properties}")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.PROPERTY_NOT_APPLIED"
    assert [info for info in tables.client.compactions() if info.table == table] == []


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
def test_all_partitions_are_compacted_if_none_is_named(tables: Tables) -> None:
    tables.create("p", "id INT, name STRING", "PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    tables.sql("UPDATE p SET name = 'c'")
    before = rows_with_ids(tables, "p")
    found = tables.sql("ALTER TABLE p COMPACT 'major'")
    assert sorted((row[2], row[6]) for row in found) == [("d=x", True), ("d=y", True)]
    assert rows_with_ids(tables, "p") == before
    assert {path.split("/")[1].partition("_v")[0] for path in tables.files("p") if "/base_" in path} == {"base_0000002"}


def test_a_minor_compaction_keeps_rows_and_deletes_apart(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    change(tables, "t")
    before = rows_with_ids(tables, "t")
    outcome = compactions.run(table, MINOR)
    assert [name.rpartition("_v")[0] for name in outcome.folders] == [
        "delete_delta_0000001_0000004",
        "delta_0000001_0000004",
    ]
    assert [folder.rows for folder in outcome.result.folders] == [3, 6]
    assert rows_with_ids(tables, "t") == before


def test_a_rebalance_spreads_rows_evenly(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    change(tables, "t")
    before = sorted(tables.sql("SELECT * FROM t"))
    outcome = compactions.run(table, REBALANCE, buckets=2)
    (folder,) = outcome.result.folders
    assert folder.files == ("bucket_00000", "bucket_00001")
    assert sorted(tables.sql("SELECT * FROM t")) == before
    assert sorted(tables.sql("SELECT ROW__ID.rowid FROM t")) == [(0,), (1,), (2,)]
    tables.sql("UPDATE t SET name = 'x' WHERE id >= 3")
    assert sorted(tables.sql("SELECT * FROM t")) == [(2, "B"), (3, "x"), (4, "x")]


def test_nothing_to_do_is_refused(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    outcome = compactions.run(table, MAJOR)
    assert outcome.is_refused
    assert compactions.last(table).state is CompactionState.REFUSED


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
def test_a_table_without_rows_has_a_base_without_rows(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    change(tables, "t")
    tables.sql("DELETE FROM t")
    (folder,) = compactions.run(table, MAJOR).result.folders
    assert folder.rows == 0
    assert tables.sql("SELECT * FROM t") == []
    tables.sql("INSERT INTO t VALUES (7, 'g')")
    assert tables.sql("SELECT * FROM t") == [(7, "g")]


MERGE = (
    "MERGE INTO t USING (SELECT explode(ARRAY(3, 4, 9)) AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'"
)
CHANGES = {
    "update": (("UPDATE t SET name = 'm' WHERE id IN (3, 4)",), [(2, "B"), (3, "m"), (4, "m")]),
    "delete": (("DELETE FROM t WHERE id IN (3, 4)",), [(2, "B")]),
    "merge": ((MERGE,), [(2, "B"), (3, "m"), (4, "m")]),
    "overwrite": (("INSERT OVERWRITE t SELECT id, 'o' FROM t",), [(2, "o"), (3, "o"), (4, "o")]),
}


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
@pytest.mark.parametrize("kind", [REBALANCE, pytest.param(MAJOR, marks=pytest.mark.slow)], ids=lambda kind: kind.value)
@pytest.mark.parametrize("change_name", CHANGES)
def test_a_change_whose_snapshot_is_older_than_a_compaction_finds_its_rows(
    tables: Tables,
    compactions: Compactions,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    kind: CompactionKind,
    change_name: str,
) -> None:
    """The compaction commits between the snapshot of the statement and its lock; a rebalance gives rows other IDs."""
    table = tables.create("t")
    change(tables, "t")
    statements, expected = CHANGES[change_name]
    metastore = attach(spark).metastore
    lock, done = metastore.lock, []

    def lock_after_a_compaction(*args: Any) -> Any:
        if not done:
            done.append(kind)
            done.append(compactions.run(table, kind))
        return lock(*args)

    monkeypatch.setattr(metastore, "lock", lock_after_a_compaction)
    for statement in statements:
        tables.sql(statement)
    assert len(done) == 2
    assert sorted(tables.sql("SELECT * FROM t")) == expected


@pytest.mark.beyond_the_gate("one partition; a transaction of several statements", cells=["d=DE"])
@pytest.mark.parametrize("partition", ["d=low", "d=DE"])
def test_a_merge_whose_snapshot_is_older_than_a_rebalance_of_a_partition_finds_its_rows(
    tables: Tables, compactions: Compactions, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, partition: str
) -> None:
    """No lock can name one with capitals: the metastore compares its name with the whole table at the commit."""
    table, value = tables.create("p", "id INT, name STRING", "PARTITIONED BY (d STRING)"), partition[2:]
    tables.sql(f"INSERT INTO p VALUES (1, 'a', '{value}'), (2, 'b', '{value}'), (3, 'c', '{value}')")
    tables.sql("DELETE FROM p WHERE id = 1")
    metastore = attach(spark).metastore
    lock, done = metastore.lock, []

    def lock_after_a_rebalance(*args: Any) -> Any:
        if not done:
            done.append(REBALANCE)
            done.append(compactions.run(table, REBALANCE, partition=partition))
        return lock(*args)

    monkeypatch.setattr(metastore, "lock", lock_after_a_rebalance)
    source = "(SELECT explode(ARRAY(2, 9)) AS id) s"
    tables.sql(f"MERGE INTO p USING {source} ON p.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'")
    assert len(done) == 2
    assert sorted(tables.sql("SELECT id, name FROM p")) == [(2, "m"), (3, "c")]


def test_a_transaction_of_several_statements_that_began_before_a_rebalance_is_a_conflict_or_right(
    tables: Tables, compactions: Compactions, spark: SparkSession
) -> None:
    table = tables.create("t")
    change(tables, "t")
    before = sorted(tables.sql("SELECT * FROM t"))
    try:
        with hive_acid.transaction(spark):
            tables.sql("SELECT count(*) FROM t")
            compactions.run(table, REBALANCE)
            tables.sql("UPDATE t SET name = 'm'")
    except AnalysisException as conflict:
        assert conflict.getCondition() == "HIVE_ACID_WRITE_CONFLICT.CHANGED_BY"
        assert sorted(tables.sql("SELECT * FROM t")) == before
    else:
        assert sorted(tables.sql("SELECT * FROM t")) == [(2, "m"), (3, "m"), (4, "m")]


def test_a_worker_on_a_thread_of_its_own_waits_for_a_lock(tables: Tables, compactions: Compactions) -> None:
    table = tables.create("t")
    change(tables, "t")
    blocker = tables.client.open_transaction("other", "host", "agent")
    lock = LockComponent(table, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
    assert tables.client.lock(blocker, [lock], "other", "host", "agent")[1] is LockState.ACQUIRED
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(compactions.run, table, MAJOR)
        assert eventually(lambda: any(held.state is LockState.WAITING for held in tables.client.held_locks(table)))
        tables.client.abort(blocker)
        assert outcome.result().folders[0].startswith("base_0000004_v")


@pytest.mark.beyond_the_gate("`unit/compaction`; major, minor and rebalance in the same file")
def test_what_runs_can_be_seen_from_another_thread(
    tables: Tables, compactions: Compactions, spark: SparkSession
) -> None:
    table = tables.create("t", more="PARTITIONED BY (d STRING)")
    for id_ in (1, 2):
        tables.sql(f"INSERT INTO t VALUES ({id_}, 'a', 'x,y')")
    running = attach(spark).running_compactions
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(compactions.run, table, MAJOR, "d=x,y")
        seen = []
        while not outcome.done():
            seen += running()
    assert {job.title for job in seen} == {f"{table} d=x,y"}
    assert {job.parts for job in seen} <= {0, 1}
    assert running() == []
