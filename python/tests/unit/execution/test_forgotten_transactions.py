"""A driver that stood still until the metastore had forgotten its transaction, whose write ID counts as committed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.config import Settings
from hive_acid.errors import TransactionAborted
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TIMEOUT_MS, World

KINDS = (StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE, StatementKind.OVERWRITE)


def run_alone(world: World, kind: StatementKind) -> None:
    world.run(kind)


def run_within(world: World, kind: StatementKind) -> None:
    transaction = world.executor.begin_transaction({})
    try:
        transaction.run(world.statement(kind), world.engine, Settings({}))
    except BaseException as error:
        world.executor.end_transaction(transaction, error)
        raise


@pytest.mark.parametrize("passed_ms", [0, TIMEOUT_MS], ids=["its clock stood still too", "its clock went on"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("run", [run_alone, run_within])
def test_it_puts_no_folder_into_place(
    world: World, run: Callable[[World, StatementKind], None], kind: StatementKind, passed_ms: int
) -> None:
    def stand_still(_: str) -> None:
        for txn_id in world.open_transactions():
            world.memory.abort(txn_id)
            world.memory.forget(txn_id)
        world.clock.now_ms += passed_ms

    seen: list[int] = []
    rename = world.file_system.rename

    def watch(source: str, target: str) -> None:
        rename(source, target)
        seen.extend(world.visible_write_ids())

    world.engine.before = stand_still
    world.file_system.rename = watch  # type: ignore[method-assign]
    with pytest.raises(TransactionAborted):
        run(world, kind)
    assert seen == []
    assert world.folders() == []
