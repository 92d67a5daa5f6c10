"""What `AcidTable.history` and `hive-acid history` tell of a table."""

from __future__ import annotations

import json

import pytest

from hive_acid.errors import InvalidStatement, UnsupportedOperation
from hive_acid.history.entries import HistoryEntry, format_json, format_text
from hive_acid.history.note import HistoryFile, WriteNote, fold_notes
from hive_acid.history.reader import load_history
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import HISTORY_FILE, METADATA_FILE
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import StatementText
from hive_acid.writing.notes import Author, NoteWriter
from support.listings import COMPACTED, TRUNCATED
from support.statements import LOCATION, TABLE, World, build_table

INSERT, UPDATE, OVERWRITE = StatementKind.INSERT, StatementKind.UPDATE, StatementKind.OVERWRITE


def build_world(line: MetastoreLine = MetastoreLine.HIVE_4, **settings: str) -> World:
    world = World(line, {f"spark.hiveacid.history.{key}": value for key, value in settings.items()})
    world.executor._tools.notes = NoteWriter(Author("nightly", "app-1", "ada"), lambda: 1_700_000_000_000)
    return world


@pytest.fixture
def world() -> World:
    return build_world()


def history(world: World, limit: int | None = None) -> list[HistoryEntry]:
    return list(load_history(world.memory, world.file_system, TABLE, limit))


def run(world: World, kind: StatementKind, sql: str) -> None:
    world.run(kind, text=StatementText(sql, 0, True))


def note_files(world: World) -> list[str]:
    return sorted(path for path in world.file_system.files if path.endswith(HISTORY_FILE))


