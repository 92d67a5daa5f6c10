"""The entries of a table's history, made of the folders that lie there and of the notes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hive_acid.api.files import FolderKind, FolderName, HistoryFile, WriteNote
from hive_acid.api.snapshots import LONG_MIN, AcidFolder
from hive_acid.api.storage import ListedFile
from hive_acid_ops.history.entries import COMPACTION, MAX_PARTITIONS, UNKNOWN, HistoryEntry


@dataclass(frozen=True)
class FoundFolder:
    """A base, delta or delete delta of the table; `path` is absolute, `partition` empty in a flat table.

    `note_file` is the file of notes in it, `file` its content once it was read; `is_unreadable` if it could not be.
    """

    partition: str
    path: str
    folder: AcidFolder
    is_compacted: bool
    note_file: ListedFile | None = None
    file: HistoryFile | None = None
    is_unreadable: bool = False

    @property
    def name(self) -> FolderName:
        return self.folder.name


def build_write_entry(note: WriteNote, own: Sequence[FoundFolder], folded: FoundFolder | None) -> HistoryEntry:
    """The entry of a note; `own` are the statement's folders, `folded` that of the compaction where the note lies."""
    return HistoryEntry(
        write_id=note.write_id,
        first_write_id=note.write_id,
        files=note.files,
        bytes=note.bytes,
        partition_count=note.partitions,
        partitions=_find_partitions(own)[:MAX_PARTITIONS],
        folders=_find_names(own),
        folded_into=(folded.folder.path,) if folded else (),
        time_ms=note.time_ms,
        txn_id=note.txn_id,
        operation=note.operation,
        statement=note.statement,
        application=note.application or UNKNOWN,
        application_id=note.application_id,
        user=note.user,
        inserted=note.inserted,
        updated=note.updated,
        deleted=note.deleted,
        statement_id=note.first_statement_id,
    )


def build_unknown_entry(write_id: int, folders: Sequence[FoundFolder]) -> HistoryEntry:
    """The entry of folders without a note."""
    is_unreadable = any(folder.is_unreadable for folder in folders)
    return replace(
        _build_bare_entry(write_id, write_id, folders),
        remark="its note cannot be read" if is_unreadable else None,
    )


def build_compaction_entry(folders: Sequence[FoundFolder]) -> HistoryEntry:
    """The entry of folders of one range of write IDs, in one or more partitions."""
    name = folders[0].name
    by = next((folder.file.compaction for folder in folders if folder.file and folder.file.compaction), None)
    # streaming ingest makes deltas of several write IDs too, but no bases and no deletes
    is_certain = by is not None or any(
        folder.name.visibility_txn_id or folder.name.kind is not FolderKind.DELTA for folder in folders
    )
    first = 1 if name.kind is FolderKind.BASE else name.min_write_id
    entry = replace(
        _build_bare_entry(first, name.max_write_id, folders),
        operation=COMPACTION if is_certain else None,
        remark=_describe_folded(first, name.max_write_id, folders, is_certain),
    )
    if name.max_write_id == LONG_MIN:
        entry = replace(entry, first_write_id=0, write_id=0)
    return entry if by is None else _with_author(entry, by)


def build_original_entry(originals: Mapping[str, Sequence[ListedFile]]) -> HistoryEntry:
    """The entry of files that are older than the table's being transactional, by partition."""
    files = [file for listed in originals.values() for file in listed]
    partitions = tuple(sorted(name for name, listed in originals.items() if name and listed))
    return HistoryEntry(
        write_id=0,
        first_write_id=0,
        files=len(files),
        bytes=sum(file.length_bytes for file in files),
        partition_count=len(partitions),
        partitions=partitions[:MAX_PARTITIONS],
        time_ms=_find_newest(files),
        remark="files from before the table was transactional",
    )


def _build_bare_entry(first: int, last: int, folders: Sequence[FoundFolder]) -> HistoryEntry:
    files = [file for folder in folders for file in folder.folder.files]
    partitions = _find_partitions(folders)
    return HistoryEntry(
        write_id=last,
        first_write_id=first,
        files=len(files),
        bytes=sum(file.length_bytes for file in files),
        partition_count=len(partitions),
        partitions=partitions[:MAX_PARTITIONS],
        folders=_find_names(folders),
        time_ms=_find_newest(files),
        txn_id=max(folder.name.visibility_txn_id for folder in folders) or None,
    )


def _with_author(entry: HistoryEntry, by: WriteNote) -> HistoryEntry:
    return replace(
        entry,
        time_ms=by.time_ms,
        txn_id=by.txn_id,
        application=by.application or UNKNOWN,
        application_id=by.application_id,
        user=by.user,
    )


def _describe_folded(first: int, last: int, folders: Sequence[FoundFolder], is_certain: bool) -> str:
    names = " and ".join(_find_names(folders))
    if last == LONG_MIN:
        return f"files from before the table was transactional are folded into {names} by a compaction"
    ids = f"write ID {last} is" if first == last else f"write IDs {first} to {last} are"
    if not is_certain:
        return f"{ids} in {names}, made by a compaction or by streaming ingest; the statements are not known"
    notes = {note for folder in folders if folder.file for note in folder.file.notes}
    dropped = sum(folder.file.dropped for folder in folders if folder.file)
    known = f"{len(notes)} of their statements are known" if notes else "the statements are not known"
    lost = f", the notes on {dropped} were dropped" if dropped else ""
    unreadable = ", some notes cannot be read" if any(folder.is_unreadable for folder in folders) else ""
    return f"{ids} folded into {names} by a compaction; {known}{lost}{unreadable}"


def _find_partitions(folders: Sequence[FoundFolder]) -> tuple[str, ...]:
    return tuple(sorted({folder.partition for folder in folders} - {""}))


def _find_names(folders: Sequence[FoundFolder]) -> tuple[str, ...]:
    return tuple(sorted({folder.folder.path for folder in folders}))


def _find_newest(files: Sequence[ListedFile]) -> int | None:
    return max((file.modified_ms for file in files), default=None)
