"""Statements that alter tables wait for readers and writers, as Hive has them wait, and leave nothing open."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.transactions.ddl_locks import DDL_LOCKS
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import ColumnChange, DdlStatement
from support.altered_tables import KEY, NAMES, OTHER, build, build_altered_world
from support.statements import TABLE, World, build_table


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return build_altered_world(request.param)


def held_by(world: World, statement: DdlStatement) -> list[HeldLock]:
    """The locks while the statement itself runs."""
    held: list[HeldLock] = []
    build(world).run(statement, lambda: held.extend(world.memory.held_locks()))
    assert not world.memory.held_locks() and not world.open_transactions()
    return held


@pytest.mark.parametrize("kind", DdlKind)
def test_the_lock_is_held_while_it_runs_and_gone_afterwards(world: World, kind: DdlKind) -> None:
    wanted = DDL_LOCKS[kind]
    held = held_by(world, DdlStatement(kind, (TABLE, OTHER)))
    assert [(lock.table, lock.partition, lock.kind) for lock in held] == (
        [(table, None, wanted) for table in (OTHER, TABLE)] if wanted else []
    )
    assert not world.memory._transactions.listed(), "nothing for the initiator to look at"


@pytest.mark.parametrize(
    ("kind", "clauses", "locked"),
    [
        (DdlKind.DROP_PARTITION, [("d=a", "h=1")], ["d=a/h=1"]),
        (DdlKind.DROP_PARTITION, [("d=a", "h=1"), ("d=b", "h=1")], ["d=a/h=1", "d=b/h=1"]),
        # a partition that comes to be before the lock is dropped too, and must not be without one
        (DdlKind.DROP_PARTITION, [("d=a",)], [None]),
        (DdlKind.DROP_PARTITION, [("h=1",)], [None]),
        (DdlKind.DROP_PARTITION, [("d=a",), ("d=b", "h=1")], [None]),
        (DdlKind.DROP_PARTITION, [("d=z", "h=1")], ["d=z/h=1"]),
        (DdlKind.DROP_PARTITION, [("d=z",)], [None]),
        (DdlKind.DROP_PARTITION, [("d=A", "h=1")], [None]),
        (DdlKind.RENAME_PARTITION, [("d=a", "h=1"), ("d=c", "h=1")], ["d=a/h=1", "d=c/h=1"]),
        (DdlKind.RENAME_PARTITION, [("d=a", "h=1"), ("d=C", "h=1")], [None]),
        (DdlKind.ADD_PARTITION, [("d=c", "h=1")], [None]),
    ],
)
def test_partitions_are_locked_by_name_where_a_lock_can_name_them_all(
    world: World, kind: DdlKind, clauses: list[tuple[str, ...]], locked: list[str | None]
) -> None:
    held = held_by(world, DdlStatement(kind, (TABLE,), tuple(clauses)))
    assert [lock.partition for lock in held] == locked
    assert {lock.kind for lock in held} == {DDL_LOCKS[kind]}


def test_more_partitions_than_the_limit_are_locked_as_a_table(world: World) -> None:
    settings = {"spark.hiveacid.lock.maxPartitions": "1"}
    clauses = (("d=a", "h=1"), ("d=a", "h=2"))
    held = held_by(world, DdlStatement(DdlKind.DROP_PARTITION, (TABLE,), clauses, settings=settings))
    assert [lock.partition for lock in held] == [None]


@pytest.mark.parametrize("kind", [kind for kind in DdlKind if DDL_LOCKS[kind] is LockKind.EXCLUSIVE])
def test_a_reader_is_waited_for_and_named_if_it_stays(world: World, kind: DdlKind) -> None:
    reader = world.memory.open_transaction("somebody", "there", "reader")
    asked = [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)]
    assert world.memory.lock(reader, asked, "somebody", "there", "reader")[1] is LockState.ACQUIRED
    ran: list[int] = []
    with pytest.raises(HiveAcidError, match="somebody on there") as raised:
        settings = {"spark.hiveacid.lock.timeoutMs": "1000"}
        build(world).run(DdlStatement(kind, (TABLE,), settings=settings), lambda: ran.append(1))
    assert raised.value.getCondition() == "HIVE_ACID_LOCK_TIMEOUT"
    assert not ran and world.open_transactions() == [reader]
    assert [lock.txn_id for lock in world.memory.held_locks()] == [reader]


@pytest.mark.parametrize("kind", DdlKind)
def test_its_error_is_the_engines_own_and_ends_the_transaction(world: World, kind: DdlKind) -> None:
    def fail() -> None:
        raise LookupError("no such partition")

    with pytest.raises(LookupError, match=r"^no such partition$"):
        build(world).run(DdlStatement(kind, (TABLE,)), fail)
    assert not world.memory.held_locks() and not world.open_transactions()


def test_a_transaction_that_times_out_meanwhile_is_reported_with_what_was_done(world: World) -> None:
    with pytest.raises(HiveAcidError) as raised:
        build(world).run(DdlStatement(DdlKind.DROP_TABLE, (OTHER,)), world.time_out)
    assert raised.value.getCondition() == "HIVE_ACID_LOCKS_LOST"
    assert "DROP TABLE of db.other was carried out" in str(raised.value)


@pytest.mark.parametrize(("folder", "is_refused"), [("t", True), ("T", True), ("seen", False)])
@pytest.mark.parametrize("new_name", ["__x", "_x"])
def test_a_table_whose_folder_would_be_hidden_by_its_new_name_keeps_its_own(
    world: World, folder: str, is_refused: bool, new_name: str
) -> None:
    world.memory.add_table(replace(world.memory.table(TABLE), location=f"/warehouse/db.db/{folder}"))
    statement = DdlStatement(DdlKind.RENAME_TABLE, (TABLE,), new_name=new_name)
    ran: list[int] = []
    if is_refused:
        with pytest.raises(HiveAcidError, match=r"RENAME TABLE is not supported on db\.t") as raised:
            build(world).run(statement, lambda: ran.append(1))
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.HIDDEN_LOCATION"
    else:
        build(world).run(statement, lambda: ran.append(1))
    assert ran == ([] if is_refused else [1]) and not world.open_transactions()


@pytest.mark.parametrize("by_position", ["", "true", "false"])
def test_a_column_gets_a_new_name_where_hive_too_finds_columns_by_position(world: World, by_position: str) -> None:
    orc = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"
    world.memory.add_table(replace(world.memory.table(TABLE), input_format=orc))
    settings = {"spark.hiveacid.read.columnsByPosition": by_position} if by_position else {}
    renamed = ColumnChange("name", new_name="label")
    statement = DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE,), column_change=renamed, settings=settings)
    ran: list[int] = []
    is_done = world.memory.line is MetastoreLine.HIVE_4 and by_position != "false"
    with nullcontext() if is_done else pytest.raises(HiveAcidError, match="COLUMN_BY_NAME"):
        build(world).run(statement, lambda: ran.append(1))
    assert ran == [1] * is_done and not world.open_transactions()


def test_a_new_partition_with_files_is_refused_and_one_without_is_not(world: World) -> None:
    world.file_system.make_folder("/elsewhere/empty")
    ran: list[int] = []
    for place in ("/elsewhere/empty", "/elsewhere/none"):
        statement = DdlStatement(DdlKind.ADD_PARTITION, (TABLE,), (("d=c", "h=1"),), (place,))
        build(world).run(statement, lambda: ran.append(1))
    world.file_system.add_file("/elsewhere/full/part-0.orc")
    statement = DdlStatement(DdlKind.ADD_PARTITION, (TABLE,), (("d=c", "h=1"),), ("/elsewhere/full",))
    with pytest.raises(HiveAcidError, match="/elsewhere/full") as raised:
        build(world).run(statement, lambda: ran.append(1))
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.LOCATION_HAS_FILES"
    assert ran == [1, 1] and not world.open_transactions()


@pytest.mark.parametrize("kind", [kind for kind in DdlKind if kind.traits.alters_description])
def test_statistics_that_a_writer_withdrew_meanwhile_do_not_come_back(world: World, kind: DdlKind) -> None:
    """The engine reads a table's description and stores it; what was withdrawn in between would be there again."""

    def store_what_was_read() -> None:
        stale = world.memory.table(OTHER)
        world.run(StatementKind.INSERT, target=OTHER, sources=(), analysed=(describe_analysed(stale),))
        assert KEY not in world.memory.table(OTHER).parameters
        world.memory.add_table(stale)

    build(world).run(DdlStatement(kind, (OTHER,)), store_what_was_read)
    assert KEY not in world.memory.table(OTHER).parameters
    assert not world.open_transactions()


