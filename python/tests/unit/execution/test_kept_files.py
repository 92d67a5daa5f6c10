"""Where the Cleaner waits for no transaction, it is asked to leave what is read before the snapshot is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.queue.worker import Worker
from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, MetastoreUnavailable
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.readers import Readers
from hive_acid.wire.scan_requests import ReadTable
from hive_acid.wire.statement_kinds import StatementKind
from support.faults import Lost
from support.jobs import FakeJobs
from support.statements import TABLE, World, build_table
from unit.compaction.worker_shop import FakeCompactionEngine

NONE = Settings({})
OTHER = TableName("db", "other")
INSERT, UPDATE = StatementKind.INSERT, StatementKind.UPDATE
KEEP, SNAPSHOT = "keep_files", "valid_transactions"


@pytest.fixture
def world() -> World:
    """Two tables with a row, on a metastore whose Cleaner is asked."""
    world = World(MetastoreLine.HIVE_4)
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    world.file_system.make_folder("/warehouse/other")
    world.run(INSERT)
    world.run(INSERT, target=OTHER, analysed=(describe_analysed(world.memory.table(OTHER)),))
    world.transactions.asks_cleaner = True
    world.metastore.calls.clear()
    return world


def compact(world: World, table: TableName) -> None:
    """Somebody's compaction, which is committed and waits for the Cleaner."""
    world.memory.request_compaction(CompactionRequest(table, CompactionKind.MAJOR))
    job = world.memory.next_compaction("worker", "version", None)
    assert job is not None
    txn_id = world.memory.open_compaction("other", "host", "agent", job.kind)
    world.memory.start_compaction(replace(job, user="other", highest_write_id=1), txn_id)
    world.memory.mark_compacted(job)
    world.memory.commit(txn_id)


def is_asked_first(world: World) -> bool:
    calls = [name for name in world.metastore.calls if name in (KEEP, SNAPSHOT)]
    return calls.index(KEEP) < calls.index(SNAPSHOT)


@pytest.mark.parametrize("kind", [UPDATE, StatementKind.DELETE, StatementKind.MERGE, StatementKind.REPLACE])
def test_a_statement_asks_before_its_snapshot(world: World, kind: StatementKind) -> None:
    world.run(kind, sources=(TABLE, OTHER))
    assert is_asked_first(world)
    assert list(world.memory.kept.values()) == [{TABLE, OTHER}]


def test_an_insert_of_rows_asks_for_nothing(world: World) -> None:
    world.run(INSERT)
    assert KEEP not in world.metastore.calls


def test_an_overwrite_asks_before_it_counts_the_rows_that_it_replaces(world: World) -> None:
    world.run(StatementKind.OVERWRITE, settings={"spark.hiveacid.guard.maxRows": "99"})
    (kept,) = world.memory.kept.values()
    assert kept == {TABLE}


