"""Folders that somebody takes away, without a lock, while a snapshot is listed: no part of a table is read as all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from hive_acid.errors import WriteConflict
from hive_acid.model.table import Column, Partition
from hive_acid.reading.snapshot import Snapshot
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

ELSEWHERE = "/elsewhere"
NAMES = ("d=a", "d=b")


@pytest.fixture
def world() -> World:
    """A table of two partitions with rows, of which the second lies outside of the table's folder."""
    world = World()
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for name, location in zip(NAMES, (f"{LOCATION}/d=a", ELSEWHERE), strict=True):
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), location, {}))
    world.engine.partitions = NAMES
    world.run(StatementKind.INSERT)
    return world


def snapshot(world: World) -> Snapshot:
    return Snapshot(world.metastore, world.file_system, world.metastore.valid_transactions(0))


def before_listing(world: World, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens just before the first listing."""
    list_trees = world.file_system.list_trees

    def late(roots: Sequence[str]) -> object:
        monkeypatch.setattr(world.file_system, "list_trees", list_trees)
        happens()
        return list_trees(roots)

    monkeypatch.setattr(world.file_system, "list_trees", late)


def filled(plan: ScanPlan) -> list[str]:
    return [partition.name for partition in plan.partitions if partition.folders]


def test_a_table_whose_folder_is_renamed_before_its_entry_is_not_read_in_part(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = snapshot(world)
    assert filled(snapshot(world).scan_plan(TABLE, NAMES)) == list(NAMES)
    before_listing(world, monkeypatch, lambda: world.file_system.rename(LOCATION, "/aside"))
    with pytest.raises(WriteConflict, match=f"its folder {LOCATION} is not there"):
        reader.scan_plan(TABLE, NAMES)


def test_a_table_that_another_one_has_replaced_is_not_read_in_part(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced() -> None:
        world.file_system.delete_tree(LOCATION)
        world.memory.add_table(replace(world.memory.table(TABLE), created_s=2, location="/other"))

    reader = snapshot(world)
    before_listing(world, monkeypatch, replaced)
    with pytest.raises(WriteConflict, match="HIVE_ACID_TABLE_CHANGED"):
        reader.scan_plan(TABLE, NAMES)


def test_a_partition_that_is_dropped_while_it_is_listed_is_not_read_as_empty(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dropped() -> None:
        world.memory.remove_partition(TABLE, "d=a")
        world.file_system.delete_tree(f"{LOCATION}/d=a")

    reader = snapshot(world)
    before_listing(world, monkeypatch, dropped)
    with pytest.raises(WriteConflict, match="its partition d=a was dropped or renamed"):
        reader.scan_plan(TABLE, NAMES)


def test_a_partition_without_a_folder_in_a_table_that_is_there_has_no_rows(world: World) -> None:
    world.file_system.delete_tree(f"{LOCATION}/d=a")
    assert filled(snapshot(world).scan_plan(TABLE, NAMES)) == ["d=b"]


def test_a_folder_that_comes_back_is_listed_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename of a partition that the server undoes."""
    world.file_system.rename(f"{LOCATION}/d=a", f"{LOCATION}/d=c")
    exists = world.file_system.exists

    def back(path: str) -> bool:
        world.file_system.rename(f"{LOCATION}/d=c", f"{LOCATION}/d=a")
        return exists(path)

    monkeypatch.setattr(world.file_system, "exists", back)
    assert filled(snapshot(world).scan_plan(TABLE, NAMES)) == list(NAMES)


def test_a_flat_table_that_was_written_to_has_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    assert filled(snapshot(world).scan_plan(TABLE, None)) == [], "nobody has written to it"
    world.run(StatementKind.INSERT)
    reader = snapshot(world)
    before_listing(world, monkeypatch, lambda: world.file_system.rename(LOCATION, "/aside"))
    with pytest.raises(WriteConflict, match=f"its folder {LOCATION} is not there"):
        reader.scan_plan(TABLE, None)
