"""What the metastore's listeners are told of a write, and when."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import AddedFile, MetastoreLine
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World

NOTIFY = {"spark.hiveacid.metastore.notifyWrites": "true"}
KINDS = {
    StatementKind.INSERT: ["delta_0000001_0000001_0000"],
    StatementKind.DELETE: ["delete_delta_0000001_0000001_0000"],
    StatementKind.UPDATE: ["delete_delta_0000001_0000001_0000", "delta_0000001_0000001_0001"],
}


def files_of(folders: list[str], root: str = LOCATION) -> list[AddedFile]:
    return [
        AddedFile(f"{root}/{folder}/{name}", folder, f"sum of {name}")
        for folder in folders
        for name in ("_orc_acid_version", "bucket_00000")
    ]


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("kind", KINDS)
def test_every_file_is_told_after_it_is_in_place_and_before_the_commit(
    kind: StatementKind, line: MetastoreLine
) -> None:
    world = World(line, NOTIFY)
    there: list[str] = []
    world.metastore.before["notify_write"] = lambda: there.extend(world.folders())
    world.run(kind)
    assert world.memory.notified == [(1, 1, TABLE, {"": files_of(KINDS[kind])})]
    assert there == KINDS[kind]
    calls = world.metastore.calls
    assert calls.index("drop_statistics") < calls.index("notify_write") < calls.index("commit")


def test_nobody_is_told_unless_it_is_wished() -> None:
    world = World()
    world.run(StatementKind.INSERT)
    assert world.memory.notified == []


def test_a_session_may_wish_it() -> None:
    world = World()
    world.run(StatementKind.INSERT, settings=NOTIFY)
    assert len(world.memory.notified) == 1


def test_a_statement_that_changed_nothing_is_not_told() -> None:
    world = World(settings=NOTIFY)
    world.engine.rows = 0
    world.run(StatementKind.DELETE)
    assert world.memory.notified == []


def test_a_transaction_of_several_statements_tells_of_all_of_them_at_its_end() -> None:
    world = World(settings=NOTIFY)
    transaction = world.executor.begin_transaction({})
    for kind in (StatementKind.INSERT, StatementKind.DELETE):
        world.executor.run_within(transaction.token, world.statement(kind), world.engine)
    assert world.memory.notified == []
    world.executor.end_transaction(transaction, None)
    folders = ["delta_0000001_0000001_0000", "delete_delta_0000001_0000001_0001"]
    assert world.memory.notified == [(1, 1, TABLE, {"": files_of(folders)})]


def test_a_transaction_that_is_given_up_tells_nothing() -> None:
    world = World(settings=NOTIFY)
    transaction = world.executor.begin_transaction({})
    world.executor.run_within(transaction.token, world.statement(StatementKind.INSERT), world.engine)
    world.executor.end_transaction(transaction, RuntimeError("given up"))
    assert world.memory.notified == []
