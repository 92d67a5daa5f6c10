"""Files that already lie in a folder that becomes a table's or a partition's.

Write IDs begin anew with a table, and a partition that is dropped may leave its folder: contents of committed write IDs
would be read as rows. So would those of aborted ones, once the metastore has forgotten them: its Cleaner looks where a
write is recorded, and finds nothing of a partition that is not there. Only what is under way is let be, because Hive
writes to the folder of a new partition before it adds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.names import METADATA_FILE, FolderKind, FolderName, is_hidden
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.filesystem import FileSystem, Listing


@dataclass(frozen=True)
class Leftover:
    """A file that was in a folder of a table before, `path` relative to `folder`."""

    folder: str
    path: str

    def build_error(self, operation: str, table: TableName) -> HiveAcidError:
        where = {"operation": operation, "folder": self.folder, "table": table, "found": self.path}
        return build_error("HIVE_ACID_FOLDER_NOT_EMPTY", **where)


def find_file(file_system: FileSystem, location: str) -> Leftover | None:
    """A file in the folder of a table that is about to be made; None if there is none."""
    (listing,) = file_system.list_trees([location])
    return next((Leftover(listing.root, path) for path in _visible_paths(listing)), None)


def find_leftover(
    file_system: FileSystem,
    folders: Sequence[str],
    own_write_id: int | None,
    find_write_ids: Callable[[], ValidWriteIdList],
) -> Leftover | None:
    """A file that must not become part of the table; None if there is none. One listing.

    `find_write_ids` gives the write IDs as they are now; it is asked only if there are files. A folder with
    `own_write_id` was not written by us, for we have written nothing there yet.
    """
    listings = file_system.list_trees(folders) if folders else []
    held = [listing for listing in listings if any(_visible_paths(listing))]
    if not held:
        return None
    write_ids = find_write_ids()
    found = (
        Leftover(listing.root, path)
        for listing in held
        for path in _visible_paths(listing)
        if not _is_explained(path, listing, own_write_id, write_ids)
    )
    return next(found, None)


FIRST_WRITE_ID = 1
"""The first one that a table gives out."""


def find_older_table(
    file_system: FileSystem,
    location: str,
    find_write_ids: Callable[[], ValidWriteIdList],
    is_alone: Callable[[], bool],
) -> Leftover | None:
    """A file of a table that lay at `location` before; None if there is none. One listing.

    For the transaction with the first write ID of the table, before it has put anything there. It was there before
    the table if it has that write ID, or one above all that were given out. Metastores of the 4.x line do not tell
    which were if none of them is visible; then it counts unless others write to the table (`is_alone`). A base counts
    in any case, for its writer would lock everybody out.
    """
    (listing,) = file_system.list_trees([location])
    for path in _visible_paths(listing):
        name = FolderName.parse(path.partition("/")[0])
        if name is None or name.max_write_id < FIRST_WRITE_ID:
            continue
        is_beyond = name.max_write_id > find_write_ids().high_water_mark
        if name.min_write_id <= FIRST_WRITE_ID or (is_beyond and (name.kind is FolderKind.BASE or is_alone())):
            return Leftover(listing.root, path)
    return None


def _visible_paths(listing: Listing) -> Iterator[str]:
    return (file.relative_path for file in listing.files if not is_hidden(file.name))


def _is_explained(path: str, listing: Listing, own_write_id: int | None, write_ids: ValidWriteIdList) -> bool:
    """True for what a transaction has put there that is under way, and for what is dropped."""
    name = FolderName.parse(path.partition("/")[0])
    if name is not None and name.max_write_id <= write_ids.high_water_mark and name.min_write_id > 0:
        written_by = range(name.min_write_id, name.max_write_id + 1)
        if own_write_id not in written_by and all(write_id in write_ids.open for write_id in written_by):
            return True
    dropped = _find_dropped(listing, write_ids)
    return dropped is not None and (name.max_write_id if name else 0) < dropped


def _find_dropped(listing: Listing, write_ids: ValidWriteIdList) -> int | None:
    """The write ID up to which nothing counts: that of a base with a marker and no rows.

    So Hive 4 drops a partition beside its readers, until the Cleaner removes the folder (AcidUtils.MetaDataFile).
    """
    with_rows = {path.partition("/")[0] for path in _visible_paths(listing)}
    marked = (file.relative_path.partition("/") for file in listing.files if file.name == METADATA_FILE)
    names = (
        FolderName.parse(folder) for folder, _, rest in marked if rest == METADATA_FILE and folder not in with_rows
    )
    bases = (name.max_write_id for name in names if name is not None and name.kind is FolderKind.BASE)
    return max((base for base in bases if write_ids.is_valid(base)), default=None)
