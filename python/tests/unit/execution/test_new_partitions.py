"""A partition that a statement adds: rows go where it lies, and what lay there before is never taken over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, UnsupportedOperation
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.snapshot import Snapshot
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.new_folders import find_leftover
from support.memory_file_system import MemoryFileSystem
from support.statements import LOCATION, TABLE, World, build_table

NEW, ELSEWHERE = f"{LOCATION}/d=a", "/elsewhere"
KINDS = [StatementKind.INSERT, StatementKind.UPDATE, StatementKind.MERGE, StatementKind.OVERWRITE]


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.engine.partitions = ("d=a",)
    return world


def add_elsewhere_before(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody adds the partition, with a LOCATION, just before the statement does, the first time."""
    add = world.memory.add_partitions

    def race(table: Any, locations: Mapping[str, str], *rest: Any) -> None:
        if not world.memory.partitions(TABLE, ["d=a"]):
            world.memory.add_partition(TABLE, Partition("d=a", ("a",), ELSEWHERE, {}))
        add(table, locations, *rest)

    monkeypatch.setattr(world.memory, "add_partitions", race)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_go_where_a_partition_lies_that_others_add_at_the_same_time(
    world: World, kind: StatementKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_elsewhere_before(world, monkeypatch)
    assert world.run(kind) > 0
    files = [path for path in world.file_system.files if path.endswith("bucket_00000")]
    assert files
    assert all(path.startswith(f"{ELSEWHERE}/") for path in files), files


def test_in_a_transaction_of_several_statements_it_is_a_conflict(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    add_elsewhere_before(world, monkeypatch)
    transaction = world.executor.begin_transaction({})
    with pytest.raises(HiveAcidError) as error:
        world.executor.run_within(transaction.token, world.statement(StatementKind.INSERT), world.engine)
    world.executor.end_transaction(transaction, error.value)
    assert error.value.getCondition() == "HIVE_ACID_WRITE_CONFLICT.PARTITION_ELSEWHERE"
    assert ELSEWHERE in str(error.value)
    assert [path for path in world.file_system.files if path.endswith("bucket_00000")] == []


@pytest.mark.parametrize("left", ["delta_0000001_0000001_0000/bucket_00000", "base_0000001/bucket_00000", "000000_0"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_in_the_folder_of_a_new_partition_is_not_taken_over(
    world: World, kind: StatementKind, left: str
) -> None:
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.commit(txn_id)
    world.file_system.add_file(f"{NEW}/{left}")
    with pytest.raises(UnsupportedOperation) as error:
        world.run(kind)
    assert error.value.getCondition() == "HIVE_ACID_FOLDER_NOT_EMPTY"
    assert NEW in str(error.value) and left in str(error.value)
    assert list(world.file_system.files) == [f"{NEW}/{left}"]
    assert world.memory.partition_names(TABLE) == []
    assert world.open_transactions() == []


@pytest.mark.parametrize("left", ["_SUCCESS", ".hive-staging_1/bucket_00000", "_tmp/000000_0"])
def test_what_no_engine_reads_does_not_matter(world: World, left: str) -> None:
    world.file_system.add_file(f"{NEW}/{left}")
    assert world.run(StatementKind.INSERT) == 3


def put_by_another(world: World) -> int:
    """Another transaction puts files into the folder of the new partition before it adds that: its ID."""
    other = world.memory.open_transaction("hive", "host", "agent")
    write_id = world.memory.allocate_write_id(other, TABLE)
    world.file_system.add_file(f"{NEW}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    return other


def test_what_a_transaction_under_way_has_put_there_does_not_matter(world: World) -> None:
    put_by_another(world)
    assert world.run(StatementKind.INSERT) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_aborted_transaction_has_left_there_would_be_rows_once_that_is_forgotten(
    world: World, kind: StatementKind
) -> None:
    other = put_by_another(world)
    world.memory.abort(other)
    with pytest.raises(UnsupportedOperation) as error:
        world.run(kind)
    assert error.value.getCondition() == "HIVE_ACID_FOLDER_NOT_EMPTY"
    assert world.memory.partition_names(TABLE) == []
    world.memory.forget(other)
    world.memory.add_partition(TABLE, Partition("d=a", ("a",), NEW, {}))
    assert f"{NEW}/delta_0000001_0000001_0000" in seen_folders(world), "so it would have been"


def seen_folders(world: World) -> list[str]:
    """What a new snapshot reads."""
    snapshot = Snapshot(world.memory, world.file_system, world.memory.valid_transactions(0))
    plan = snapshot.scan_plan(TABLE, world.memory.partition_names(TABLE))
    return [folder.path for part in plan.partitions for folder in part.folders]


def test_a_partition_that_others_have_added_and_written_to_meanwhile_is_no_leftover(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = world.file_system.list_trees

    def add_and_commit(roots: Any) -> Any:
        if NEW in roots and not world.memory.partitions(TABLE, ["d=a"]):
            other = world.memory.open_transaction("hive", "host", "agent")
            write_id = world.memory.allocate_write_id(other, TABLE)
            world.memory.add_partition(TABLE, Partition("d=a", ("a",), NEW, {}))
            world.file_system.add_file(f"{NEW}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
            world.memory.commit(other)
        return listed(roots)

    monkeypatch.setattr(world.file_system, "list_trees", add_and_commit)
    assert world.run(StatementKind.INSERT) == 3


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["delta_0000001_0000001_0000/bucket_00000"], "delta_0000001_0000001_0000/bucket_00000"),  # committed
        (["delta_0000003_0000003_0000/bucket_00000"], None),  # open
        (["delta_0000004_0000004_0000/bucket_00000"], "delta_0000004_0000004_0000/bucket_00000"),  # aborted
        (["delta_0000003_0000004_0000/bucket_00000"], "delta_0000003_0000004_0000/bucket_00000"),  # some of it aborted
        (["delta_0000001_0000004/bucket_00000"], "delta_0000001_0000004/bucket_00000"),  # some of it committed
        (["delta_0000005_0000005_0000/bucket_00000"], "delta_0000005_0000005_0000/bucket_00000"),  # our own ID
        (["delta_0000009_0000009_0000/bucket_00000"], "delta_0000009_0000009_0000/bucket_00000"),  # of no table now
        (["a folder/000000_0"], "a folder/000000_0"),
        (["base_0000002/_metadata_acid", "delta_0000001_0000001_0000/bucket_00000"], None),  # dropped by Hive 4
        (["base_0000002/_metadata_acid", "delta_0000006_0000006_0000/bucket_00000"], "delta_0000006"),
        (["base_0000003/_metadata_acid", "delta_0000001_0000001_0000/bucket_00000"], "delta_0000001"),  # by an open one
    ],
)
def test_only_what_is_open_or_dropped_is_explained(files: list[str], expected: str | None) -> None:
    write_ids = ValidWriteIdList("db.t", 6, frozenset({3, 5}), frozenset({4}))
    file_system = MemoryFileSystem()
    for file in files:
        file_system.add_file(f"{NEW}/{file}")
    found = find_leftover(file_system, [f"{LOCATION}/d=b", NEW], 5, lambda: write_ids)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.folder == NEW and found.path.startswith(expected)
