"""A statement is visible wholly or not at all, whatever fails on its way."""

from __future__ import annotations

import pytest

from hive_acid.config import LOCK_TIMEOUT_MS
from hive_acid.errors import CommitStateUnknown, HiveAcidError, LockTimeout, build_error
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.names import VERSION_FILE
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from support.faults import Lost
from support.statements import TABLE, World, build_table

KINDS = list(StatementKind)
JOBS = [kind for kind in KINDS if kind is not StatementKind.TRUNCATE]
"""The statements that run a Spark job."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_leaves_complete_folders_and_nothing_open(world: World, kind: StatementKind) -> None:
    assert world.run(kind) == (0 if kind is StatementKind.TRUNCATE else 3)
    assert (
        world.folders()
        == {
            StatementKind.INSERT: ["delta_0000001_0000001_0000"],
            StatementKind.UPDATE: ["delete_delta_0000001_0000001_0000", "delta_0000001_0000001_0001"],
            StatementKind.DELETE: ["delete_delta_0000001_0000001_0000"],
            StatementKind.MERGE: [
                "delete_delta_0000001_0000001_0000",
                "delta_0000001_0000001_0001",
                "delta_0000001_0000001_0002",
            ],
            StatementKind.REPLACE: [
                "delete_delta_0000001_0000001_0000",
                "delta_0000001_0000001_0001",
                "delta_0000001_0000001_0002",
            ],
            StatementKind.OVERWRITE: ["base_0000001"],
            StatementKind.TRUNCATE: ["base_0000001"],
        }[kind]
    )
    assert world.file_system.texts[f"/warehouse/t/{world.folders()[0]}/{VERSION_FILE}"] == "2"
    assert world.visible_write_ids() == [1]
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []
    assert world.executor.snapshots == {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_snapshot_is_taken_before_the_write_id_and_the_write_id_before_the_lock(
    world: World, kind: StatementKind
) -> None:
    world.run(kind)
    calls = world.metastore.calls
    order = [calls.index(step) for step in ("valid_transactions", "allocate_write_id", "lock", "commit")]
    assert order == sorted(order)


def test_a_statement_that_changes_nothing_aborts_and_leaves_no_file(world: World) -> None:
    world.engine.rows = 0
    assert world.run(StatementKind.DELETE) == 0
    assert world.folders() == []
    assert world.open_transactions() == []
    assert "commit" not in world.metastore.calls


@pytest.mark.parametrize("lost", list(Lost))
def test_a_commit_that_nobody_can_tell_about_is_reported_as_unknown_and_its_files_are_kept(
    world: World, lost: Lost
) -> None:
    world.metastore.method, world.metastore.lost, world.metastore.forever = "commit", lost, True
    if lost is Lost.ANSWER:
        world.metastore.method = "transaction_state"

        def lose_commit() -> None:
            world.memory.commit(max(world.open_transactions()))
            raise build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="here", method="commit", reason="on purpose")

        world.metastore.before["commit"] = lose_commit
    with pytest.raises(CommitStateUnknown) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getSqlState() == "40003"
    assert f"`hive-acid txn status 1 --metastore '{world.memory.uri}'`" in str(caught.value)
    assert world.folders() == ["delta_0000001_0000001_0000"]


@pytest.mark.parametrize("kind", JOBS)
@pytest.mark.parametrize("error", [RuntimeError("task failed"), KeyboardInterrupt(), SystemExit()], ids=repr)
def test_an_error_or_interrupt_in_the_job_aborts_and_removes_staging(
    world: World, kind: StatementKind, error: BaseException
) -> None:
    world.engine.fails = error
    with pytest.raises(type(error)):
        world.run(kind)
    assert world.folders() == []
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


def test_an_abort_that_fails_does_not_hide_the_first_error(world: World) -> None:
    world.engine.fails = RuntimeError("the cause")
    world.metastore.method, world.metastore.forever = "abort", True
    with pytest.raises(RuntimeError, match="the cause") as caught:
        world.run(StatementKind.INSERT)
    assert any("was not aborted" in note for note in caught.value.__notes__)


def test_a_transaction_that_the_metastore_ended_during_the_job_is_not_published(world: World) -> None:
    def lose_heartbeat(_: str) -> None:
        world.time_out()
        world.transactions.heartbeat.beat()

    world.engine.before = lose_heartbeat
    with pytest.raises(HiveAcidError) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_ABORTED"
    assert world.folders() == []


def test_a_lock_that_is_not_granted_in_time_names_its_holder(world: World) -> None:
    holder = world.memory.open_transaction("somebody", "elsewhere", "their tool")
    world.memory.lock(
        holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "somebody", "elsewhere", "their tool"
    )
    world.clock.after_pause = lambda: world.memory.heartbeat(holder)
    with pytest.raises(LockTimeout, match="somebody on elsewhere") as caught:
        world.run(StatementKind.DELETE, settings={LOCK_TIMEOUT_MS.key: "10000"})
    assert caught.value.getSqlState() == "57033"
    assert world.open_transactions() == [holder]
    assert len(world.memory.held_locks()) == 1


def test_the_statistics_that_the_write_makes_stale_are_dropped_before_the_commit(world: World) -> None:
    world.run(StatementKind.INSERT)
    assert "COLUMN_STATS_ACCURATE" not in world.memory.table(TABLE).parameters
    calls = world.metastore.calls
    assert calls.index("drop_statistics") < calls.index("commit")


def test_the_engine_is_told_how_many_buckets_hold_rows(world: World) -> None:
    for bucket in range(3):
        world.file_system.add_file(f"/warehouse/t/delta_0000001_0000001_0000/bucket_{bucket:05d}")
    txn_id = world.memory.open_transaction("u", "h", "a")
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.commit(txn_id)
    world.run(StatementKind.DELETE)
    assert world.engine.specs[-1].spread.victim_buckets == 3
    world.run(StatementKind.INSERT)
    assert world.engine.specs[-1].spread.victim_buckets == 0


@pytest.fixture
def partitioned(world: World) -> World:
    """The table with partitions by `d`: `d=old` is there, elsewhere, and statements write to it and to `d=new`."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    old = Partition("d=old", ("old",), "/elsewhere/old", {"COLUMN_STATS_ACCURATE": "{}"})
    world.memory.add_partition(TABLE, old)
    world.engine.partitions = ("d=new", "d=old")
    return world


