"""A dry run tells what a statement would do, and does nothing."""

from __future__ import annotations

import pytest

from hive_acid.config import GUARD_MAX_ROWS, READ_TRANSACTIONS
from hive_acid.errors import HiveAcidError, LockTimeout, UnsupportedOperation
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.wire import codec
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite
from hive_acid.wire.write_spec import RowCounts
from support.statements import LOCATION, TABLE, World, build_table

KINDS = list(StatementKind)
OVERWRITE, TRUNCATE = StatementKind.OVERWRITE, StatementKind.TRUNCATE


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    """With a file of 100 bytes in the table, which the engine reads."""
    world = World(request.param)
    world.run(StatementKind.INSERT)
    world.metastore.calls.clear()
    world.engine.before = lambda token: world.executor.snapshots[token].scan_plan(TABLE, None) and None
    return world


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_done(world: World, kind: StatementKind) -> None:
    files, transactions = dict(world.file_system.files), len(world.memory.transactions())
    world.dry_run(kind)
    assert world.file_system.files == files
    assert world.open_transactions() == []
    assert len(world.memory.transactions()) == transactions, "the reading one is committed, not aborted"
    assert world.memory.held_locks() == []
    assert world.executor.snapshots == {}
    writes = {"allocate_write_id", "abort", "add_partitions", "add_dynamic_partitions", "drop_statistics"}
    assert not writes & set(world.metastore.calls)


@pytest.mark.parametrize("kind", KINDS)
def test_it_locks_what_a_select_locks(world: World, kind: StatementKind) -> None:
    held: list[HeldLock] = []
    world.engine.before_count = world.engine.before = lambda token: (
        world.executor.snapshots[token].scan_plan(TABLE, None) and held.extend(world.memory.held_locks())
    )
    world.dry_run(kind)
    assert {(lock.table, lock.kind) for lock in held} == {(TABLE, LockKind.SHARED_READ)}


def test_without_read_transactions_there_is_none(world: World) -> None:
    assert world.dry_run(StatementKind.DELETE, settings={READ_TRANSACTIONS.key: "false"}).rows.deleted == 3
    assert "open_transaction" not in world.metastore.calls


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_are_those_of_the_statement(world: World, kind: StatementKind) -> None:
    dry_run = world.dry_run(kind)
    assert dry_run.kind is kind
    assert dry_run.rows.affected == world.run(kind)
    assert dry_run.rows.replaced == (10 if kind in (OVERWRITE, TRUNCATE) else 0)
    assert dry_run.buckets == (0,)
    assert dry_run.partitions == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("foreseen", [None, ("d=1",)])
def test_the_locks_are_those_of_the_statement(
    world: World, kind: StatementKind, foreseen: tuple[str, ...] | None
) -> None:
    other = TableName("db", "other")
    world.memory.add_table(build_table(name=other))
    if foreseen:
        world.memory.add_table(build_table(partition_columns=(Column("d", "int"),)))
        world.memory.add_partition(TABLE, Partition("d=1", ("1",), f"{LOCATION}/d=1", {}))
        world.engine.partitions = world.engine.foreseen = foreseen
        world.engine.before = None
    changes: dict[str, object] = {"sources": (TABLE, other)}
    if kind in (OVERWRITE, TRUNCATE):
        changes |= {"overwrite": Overwrite(("d=1",) if foreseen else ())}
    dry_run = world.dry_run(kind, **changes)
    asked: list[LockComponent] = []
    lock = world.memory.lock
    world.memory.lock = lambda txn, parts, *who: asked.extend(parts) or lock(txn, parts, *who)  # type: ignore[method-assign]
    world.run(kind, **changes)
    # the last request, right before the commit, waits for nobody
    assert list(dry_run.locks) == [part for part in asked if part.operation is not OperationKind.NO_TXN]
    assert dry_run.partitions == (foreseen or ())


def test_files_are_those_that_the_statement_is_given_to_read(world: World) -> None:
    lengths = [file.length_bytes for path, file in world.file_system.files.items() if "bucket" in path]
    assert (world.dry_run(StatementKind.DELETE).files, len(lengths)) == (1, 1)
    assert world.dry_run(StatementKind.DELETE).bytes == lengths[0]
    world.engine.before = None  # nothing is scanned, though it is known what there is
    assert world.dry_run(StatementKind.DELETE).files == 0
    assert world.dry_run(TRUNCATE).files == 0, "counting is not reading"


