"""A committer's job on an object store: what is refused, what is compared, and what is given up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table

PLACE = f"s3a://lake{LOCATION}"
DELTA = f"{PLACE}/delta_0000001_0000001_0000"


@pytest.fixture
def world() -> World:
    found = World()
    found.memory.add_table(build_table(location=PLACE))
    return found


def test_only_the_attempt_that_was_handed_over_counts(world: World) -> None:
    """The engine lets an attempt that was overtaken write, too."""
    world.run(StatementKind.INSERT)
    assert world.file_system.files[f"{DELTA}/bucket_00000"].length_bytes == 100 + len("winner")
    assert world.file_system.lengths == {}


def test_uploads_of_neighbours_are_left_alone(world: World) -> None:
    theirs = world.file_system.upload("theirs", PLACE, "a", f"{PLACE}/delta_0000009_0000009_0000/bucket_00000")
    late = world.file_system.upload("zombie", PLACE, "a", f"{DELTA}/bucket_00000")
    world.run(StatementKind.INSERT)
    assert list(world.file_system.lengths) == [theirs]
    assert late not in world.file_system.lengths


def test_a_file_of_another_length_than_its_writer_counted_is_an_error(world: World) -> None:
    commit = world.file_system.commit_output

    def cut(job: str, roots: object) -> None:
        commit(job, roots)  # type: ignore[arg-type]
        path = f"{DELTA}/bucket_00000"
        world.file_system.files[path] = replace(world.file_system.files[path], length_bytes=1)

    world.file_system.commit_output = cut  # type: ignore[assignment]
    with pytest.raises(HiveAcidError, match="has 1 bytes, not 106 bytes") as failure:
        world.run(StatementKind.INSERT)
    assert failure.value.getCondition() == "HIVE_ACID_STORAGE"
    assert world.folders() == []
    assert not [path for path in world.file_system.files if path.startswith(DELTA)]


def test_a_folder_that_is_there_is_neither_filled_nor_removed(world: World) -> None:
    stray = f"{DELTA}/stray"
    world.engine.before = lambda _: world.file_system.add_file(stray)
    world.memory.add_table(build_table(location=PLACE))
    with pytest.raises(HiveAcidError):
        world.run(StatementKind.INSERT)
    assert [path for path in world.file_system.files if path.startswith(PLACE)] == [stray]
    assert world.file_system.lengths == {}


def test_a_partition_that_is_moved_meanwhile_is_a_conflict(world: World) -> None:
    table = build_table(location=PLACE, partition_columns=(Column("d", "string"),))
    world.memory.add_table(table)
    world.memory.add_partition(TABLE, Partition("d=x", ("x",), f"{PLACE}/d=x"))
    world.engine.partitions = ("d=x",)
    moves = iter([True])

    def move(_: str) -> None:
        if next(moves, False):
            world.memory.add_partition(TABLE, Partition("d=x", ("x",), "s3a://lake/moved"))

    world.engine.before = move
    assert world.run(StatementKind.INSERT) == 3
    assert [path for path in world.file_system.files if path.endswith("bucket_00000")] == [
        "s3a://lake/moved/delta_0000002_0000002_0000/bucket_00000"
    ]


def test_a_setting_asks_for_renames_all_the_same() -> None:
    world = World(settings={"spark.hiveacid.storage.allowNonAtomicRename": "true"})
    world.memory.add_table(build_table(location=PLACE))
    world.run(StatementKind.INSERT)
    assert "rename" in world.file_system.calls
    assert "commit_output" not in world.file_system.calls
