"""Read transactions: one per query, begun before anything is asked for, ended in whatever way the query ends."""

from __future__ import annotations

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, LockTimeout, SnapshotUnavailable
from hive_acid.execution.readers import Readers
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.transactions.validity import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

NONE = Settings({})


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def readers(world: World) -> Readers:
    return Readers(world.metastore, world.file_system, world.transactions, 10_000_000, world.clock)


def test_scans_of_a_query_share_a_transaction_and_a_lock(world: World, readers: Readers) -> None:
    readers.scan_plan(7, TABLE, None, NONE)
    readers.scan_plan(7, TABLE, None, NONE)
    assert len(world.open_transactions()) == 1
    assert len(world.memory.held_locks()) == 1
    readers.scan_plan(8, TABLE, None, NONE)
    assert len(world.open_transactions()) == 2
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


def test_partition_names_are_not_older_than_the_snapshot(world: World, readers: Readers) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    readers.partition_names(7, TABLE, NONE)
    calls = world.metastore.calls
    assert calls.index("valid_transactions") < calls.index("lock") < calls.index("partition_names")


def test_of_ten_thousand_partitions_only_the_survivors_are_fetched_and_listed(
    world: World, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for number in range(10_000):
        location = f"/elsewhere/{number}"
        world.memory.add_partition(TABLE, Partition(f"d={number}", (str(number),), location))
    world.file_system.add_file("/elsewhere/7/delta_0000001_0000001_0000/bucket_00000")
    fetched, listed = [], []
    partitions, list_trees = world.memory.partitions, world.file_system.list_trees
    monkeypatch.setattr(world.memory, "partitions", lambda t, names: fetched.extend(names) or partitions(t, names))
    monkeypatch.setattr(world.file_system, "list_trees", lambda roots: listed.extend(roots) or list_trees(roots))
    assert len(readers.partition_names(7, TABLE, NONE)) == 10_000
    assert (fetched, listed) == ([], [])
    plan = readers.scan_plan(7, TABLE, ["d=7", "d=8"], NONE)
    assert (fetched, listed) == (["d=7", "d=8"], ["/elsewhere/7", "/elsewhere/8"])
    assert [partition.name for partition in plan.partitions] == ["d=7", "d=8"]
    assert readers.scan_plan(7, TABLE, [], NONE).partitions == ()
    assert len(fetched) == len(listed) == 2


def test_a_scan_that_comes_after_the_end_of_its_query_is_refused_and_opens_nothing(
    world: World, readers: Readers
) -> None:
    def end_meanwhile() -> None:
        readers.close()

    readers.scan_plan(7, TABLE, None, NONE)
    reader = readers._readers[7]
    end_meanwhile()
    readers._readers[7] = reader  # a scan thread that had found it before
    with pytest.raises(SnapshotUnavailable):
        readers.scan_plan(7, TABLE, None, NONE)
    assert world.open_transactions() == []


def test_a_scan_outside_of_queries_that_gets_no_lock_leaves_nothing(world: World, readers: Readers) -> None:
    holder = world.memory.open_transaction("u", "h", "a")
    world.memory.lock(holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "u", "h", "a")
    world.clock.after_pause = lambda: world.memory.heartbeat(holder)
    with pytest.raises(LockTimeout):
        readers.scan_plan(-1, TABLE, None, NONE)
    readers.close()
    assert world.open_transactions() == [holder]


def test_without_read_transactions_nothing_is_opened_and_the_snapshot_is_still_one(
    world: World, readers: Readers
) -> None:
    without = Settings({"spark.hiveacid.read.transactions": "false"})
    readers.scan_plan(7, TABLE, None, without)
    txn_id = world.memory.open_transaction("u", "h", "a")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(txn_id)
    assert readers.scan_plan(7, TABLE, None, without).partitions[0].folders == ()
    assert world.open_transactions() == []
    assert "lock" not in world.metastore.calls
    readers.end(7)
    assert len(readers.scan_plan(8, TABLE, None, without).partitions[0].folders) == 1


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
    readers = Readers(world.metastore, world.file_system, world.transactions, 10_000_000, world.clock)
    settings = Settings({"spark.hiveacid.lock.maxPartitions": limit})
    readers.partition_names(7, TABLE, settings)
    readers.scan_plan(7, TABLE, names, settings)
    readers.scan_plan(7, TABLE, names, settings)
    assert [lock.partition for lock in world.memory.held_locks()] == locked
    readers.close()
    assert world.memory.held_locks() == []
