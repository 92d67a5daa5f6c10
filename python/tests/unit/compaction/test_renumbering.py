"""A rebalance gives rows new IDs: no change of rows by their old IDs is committed beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.compaction.compactor import CompactedPlace, Compactor
from hive_acid.compaction.queue.worker import Worker
from hive_acid.config import Settings
from hive_acid.errors import WriteConflict
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import WriteResult, WriteSpec
from support.statements import LOCATION, TABLE, FakeEngine, World, build_table
from unit.compaction.worker_shop import FakeCompactionEngine

REBALANCE = CompactionKind.REBALANCE
PLACES = (None, "d=a", "d=Berlin")
"""The flat table; a partition that a lock can name; one that it cannot, so that the whole table is locked."""
CHANGES = (StatementKind.DELETE, StatementKind.UPDATE, StatementKind.MERGE, StatementKind.REPLACE)
AGENT = ("somebody", "elsewhere", "their tool")


@pytest.fixture(params=PLACES, ids=str)
def partition(request: pytest.FixtureRequest) -> str | None:
    place: str | None = request.param
    return place


@pytest.fixture
def world(partition: str | None) -> World:
    """The table with two inserts."""
    world = World(MetastoreLine.HIVE_4)
    if partition:
        world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
        world.memory.add_partition(TABLE, Partition(partition, (partition[2:],), location(partition), {}))
    world.engine.partitions = (partition or "",)
    for _ in range(2):
        world.run(StatementKind.INSERT)
    world.metastore.calls.clear()
    return world


def location(partition: str | None) -> str:
    return f"{LOCATION}/{partition}" if partition else LOCATION


def folders(world: World, partition: str | None) -> list[str]:
    """Names of those that rows or deletes lie in."""
    root = location(partition) + "/"
    names = {path.removeprefix(root).split("/")[0] for path in world.file_system.files if path.startswith(root)}
    return sorted(name for name in names if name[0] not in "._")


def build_worker(world: World, partition: str | None) -> tuple[Worker, FakeCompactionEngine]:
    """A worker, and its rebalance in the queue."""
    engine = FakeCompactionEngine(world)
    compactor = Compactor(world.metastore, world.file_system, engine, Settings({}))
    assert world.memory.request_compaction(CompactionRequest(TABLE, REBALANCE, partition=partition)).accepted
    return Worker(world.transactions, compactor, Settings({}), "spark-host-1", "test"), engine


def change_as_another(world: World, partition: str | None) -> Callable[[], None]:
    def change() -> None:
        other = World(world.line, shared_with=world)
        other.engine.partitions = (partition or "",)
        other.run(StatementKind.DELETE)

    return change


@pytest.mark.parametrize("kind", CHANGES, ids=lambda kind: kind.value)
def test_a_change_that_waited_for_a_rebalance_reads_what_that_made(
    world: World, partition: str | None, kind: StatementKind
) -> None:
    """Its snapshot is older than the lock, and a rebalance has no write ID by which that could be seen."""
    rebalance = world.memory.open_compaction("spark", "host", "worker", REBALANCE)
    found = world.memory.partitions(TABLE, [partition])[0] if partition else None
    lock = CompactedPlace(world.memory.table(TABLE), found).lock(REBALANCE)
    assert world.memory.lock(rebalance, [lock], *AGENT)[1] is LockState.ACQUIRED
    read: list[list[str]] = []

    class Engine(FakeEngine):
        def write(self, token: str, spec: WriteSpec) -> WriteResult:
            plan = world.executor.snapshots[token].scan_plan(TABLE, [partition] if partition else None)
            read.append([folder.path.rpartition("/")[2] for part in plan.partitions for folder in part.folders])
            return super().write(token, spec)

    base = f"base_0000002_v{rebalance:07d}"

    def end() -> None:
        world.clock.after_pause = None
        world.file_system.add_file(f"{location(partition)}/{base}/bucket_00000")
        world.memory.commit(rebalance)

    world.engine = Engine(world.file_system, partitions=(partition or "",))
    world.clock.after_pause = end
    assert world.run(kind) == 3
    assert read == [[base]]


def test_a_rebalance_folds_the_changes_that_it_has_waited_for(world: World, partition: str | None) -> None:
    """They are of a younger transaction, which the snapshot of the older one never shows."""
    worker, engine = build_worker(world, partition)
    world.metastore.before["lock"] = change_as_another(world, partition)
    outcome = worker.run_next(None)
    assert outcome is not None
    (base,) = outcome.folders
    assert base.startswith("base_0000003_v")
    (job,) = engine.specs
    assert [deletes.path.rpartition("/")[2] for deletes in job.partition.deletes.folders] == [
        "delete_delta_0000003_0000003_0000"
    ]
    assert world.memory.compactions()[0].state is CompactionState.READY
    assert world.open_transactions() == []


def test_a_rebalance_that_loses_each_time_fails_and_leaves_nothing(world: World, partition: str | None) -> None:
    worker, engine = build_worker(world, partition)

    def change_again() -> None:
        change_as_another(world, partition)()
        world.metastore.before["lock"] = change_again

    world.metastore.before["lock"] = change_again
    with pytest.raises(WriteConflict, match="after 5 attempts"):
        worker.run_next(None)
    assert (engine.specs, world.open_transactions()) == ([], [])
    assert world.memory.compactions()[0].state is CompactionState.FAILED


def test_changes_above_an_open_write_id_are_not_left_beside_a_rebalance(world: World, partition: str | None) -> None:
    """They cannot be folded, for what the open one has written would be lost below the base."""
    insert = world.memory.open_transaction(*AGENT)
    world.memory.allocate_write_id(insert, TABLE)
    component = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT, partition)
    world.memory.lock(insert, [component], *AGENT)
    change_as_another(world, partition)()
    before = folders(world, partition)
    worker, engine = build_worker(world, partition)
    with pytest.raises(WriteConflict, match=r"delete_delta_0000004_0000004_0000 .* write ID 3 is open"):
        worker.run_next(None)
    assert (engine.specs, folders(world, partition)) == ([], before)
    world.memory.commit(insert)
    assert build_worker(world, partition)[0].run_next(None) is not None


def test_inserts_above_an_open_write_id_stay_beside_it(world: World, partition: str | None) -> None:
    insert = world.memory.open_transaction(*AGENT)
    world.memory.allocate_write_id(insert, TABLE)
    world.run(StatementKind.INSERT)
    outcome = build_worker(world, partition)[0].run_next(None)
    assert outcome is not None
    assert [name.partition("_v")[0] for name in outcome.folders] == ["base_0000002"]
