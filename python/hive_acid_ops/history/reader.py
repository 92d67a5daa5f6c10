"""The history of a table: the notes that statements of this package leave, joined with the folders of a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.files import (
    HISTORY_FILE,
    MAX_HISTORY_BYTES,
    METADATA_FILE,
    FolderKind,
    FolderName,
    HistoryFile,
    WriteNote,
    note_key,
)
from hive_acid.api.snapshots import LONG_MIN, RangeState, ValidTxnList, ValidWriteIdList, marker_folders, sort_out
from hive_acid.api.storage import FileSystem, ListedFile, Listing
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName
from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.entry_building import (
    FoundFolder,
    build_compaction_entry,
    build_original_entry,
    build_unknown_entry,
    build_write_entry,
)


@dataclass(frozen=True)
class _Visible:
    """The committed write IDs."""

    write_ids: ValidWriteIdList
    transactions: ValidTxnList

    def sees(self, name: FolderName, is_compacted: bool) -> bool:
        """True if a folder's rows count, or did before a later folder replaced them."""
        if name.visibility_txn_id and not self.transactions.is_valid(name.visibility_txn_id):
            return False
        if name.max_write_id == LONG_MIN:
            return True
        if name.kind is FolderKind.BASE and is_compacted:
            return self.write_ids.is_valid_compacted_base(name.max_write_id)
        return self.write_ids.range_state(name.min_write_id, name.max_write_id) is not RangeState.NONE


def load_history(
    metastore: Metastore, file_system: FileSystem, name: TableName, limit: int | None = None
) -> tuple[HistoryEntry, ...]:
    """The `limit` newest entries (None: all), the newest first: of what is committed and still there.

    Nothing is locked, no data file is opened: one listing, and one small file for each statement. Aborted writes are
    left out. Raises HIVE_ACID_TABLE_NOT_FOUND, and HIVE_ACID_UNSUPPORTED_TABLE for a table that is not transactional.
    """
    table = metastore.table(name)
    if table.kind is TableKind.PLAIN:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", operation="The history", table=name)
    roots = _find_roots(metastore, table)
    transactions = metastore.valid_transactions(0)
    visible = _Visible(metastore.valid_write_ids([name], transactions)[name], transactions)
    listings = dict(zip(roots, file_system.list_trees(list(roots.values())) if roots else [], strict=True))
    found = [
        folder
        for partition, listing in listings.items()
        for folder in _find_folders(file_system, partition, listing, visible)
    ]
    known = [_with_notes(file_system, folder, visible.write_ids) for folder in _choose_newest(found, limit)]
    originals = {partition: sort_out(listing)[1] for partition, listing in listings.items()}
    return build_history(known, originals)[:limit]


def _find_roots(metastore: Metastore, table: TableDescription) -> dict[str, str]:
    """The folder of each partition by its name; that of a flat table by an empty one."""
    if not table.is_partitioned:
        return {"": table.location}
    names = metastore.partition_names(table.name)
    return {partition.name: partition.location for partition in metastore.partitions(table.name, names)}


def _find_folders(
    file_system: FileSystem, partition: str, listing: Listing, visible: _Visible
) -> Iterator[FoundFolder]:
    markers = set(marker_folders(listing))
    notes = {
        file.relative_path.partition("/")[0]: file
        for file in listing.files
        if file.name == HISTORY_FILE and file.relative_path.count("/") == 1
    }
    for folder in sort_out(listing)[0]:
        name, path = folder.name, listing.absolute_path(folder.path)
        is_compacted = name.visibility_txn_id > 0 or name.min_write_id != name.max_write_id
        is_compacted = is_compacted or name.max_write_id == LONG_MIN
        if not is_compacted and folder.path in markers:
            is_compacted = _is_marked_compacted(file_system, f"{path}/{METADATA_FILE}")
        if visible.sees(name, is_compacted):
            yield FoundFolder(partition, path, folder, is_compacted, notes.get(folder.path))


