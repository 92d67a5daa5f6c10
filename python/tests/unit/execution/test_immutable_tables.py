"""A table with 'immutable'='true' takes one INSERT INTO of each place, as in Hive."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

IMMUTABLE = {"transactional": "true", "Immutable": "TRUE"}


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(parameters=IMMUTABLE))
    return world


def refuse_insert(world: World) -> HiveAcidError:
    files, visible = sorted(world.file_system.files), world.visible_write_ids()
    with pytest.raises(HiveAcidError) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_IMMUTABLE_TABLE"
    assert (sorted(world.file_system.files), world.visible_write_ids()) == (files, visible)
    assert world.open_transactions() == []
    return caught.value


def test_the_second_insert_is_refused_and_an_overwrite_goes_through(world: World) -> None:
    assert world.run(StatementKind.INSERT) > 0
    assert str(TABLE) in str(refuse_insert(world))
    assert world.run(StatementKind.OVERWRITE) > 0
    refuse_insert(world)


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE, StatementKind.MERGE])
def test_rows_of_it_are_changed_and_deleted(world: World, kind: StatementKind) -> None:
    world.run(StatementKind.INSERT)
    assert world.run(kind) > 0


def test_files_of_no_delta_are_content(world: World) -> None:
    world.file_system.add_file(f"{LOCATION}/000000_0")
    refuse_insert(world)


def test_what_was_aborted_or_is_not_committed_is_no_content(world: World) -> None:
    for _ in range(2):
        txn_id = world.memory.open_transaction("other", "host", "agent")
        write_id = world.memory.allocate_write_id(txn_id, TABLE)
        world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
        if write_id == 1:
            world.memory.abort(txn_id)
    assert world.run(StatementKind.INSERT) > 0
    world.memory.abort(txn_id)
    refuse_insert(world)


def test_what_others_commit_meanwhile_is_content(world: World) -> None:
    """As Hive does, whose INSERT asks for no lock that would have to wait."""

    def another(_: str) -> None:
        world.engine.before = None
        txn_id = world.memory.open_transaction("other", "host", "agent")
        write_id = world.memory.allocate_write_id(txn_id, TABLE)
        world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
        world.memory.commit(txn_id)

    world.engine.before = another
    with pytest.raises(HiveAcidError) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_IMMUTABLE_TABLE"
    assert len(world.visible_write_ids()) == 1


@pytest.mark.parametrize("step", ["valid_write_ids", "commit"])
def test_of_two_inserts_that_run_at_once_one_is_refused(world: World, step: str) -> None:
    """Whoever is second waits for the lock of the first, whatever the first has looked at before."""
    other = World(world.line, {"spark.hiveacid.lock.timeoutMs": "1000"}, shared_with=world)
    told: list[str | None] = []

    def another() -> None:
        try:
            other.run(StatementKind.INSERT)
        except HiveAcidError as error:
            told.append(error.getCondition())

    hook = world.metastore.before
    if step == "commit":
        hook[step] = another
    else:
        world.engine.before = lambda _: hook.__setitem__(step, another)
    world.run(StatementKind.INSERT)
    if not told:
        another()
    assert told in (["HIVE_ACID_LOCK_TIMEOUT"], ["HIVE_ACID_IMMUTABLE_TABLE"])
    assert len(world.visible_write_ids()) == 1
    assert world.open_transactions() == []


@pytest.mark.parametrize("is_filled", [False, True])
def test_a_dry_run_tells_that_the_insert_would_be_refused(world: World, is_filled: bool) -> None:
    if not is_filled:
        assert world.dry_run(StatementKind.INSERT).rows.inserted > 0
        return
    world.run(StatementKind.INSERT)
    with pytest.raises(HiveAcidError) as caught:
        world.dry_run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_IMMUTABLE_TABLE"
    assert world.dry_run(StatementKind.OVERWRITE).rows.inserted > 0
    assert world.open_transactions() == []


def test_each_partition_takes_its_first_rows(world: World) -> None:
    world.memory.add_table(build_table(parameters=IMMUTABLE, partition_columns=(Column("d", "string"),)))
    for partitions in (("d=a",), ("d=b", "d=c")):
        world.engine.partitions = partitions
        assert world.run(StatementKind.INSERT) > 0
    world.engine.partitions = ("d=c", "d=e")
    assert "d=c" in str(refuse_insert(world))


def test_a_transaction_of_several_statements_inserts_once(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    world.executor.run_within(transaction.token, world.statement(StatementKind.INSERT), world.engine)
    with pytest.raises(HiveAcidError) as caught:
        world.executor.run_within(transaction.token, world.statement(StatementKind.INSERT), world.engine)
    world.executor.end_transaction(transaction, caught.value)
    assert caught.value.getCondition() == "HIVE_ACID_IMMUTABLE_TABLE"
    assert world.visible_write_ids() == []


def test_a_table_without_the_property_takes_any_number(world: World) -> None:
    world.memory.add_table(build_table(parameters=IMMUTABLE | {"Immutable": "false"}))
    for _ in range(3):
        assert world.run(StatementKind.INSERT) > 0
