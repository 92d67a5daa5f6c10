"""A statement that changes more rows than the session allows leaves everything as it was."""

from __future__ import annotations

import pytest

from hive_acid.config import GUARD_MAX_PERCENT, GUARD_MAX_ROWS
from hive_acid.errors import HiveAcidError, InvalidStatement
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite
from support.statements import LOCATION, TABLE, World, build_table

INSERT, OVERWRITE, TRUNCATE = StatementKind.INSERT, StatementKind.OVERWRITE, StatementKind.TRUNCATE
CHANGES = [kind for kind in StatementKind if kind is not INSERT]
ROWS, PERCENT = GUARD_MAX_ROWS.key, GUARD_MAX_PERCENT.key
"""The engine changes 3 rows of 10; an overwrite or TRUNCATE replaces all 10."""


def removed(kind: StatementKind) -> int:
    return 10 if kind in (OVERWRITE, TRUNCATE) else 3


def expect_refusal(world: World, kind: StatementKind, settings: dict[str, str], **changes: object) -> HiveAcidError:
    """The error, once it is sure that nothing is left of the statement."""
    before = dict(world.file_system.files)
    with pytest.raises(InvalidStatement) as caught:
        world.run(kind, settings=settings, **changes)
    assert caught.value.getCondition() == "HIVE_ACID_TOO_MANY_ROWS"
    assert world.file_system.files == before
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []
    assert world.executor.snapshots == {}
    assert "commit" not in world.metastore.calls
    return caught.value


@pytest.mark.parametrize("kind", CHANGES)
def test_more_rows_than_allowed_are_refused_and_as_many_are_not(world: World, kind: StatementKind) -> None:
    error = expect_refusal(world, kind, {ROWS: str(removed(kind) - 1)})
    assert error.getMessageParameters() == {
        "operation": kind.title,
        "table": "db.t",
        "rows": str(removed(kind)),
        "setting": ROWS,
        "allowed": str(removed(kind) - 1),
    }
    world.run(kind, settings={ROWS: str(removed(kind))})
    assert len(world.visible_write_ids()) == 1, "and the next statement works"


@pytest.mark.parametrize("kind", CHANGES)
def test_a_greater_part_of_the_table_than_allowed_is_refused(world: World, kind: StatementKind) -> None:
    allowed = removed(kind) * 10  # per cent of 10 rows
    error = expect_refusal(world, kind, {PERCENT: str(allowed - 1)})
    assert error.getMessageParameters()["allowed"] == f"{allowed - 1} % of the 10 rows it had"
    world.run(kind, settings={PERCENT: str(allowed)})
    assert len(world.visible_write_ids()) == 1


@pytest.mark.parametrize("settings", [{}, {ROWS: "", PERCENT: ""}])
@pytest.mark.parametrize("kind", StatementKind)
def test_without_limits_nothing_is_counted(world: World, kind: StatementKind, settings: dict[str, str]) -> None:
    world.run(kind, settings=settings)
    assert world.engine.counted == []


def test_the_table_is_counted_only_for_a_share_of_it(world: World) -> None:
    world.run(StatementKind.DELETE, settings={ROWS: "3"})
    world.engine.rows = 0
    world.run(StatementKind.DELETE, settings={PERCENT: "0"})
    assert world.engine.counted == []


def test_new_rows_are_no_change(world: World) -> None:
    assert world.run(INSERT, settings={ROWS: "0", PERCENT: "0"}) == 3
    assert world.engine.counted == []


@pytest.fixture
def partitioned(world: World) -> World:
    """Partitions of 1, 2 and 4 rows, the last of which is also beyond the names the engine asks for."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "int"),)))
    for name in ("d=1", "d=2", "d=3"):
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
    world.engine.there = {"d=1": 1, "d=2": 2, "d=3": 4}
    world.engine.partitions = ("d=1",)
    return world


@pytest.mark.parametrize(
    ("kind", "overwrite", "rows"),
    [
        (TRUNCATE, Overwrite(), 7),
        (TRUNCATE, Overwrite(("d=2",)), 2),
        (OVERWRITE, Overwrite(), 7),
        (OVERWRITE, Overwrite(is_dynamic=True), 1),
        (OVERWRITE, Overwrite(("d=1",)), 1),
    ],
)
def test_only_the_rows_of_the_partitions_that_are_replaced_count(
    partitioned: World, kind: StatementKind, overwrite: Overwrite, rows: int
) -> None:
    error = expect_refusal(partitioned, kind, {ROWS: str(rows - 1)}, overwrite=overwrite)
    assert error.getMessageParameters()["rows"] == str(rows)
    error = expect_refusal(partitioned, kind, {PERCENT: str(rows * 100 // 7 - (rows == 7))}, overwrite=overwrite)
    assert error.getMessageParameters()["allowed"].endswith("of the 7 rows it had")
    partitioned.run(kind, settings={ROWS: str(rows)}, overwrite=overwrite)
    assert len(partitioned.visible_write_ids()) <= 1


@pytest.mark.parametrize("kind", [OVERWRITE, TRUNCATE])
def test_rows_that_came_while_the_lock_was_waited_for_are_replaced_too_and_count(
    world: World, kind: StatementKind
) -> None:
    """They are hidden by the base as any other."""
    seen: list[int] = []

    def look(token: str) -> None:
        plan = world.executor.snapshots[token].scan_plan(TABLE, None)
        seen.extend(len(partition.folders) for partition in plan.partitions)

    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.metastore.before["lock"] = lambda: world.memory.commit(txn_id)
    world.engine.before_count = look
    world.run(kind, settings={ROWS: "10"})
    assert seen == [1]


def test_a_statement_of_a_transaction_is_judged_by_itself(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    for _ in range(2):
        statement = world.statement(StatementKind.UPDATE, settings={ROWS: "3"})
        assert world.executor.run_within(transaction.token, statement, world.engine).counts.updated == 3
    with pytest.raises(InvalidStatement, match="TOO_MANY_ROWS") as caught:
        statement = world.statement(StatementKind.DELETE, settings={ROWS: "2"})
        world.executor.run_within(transaction.token, statement, world.engine)
    world.executor.end_transaction(transaction, caught.value)
    assert world.folders() == []
    assert world.open_transactions() == []


@pytest.mark.parametrize("value", ["-1", "ten", "1.5"])
@pytest.mark.parametrize("key", [ROWS, PERCENT])
def test_what_is_no_limit_is_refused(world: World, key: str, value: str) -> None:
    with pytest.raises(HiveAcidError, match="not a whole number"):
        world.run(StatementKind.DELETE, settings={key: value})
    with pytest.raises(HiveAcidError, match="more than 100"):
        world.run(StatementKind.DELETE, settings={PERCENT: "101"})
    assert world.folders() == []
