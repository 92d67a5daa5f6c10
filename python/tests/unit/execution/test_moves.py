"""Staged folders come to where they are seen with the rights of that place, also where storage does not rename."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import WriteResult, WrittenFolder
from hive_acid.writing.publishing.moves import Move, plan_moves
from support.statements import LOCATION, TABLE, World, build_table

STAGING = f"/t/{STAGING_PREFIX}7-ab"
LOCATIONS = {"d=a": "/t/d=a", "d=b": "/zone/b/"}
ELSEWHERE = "/zone/a"
KINDS = [StatementKind.INSERT, StatementKind.UPDATE, StatementKind.MERGE, StatementKind.OVERWRITE]


def result(*partitions: str) -> WriteResult:
    return WriteResult(tuple(WrittenFolder("delta_1", 1, 1, ("bucket_00000",), name) for name in partitions))


@pytest.mark.parametrize("homes", [{}, {"/t": "x", "/t/d=a": "x", "/zone/b": "x"}])
def test_what_is_at_home_in_the_table_is_renamed(homes: dict[str, str]) -> None:
    assert plan_moves(result("d=a", "d=b"), "/t", STAGING, LOCATIONS, homes) == [
        Move(f"{STAGING}/d=a/delta_1", "/t/d=a/delta_1"),
        Move(f"{STAGING}/d=b/delta_1", "/zone/b/delta_1"),
    ]


def test_what_is_at_home_elsewhere_is_copied_into_a_hidden_folder_beside_its_place() -> None:
    home, other = plan_moves(result("d=a", "d=b"), "/t", STAGING, LOCATIONS, {"/t": "x", "/t/d=a": "x", "/zone/b": "y"})
    assert home.copied is None
    assert home.renamed == home.staged
    assert other.copied == other.renamed == f"/zone/b/{STAGING_PREFIX}7-ab/delta_1"
    assert other.hidden_folder == f"/zone/b/{STAGING_PREFIX}7-ab"


def test_a_flat_table_is_renamed() -> None:
    assert plan_moves(result(""), "/t", STAGING, {}, {}) == [Move(f"{STAGING}/delta_1", "/t/delta_1")]


@pytest.fixture
def world() -> World:
    """A table with a partition in a zone to which nothing is renamed from elsewhere."""
    world = World()
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=a", ("a",), ELSEWHERE, {}))
    world.engine.partitions = ("d=a", "d=b")
    world.file_system.zones["/zone"] = "zone"
    return world


def staging(world: World) -> list[str]:
    return [path for path in (*world.file_system.files, *world.file_system.folders) if STAGING_PREFIX in path]


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_writes_to_partitions_of_two_zones(world: World, kind: StatementKind) -> None:
    assert world.run(kind) > 0
    files = [path for path in world.file_system.files if path.endswith("bucket_00000")]
    assert {path.startswith(f"{ELSEWHERE}/") for path in files} == {True, False}
    assert not staging(world)


@pytest.mark.parametrize("method", ["homes", "copy_tree", "rename"])
def test_a_statement_that_fails_on_its_way_there_leaves_nothing(
    world: World, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(world.file_system, method)

    def fail(*args: object) -> None:
        if method != "homes":  # done, and then the answer is lost
            real(*args)
        raise build_error("HIVE_ACID_STORAGE", path="/", action=method, reason="on purpose")

    monkeypatch.setattr(world.file_system, method, fail)
    with pytest.raises(HiveAcidError):
        world.run(StatementKind.INSERT)
    assert not staging(world)
    assert not [path for path in world.file_system.files if path.endswith("bucket_00000")]
    assert not world.open_transactions()


@pytest.mark.parametrize("run", [World.run, World.dry_run])
def test_a_user_who_may_not_write_is_told_before_a_transaction_is_open(run: object) -> None:
    world = World()
    world.file_system.denied.add(LOCATION)
    with pytest.raises(HiveAcidError) as failed:
        run(world, StatementKind.INSERT)  # type: ignore[operator]
    assert failed.value.getCondition() == "HIVE_ACID_STORAGE_DENIED"
    assert not world.memory.transactions()


def test_a_partition_where_a_rename_is_not_atomic_is_refused() -> None:
    world = World()
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=a", ("a",), "s3a://bucket/a", {}))
    world.engine.partitions = ("d=a",)
    with pytest.raises(HiveAcidError) as failed:
        world.run(StatementKind.INSERT)
    assert failed.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NON_ATOMIC_RENAME"
    assert not world.file_system.files
    assert not world.open_transactions()