def test_a_statement_of_several_asks_before_the_first_snapshot(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    transaction.run(world.statement(UPDATE), world.engine, NONE)
    transaction.read_together([OTHER])
    assert is_asked_first(world)
    assert world.memory.kept == {transaction.txn_id: {TABLE, OTHER}}
    world.executor.end_transaction(transaction, None)


def test_a_query_asks_for_all_its_tables_before_its_snapshot(world: World) -> None:
    reading = ReadTransaction(world.warehouse, NONE)
    reading.read_together([TABLE, OTHER])
    reading.scan_plan(TABLE, None)
    assert world.metastore.calls.count(KEEP) == 1
    assert is_asked_first(world)
    reading.end()


def test_a_table_that_comes_late_is_asked_for_too(world: World) -> None:
    reading = ReadTransaction(world.warehouse, NONE)
    reading.scan_plan(TABLE, None)
    reading.scan_plan(OTHER, None)
    assert list(world.memory.kept.values()) == [{TABLE, OTHER}]
    reading.end()


def test_a_table_that_comes_after_its_compaction_is_not_read_in_an_older_snapshot(world: World) -> None:
    readers = Readers(world.warehouse, 10_000_000, world.clock, FakeJobs(), 5_000)
    asked = [ReadTable(describe_analysed(world.memory.table(name))) for name in (TABLE, OTHER)]
    readers.scan_plan(7, asked[0], None, NONE)
    compact(world, OTHER)
    with pytest.raises(HiveAcidError) as raised:
        readers.scan_plan(7, asked[1], None, NONE)
    assert raised.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COMPACTED_SINCE"
    assert "compacted" in str(raised.value)
    readers.scan_plan(8, asked[1], None, NONE)
    readers.close()


def test_a_transaction_of_several_does_not_read_one_either(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    transaction.read_together([TABLE])
    compact(world, OTHER)
    with pytest.raises(HiveAcidError, match="compacted"):
        transaction.read_together([OTHER])
    world.executor.end_transaction(transaction, RuntimeError("leaves the block"))


def test_where_the_cleaner_waits_for_transactions_a_compaction_is_in_nobodys_way(world: World) -> None:
    world.transactions.asks_cleaner = False
    reading = ReadTransaction(world.warehouse, NONE)
    reading.scan_plan(TABLE, None)
    compact(world, OTHER)
    reading.scan_plan(OTHER, None)
    assert world.memory.kept == {}
    reading.end()


def test_a_statement_runs_again_if_it_was_compacted_between_its_opening_and_its_asking(world: World) -> None:
    world.metastore.before[KEEP] = lambda: compact(world, TABLE)
    assert world.run(UPDATE) == 3
    assert len(world.memory.kept) == 2, "in a transaction that sees the compaction"


def test_a_transaction_that_was_opened_long_before_its_first_statement_is_told(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    assert transaction.txn_id
    compact(world, TABLE)
    with pytest.raises(HiveAcidError, match="compacted"):
        transaction.run(world.statement(UPDATE), world.engine, NONE)
    world.executor.end_transaction(transaction, RuntimeError("leaves the block"))


def test_statements_that_run_together_ask_for_all_their_sources_before_the_first(world: World) -> None:
    statements = [
        (world.statement(StatementKind.OVERWRITE), world.engine),
        (world.statement(INSERT, sources=(OTHER,)), world.engine),
    ]
    transaction = world.executor.begin_transaction({})
    transaction.lock_together(statements)
    assert world.memory.kept == {transaction.txn_id: {OTHER}}
    assert is_asked_first(world)
    world.executor.end_transaction(transaction, None)


@pytest.mark.parametrize("lost", Lost)
@pytest.mark.parametrize("kind", [UPDATE, StatementKind.DELETE, StatementKind.MERGE, StatementKind.REPLACE])
def test_without_an_answer_nothing_is_done_and_nothing_stays_open(
    world: World, kind: StatementKind, lost: Lost
) -> None:
    """An answer that is lost may have been given: what was told goes with the transaction."""
    world.metastore.method, world.metastore.lost = KEEP, lost
    before = set(world.file_system.files)
    with pytest.raises(MetastoreUnavailable):
        world.run(kind)
    assert set(world.file_system.files) == before
    assert world.open_transactions() == []
    world.metastore.method = ""
    assert world.run(kind) == 3


@pytest.mark.parametrize("lost", Lost)
def test_a_query_without_an_answer_leaves_no_transaction(world: World, lost: Lost) -> None:
    world.metastore.method, world.metastore.lost = KEEP, lost
    reading = ReadTransaction(world.warehouse, NONE)
    with pytest.raises(MetastoreUnavailable):
        reading.scan_plan(TABLE, None)
    reading.end()
    assert world.open_transactions() == []


def test_nothing_is_asked_for_a_compaction_that_was_aborted_while_it_waited_for_its_lock(world: World) -> None:
    """A server keeps what it is told of a transaction that has ended, and its Cleaner off the table, for ever."""
    compactor = Compactor(world.metastore, world.file_system, FakeCompactionEngine(world), NONE)
    worker = Worker(world.transactions, compactor, NONE, "spark-host-1", "test")
    world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.REBALANCE))
    world.metastore.before["latest_conflict"] = lambda: world.memory.abort_transactions(
        [info.id for info in world.memory.transactions()]
    )
    with pytest.raises(HiveAcidError, match="ABORTED"):
        worker.run_next(None)
    assert KEEP not in world.metastore.calls


def test_nor_for_a_transaction_that_was_aborted_long_after_its_opening(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    world.memory.abort_transactions([transaction.txn_id])
    world.clock.pause_ms(2_000)
    with pytest.raises(HiveAcidError, match="ABORTED"):
        transaction.run(world.statement(UPDATE), world.engine, NONE)
    assert KEEP not in world.metastore.calls
    world.executor.end_transaction(transaction, RuntimeError("leaves the block"))
