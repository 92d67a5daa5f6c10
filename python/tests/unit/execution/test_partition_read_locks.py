"""A statement that writes locks the partitions that it reads where the Cleaner looks for just these locks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid import config
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.transactions.validity import build_read_lock
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

SOURCE = TableName("db", "source")
NAMES = ("d=a", "d=b")
Read = Callable[[World, Callable[[str], None]], None]


def build_world(line: MetastoreLine, limit: int = 2) -> World:
    """Two tables, of which the source has two partitions."""
    world = World(line, settings={"spark.hiveacid.lock.maxPartitions": str(limit)})
    location = f"{LOCATION}_source"
    world.memory.add_table(build_table(name=SOURCE, location=location, partition_columns=(Column("d", "string"),)))
    for name in NAMES:
        world.file_system.make_folder(f"{location}/{name}")
        world.memory.add_partition(SOURCE, Partition(name, (name[2:],), f"{location}/{name}", {}))
    return world


def insert_from_source(world: World, during: Callable[[str], None]) -> None:
    """An INSERT that scans the source in its job, and is looked at then."""
    world.engine.before = during
    world.run(StatementKind.INSERT, sources=(SOURCE,), settings=world.settings)


def read_in_transaction(world: World, during: Callable[[str], None]) -> None:
    """A query in a transaction of several statements."""
    transaction = world.executor.begin_transaction(world.settings)
    during(transaction.token)
    world.executor.end_transaction(transaction, None)


@pytest.mark.parametrize("read", [insert_from_source, read_in_transaction])
@pytest.mark.parametrize(
    ("line", "limit", "locked"),
    [
        (MetastoreLine.HIVE_3, 2, [None, "d=a", "d=b"]),
        (MetastoreLine.HIVE_3, 1, [None]),
        (MetastoreLine.HIVE_4, 2, [None]),
    ],
)
def test_the_partitions_that_are_read_are_locked(
    read: Read, line: MetastoreLine, limit: int, locked: list[str | None]
) -> None:
    world, found = build_world(line, limit), list[str | None]()

    def scan(token: str) -> None:
        for _ in range(2):
            assert len(world.executor.snapshots[token].scan_plan(SOURCE, NAMES).partitions) == len(NAMES)
        found.extend(lock.partition for lock in world.memory.held_locks(SOURCE))

    read(world, scan)
    assert found == locked
    assert world.memory.held_locks() == []


@pytest.mark.parametrize("read", [insert_from_source, read_in_transaction])
def test_nobody_who_waits_for_the_table_is_waited_for(read: Read) -> None:
    world, found = build_world(MetastoreLine.HIVE_3), list[LockState]()
    drop = LockComponent(SOURCE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)

    def scan(token: str) -> None:
        snapshot = world.executor.snapshots[token]
        snapshot.read_together([SOURCE])
        waiter = world.memory.open_transaction("user", "host", "")
        world.memory.lock(waiter, [drop], "user", "host", "")
        assert len(snapshot.scan_plan(SOURCE, NAMES).partitions) == len(NAMES)
        found.extend(lock.state for lock in world.memory.held_locks(SOURCE))
        world.memory.abort(waiter)

    read(world, scan)
    assert found == [LockState.ACQUIRED, LockState.WAITING]


@pytest.mark.parametrize("partition", [None, "d=b"])
def test_a_query_does_not_wait_behind_who_waits_for_it(partition: str | None) -> None:
    world = build_world(MetastoreLine.HIVE_3)
    reading = ReadTransaction(world.warehouse, config.Settings(world.settings))
    reading.scan_plan(SOURCE, NAMES[:1])
    drop = LockComponent(SOURCE, LockKind.EXCLUSIVE, OperationKind.NO_TXN, partition)
    waiter = world.memory.open_transaction("user", "host", "")
    assert world.memory.lock(waiter, [drop], "user", "host", "")[1] is LockState.WAITING
    assert len(reading.scan_plan(SOURCE, NAMES).partitions) == len(NAMES)
    locks = [(lock.partition, lock.state) for lock in world.memory.held_locks(SOURCE)]
    assert locks == [
        (None, LockState.ACQUIRED),
        ("d=a", LockState.ACQUIRED),
        (partition, LockState.WAITING),
    ]
    reading.end()


def test_a_target_whose_partitions_are_locked_by_name_has_no_second_lock() -> None:
    world = World(MetastoreLine.HIVE_3)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for name in NAMES:
        world.file_system.make_folder(f"{LOCATION}/{name}")
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
    world.engine.foreseen, world.engine.partitions = NAMES[:1], NAMES[:1]
    found: list[LockComponent] = []

    def scan(token: str) -> None:
        world.executor.snapshots[token].scan_plan(TABLE, NAMES[:1])
        held = world.memory.held_locks(TABLE)
        found.extend(build_read_lock(lock.table or TABLE, lock.partition) for lock in held)

    world.engine.before = scan
    world.run(StatementKind.UPDATE)
    assert [lock.partition for lock in found] == ["d=a"]
