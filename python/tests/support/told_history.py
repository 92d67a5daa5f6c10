"""A table in memory whose history is told: by statements of ours, by folders of others, by compactions."""

from __future__ import annotations

import re

from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import HISTORY_FILE, METADATA_FILE
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import StatementText
from hive_acid.writing.notes import Author, NoteWriter
from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.reader import load_history
from support.listings import COMPACTED
from support.statements import LOCATION, TABLE, World


def build_world(line: MetastoreLine = MetastoreLine.HIVE_4, **settings: str) -> World:
    """The application `nightly` writes, always at the same time. `settings` are those of the history."""
    world = World(line, {f"spark.hiveacid.history.{key}": value for key, value in settings.items()})
    world.executor._tools.notes = NoteWriter(Author("nightly", "app-1", "ada"), lambda: 1_700_000_000_000)
    return world


def history(world: World, limit: int | None = None) -> list[HistoryEntry]:
    """The table's entries, the newest first."""
    return list(load_history(world.memory, world.file_system, TABLE, limit))


def run(world: World, kind: StatementKind, sql: str) -> None:
    """A statement of which this is the text, in which all names are of tables and columns."""
    world.run(kind, text=StatementText(sql, 0, True, tuple(re.findall(r"\w+", sql.lower()))))


def note_files(world: World) -> list[str]:
    """The paths of all notes, sorted."""
    return sorted(path for path in world.file_system.files if path.endswith(HISTORY_FILE))


def write_as_others(world: World, *folders: str) -> int:
    """Another client commits folders, in whose names `W` stands for its write ID."""
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
