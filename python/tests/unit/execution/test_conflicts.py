"""What others commit between the snapshot and the lock: the statement runs again, or ends with a named error."""

from __future__ import annotations

from functools import partial

import pytest

from hive_acid.errors import HiveAcidError, SnapshotUnavailable, WriteConflict, build_error
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World, build_table


@pytest.fixture
def partitioned(world: World) -> World:
    """The table with partitions by `d`: `d=old` is there, elsewhere, and statements write to it and to `d=new`."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=old", ("old",), "/elsewhere/old"))
    world.engine.partitions = ("d=new", "d=old")
    return world


def test_a_delete_that_raced_with_another_runs_again_in_a_new_transaction(world: World) -> None:
    world.metastore.before["lock"] = lambda: World(world.line, shared_with=world).run(StatementKind.DELETE)
    assert world.run(StatementKind.DELETE) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    # the loser's write ID 1 was given up, the winner has 2, and the second try 3
    assert world.visible_write_ids() == [2, 3]
    assert world.engine.specs[-1].place.write_id == 3
    assert len(world.engine.specs) == 1, "nothing is written under a snapshot that no longer serves"


def test_a_delete_that_loses_every_race_ends_with_a_write_conflict(world: World) -> None:
    def winning_delete() -> None:
        txn_id = world.memory.open_transaction("other", "host", "agent")
        world.memory.valid_transactions(txn_id)
        world.memory.allocate_write_id(txn_id, TABLE)
        kind = LockKind.EXCL_WRITE if world.line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE
        world.memory.lock(txn_id, [LockComponent(TABLE, kind, OperationKind.UPDATE)], "other", "host", "agent")
        world.memory.commit(txn_id)
        world.metastore.before["lock"] = winning_delete

    world.metastore.before["lock"] = winning_delete
    with pytest.raises(WriteConflict) as caught:
        world.run(StatementKind.DELETE)
    assert caught.value.getSqlState() == "40001"
    assert world.folders() == []
    assert world.open_transactions() == []


def test_to_give_way_to_an_exclusive_lock_is_no_attempt(world: World) -> None:
    other: list[int] = []

    def change() -> None:
        World(world.line, shared_with=world).run(StatementKind.DELETE)
        world.metastore.before["lock"] = wait

    def wait() -> None:
        other.append(world.memory.open_transaction("other", "host", "agent"))
        exclusive = LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
        world.memory.lock(other[0], [exclusive], "other", "host", "agent")
        world.metastore.before["lock"] = lambda: world.memory.abort(other[0])

    world.metastore.before["lock"] = change
    assert world.run(StatementKind.DELETE, settings={"spark.hiveacid.statement.maxAttempts": "2"}) == 3
    assert world.metastore.calls.count("open_transaction") == 3
    assert world.open_transactions() == []


def test_an_insert_behind_an_overwrite_of_another_client_runs_again(world: World) -> None:
    world.metastore.before["lock"] = world.overwrite_as_another
    assert world.run(StatementKind.INSERT) == 3
    assert world.engine.specs[-1].place.write_id == 3, "rows under write ID 1 would be hidden by base 2"


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE])
def test_a_truncate_that_the_metastore_does_not_count_as_a_conflict_is_noticed(
    world: World, kind: StatementKind
) -> None:
    truncating = world.memory.open_transaction("hive", "host", "agent")
    world.memory.allocate_write_id(truncating, TABLE)

    def truncate() -> None:
        marker = '{"thisFileVersion": "0", "dataFormat": "truncated"}'
        world.file_system.add_file("/warehouse/t/base_0000001/_metadata_acid", text=marker)
        world.memory.commit(truncating)

    world.metastore.before["lock"] = truncate
    assert world.run(kind) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    assert world.engine.specs[-1].place.write_id == 3, "rows under write ID 2 were read before the truncate"


def test_a_table_that_was_dropped_and_made_again_while_the_lock_was_awaited_is_not_written(world: World) -> None:
    real = world.memory.allocate_write_id
    asked = []

    def allocate(txn_id: int, table: TableName) -> int:
        asked.append(txn_id)
        return real(txn_id, table) if len(asked) != 2 else 1000

    if world.line is MetastoreLine.HIVE_4:  # which shows the ID of a table
        world.metastore.before["lock"] = lambda: world.memory.add_table(build_table(table_id=1000))
    else:
        world.memory.allocate_write_id = allocate  # type: ignore[method-assign]
    assert world.run(StatementKind.INSERT) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    assert len(world.engine.specs) == 1


def test_a_table_that_was_altered_while_the_lock_was_awaited_is_not_written(world: World) -> None:
    def alter() -> None:
        world.memory.add_table(build_table(columns=(Column("id", "int"), Column("renamed", "string"))))

    world.metastore.before["lock"] = alter
    with pytest.raises(WriteConflict) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    assert world.engine.specs == []
    assert world.open_transactions() == []


def test_an_insert_behind_an_overwrite_of_one_partition_runs_again(partitioned: World) -> None:
    partitioned.metastore.before["lock"] = partial(partitioned.overwrite_as_another, "/elsewhere/old")
    assert partitioned.run(StatementKind.INSERT) == 6
    assert partitioned.engine.specs[-1].place.write_id == 3


def gone() -> HiveAcidError:
    return build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=TABLE, reason="a file of it is gone")


@pytest.mark.parametrize("line", list(MetastoreLine))
@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.INSERT, StatementKind.OVERWRITE])
def test_a_statement_whose_files_a_cleaner_has_taken_away_runs_again(line: MetastoreLine, kind: StatementKind) -> None:
    world = World(line)
    world.engine.fails = gone()

    def mend(_: str) -> None:
        if len(world.engine.specs) > 1:
            world.engine.fails = None

    world.engine.before = mend
    assert world.run(kind) == 3
    assert len(world.engine.specs) == 2
    assert world.open_transactions() == []
    assert len(world.visible_write_ids()) == 1


def test_one_whose_files_stay_away_ends_in_that_error() -> None:
    world = World()
    world.engine.fails = gone()
    with pytest.raises(SnapshotUnavailable, match="a file of it is gone"):
        world.run(StatementKind.UPDATE)
    assert len(world.engine.specs) == 5
    assert world.open_transactions() == []
    assert world.visible_write_ids() == []
