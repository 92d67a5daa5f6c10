"""Several statements in one transaction: all or nothing, in order, and each sees what those before it wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.errors import HiveAcidError, InvalidStatement, WriteConflict, build_error
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.transactions.validity import RULES
from hive_acid.wire.statement_kinds import StatementKind
from support.faults import Lost
from support.statements import LOCATION, TABLE, World, build_table
from support.transaction_block import Block, standing_behind

OTHER = TableName("db", "other")
INSERT, UPDATE, DELETE = StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    world.file_system.make_folder("/warehouse/other")
    return world


@pytest.fixture
def block(world: World) -> Iterator[Block]:
    block = Block(world, world.executor.begin_transaction({}))
    yield block
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []
    assert world.executor.snapshots == {}


def test_statements_share_a_write_id_and_go_on_with_the_next_statement_id(world: World, block: Block) -> None:
    assert [block.run(kind) for kind in (INSERT, UPDATE, DELETE)] == [3, 3, 3]
    folders = [
        "delete_delta_0000001_0000001_0001",  # of the update, which may delete rows of the insert
        "delete_delta_0000001_0000001_0003",
        "delta_0000001_0000001_0000",
        "delta_0000001_0000001_0002",
    ]
    assert world.folders() == folders
    assert world.visible_write_ids() == [], "nobody else sees anything before the commit"
    block.commit()
    assert world.visible_write_ids() == [1]
    assert world.folders() == folders
    assert world.metastore.calls.count("commit") == 1
    assert world.metastore.calls.count("drop_statistics") == 1


def test_a_scan_sees_what_the_statements_before_it_wrote_and_nothing_of_others(world: World, block: Block) -> None:
    assert block.transaction.scan_plan(TABLE, None).partitions[0].folders == ()
    other = world.memory.open_transaction("u", "h", "a")
    write_id = world.memory.allocate_write_id(other, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(other)
    block.run(INSERT)
    (seen,) = block.transaction.scan_plan(TABLE, None).partitions[0].folders
    assert seen.path.endswith("delta_0000002_0000002_0000")
    block.commit()


def test_several_tables_are_committed_together(world: World, block: Block) -> None:
    block.run(INSERT)
    block.run(INSERT, target=OTHER, sources=(OTHER,))
    assert block.transaction.written_tables == (OTHER, TABLE)
    block.commit()
    seen = world.memory.valid_transactions(0)
    lists = world.memory.valid_write_ids([TABLE, OTHER], seen)
    assert [lists[name].max_visible for name in (TABLE, OTHER)] == [1, 1]


def test_an_error_that_leaves_the_block_undoes_every_statement(world: World, block: Block) -> None:
    block.run(INSERT)
    block.run(INSERT, target=OTHER, sources=())
    block.abort()
    assert world.folders() == []
    assert not any(path.startswith("/warehouse/other/") for path in world.file_system.files)


def test_after_an_error_of_a_statement_the_rest_is_refused_and_the_commit_is_an_abort(
    world: World, block: Block
) -> None:
    block.run(INSERT)
    world.engine.fails = RuntimeError("task failed")
    with pytest.raises(RuntimeError, match="task failed"):
        block.run(DELETE)
    world.engine.fails = None
    for step in (lambda: block.run(INSERT), lambda: block.transaction.scan_plan(TABLE, None), block.commit):
        with pytest.raises(InvalidStatement, match="task failed") as caught:
            step()
        assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
    assert world.folders() == []


def test_a_conflict_is_told_and_not_run_again(world: World, block: Block) -> None:
    block.run(INSERT)
    other = world.memory.open_transaction("u", "h", "a")
    world.memory.allocate_write_id(other, TABLE)
    excluding = LockKind.EXCL_WRITE if world.line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE
    world.memory.lock(other, [LockComponent(TABLE, excluding, OperationKind.UPDATE)], "u", "h", "a")
    world.memory.commit(other)
    with pytest.raises(WriteConflict) as caught:
        block.run(UPDATE)
    assert caught.value.getSqlState() == "40001"
    block.abort()
    assert world.folders() == []


def test_a_conflict_at_the_commit_is_a_write_conflict_too(
    world: World, block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(txn_id: int) -> None:
        monkeypatch.undo()
        world.memory.abort(txn_id)
        reason = f"Aborting [txnid:{txn_id},{txn_id}] due to a write conflict on db/t committed by [txnid:7,7]"
        raise build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id, table="its tables", reason=reason)

    block.run(UPDATE)
    monkeypatch.setattr(world.memory, "commit", refuse)
    with pytest.raises(WriteConflict) as caught:
        block.commit()
    assert caught.value.getSqlState() == "40001"
    assert caught.value.getMessageParameters()["table"] == str(TABLE)
    assert world.folders() == []


def test_own_statements_are_no_conflict_for_those_that_follow(world: World, block: Block) -> None:
    for _ in range(3):
        block.run(UPDATE)
        block.run(DELETE)
    block.commit()
    assert len(world.folders()) == 9


@pytest.mark.parametrize("first", [UPDATE, DELETE])
def test_a_transaction_does_not_wait_for_those_who_wait_for_it(
    world: World, block: Block, first: StatementKind
) -> None:
    block.run(first)
    with standing_behind(world, RULES[UPDATE, world.line].lock):
        assert [block.run(kind) for kind in (UPDATE, DELETE, INSERT)] == [3, 3, 3]
        block.transaction.scan_plan(TABLE, None)
        block.commit()


def test_one_that_has_inserted_does_not_wait_for_an_exclusive_lock_behind_it(world: World, block: Block) -> None:
    block.run(INSERT)
    with standing_behind(world, LockKind.EXCLUSIVE):
        block.run(INSERT)
        block.transaction.scan_plan(TABLE, None)
        block.commit()


def test_a_transaction_that_only_read_ends_with_nothing_left(world: World, block: Block) -> None:
    block.transaction.scan_plan(TABLE, None)
    assert [lock.kind for lock in world.memory.held_locks()] == [LockKind.SHARED_READ]
    block.commit()
    assert world.folders() == []


@pytest.mark.parametrize("lost", list(Lost))
@pytest.mark.parametrize("step", ["drop_statistics", "valid_write_ids", "lock", "allocate_write_id"])
def test_a_step_that_gets_no_answer_leaves_nothing_visible(world: World, block: Block, step: str, lost: Lost) -> None:
    block.run(INSERT)
    world.metastore.calls.clear()
    world.metastore.method, world.metastore.lost = step, lost
    try:
        block.run(INSERT, target=OTHER, sources=())
    except HiveAcidError:
        block.abort()
    else:
        with pytest.raises(HiveAcidError):
            block.commit()
    assert world.visible_write_ids() == []
    assert world.folders() == []


@pytest.mark.parametrize("lost", list(Lost))
def test_a_lost_commit_reply_is_resolved_by_asking(world: World, block: Block, lost: Lost) -> None:
    block.run(INSERT)
    world.metastore.method, world.metastore.lost = "commit", lost
    block.commit()
    assert world.visible_write_ids() == [1]


def test_a_commit_that_nobody_can_tell_about_keeps_the_files(world: World) -> None:
    block = Block(world, world.executor.begin_transaction({}))
    block.run(INSERT)
    world.metastore.method, world.metastore.forever = "commit", True
    with pytest.raises(HiveAcidError) as caught:
        block.commit()
    assert caught.value.getCondition() == "HIVE_ACID_COMMIT_STATE_UNKNOWN"
    assert world.folders() == ["delta_0000001_0000001_0000"]


def test_a_statement_of_a_transaction_that_has_ended_is_refused(world: World, block: Block) -> None:
    block.commit()
    with pytest.raises(InvalidStatement, match="it has ended"):
        world.executor.run_within(block.transaction.token, world.statement(INSERT), world.engine)


def test_storage_that_fails_while_folders_are_published_dooms_the_transaction(
    world: World, block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    block.run(INSERT)

    def fail(*_: str) -> None:
        raise build_error("HIVE_ACID_STORAGE", path="/", action="rename", reason="disk full")

    with monkeypatch.context() as patched:
        patched.setattr(world.file_system, "rename", fail)
        with pytest.raises(HiveAcidError, match="disk full"):
            block.run(INSERT)
    block.abort()
    assert world.folders() == []


def test_a_block_that_was_rolled_back_refuses_the_rest_of_it_and_commits_nothing(world: World, block: Block) -> None:
    block.run(INSERT)
    block.transaction.roll_back()
    assert world.folders() == []
    assert world.open_transactions() == []
    with pytest.raises(InvalidStatement) as caught:
        block.run(INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.ROLLED_BACK"
    with pytest.raises(InvalidStatement):
        block.transaction.scan_plan(TABLE, None)
    block.commit()
    assert world.visible_write_ids() == []
    assert "commit" not in world.metastore.calls


def test_a_rollback_before_the_first_statement_opens_nothing(world: World, block: Block) -> None:
    block.transaction.roll_back()
    with pytest.raises(InvalidStatement):
        _ = block.transaction.txn_id
    block.commit()
    assert "open_transaction" not in world.metastore.calls