def _is_marked_compacted(file_system: FileSystem, path: str) -> bool:
    """Hive 4 marks what TRUNCATE and DROP PARTITION leave in the same way."""
    try:
        return bool(json.loads(file_system.read_text(path))["dataFormat"] == "compacted")
    except (HiveAcidError, ValueError, KeyError, TypeError):
        return False


def _choose_newest(found: Sequence[FoundFolder], limit: int | None) -> list[FoundFolder]:
    """The folders that the newest `limit` entries can be of: each of the greatest write IDs makes one at least."""
    newest = sorted({folder.name.max_write_id for folder in found}, reverse=True)[:limit]
    return [folder for folder in found if folder.name.max_write_id in newest]


def _with_notes(file_system: FileSystem, folder: FoundFolder, write_ids: ValidWriteIdList) -> FoundFolder:
    """The folder with the notes in it.

    A file that is none of ours, or belongs to another folder, counts as unreadable.
    """
    if folder.note_file is None:
        return folder
    file = _load_notes(file_system, folder.path, folder.note_file)
    first = 0 if folder.name.kind is FolderKind.BASE and folder.is_compacted else folder.name.min_write_id
    if file is None or not all(first <= note.write_id <= folder.name.max_write_id for note in file.notes):
        return replace(folder, is_unreadable=True)
    return replace(
        folder, file=replace(file, notes=tuple(note for note in file.notes if write_ids.is_valid(note.write_id)))
    )


def _load_notes(file_system: FileSystem, folder: str, listed: ListedFile) -> HistoryFile | None:
    if listed.length_bytes > MAX_HISTORY_BYTES:
        return None
    try:
        return HistoryFile.parse(file_system.read_text(f"{folder}/{HISTORY_FILE}"))
    except (HiveAcidError, ValueError):
        return None


def build_history(
    found: Sequence[FoundFolder], originals: Mapping[str, Sequence[ListedFile]]
) -> tuple[HistoryEntry, ...]:
    """The entries of these folders, and of the original files by partition, the newest first."""
    compactions: dict[tuple[int, int, int], list[FoundFolder]] = {}
    writes: dict[int, list[FoundFolder]] = {}
    for folder in found:
        name = folder.name
        if folder.is_compacted:
            first = LONG_MIN if name.kind is FolderKind.BASE else name.min_write_id
            compactions.setdefault((first, name.max_write_id, name.visibility_txn_id), []).append(folder)
        else:
            writes.setdefault(name.max_write_id, []).append(folder)
    entries = [build_compaction_entry(folders) for folders in compactions.values()]
    notes = _find_notes(found)
    for write_id in {*writes, *(key[0] for key in notes)}:
        noted = [notes[key] for key in sorted(notes) if key[0] == write_id]
        entries += _build_write_entries(write_id, noted, writes.get(write_id, []))
    if any(originals.values()):
        entries.append(build_original_entry(originals))
    return tuple(sorted(entries, key=lambda entry: entry.order, reverse=True))


def _find_notes(found: Iterable[FoundFolder]) -> dict[tuple[int, int, int], tuple[WriteNote, FoundFolder]]:
    """Each note once, with the folder it lies in: the statement's own, as long as that is there."""
    notes: dict[tuple[int, int, int], tuple[WriteNote, FoundFolder]] = {}
    for folder in sorted(found, key=lambda each: not each.is_compacted):
        for note in folder.file.notes if folder.file else ():
            notes[note_key(note)] = note, folder
    return notes


def _build_write_entries(
    write_id: int, noted: Sequence[tuple[WriteNote, FoundFolder]], folders: Sequence[FoundFolder]
) -> Iterator[HistoryEntry]:
    left = list(folders)
    for note, place in noted:
        own = [folder for folder in folders if note.has_statement(folder.name.statement_id)]
        left = [folder for folder in left if folder not in own]
        yield build_write_entry(note, own, place if place.is_compacted else None)
    if left:
        yield build_unknown_entry(write_id, left)