def test_statistics_of_partitions_do_not_come_back_by_analyze(world: World) -> None:
    def store_what_was_read() -> None:
        stale = world.memory.partitions(TABLE, NAMES)
        world.engine.partitions = (NAMES[0],)
        world.run(StatementKind.INSERT, sources=())
        for partition in stale:
            world.memory.add_partition(TABLE, partition)

    build(world).run(DdlStatement(DdlKind.ANALYZE, (TABLE,)), store_what_was_read)
    assert not any(KEY in partition.parameters for partition in world.memory.partitions(TABLE, NAMES))


@pytest.mark.parametrize("kind", [kind for kind in DdlKind if kind.traits.alters_description])
def test_statistics_stay_where_nobody_writes(world: World, kind: DdlKind) -> None:
    build(world).run(DdlStatement(kind, (OTHER, TABLE)), lambda: None)
    assert KEY in world.memory.table(OTHER).parameters
    assert "allocate_write_id" not in world.metastore.calls


def test_a_table_becomes_transactional_with_files_that_can_be_originals_only(world: World) -> None:
    ran: list[int] = []
    plain = TableName("db", "plain")
    columns = (Column("d", "string"), Column("h", "string"))
    world.memory.add_table(
        build_table(name=plain, location="/warehouse/plain", parameters={}, partition_columns=columns)
    )
    # in no partition, so no file of the table
    world.file_system.add_file("/warehouse/plain/part-00000.orc")
    build(world).run(DdlStatement(DdlKind.CONVERT, (plain,)), lambda: ran.append(1))
    world.memory.add_partition(plain, Partition("d=a/h=1", ("a", "1"), "/elsewhere/a1", {}))
    world.file_system.add_file("/elsewhere/a1/000000_0")
    world.file_system.add_file("/elsewhere/a1/HIVE_UNION_SUBDIR_1/000000_0_copy_1")
    world.file_system.add_file("/elsewhere/a1/_SUCCESS")
    build(world).run(DdlStatement(DdlKind.CONVERT, (plain,)), lambda: ran.append(1))
    world.file_system.add_file("/elsewhere/a1/part-00000.orc")
    with pytest.raises(
        HiveAcidError, match=r"/elsewhere/a1/part-00000\.orc has a name that Hive does not accept"
    ) as raised:
        build(world).run(DdlStatement(DdlKind.CONVERT, (plain,)), lambda: ran.append(1))
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.ORIGINAL_NAME"
    assert ran == [1, 1] and not world.open_transactions()


