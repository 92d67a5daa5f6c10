"""Statements that run as one: INSERT into several tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, WriteConflict
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite, Statement
from support.statements import LOCATION, TABLE, FakeEngine, World, build_table

OTHER = TableName("db", "other")
INSERT, OVERWRITE = StatementKind.INSERT, StatementKind.OVERWRITE


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param, {"spark.hiveacid.statement.maxAttempts": "3"})
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    world.file_system.make_folder("/warehouse/other")
    return world


def other_folders(world: World) -> list[str]:
    paths = (path for path in world.file_system.files if path.startswith("/warehouse/other/"))
    return sorted({path.split("/")[3] for path in paths})


def is_at_rest(world: World) -> bool:
    """Nothing is open, locked or known as a snapshot, and nothing is staged."""
    staged = [folder for folder in (*world.folders(), *other_folders(world)) if folder.startswith(".")]
    return not (world.open_transactions() or world.memory.held_locks() or world.executor.snapshots or staged)


def test_all_of_them_are_one_transaction(world: World) -> None:
    statements = [world.statement(INSERT), world.statement(INSERT, target=OTHER), world.statement(INSERT)]
    counts = world.executor.run_together([(statement, world.engine) for statement in statements]).counts
    assert counts.inserted == counts.affected == 9
    assert world.folders() == ["delta_0000001_0000001_0000", "delta_0000001_0000001_0001"]
    assert other_folders(world) == ["delta_0000001_0000001_0000"]
    assert world.visible_write_ids() == [1]
    assert len(world.memory.transactions()) == 0 and is_at_rest(world)


def test_none_sees_what_the_others_write(world: World) -> None:
    seen = []

    def look(token: str) -> None:
        plan = world.executor.snapshots[token].scan_plan(TABLE, None)
        seen.append([folder for partition in plan.partitions for folder in partition.folders])

    world.run(INSERT)
    world.engine.before = look
    world.executor.run_together([(world.statement(INSERT), world.engine), (world.statement(INSERT), world.engine)])
    assert len(seen) == 2 and seen[0] == seen[1] and len(seen[0]) == 1


def test_an_error_in_one_undoes_all(world: World) -> None:
    failing = FakeEngine(world.file_system, fails=RuntimeError("no"))
    with pytest.raises(RuntimeError):
        world.executor.run_together([(world.statement(INSERT), world.engine), (world.statement(INSERT), failing)])
    assert world.folders() == world.visible_write_ids() == []
    assert is_at_rest(world)


def test_a_lost_race_runs_all_again(world: World) -> None:
    racing = FakeEngine(world.file_system)

    def overwrite_once(token: str) -> None:
        racing.before = None
        world.overwrite_as_another()

    racing.before = overwrite_once
    statements = [world.statement(INSERT, target=OTHER), world.statement(INSERT)]
    counts = world.executor.run_together([(statements[0], world.engine), (statements[1], racing)]).counts
    assert counts.inserted == 6
    assert other_folders(world) == ["delta_0000002_0000002_0000"]
    assert world.folders() == ["base_0000002", "delta_0000003_0000003_0000"]
    assert is_at_rest(world)


def test_races_that_are_lost_each_time_end_in_a_conflict_that_counts_them(world: World) -> None:
    racing = FakeEngine(world.file_system, before=lambda token: world.overwrite_as_another())
    with pytest.raises(WriteConflict) as caught:
        world.executor.run_together([(world.statement(INSERT), racing)])
    assert caught.value.getMessageParameters()["attempts"] == "3"
    assert all(folder.startswith("base_") for folder in world.folders())
    assert is_at_rest(world)


def test_a_table_that_was_altered_since_the_statements_were_analysed_is_told_as_that(world: World) -> None:
    statement = world.statement(INSERT)
    world.memory.add_table(build_table(columns=(Column("id", "int"),)))
    with pytest.raises(WriteConflict) as caught:
        world.executor.run_together([(statement, world.engine)])
    assert caught.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    assert world.folders() == []
    assert is_at_rest(world)


def test_a_table_is_overwritten_or_written_to_not_both(world: World) -> None:
    with pytest.raises(HiveAcidError) as caught:
        world.executor.run_together(
            [(world.statement(INSERT), world.engine), (world.statement(OVERWRITE), world.engine)]
        )
    assert caught.value.getCondition() == "HIVE_ACID_OVERLAPPING_INSERTS"
    assert world.folders() == []
    assert is_at_rest(world)


@pytest.fixture
def days(world: World) -> World:
    """The table with the partitions `d=1`, `d=2` and `d=3`."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "int"),)))
    for name in ("d=1", "d=2", "d=3"):
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
    return world


def overwrite_of(world: World, partition: str) -> tuple[Statement, FakeEngine]:
    engine = FakeEngine(world.file_system, partitions=(partition,))
    return world.statement(OVERWRITE, overwrite=Overwrite((partition,))), engine


def insert_into(world: World, partition: str, foreseen: bool = True) -> tuple[Statement, FakeEngine]:
    known = (partition,) if foreseen else None
    return world.statement(INSERT), FakeEngine(world.file_system, partitions=(partition,), foreseen=known)


def test_different_partitions_of_a_table_are_overwritten_and_written_to(days: World) -> None:
    days.executor.run_together([overwrite_of(days, "d=2"), insert_into(days, "d=3"), overwrite_of(days, "d=1")])
    data = {path.rpartition("/")[0].removeprefix(f"{LOCATION}/") for path in days.file_system.files}
    written = {folder for folder in data if not folder.startswith(("_", "."))}
    assert written == {"d=1/base_0000001", "d=2/base_0000001", "d=3/delta_0000001_0000001_0001"}
    assert is_at_rest(days)


def test_their_locks_are_asked_for_at_once(days: World, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[list[LockComponent]] = []
    lock = days.memory.lock

    def watched(txn_id: int, components: Sequence[LockComponent], *args: Any, **options: Any) -> Any:
        requests.append([c for c in components if c.kind is LockKind.EXCLUSIVE])
        return lock(txn_id, components, *args, **options)

    monkeypatch.setattr(days.memory, "lock", watched)
    days.executor.run_together([overwrite_of(days, "d=2"), overwrite_of(days, "d=1")])
    assert [[c.partition for c in request] for request in requests] == [["d=2", "d=1"]]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
@pytest.mark.parametrize("other", [overwrite_of, insert_into])
def test_a_partition_is_overwritten_or_written_to_not_both(
    days: World, other: Callable[[World, str], tuple[Statement, FakeEngine]], order: slice
) -> None:
    statements = [overwrite_of(days, "d=1"), other(days, "d=1")][order]
    with pytest.raises(HiveAcidError) as caught:
        days.executor.run_together(statements)
    assert caught.value.getCondition() == "HIVE_ACID_OVERLAPPING_INSERTS"
    assert caught.value.getMessageParameters() == {"place": "partition d=1 of db.t"}
    assert not [path for path in days.file_system.files if "base_" in path or "delta_" in path]
    assert is_at_rest(days)
