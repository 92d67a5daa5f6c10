"""Read transactions: one per query, begun before anything is asked for, ended in whatever way the query ends."""

from __future__ import annotations

import threading

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, LockTimeout, SnapshotUnavailable, WriteConflict
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.reading.readers import Readers
from hive_acid.wire.scan_requests import ReadTable
from hive_acid.wire.statement_kinds import StatementKind
from support.jobs import FakeJobs
from support.polling import eventually
from support.statements import LOCATION, TABLE, World, build_table

NONE = Settings({})
OTHER = TableName("db", "other")
IDLE_MS = 5_000


def asked(world: World, name: TableName = TABLE) -> ReadTable:
    """The table as a scan that is analysed now knows it."""
    return ReadTable(describe_analysed(world.memory.table(name)))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def readers(world: World) -> Readers:
    return Readers(world.warehouse, 10_000_000, world.clock, FakeJobs(), IDLE_MS)


def test_scans_of_a_query_share_a_transaction_and_a_lock(world: World, readers: Readers) -> None:
    readers.scan_plan(7, asked(world), None, NONE)
    readers.scan_plan(7, asked(world), None, NONE)
    assert len(world.open_transactions()) == 1
    assert len(world.memory.held_locks()) == 1
    readers.scan_plan(8, asked(world), None, NONE)
    assert len(world.open_transactions()) == 2
    readers.close()
    assert world.open_transactions() == []


def test_one_whose_execution_can_run_no_more_ends_though_no_event_has_told_so(world: World) -> None:
    jobs = FakeJobs()
    readers = Readers(world.warehouse, 10_000_000, world.clock, jobs, IDLE_MS)
    for key in (7, 8):
        readers.scan_plan(key, asked(world), None, NONE)
    jobs.over = {7}
    readers.tend()
    assert eventually(lambda: len(world.open_transactions()) == 1)
    jobs.over = {8}
    exclusive = LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)
    world.warehouse.transactions.begin(str(TABLE)).lock([exclusive])  # which waits for it


def test_after_their_close_reports_of_ends_do_nothing(world: World, readers: Readers) -> None:
    readers.scan_plan(7, asked(world), None, NONE)
    readers.close()
    readers.end(7)
    readers.end(8)
    readers.tend()
    assert world.open_transactions() == []


