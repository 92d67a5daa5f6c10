"""Write IDs that a metastore forgets through a failed statement are given back, or their loss is told."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.table import TableName
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statements import DdlStatement
from support.altered_tables import OTHER, build, build_altered_world
from support.statements import TABLE, World


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return build_altered_world(request.param)


def write(world: World, *, table: TableName = TABLE) -> int:
    """The transaction of a write that goes on."""
    txn_id = world.memory.open_transaction("somebody", "there", "writer")
    world.memory.allocate_write_id(txn_id, table)
    return txn_id


@pytest.mark.parametrize("kind", [DdlKind.DROP_TABLE, DdlKind.DROP_DATABASE, DdlKind.RENAME_TABLE])
def test_write_ids_that_a_failed_statement_made_the_metastore_forget_are_given_back(
    world: World, kind: DdlKind
) -> None:
    """As 3.1 forgets them. Otherwise no engine would see a row any more."""
    world.memory.commit(write(world))
    world.memory.abort(write(world))
    waiting = write(world)
    world.memory.commit(write(world))
    before = world.memory.valid_write_ids([TABLE, OTHER], None)

    def fail() -> None:
        asked = [LockComponent(TABLE, LockKind.SHARED_WRITE, OperationKind.UPDATE)]
        assert world.memory.lock(waiting, asked, "somebody", "there", "writer")[1] is LockState.WAITING
        if world.line is MetastoreLine.HIVE_3:
            world.memory.forget_write_ids(TABLE)
        raise LookupError("denied")

    with pytest.raises(LookupError, match="denied"):
        build(world).run(DdlStatement(kind, (TABLE, OTHER)), fail)
    after = world.memory.valid_write_ids([TABLE, OTHER], None)
    assert after[OTHER] == before[OTHER]
    assert after[TABLE].high_water_mark == 4
    if world.line is MetastoreLine.HIVE_3:
        assert (after[TABLE].open, after[TABLE].aborted) == (frozenset(), {2, 3})
        assert world.memory.transaction_state(waiting) is TransactionState.ABORTED, "its write ID was lost"
    later = world.memory.open_transaction("somebody", "there", "writer")
    assert world.memory.allocate_write_id(later, TABLE) == 5


def test_write_ids_that_cannot_be_given_back_are_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.memory.commit(write(world))
    world.memory.commit(write(world, table=OTHER))
    restore = world.memory.restore_write_ids

    def refuse(table: TableName, *others: Any) -> None:
        if table == OTHER:
            return restore(table, *others)
        raise build_error("HIVE_ACID_METASTORE_REFUSED", method="repl_tbl_writeid_state", reason="on purpose")

    def fail() -> None:
        world.memory.forget_write_ids(TABLE)
        world.memory.forget_write_ids(OTHER)
        raise LookupError("denied")

    monkeypatch.setattr(world.memory, "restore_write_ids", refuse)
    statement = DdlStatement(DdlKind.DROP_DATABASE, (TABLE, OTHER))
    if world.line is MetastoreLine.HIVE_4:  # it forgets none, and is not asked
        with pytest.raises(LookupError, match="denied"):
            build(world).run(statement, fail)
        return
    with pytest.raises(HiveAcidError) as raised:
        build(world).run(statement, fail)
    assert world.memory.valid_write_ids([OTHER], None)[OTHER].high_water_mark == 1, "the other table has its own back"
    assert raised.value.getCondition() == "HIVE_ACID_WRITE_IDS_FORGOTTEN"
    assert raised.value.getMessageParameters()["writeIds"].startswith("db.t:1:")
    assert isinstance(raised.value.__cause__, HiveAcidError)
    assert not world.memory.held_locks() and not world.open_transactions()


def test_write_ids_are_not_given_back_once_somebody_has_got_one_anew(world: World) -> None:
    """The metastore does nothing then, and says nothing. No write ID was hidden, so that none else is asked for."""
    for _ in range(4):
        world.memory.commit(write(world))

    def fail() -> None:
        if world.line is MetastoreLine.HIVE_3:
            world.memory.forget_write_ids(TABLE)
        write(world)
        raise LookupError("denied")

    with pytest.raises(HiveAcidError if world.line is MetastoreLine.HIVE_3 else LookupError) as raised:
        build(world).run(DdlStatement(DdlKind.DROP_TABLE, (TABLE,)), fail)
    if isinstance(raised.value, HiveAcidError):
        assert raised.value.getCondition() == "HIVE_ACID_WRITE_IDS_FORGOTTEN"
        assert raised.value.getMessageParameters()["writeIds"].startswith("db.t:4:")


def test_write_ids_that_the_metastore_no_longer_tells_of_leave_a_note(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory.commit(write(world))

    def refuse(name: TableName) -> str:
        raise build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="thrift://m", method="get_table", reason="on purpose")

    def fail() -> None:
        monkeypatch.setattr(world.memory, "table_identity", refuse)
        raise LookupError("denied")

    with pytest.raises(LookupError, match="denied") as raised:
        build(world).run(DdlStatement(DdlKind.DROP_TABLE, (TABLE,)), fail)
    notes = getattr(raised.value, "__notes__", [])
    if world.line is MetastoreLine.HIVE_4:  # it forgets none, and is not asked
        assert not notes
    else:
        assert notes == [
            "Whether the metastore still has the write IDs of db.t, db.t:1:9223372036854775807::, is not known"
        ]


def test_a_table_that_was_dropped_although_its_answer_was_lost_gets_no_write_ids(world: World) -> None:
    world.memory.commit(write(world))

    def drop() -> None:
        world.memory.forget_write_ids(TABLE)
        world.memory.remove_table(TABLE)
        raise LookupError("no answer")

    with pytest.raises(LookupError, match="no answer"):
        build(world).run(DdlStatement(DdlKind.DROP_TABLE, (TABLE,)), drop)
    assert world.memory.valid_write_ids([TABLE], None)[TABLE].high_water_mark == 0
