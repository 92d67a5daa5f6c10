"""A history tells of the folders of others and of what a compaction has folded, as far as anybody knows."""

from __future__ import annotations

import pytest

from hive_acid.history.note import HistoryFile, WriteNote, fold_notes
from hive_acid.model.names import HISTORY_FILE, METADATA_FILE
from hive_acid.wire.statement_kinds import StatementKind
from support.listings import COMPACTED, TRUNCATED
from support.statements import LOCATION, World
from support.told_history import build_world, compact, history, note_files, write_as_others

INSERT = StatementKind.INSERT


@pytest.fixture
def world() -> World:
    return build_world()


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
