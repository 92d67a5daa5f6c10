"""An overwrite within a transaction of several statements: the only write to its table, and blind to nobody."""

from __future__ import annotations

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, WriteConflict
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World

REPLACING = [StatementKind.OVERWRITE, StatementKind.TRUNCATE]


def run(world: World, transaction: SessionTransaction, kind: StatementKind) -> int:
    return transaction.run(world.statement(kind), world.engine, Settings({})).affected


@pytest.mark.parametrize("kind", REPLACING)
def test_it_replaces_all_rows_with_the_commit_and_is_seen_within_before(world: World, kind: StatementKind) -> None:
    world.run(StatementKind.INSERT)
    transaction = world.executor.begin_transaction({})
    run(world, transaction, kind)
    within = transaction.scan_plan(TABLE, None).partitions[0].folders
    assert [folder.path for folder in within] == [f"{LOCATION}/base_0000002"]
    assert world.visible_write_ids() == [1]
    world.executor.end_transaction(transaction, None)
    assert world.visible_write_ids() == [1, 2]
    assert world.open_transactions() == []


@pytest.mark.parametrize("kind", REPLACING)
@pytest.mark.parametrize("other", list(StatementKind))
@pytest.mark.parametrize("is_first", [True, False], ids=["before", "after"])
def test_another_write_to_its_table_is_refused_and_all_is_undone(
    world: World, kind: StatementKind, other: StatementKind, is_first: bool
) -> None:
    transaction = world.executor.begin_transaction({})
    first, second = (kind, other) if is_first else (other, kind)
    run(world, transaction, first)
    with pytest.raises(HiveAcidError, match="must be the only statement in it that writes there") as refused:
        run(world, transaction, second)
    assert refused.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.OVERWRITE_NOT_ALONE"
    world.executor.end_transaction(transaction, refused.value)
    assert world.folders() == []
    assert world.open_transactions() == []


@pytest.mark.parametrize("kind", REPLACING)
def test_rows_that_came_after_what_it_has_read_are_not_lost(world: World, kind: StatementKind) -> None:
    world.run(StatementKind.INSERT)
    late = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(late, TABLE)
    transaction = world.executor.begin_transaction({})
    transaction.scan_plan(TABLE, None)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(late)
    with pytest.raises(WriteConflict) as lost:
        run(world, transaction, kind)
    world.executor.end_transaction(transaction, lost.value)
    assert world.visible_write_ids() == [1, write_id]
    assert [name for name in world.folders() if name.startswith("base_")] == []