def test_where_no_thread_can_start_any_more_a_read_fails_and_the_close_does_not(
    world: World, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = asked(world)

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread at interpreter shutdown")

    with monkeypatch.context() as ending:
        ending.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            readers.scan_plan(7, described, None, NONE)
        readers.close()
    assert world.open_transactions() == []


def test_how_much_there_is_to_read_is_looked_at_in_a_transaction_that_ends(world: World, readers: Readers) -> None:
    world.run(StatementKind.INSERT)
    world.metastore.calls.clear()
    content = readers.content(TABLE, NONE)
    assert (content.deltas, content.latest_write_id) == (1, 1)
    calls = world.metastore.calls
    assert calls.index("open_transaction") < calls.index("valid_transactions") < calls.index("valid_write_ids")
    assert not {"allocate_write_id", "lock"} & set(calls)
    assert world.open_transactions() == []
    with pytest.raises(HiveAcidError):
        readers.content(TableName("db", "missing"), NONE)
    assert world.open_transactions() == []


def test_partition_names_are_not_older_than_the_snapshot_nor_that_older_than_the_lock(
    world: World, readers: Readers
) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    readers.partition_names(7, asked(world), NONE)
    calls = world.metastore.calls
    assert calls.index("lock") < calls.index("valid_transactions") < calls.index("partition_names")


def test_of_ten_thousand_partitions_only_the_survivors_are_fetched_and_listed(
    world: World, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for number in range(10_000):
        location = f"/elsewhere/{number}"
        world.memory.add_partition(TABLE, Partition(f"d={number}", (str(number),), location))
    world.file_system.add_file("/elsewhere/7/delta_0000001_0000001_0000/bucket_00000")
    world.file_system.make_folder("/elsewhere/8")
    fetched, listed = [], []
    partitions, list_trees = world.memory.partitions, world.file_system.list_trees
    monkeypatch.setattr(world.memory, "partitions", lambda t, names: fetched.extend(names) or partitions(t, names))
    monkeypatch.setattr(world.file_system, "list_trees", lambda roots: listed.extend(roots) or list_trees(roots))
    assert len(readers.partition_names(7, asked(world), NONE)) == 10_000
    assert (fetched, listed) == ([], [])
    plan = readers.scan_plan(7, asked(world), ["d=7", "d=8"], NONE)
    assert (fetched, listed) == (["d=7", "d=8"], ["/elsewhere/7", "/elsewhere/8"])
    assert [partition.name for partition in plan.partitions] == ["d=7", "d=8"]
    assert readers.scan_plan(7, asked(world), [], NONE).partitions == ()
    assert len(fetched) == len(listed) == 2


def test_a_scan_that_comes_after_the_end_of_its_query_is_refused_and_opens_nothing(
    world: World, readers: Readers
) -> None:
    def end_meanwhile() -> None:
        readers.close()

    readers.scan_plan(7, asked(world), None, NONE)
    reader = readers._readers[7]
    end_meanwhile()
    readers._readers[7] = reader  # a scan thread that had found it before
    with pytest.raises(SnapshotUnavailable):
        readers.scan_plan(7, asked(world), None, NONE)
    assert world.open_transactions() == []


def test_a_query_that_ends_while_it_waits_for_a_lock_holds_up_no_other(world: World, readers: Readers) -> None:
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    readers.scan_plan(8, asked(world, OTHER), None, NONE)
    (other,) = world.open_transactions()
    holder = world.memory.open_transaction("u", "h", "a")
    world.memory.lock(holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "u", "h", "a")
    waits, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        waits.set()
        assert may_go_on.wait(60)

    world.clock.after_pause = wait
    failures: list[BaseException] = []

    def scan() -> None:
        try:
            readers.scan_plan(7, asked(world), None, NONE)
        except HiveAcidError as error:
            failures.append(error)

    scanning = threading.Thread(target=scan)
    scanning.start()
    try:
        assert waits.wait(60)
        readers.end(7)
        readers.end(8)
        assert eventually(lambda: world.open_transactions() == [holder]), other
    finally:
        may_go_on.set()
        scanning.join()
        readers.close()
    assert len(failures) == 1


def test_a_scan_outside_of_queries_that_gets_no_lock_leaves_nothing(world: World, readers: Readers) -> None:
    holder = world.memory.open_transaction("u", "h", "a")
    world.memory.lock(holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "u", "h", "a")
    world.clock.after_pause = lambda: world.memory.heartbeat(holder)
    with pytest.raises(LockTimeout):
        readers.scan_plan(-1, asked(world), None, NONE)
    readers.close()
    assert world.open_transactions() == [holder]


def test_a_statement_does_not_wait_for_what_nobody_reads_of_an_rdd(world: World) -> None:
    jobs = FakeJobs(loose=True)
    readers = Readers(world.warehouse, 10_000_000, world.clock, jobs, IDLE_MS)
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    world.run(StatementKind.INSERT)
    readers.scan_plan(-1, asked(world), None, NONE)
    readers.scan_plan(-2, asked(world, OTHER), None, NONE)
    kept_alive = world.open_transactions()
    world.clock.after_pause = world.transactions.heartbeat.beat
    drop = LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
    waiting = world.transactions.begin("db.t")
    with pytest.raises(LockTimeout):  # a job may be reading it
        waiting.lock([drop])
    jobs.loose = False
    started_ms = world.clock()
    world.transactions.begin("db.t").lock([drop])
    assert world.clock() - started_ms <= 50, "it waited for no more than one look"
    assert set(kept_alive) & set(world.open_transactions()) == {kept_alive[1]}, "the other table is in nobody's way"


def test_a_query_of_an_execution_is_waited_for(world: World, readers: Readers) -> None:
    readers.scan_plan(7, asked(world), None, NONE)
    world.clock.after_pause = world.transactions.heartbeat.beat
    with pytest.raises(LockTimeout):
        world.transactions.begin("db.t").lock([LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)])


def test_the_snapshot_of_an_rdd_ends_when_nothing_has_run_for_long(world: World) -> None:
    jobs = FakeJobs(idle=IDLE_MS)
    readers = Readers(world.warehouse, 10_000_000, world.clock, jobs, IDLE_MS)
    readers.scan_plan(-1, asked(world), None, NONE)
    readers.scan_plan(7, asked(world), None, NONE)
    rdd, query = world.open_transactions()
    readers._end_idle()
    assert world.open_transactions() == [rdd, query], "it was asked for just now"
    world.clock.now_ms += IDLE_MS
    jobs.idle = IDLE_MS - 1
    readers._end_idle()
    assert world.open_transactions() == [rdd, query], "a job has run since"
    jobs.idle = IDLE_MS
    world.transactions.heartbeat.after_turn()
    assert eventually(lambda: world.open_transactions() == [query])
    readers.close()


def test_without_read_transactions_nothing_is_opened_and_the_snapshot_is_still_one(
    world: World, readers: Readers
) -> None:
    without = Settings({"spark.hiveacid.read.transactions": "false"})
    readers.scan_plan(7, asked(world), None, without)
    txn_id = world.memory.open_transaction("u", "h", "a")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(txn_id)
    assert readers.scan_plan(7, asked(world), None, without).partitions[0].folders == ()
    assert world.open_transactions() == []
    assert "lock" not in world.metastore.calls
    readers.end(7)
    assert len(readers.scan_plan(8, asked(world), None, without).partitions[0].folders) == 1


@pytest.mark.parametrize(
    ("line", "limit", "locked"),
    [
        (MetastoreLine.HIVE_3, "2", [None, "d=a", "d=b"]),
        (MetastoreLine.HIVE_3, "1", [None]),
        (MetastoreLine.HIVE_4, "2", [None]),
    ],
)
def test_the_partitions_that_are_read_are_locked_where_the_cleaner_looks_for_that(
    line: MetastoreLine, limit: str, locked: list[str | None]
) -> None:
    world = World(line)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    names = ("d=a", "d=b")
    for name in names:
        world.file_system.make_folder(f"{LOCATION}/{name}")
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
    readers = Readers(world.warehouse, 10_000_000, world.clock, FakeJobs(), IDLE_MS)
    settings = Settings({"spark.hiveacid.lock.maxPartitions": limit})
    readers.partition_names(7, asked(world), settings)
    readers.scan_plan(7, asked(world), names, settings)
    readers.scan_plan(7, asked(world), names, settings)
    assert [lock.partition for lock in world.memory.held_locks()] == locked
    readers.close()
    assert world.memory.held_locks() == []


def test_a_partition_that_is_dropped_without_a_lock_is_no_partition_without_rows(
    world: World, readers: Readers
) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for name in ("d=a", "d=b"):
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
    names = readers.partition_names(7, asked(world), NONE)
    world.memory.remove_partition(TABLE, "d=b")
    with pytest.raises(WriteConflict, match="its partition d=b was dropped or renamed"):
        readers.scan_plan(7, asked(world), names, NONE)
