"""A user who may not write to a folder is told before rows are read, where the folder is known before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite
from support.statements import LOCATION, TABLE, World, build_table

NAMES = ("d=a", "d=b")
CLOSED = f"{LOCATION}/d=b"
CHANGES = [StatementKind.UPDATE, StatementKind.DELETE, StatementKind.REPLACE]
WRITES = [StatementKind.INSERT, *CHANGES]
ENTIRE, NAMED, DYNAMIC = Overwrite(), Overwrite(("d=b",)), Overwrite(is_dynamic=True)


@pytest.fixture
def world() -> World:
    """A table with an open and a closed partition."""
    world = World()
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for name in NAMES:
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
        world.file_system.make_folder(f"{LOCATION}/{name}")
    world.file_system.denied.add(CLOSED)
    return world


def expect_denied(world: World, run: Callable[[], object]) -> int:
    """Nothing is left of the statement; how many jobs it has run."""
    files, before = set(world.file_system.files), len(world.engine.specs)
    with pytest.raises(HiveAcidError) as raised:
        run()
    assert raised.value.getCondition() == "HIVE_ACID_STORAGE_DENIED"
    assert raised.value.getMessageParameters()["path"] == CLOSED
    assert set(world.file_system.files) == files
    assert world.open_transactions() == []
    return len(world.engine.specs) - before


@pytest.mark.parametrize("kind", WRITES)
@pytest.mark.parametrize("is_dry", [False, True], ids=["run", "dry run"])
def test_a_partition_that_is_known_before_is_looked_at_before_the_job(
    world: World, kind: StatementKind, is_dry: bool
) -> None:
    world.engine.partitions = world.engine.foreseen = ("d=b",)
    run = world.dry_run if is_dry else world.run
    assert expect_denied(world, lambda: run(kind)) == 0


@pytest.mark.parametrize("kind", WRITES)
def test_a_partition_that_only_the_rows_name_is_looked_at_before_anything_is_put_there(
    world: World, kind: StatementKind
) -> None:
    world.engine.partitions = NAMES
    assert expect_denied(world, lambda: world.run(kind)) == 1


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_that_need_not_come_to_a_closed_partition_runs(world: World, kind: StatementKind) -> None:
    world.engine.foreseen, world.engine.partitions = NAMES, ("d=a",)
    assert world.run(kind) == 3


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_that_comes_to_a_closed_partition_all_the_same_is_undone(world: World, kind: StatementKind) -> None:
    world.engine.foreseen = world.engine.partitions = NAMES
    assert expect_denied(world, lambda: world.run(kind)) == 1


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_of_many_partitions_looks_no_further_than_the_first_open_ones(
    world: World, kind: StatementKind
) -> None:
    world.engine.foreseen, world.engine.partitions = ("d=a", *(f"d=x{n}" for n in range(5000))), ("d=a",)
    world.run(kind)
    assert world.metastore.calls.count("partitions") == 2, "and once before the publication"


def test_a_change_whose_rows_come_to_a_new_partition_is_not_refused_for_the_old_one(world: World) -> None:
    world.engine.foreseen, world.engine.partitions = ("d=b", "d=new"), ("d=new",)
    assert world.run(StatementKind.REPLACE) == 3


def test_an_insert_is_refused_if_one_of_its_partitions_is_closed(world: World) -> None:
    world.engine.foreseen = world.engine.partitions = NAMES
    assert expect_denied(world, lambda: world.run(StatementKind.INSERT)) == 0


@pytest.mark.parametrize("kind", [StatementKind.OVERWRITE, StatementKind.TRUNCATE])
@pytest.mark.parametrize("overwrite", [ENTIRE, NAMED], ids=["table", "partition"])
def test_what_is_emptied_is_looked_at_before_the_job(world: World, kind: StatementKind, overwrite: Overwrite) -> None:
    world.engine.partitions = ("d=b",)
    assert expect_denied(world, lambda: world.run(kind, overwrite=overwrite)) == 0


def test_an_overwrite_of_the_partitions_that_get_rows_concerns_these_alone(world: World) -> None:
    world.engine.partitions = ("d=a",)
    assert world.run(StatementKind.OVERWRITE, overwrite=DYNAMIC) == 3
    world.engine.partitions = NAMES
    assert expect_denied(world, lambda: world.run(StatementKind.OVERWRITE, overwrite=DYNAMIC)) == 1


@pytest.mark.parametrize("kind", WRITES)
def test_new_partitions_need_no_right_but_the_tables(world: World, kind: StatementKind) -> None:
    world.engine.partitions = world.engine.foreseen = ("d=c",)
    assert world.run(kind) == 3


def test_where_storage_tells_nothing_the_metastore_is_not_asked_for_places(world: World) -> None:
    world.file_system.denied.clear()
    world.engine.partitions = world.engine.foreseen = ("d=a",)
    world.run(StatementKind.DELETE)
    assert world.metastore.calls.count("partitions") == 1, "before the publication"
