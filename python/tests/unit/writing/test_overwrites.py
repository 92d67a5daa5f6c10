"""INSERT OVERWRITE and TRUNCATE: what is replaced, what others may commit meanwhile, what an abort leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.errors import HiveAcidError, InvalidStatement
from hive_acid.metastore.types import HeldLock, LockKind, MetastoreLine
from hive_acid.model.names import METADATA_FILE, OVERWRITE_FILE
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite
from support.statements import LOCATION, TABLE, World, build_table

INSERT, OVERWRITE, TRUNCATE = StatementKind.INSERT, StatementKind.OVERWRITE, StatementKind.TRUNCATE
PARTITIONS = ("d=1/e=x", "d=1/e=y", "d=2/e=x")


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


@pytest.fixture
def partitioned(world: World) -> World:
    """The table with the partitions PARTITIONS, each with a delta; new rows go to `d=1/e=x`."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "int"), Column("e", "string"))))
    for name in PARTITIONS:
        values = tuple(part[2:] for part in name.split("/"))
        world.memory.add_partition(TABLE, Partition(name, values, f"{LOCATION}/{name}", {}))
    world.engine.partitions = PARTITIONS
    world.run(INSERT)
    world.engine.partitions = ("d=1/e=x",)
    return world


def replaced(world: World) -> dict[str, str]:
    """By partition, `rows` or `empty`: the bases, told apart by what the engine writes."""
    empty_bytes, found = 50, {}
    for spec_path in world.file_system.files:
        folder, _, file = spec_path.rpartition("/")
        root, _, name = folder.rpartition("/")
        if name.startswith("base_") and file == "bucket_00000":
            length = world.file_system.files[spec_path].length_bytes
            found[root.removeprefix(f"{LOCATION}/")] = "empty" if length == empty_bytes else "rows"
    return found


@pytest.mark.parametrize(
    ("overwrite", "expected"),
    [
        (Overwrite(), {"d=1/e=x": "rows", "d=1/e=y": "empty", "d=2/e=x": "empty"}),
        (Overwrite(("d=1",)), {"d=1/e=x": "rows", "d=1/e=y": "empty"}),
        (Overwrite(is_dynamic=True), {"d=1/e=x": "rows"}),
        (Overwrite(("d=1",), is_dynamic=True), {"d=1/e=x": "rows"}),
        (Overwrite(("d=1", "e=x")), {"d=1/e=x": "rows"}),
        (Overwrite(("d=1", "e=x"), if_not_exists=True), {}),
    ],
)
def test_an_overwrite_replaces_what_it_names(
    partitioned: World, overwrite: Overwrite, expected: dict[str, str]
) -> None:
    assert partitioned.run(OVERWRITE, overwrite=overwrite) == (3 if expected else 0)
    assert replaced(partitioned) == expected
    assert partitioned.open_transactions() == []


@pytest.mark.parametrize(
    ("overwrite", "expected"),
    [
        (Overwrite(), dict.fromkeys(PARTITIONS, "empty")),
        (Overwrite(is_dynamic=True), {}),
        (Overwrite(("d=1", "e=x"), is_dynamic=True), {"d=1/e=x": "empty"}),
        (Overwrite(("d=3", "e=x"), is_dynamic=True), {"d=3/e=x": "empty"}),
        (Overwrite(("d=3", "e=x"), if_not_exists=True), {"d=3/e=x": "empty"}),
        (Overwrite(("e=x",)), {"d=1/e=x": "empty", "d=2/e=x": "empty"}),
    ],
)
def test_an_overwrite_without_rows_empties_what_it_names(
    partitioned: World, overwrite: Overwrite, expected: dict[str, str]
) -> None:
    partitioned.engine.rows = 0
    assert partitioned.run(OVERWRITE, overwrite=overwrite) == 0
    assert replaced(partitioned) == expected
    assert set(expected) <= set(partitioned.memory.partition_names(TABLE))


def test_a_flat_table_is_emptied_by_an_overwrite_without_rows(world: World) -> None:
    world.engine.rows = 0
    assert world.run(OVERWRITE) == 0
    assert world.folders() == ["base_0000001"]
    assert world.visible_write_ids() == [1]


