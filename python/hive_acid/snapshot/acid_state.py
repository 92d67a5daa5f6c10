"""The folders below a root in terms of ACID, and the part of them that a snapshot reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hive_acid.model.names import (
    METADATA_FILE,
    OVERWRITE_FILE,
    FolderKind,
    FolderName,
    is_acid_folder_like,
    is_hidden,
    is_of_no_delta,
)
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.listing import ListedFile, Listing


@dataclass(frozen=True)
class AcidFolder:
    """A base, delta or delete delta: `path` below the root (one name), and its visible files, sorted.

    `check` says that the snapshot sees the range of write IDs only in part, so each row or event must be checked by
    its `currentTransaction`.
    """

    path: str
    name: FolderName
    files: tuple[ListedFile, ...] = ()
    check: bool = False


@dataclass(frozen=True)
class AcidState:
    """The folders that a snapshot reads below one root (a table or a partition), and those that it ignores.

    `deltas` and `delete_deltas` are in the order of AcidUtils (write IDs, statement ID). `originals` are the files of
    no base or delta that are visible because no base hides them. The other lists name things directly below the root,
    sorted: `obsolete` are replaced by what was chosen, `aborted` belong to aborted transactions, `invisible` to
    transactions this snapshot does not see.
    """

    listing: Listing
    base: AcidFolder | None = None
    deltas: tuple[AcidFolder, ...] = ()
    delete_deltas: tuple[AcidFolder, ...] = ()
    originals: tuple[ListedFile, ...] = ()
    obsolete: tuple[str, ...] = ()
    aborted: tuple[str, ...] = ()
    invisible: tuple[str, ...] = ()

    @property
    def data_folders(self) -> tuple[AcidFolder, ...]:
        """The folders with rows: the base, if any, then the deltas."""
        return ((self.base,) if self.base else ()) + self.deltas


@dataclass(frozen=True)
class TableContent:
    """The files and partitions that a snapshot reads of a table.

    `files` and `total_bytes` are of all files, those of delete deltas and those without rows too; `latest_write_id` is
    the greatest that the snapshot sees, 0 if there is none, whether or not its rows are still there.
    """

    files: int
    total_bytes: int
    bases: int
    deltas: int
    delete_deltas: int
    latest_write_id: int


def count_content(states: Iterable[AcidState], write_ids: ValidWriteIdList) -> TableContent:
    """The sum of the states of a table's partitions, which were chosen by `write_ids`."""
    states = tuple(states)
    folders = [folder for state in states for folder in (*state.data_folders, *state.delete_deltas)]
    files = [file for folder in folders for file in folder.files]
    files += [file for state in states for file in state.originals]
    return TableContent(
        files=len(files),
        total_bytes=sum(file.length_bytes for file in files),
        bases=sum(state.base is not None for state in states),
        deltas=sum(len(state.deltas) for state in states),
        delete_deltas=sum(len(state.delete_deltas) for state in states),
        latest_write_id=write_ids.max_visible,
    )


def marker_folders(listing: Listing) -> tuple[str, ...]:
    """The bases with a `_metadata_acid` file, whose text `choose_directories` needs; sorted."""
    found = []
    for file in listing.files:
        folder, _, name = file.relative_path.rpartition("/")
        parsed = FolderName.parse(folder) if name == METADATA_FILE else None
        if parsed and parsed.kind is FolderKind.BASE:
            found.append(folder)
    return tuple(sorted(found))


def newest_base_write_id(listing: Listing, write_ids: ValidWriteIdList | None = None) -> int | None:
    """The greatest write ID of a base below the root, or None without a base.

    With `write_ids` only bases count whose write ID it sees; without, every base counts, also one of an open or
    aborted transaction.
    """
    parsed = (FolderName.parse(path) for path in listing.folders)
    bases = (name.max_write_id for name in parsed if name and name.kind is FolderKind.BASE)
    return max((base for base in bases if write_ids is None or write_ids.is_valid(base)), default=None)


def find_changes(listing: Listing, new_write_ids: frozenset[int]) -> str | None:
    """A folder in which rows may have been deleted or replaced under one of the write IDs, or None.

    All are committed, and were open or unknown a while ago: so a base above one of them holds what it did.
    """
    names = ((path, FolderName.parse(path)) for path in listing.folders)
    changing = ((path, name) for path, name in names if name is not None and name.kind is not FolderKind.DELTA)
    return next((path for path, name in changing if _may_hold(name, new_write_ids)), None)


def holds_one_of(listing: Listing, write_ids: frozenset[int]) -> bool:
    """True if a folder may hold rows, or deletes, of one of these write IDs."""
    names = (FolderName.parse(path) for path in listing.folders)
    return any(name is not None and _may_hold(name, write_ids) for name in names)


def _may_hold(name: FolderName, write_ids: frozenset[int]) -> bool:
    """A base holds what came before its write ID, too."""
    lowest = 0 if name.kind is FolderKind.BASE else name.min_write_id
    return any(lowest <= write_id <= name.max_write_id for write_id in write_ids)


def find_aborted_overwrites(listing: Listing, write_ids: ValidWriteIdList) -> tuple[str, ...]:
    """The bases of our overwrites whose write ID is aborted, sorted.

    Only those with our own mark: a compacted base is named after a write ID that may be aborted, and Hive 3.1.2 marks
    it only after the rename (HIVE-24653).
    """
    marked = (file.relative_path.rpartition("/") for file in listing.files)
    names = {folder: FolderName.parse(folder) for folder, _, name in marked if name == OVERWRITE_FILE}
    return tuple(sorted(path for path, name in names.items() if name and write_ids.is_aborted(name.max_write_id)))


def sort_out(listing: Listing) -> tuple[list[AcidFolder], tuple[ListedFile, ...], list[str]]:
    """Sorts a listing: ACID folders directly below the root; originals; folders whose names only begin like ACID ones.

    Originals are all other files, at any depth, but the hidden and the empty ones. Everything is sorted by path.
    """
    files_of: dict[str, list[ListedFile]] = {path: [] for path in listing.folders if "/" not in path}
    originals = []
    for file in sorted(listing.files, key=lambda listed: listed.relative_path):
        top, slash, _ = file.relative_path.partition("/")
        if slash:
            files_of.setdefault(top, [])
        if _is_hidden_path(file.relative_path):
            continue
        if slash and is_acid_folder_like(top):
            files_of[top].append(file)
        elif file.length_bytes:
            originals.append(file)
    parsed = [(path, FolderName.parse(path)) for path in sorted(files_of)]
    folders = [AcidFolder(path, name, tuple(files_of[path])) for path, name in parsed if name]
    unknown = [path for path, name in parsed if not name and is_acid_folder_like(path)]
    malformed = [path for path in unknown if not is_of_no_delta(path)]
    return folders, tuple(originals), malformed


def _is_hidden_path(path: str) -> bool:
    return is_hidden(path) or "/_" in path or "/." in path