def test_a_table_becomes_insert_only_without_rows_alone(world: World) -> None:
    """Engines read deltas and bases of such a table, and no file that was there before."""
    ran: list[int] = []
    plain, parted = TableName("db", "plain"), TableName("db", "parted")
    columns = (Column("d", "string"),)
    world.memory.add_table(build_table(name=plain, location="/warehouse/plain", parameters={}))
    world.memory.add_table(build_table(name=parted, location="/warehouse/p", parameters={}, partition_columns=columns))
    world.memory.add_partition(parted, Partition("d=a", ("a",), "/elsewhere/a", {}))
    world.file_system.add_file("/warehouse/plain/000000_0", length_bytes=0)
    world.file_system.add_file("/warehouse/plain/_SUCCESS")
    for table, file in ((plain, "/warehouse/plain/000001_0"), (parted, "/elsewhere/a/HIVE_UNION_SUBDIR_1/000000_0")):
        statement = DdlStatement(DdlKind.CONVERT_TO_INSERT_ONLY, (table,))
        build(world).run(statement, lambda: ran.append(1))
        world.file_system.add_file(file)
        with pytest.raises(HiveAcidError, match=f"such as {file}") as raised:
            build(world).run(statement, lambda: ran.append(1))
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.CONVERSION_HIDES_FILE"
    assert ran == [1, 1] and not world.open_transactions()


def test_changed_columns_are_those_of_the_partitions_too(world: World) -> None:
    called_before: list[str] = []
    statement = DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE,))
    build(world).run(statement, lambda: called_before.extend(world.metastore.calls))
    assert "cascade_columns" not in called_before
    assert "cascade_columns" in world.metastore.calls
    assert not world.open_transactions()

    flat = World(world.memory.line)
    build(flat).run(statement, lambda: None)
    assert "cascade_columns" not in flat.metastore.calls and "allocate_write_id" not in flat.metastore.calls