@pytest.mark.parametrize("kind", JOBS)
def test_each_partition_gets_its_folders_at_its_own_location(partitioned: World, kind: StatementKind) -> None:
    assert partitioned.run(kind) == 6
    kinds = {path.split("/")[-2].split("_0")[0] for path in partitioned.file_system.files}
    assert (
        kinds
        == {
            StatementKind.INSERT: {"delta"},
            StatementKind.UPDATE: {"delta", "delete_delta"},
            StatementKind.DELETE: {"delete_delta"},
            StatementKind.MERGE: {"delta", "delete_delta"},
            StatementKind.REPLACE: {"delta", "delete_delta"},
            StatementKind.OVERWRITE: {"base"},
        }[kind]
    )
    roots = {path.rsplit("/", 2)[0] for path in partitioned.file_system.files}
    assert roots == {"/warehouse/t/d=new", "/elsewhere/old"}
    assert [p.location for p in partitioned.memory.partitions(TABLE, ["d=new", "d=old"])] == [
        "/warehouse/t/d=new",
        "/elsewhere/old",
    ]
    assert partitioned.memory.partitions(TABLE, ["d=old"])[0].parameters == {}
    calls = partitioned.metastore.calls
    assert calls.index("add_partitions") < calls.index("add_dynamic_partitions") < calls.index("commit")
    assert partitioned.open_transactions() == []