def test_who_holds_or_waits_for_a_conflicting_lock_is_named(world: World) -> None:
    reader, writer = world.memory.open_transaction("reader", "h1", "a1"), world.memory.open_transaction("w", "h2", "a2")
    kind = LockKind.SHARED_WRITE if world.memory.line is MetastoreLine.HIVE_3 else LockKind.EXCL_WRITE
    world.memory.lock(reader, [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)], "reader", "h1", "a1")
    world.memory.lock(writer, [LockComponent(TABLE, kind, OperationKind.UPDATE)], "w", "h2", "a2")
    assert [lock.txn_id for lock in world.dry_run(StatementKind.INSERT).blockers] == []
    (blocker,) = world.dry_run(StatementKind.DELETE).blockers
    assert (blocker.txn_id, blocker.user, blocker.host, blocker.agent) == (writer, "w", "h2", "a2")
    assert (blocker.kind, blocker.state) == (kind, LockState.ACQUIRED)
    assert [lock.txn_id for lock in world.dry_run(TRUNCATE).blockers] == [reader, writer]
    assert ("blocked by", f"transaction {writer} of w on h2 (a2, {kind.value}) on db.t, acquired") in world.dry_run(
        StatementKind.UPDATE
    ).facts()


def test_it_waits_for_an_exclusive_lock_as_a_select_does(world: World) -> None:
    holder = world.memory.open_transaction("u", "h", "a")
    world.memory.lock(holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "u", "h", "a")
    world.clock.after_pause = lambda: world.memory.heartbeat(holder)
    with pytest.raises(LockTimeout, match=f"transaction {holder} of u"):
        world.dry_run(StatementKind.DELETE)
    assert world.open_transactions() == [holder]


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_statement_refuses_is_refused_alike(world: World, kind: StatementKind) -> None:
    def errors(**changes: object) -> list[tuple[str, dict[str, str]]]:
        found = []
        for run in (world.dry_run, world.run):
            with pytest.raises(HiveAcidError) as caught:
                run(kind, **changes)
            found.append((caught.value.getCondition(), caught.value.getMessageParameters()))
        return found

    if kind is not StatementKind.INSERT:
        dry, real = errors(settings={GUARD_MAX_ROWS.key: "2"})
        assert dry == real
        assert dry[0] == "HIVE_ACID_TOO_MANY_ROWS"
    dry, real = errors(
        analysed=(describe_analysed(build_table(columns=(Column("id", "int"), Column("another", "string")))),)
    )
    assert dry == real
    assert dry[0] == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    world.memory.add_table(build_table(bucket_count=2, bucket_columns=("id",), sort_columns=("id",)))
    with pytest.raises(UnsupportedOperation, match="it is SORTED BY id"):
        world.dry_run(kind)
    assert world.open_transactions() == []


@pytest.mark.parametrize("error", [RuntimeError("task failed"), KeyboardInterrupt()], ids=repr)
def test_an_error_or_interrupt_of_the_job_ends_the_transaction(world: World, error: BaseException) -> None:
    world.engine.fails = error
    with pytest.raises(type(error)):
        world.dry_run(StatementKind.MERGE)
    assert world.open_transactions() == []
    assert world.executor.snapshots == {}


def test_truncating_a_partition_that_is_not_there_is_refused(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "int"),)))
    with pytest.raises(HiveAcidError, match="has no partition d=3"):
        world.dry_run(TRUNCATE, overwrite=Overwrite(("d=3",)))


LOCK = LockComponent(TABLE, LockKind.EXCL_WRITE, OperationKind.UPDATE, "d=1")
BLOCKER = HeldLock(7, "db", TABLE, None, LockState.WAITING, LockKind.EXCLUSIVE, 5, "ada", "host", "agent", 6)
DATABASE = HeldLock(8, "db", None, None, LockState.ACQUIRED, LockKind.EXCLUSIVE, 9, "bob", "host", "agent")
FULL = DryRun(
    StatementKind.MERGE, TABLE, RowCounts(1, 2, 3, 4), 5, 600, ("d=1", "d=2"), (0, 7), (LOCK,), (BLOCKER, DATABASE)
)


def test_the_json_is_the_value() -> None:
    assert codec.read(DryRun, codec.write(FULL)) == FULL


def test_the_text_has_every_fact() -> None:
    assert str(FULL).splitlines() == [
        "statement          MERGE",
        "table              db.t",
        "rows inserted      1",
        "rows updated       2",
        "rows deleted       3",
        "rows replaced      4",
        "files read         5",
        "bytes read         600",
        "partition written  d=1",
        "partition written  d=2",
        "buckets written    0, 7",
        "lock               EXCL_WRITE for UPDATE on db.t d=1",
        "blocked by         transaction 5 of ada on host (agent, exclusive) on db.t, waiting",
        "blocked by         transaction 9 of bob on host (agent, exclusive) on db, acquired",
    ]