@pytest.mark.parametrize(
    ("parts", "expected"), [((), PARTITIONS), (("d=1",), PARTITIONS[:2]), (("d=2", "e=x"), PARTITIONS[2:])]
)
def test_truncate_empties_the_partitions_it_names(
    partitioned: World, parts: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    jobs = len(partitioned.engine.specs)
    assert partitioned.run(TRUNCATE, overwrite=Overwrite(parts)) == 0
    assert replaced(partitioned) == dict.fromkeys(expected, "empty")
    assert len(partitioned.engine.specs) == jobs + 1, "empty bases only: no job"


@pytest.mark.parametrize(
    ("parts", "expected"), [((), (*PARTITIONS, "d=1/e=z")), (("d=1",), (*PARTITIONS[:2], "d=1/e=z"))]
)
def test_truncate_empties_a_partition_too_that_others_add_before_it_has_its_locks(
    partitioned: World, parts: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    new = "d=1/e=z"

    def add() -> None:
        if not partitioned.memory.partitions(TABLE, [new]):
            partitioned.memory.add_partition(TABLE, Partition(new, ("1", "z"), f"{LOCATION}/{new}", {}))

    partitioned.metastore.before["lock"] = add
    partitioned.run(TRUNCATE, overwrite=Overwrite(parts))
    assert replaced(partitioned) == dict.fromkeys(expected, "empty")


def test_truncate_of_a_partition_that_is_not_there_is_refused_by_name(partitioned: World) -> None:
    with pytest.raises(InvalidStatement, match="has no partition d=3/e=x"):
        partitioned.run(TRUNCATE, overwrite=Overwrite(("d=3", "e=x")))
    partitioned.run(TRUNCATE, overwrite=Overwrite(("d=3",)))
    assert replaced(partitioned) == {}
    assert partitioned.open_transactions() == []


def test_rows_for_a_partition_that_is_not_named_are_never_published(partitioned: World) -> None:
    with pytest.raises(HiveAcidError, match="does not name"):
        partitioned.run(OVERWRITE, overwrite=Overwrite(("d=2",)))
    assert replaced(partitioned) == {}


@pytest.mark.parametrize("kind", [OVERWRITE, TRUNCATE])
@pytest.mark.parametrize(
    ("parts", "locked"), [((), [None]), (("d=1",), [None]), (("d=1", "e=x"), ["d=1/e=x"]), (("e=x",), [None])]
)
def test_the_lock_is_exclusive_and_on_the_partition_that_is_named_in_full(
    partitioned: World, kind: StatementKind, parts: tuple[str, ...], locked: list[str | None]
) -> None:
    if kind is TRUNCATE and len(parts) == 1:
        locked = [name for name in PARTITIONS if Overwrite(parts).covers(name)]
    if kind is TRUNCATE and not parts:
        locked = list(PARTITIONS)
    held: list[HeldLock] = []
    partitioned.metastore.before["drop_partition_statistics"] = lambda: held.extend(partitioned.memory.held_locks())
    partitioned.run(kind, overwrite=Overwrite(parts))
    assert [lock.partition for lock in held] == locked
    assert {lock.kind for lock in held} == {LockKind.EXCLUSIVE}


def commit_insert(world: World, write_id: int | None = None) -> Callable[[], None]:
    """Another client's INSERT, under a write ID that it allocates now; returns what commits it."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    allocated = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{allocated:07d}_{allocated:07d}_0000/bucket_00000")
    return lambda: world.memory.commit(txn_id)


@pytest.mark.parametrize("sources", [(), (TABLE,)], ids=["blind", "reading its target"])
@pytest.mark.parametrize("is_later", [False, True], ids=["smaller write ID", "greater write ID"])
def test_an_insert_that_commits_before_the_lock_is_replaced_too_or_the_overwrite_runs_again(
    world: World, is_later: bool, sources: tuple[object, ...]
) -> None:
    if is_later:
        world.metastore.before["lock"] = lambda: commit_insert(world)()
    else:
        world.metastore.before["lock"] = commit_insert(world)
    world.run(OVERWRITE, sources=sources)
    runs_again = is_later or bool(sources)
    assert world.metastore.calls.count("lock") == (2 if runs_again else 1)
    bases = [name for name in world.folders() if name.startswith("base_")]
    assert len(bases) == 1
    assert int(bases[0][5:]) == max(world.visible_write_ids()), "nothing that was there shines through"


def test_the_base_comes_last_before_the_commit(world: World) -> None:
    seen: list[list[str]] = []
    world.metastore.before["commit"] = lambda: seen.append(world.folders())
    world.metastore.before["drop_statistics"] = lambda: seen.append(
        [name for name in world.folders() if not name.startswith(".")]
    )
    world.run(OVERWRITE)
    assert seen == [[], ["base_0000001"]]


def left_by_a_dead_overwrite(world: World, *, mark: bool = True, marker: bool = False) -> None:
    """A base under an aborted write ID."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    base = f"{LOCATION}/base_{write_id:07d}"
    world.file_system.add_file(f"{base}/bucket_00000")
    if mark:
        world.file_system.add_file(f"{base}/{OVERWRITE_FILE}", text=str(txn_id))
    if marker:
        world.file_system.add_file(f"{base}/{METADATA_FILE}", text='{"dataFormat": "compacted"}')
    world.memory.abort(txn_id)


@pytest.mark.parametrize("kind", list(StatementKind))
def test_the_next_statement_removes_the_base_of_an_overwrite_that_died(world: World, kind: StatementKind) -> None:
    left_by_a_dead_overwrite(world)
    world.run(kind)
    assert "base_0000001" not in world.folders()


@pytest.mark.parametrize("marker", [False, True])
def test_a_base_of_somebody_else_is_never_removed(world: World, marker: bool) -> None:
    left_by_a_dead_overwrite(world, mark=False, marker=marker)
    world.run(INSERT)
    assert "base_0000001" in world.folders()


def test_the_base_of_an_open_overwrite_is_never_removed(world: World) -> None:
    left_by_a_dead_overwrite(world)
    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/base_{write_id:07d}/{OVERWRITE_FILE}")
    world.run(INSERT)
    assert f"base_{write_id:07d}" in world.folders()
    assert "base_0000001" not in world.folders()


@pytest.mark.parametrize("kind", [OVERWRITE, TRUNCATE])
def test_partitions_may_be_replaced_by_their_names_whatever_rows_they_get(
    partitioned: World, kind: StatementKind
) -> None:
    names = ("d=1/e=x", "d=2/e=x")
    held: list[HeldLock] = []
    partitioned.metastore.before["drop_partition_statistics"] = lambda: held.extend(partitioned.memory.held_locks())
    partitioned.run(kind, overwrite=Overwrite(is_dynamic=True, names=names))
    rows = "rows" if kind is OVERWRITE else "empty"
    assert replaced(partitioned) == {"d=1/e=x": rows, "d=2/e=x": "empty"}
    assert [lock.partition for lock in held] == list(names)


def test_rows_for_a_partition_beside_the_named_ones_are_never_published(partitioned: World) -> None:
    with pytest.raises(HiveAcidError, match="does not name"):
        partitioned.run(OVERWRITE, overwrite=Overwrite(is_dynamic=True, names=("d=2/e=x",)))
    assert replaced(partitioned) == {}