def write_as_others(world: World, *folders: str) -> int:
    """What another client commits: folders in which `W` stands for its write ID."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    for folder in folders:
        world.file_system.add_file(f"{LOCATION}/{folder.replace('W', f'{write_id:07d}')}/bucket_00000", 100, 5_000)
    world.memory.commit(txn_id)
    return write_id


def compact(world: World, folder: str, note: str | None = None, marker: str | None = COMPACTED) -> None:
    """A compaction of everything, cleaned up."""
    for path in list(world.file_system.files):
        world.file_system.delete_tree(path)
    for path in list(world.file_system.folders):
        if path.startswith(LOCATION + "/"):
            world.file_system.delete_tree(path)
    world.file_system.add_file(f"{LOCATION}/{folder}/bucket_00000", 100, 7_000)
    if marker:
        world.file_system.add_file(f"{LOCATION}/{folder}/{METADATA_FILE}", text=marker)
    if note is not None:
        world.file_system.write_text(f"{LOCATION}/{folder}/{HISTORY_FILE}", note)


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


def test_others_are_told_by_their_folders(world: World) -> None:
    world.run(INSERT)
    write_as_others(world, "delete_delta_W_W_0000", "delta_W_W_0001")
    world.file_system.add_file(f"{LOCATION}/000000_0", 50, 3_000)
    theirs, ours, originals = history(world)
    assert (theirs.write_id, theirs.application, theirs.operation, theirs.updated) == (2, "unknown", None, None)
    assert (theirs.files, theirs.bytes, theirs.time_ms) == (2, 200, 5_000)
    assert theirs.folders == ("delete_delta_0000002_0000002_0000", "delta_0000002_0000002_0001")
    assert (ours.write_id, ours.application) == (1, "nightly")
    assert (originals.write_id, originals.bytes) == (0, 50)


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


def test_what_somebody_elses_compaction_has_folded_is_said(world: World) -> None:
    for _ in range(3):
        world.run(INSERT)
    compact(world, "base_0000003")
    (entry,) = history(world)
    assert (entry.first_write_id, entry.write_id, entry.operation) == (1, 3, "COMPACTION")
    expected = "write IDs 1 to 3 are folded into base_0000003 by a compaction; the statements are not known"
    assert entry.remark == expected


def test_a_truncation_by_hive_is_no_compaction(world: World) -> None:
    write_id = write_as_others(world)
    compact(world, f"base_{write_id:07d}", marker=TRUNCATED)
    assert [(entry.operation, entry.remark) for entry in history(world)] == [(None, None)]


def test_a_range_of_write_ids_without_deletes_may_be_of_streaming_ingest(world: World) -> None:
    for _ in range(3):
        world.run(INSERT)
    compact(world, "delta_0000001_0000003", marker=None)
    (entry,) = history(world)
    assert (entry.first_write_id, entry.write_id, entry.operation) == (1, 3, None)
    assert entry.remark is not None and "by a compaction or by streaming ingest" in entry.remark
    world.file_system.add_file(f"{LOCATION}/delete_delta_0000001_0000003/bucket_00000")
    assert [entry.operation for entry in history(world)] == ["COMPACTION"]


def test_what_our_compaction_has_folded_is_still_known(world: World) -> None:
    for _ in range(3):
        world.run(INSERT)
    texts = [world.file_system.texts[path] for path in note_files(world)[:2]]
    own = WriteNote(3, 77, 42, "COMPACTION", application="worker", user="hive")
    compact(world, "base_0000003", fold_notes(texts, own))
    compaction, second, first = history(world)
    assert (compaction.application, compaction.user, compaction.txn_id, compaction.time_ms) == (
        "worker",
        "hive",
        77,
        42,
    )
    assert compaction.remark == (
        "write IDs 1 to 3 are folded into base_0000003 by a compaction; 2 of their statements are known"
    )
    assert [(entry.write_id, entry.folders, entry.folded_into) for entry in (second, first)] == [
        (2, (), ("base_0000003",)),
        (1, (), ("base_0000003",)),
    ]
    dropped = HistoryFile((), 4, own).format()
    compact(world, "base_0000003", dropped)
    assert str(history(world)[0].remark).endswith("the statements are not known, the notes on 4 were dropped")


def test_folders_that_a_compaction_has_not_seen_cleaned_yet_are_told_once(world: World) -> None:
    world.run(INSERT)
    text = world.file_system.texts[note_files(world)[0]]
    world.file_system.add_file(f"{LOCATION}/base_0000001/bucket_00000")
    world.file_system.add_file(f"{LOCATION}/base_0000001/{METADATA_FILE}", text=COMPACTED)
    world.file_system.write_text(f"{LOCATION}/base_0000001/{HISTORY_FILE}", fold_notes([text]))
    assert [(entry.operation, entry.folded_into) for entry in history(world)] == [("COMPACTION", ()), ("INSERT", ())]


def test_a_compaction_that_is_not_committed_is_not_told(world: World) -> None:
    world.run(INSERT)
    txn_id = world.memory.open_transaction("worker", "host", "agent")
    world.file_system.add_file(f"{LOCATION}/base_0000001_v{txn_id:07d}/bucket_00000")
    assert [entry.operation for entry in history(world)] == ["INSERT"]
    world.memory.commit(txn_id)
    assert [entry.operation for entry in history(world)] == ["COMPACTION", "INSERT"]


def test_partitions_elsewhere_are_looked_at_and_an_empty_table_has_no_history(world: World) -> None:
    assert history(world) == []
    assert format_text([]) == "nothing was written"
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


def test_the_history_is_told_to_people_and_programs(world: World) -> None:
    run(world, INSERT, "INSERT INTO t VALUES (1)")
    write_as_others(world, "delta_W_W_0000")
    text = format_text(history(world))
    assert text == (
        "write ID 2  1970-01-01 00:00:05  -  by unknown\n"
        "    rows not known; files 1, bytes 100\n"
        "write ID 1  2023-11-14 22:13:20  INSERT  by nightly (app-1), user ada, transaction 1\n"
        "    INSERT INTO t VALUES (?)\n"
        "    rows 3 inserted, 0 updated, 0 deleted; files 1, bytes 100"
    )
    (newest, oldest) = json.loads(format_json(history(world)))["history"]
    assert (newest["write_id"], newest["operation"]) == (2, None)
    assert (oldest["statement"], oldest["inserted"]) == ("INSERT INTO t VALUES (?)", 3)


def test_nothing_that_others_wrote_moves_the_cursor_of_a_terminal(world: World) -> None:
    run(world, INSERT, "INSERT INTO `a\x1b[2J` VALUES (1)")
    assert "\x1b" not in format_text(history(world))
