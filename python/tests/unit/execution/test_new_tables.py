"""A table that was made where the folders of an older one lie: write IDs begin anew, and old rows would come back."""

from __future__ import annotations

import pytest

from hive_acid.config import Settings
from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World

KINDS = [StatementKind.INSERT, StatementKind.UPDATE, StatementKind.MERGE, StatementKind.OVERWRITE]
OLD = [
    "delta_0000001_0000001/bucket_00000",
    "delta_0000003_0000003_0000/bucket_00000",
    "delete_delta_0000002_0000002_0000/bucket_00000",
    "base_0000005/bucket_00000",
]


@pytest.mark.parametrize("old", OLD)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_its_first_write_is_refused_and_names_what_lies_there(world: World, kind: StatementKind, old: str) -> None:
    world.file_system.add_file(f"{LOCATION}/{old}")
    with pytest.raises(UnsupportedOperation) as error:
        world.run(kind)
    assert error.value.getCondition() == "HIVE_ACID_FOLDER_NOT_EMPTY"
    assert old in str(error.value) and str(TABLE) in str(error.value)
    assert world.folders() == [old.partition("/")[0]]
    assert world.open_transactions() == []


def test_files_of_before_it_became_transactional_are_its_rows(world: World) -> None:
    world.file_system.add_file(f"{LOCATION}/000000_0")
    assert world.run(StatementKind.INSERT) == 3


@pytest.mark.parametrize("end", ["open", "committed"])
def test_what_another_transaction_writes_there_is_no_older_table(world: World, end: str) -> None:
    def write_as_another(_: str) -> None:
        other = world.memory.open_transaction("hive", "host", "agent")
        write_id = world.memory.allocate_write_id(other, TABLE)
        locks = [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)]  # as every INSERT
        world.memory.lock(other, locks, "hive", "host", "agent")
        world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
        if end == "committed":
            world.memory.commit(other)

    world.engine.before = write_as_another
    assert world.run(StatementKind.INSERT) == 3
    assert world.engine.specs[-1].place.write_id == 1


def test_statements_of_the_first_transaction_take_what_those_before_them_wrote(world: World) -> None:
    begun = world.executor.begin_transaction({})
    for kind in (StatementKind.INSERT, StatementKind.UPDATE, StatementKind.INSERT):
        begun.run(world.statement(kind), world.engine, Settings({}))
    world.executor.end_transaction(begun, None)
    assert world.visible_write_ids() == [1]
