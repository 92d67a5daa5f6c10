"""`AcidTable.history` and `hive-acid history` tell which statements wrote to a table, by the notes beside its files."""

from __future__ import annotations

import pytest

from hive_acid.errors import InvalidStatement, UnsupportedOperation
from hive_acid.history.note import HistoryFile, WriteNote
from hive_acid.model.names import HISTORY_FILE
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.reader import load_history
from support.statements import LOCATION, TABLE, World, build_table
from support.told_history import build_world, history, note_files, run

INSERT, UPDATE, OVERWRITE = StatementKind.INSERT, StatementKind.UPDATE, StatementKind.OVERWRITE


@pytest.fixture
def world() -> World:
    return build_world()


def test_a_statement_says_who_wrote_what_and_when(world: World) -> None:
    run(world, UPDATE, "UPDATE t SET name = 'Ada' WHERE id = 7")
    (entry,) = history(world)
    assert entry == HistoryEntry(
        write_id=1,
        first_write_id=1,
        files=2,
        bytes=200,
        partition_count=0,
        folders=("delete_delta_0000001_0000001_0000", "delta_0000001_0000001_0001"),
        time_ms=1_700_000_000_000,
        txn_id=1,
        operation="UPDATE",
        statement="UPDATE t SET name = ? WHERE id = ?",
        application="nightly",
        application_id="app-1",
        user="ada",
        inserted=0,
        updated=3,
        deleted=0,
    )


def test_one_note_lies_in_the_first_folder_of_the_first_partition(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.engine.partitions = ("d=b", "d=a")
    world.run(UPDATE)
    assert note_files(world) == [f"{LOCATION}/d=a/delete_delta_0000001_0000001_0000/{HISTORY_FILE}"]
    (entry,) = history(world)
    assert (entry.partition_count, entry.partitions, entry.files) == (2, ("d=a", "d=b"), 4)
    assert "d=" not in world.file_system.texts[note_files(world)[0]], "the name of a partition is a value"


@pytest.mark.parametrize("kind", [OVERWRITE, StatementKind.TRUNCATE])
def test_of_replaced_rows_the_number_is_not_known(world: World, kind: StatementKind) -> None:
    world.run(kind)
    (entry,) = history(world)
    assert (entry.operation, entry.deleted, entry.folders) == (kind.title, None, ("base_0000001",))


def test_statements_without_text_and_what_the_settings_leave_out() -> None:
    world = build_world()
    world.run(INSERT)
    run(world, INSERT, "INSERT INTO t VALUES ('no end")
    assert [entry.statement for entry in history(world)] == [None, None]
    world = build_world(statementText="false")
    run(world, INSERT, "INSERT INTO t VALUES (1)")
    assert [(entry.operation, entry.statement) for entry in history(world)] == [("INSERT", None)]
    world = build_world(enabled="false")
    run(world, INSERT, "INSERT INTO t VALUES (1)")
    assert note_files(world) == []
    assert [(entry.write_id, entry.operation, entry.application) for entry in history(world)] == [(1, None, "unknown")]


def test_statements_of_one_transaction_have_notes_of_their_own(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    for kind in (INSERT, UPDATE, INSERT):
        transaction.run(world.statement(kind), world.engine, world.executor._settings)
    assert history(world) == [], "nothing is committed yet"
    world.executor.end_transaction(transaction, None)
    found = [(entry.write_id, entry.operation, entry.folders) for entry in history(world)]
    assert found == [
        (1, "INSERT", ("delta_0000001_0000001_0003",)),
        (1, "UPDATE", ("delete_delta_0000001_0000001_0001", "delta_0000001_0000001_0002")),
        (1, "INSERT", ("delta_0000001_0000001_0000",)),
    ]


def test_what_was_aborted_or_is_open_is_not_told(world: World) -> None:
    world.engine.fails = RuntimeError("no")
    with pytest.raises(RuntimeError):
        world.run(INSERT)
    world.engine.fails = None
    world.run(INSERT)
    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    assert [entry.write_id for entry in history(world)] == [2]


def test_the_newest_entries_come_first_and_no_more_than_asked_for_are_looked_at(world: World) -> None:
    for _ in range(5):
        world.run(INSERT)
    world.file_system.calls.clear()
    assert [entry.write_id for entry in history(world, 2)] == [5, 4]
    assert world.file_system.calls == ["list_trees", "read_text", "read_text"]


@pytest.mark.parametrize("content", ["", "rubbish", "[]", '{"version": 9}', "{" * 50_000])
def test_a_file_that_is_none_of_ours_harms_nothing(world: World, content: str) -> None:
    world.run(INSERT)
    world.file_system.write_text(note_files(world)[0], content)
    (entry,) = history(world)
    assert (entry.application, entry.remark) == ("unknown", "its note cannot be read")
    assert world.run(UPDATE) == 3


def test_a_note_that_belongs_to_another_write_id_is_not_believed(world: World) -> None:
    world.run(INSERT)
    other = HistoryFile((WriteNote(5, 9, 0, "DELETE"),)).format()
    world.file_system.write_text(note_files(world)[0], other)
    assert [(entry.write_id, entry.remark) for entry in history(world)] == [(1, "its note cannot be read")]


def test_a_note_that_is_cleaned_away_meanwhile_harms_nothing(world: World) -> None:
    world.run(INSERT)
    del world.file_system.texts[note_files(world)[0]]
    world.file_system.read_text = lambda path: world.file_system.texts.get(path) or missing(path)  # type: ignore[method-assign]
    assert [entry.remark for entry in history(world)] == ["its note cannot be read"]


def missing(path: str) -> str:
    from hive_acid.errors import build_error

    raise build_error("HIVE_ACID_STORAGE", path=path, action="reading", reason="gone")


def test_partitions_elsewhere_are_looked_at_and_an_empty_table_has_no_history(world: World) -> None:
    assert history(world) == []
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    assert history(world) == []
    world.memory.add_partition(TABLE, Partition("d=1", ("1",), "/elsewhere/1", {}))
    world.engine.partitions = ("d=1",)
    world.run(INSERT)
    assert [entry.partitions for entry in history(world)] == [("d=1",)]


def test_other_tables_are_named_errors(world: World) -> None:
    with pytest.raises(InvalidStatement, match="has no table"):
        load_history(world.memory, world.file_system, TableName("db", "nope"))
    world.memory.add_table(build_table(parameters={}))
    with pytest.raises(UnsupportedOperation, match="not transactional"):
        load_history(world.memory, world.file_system, TABLE)
