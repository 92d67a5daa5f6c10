"""Files that are none of the table's: engines pass them over, and a compaction and the Cleaner after it lose them.

Seen with Hive 3.1.3: files of other names than Hive's are invisible to it, its compaction leaves them out, and its
Cleaner removes them.
"""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.model.names import (
    FLUSH_LENGTH_SUFFIX,
    BucketFileName,
    FolderKind,
    is_acid_folder_like,
    is_hidden,
    original_bucket,
)
from hive_acid.model.table import TableDescription, TableKind
from hive_acid.snapshot.acid_state import AcidFolder, AcidState
from hive_acid.snapshot.listing import ListedFile


def find_foreign_files(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Both sorts, by their paths below the root; also delete deltas of names that Hive passes over."""
    return find_stray_files(kind, state) + find_names_not_hives(kind, state)


def find_stray_files(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Files that belong to no base or delta, and are no originals of a full ACID table.

    Originals have Hive's names (AcidUtils.ORIGINAL_PATTERN).
    """
    outside = [file for file in state.listing.files if not _is_in_acid_folder(file)]
    visible = [file for file in outside if file.length_bytes and not is_hidden(file.name)]
    return tuple(
        file.relative_path for file in visible if not (kind.has_row_ids and original_bucket(file.name) is not None)
    )


def refuse_stray_files(table: TableDescription, state: AcidState) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_LAYOUT for a stray file, before a compaction: also beside a base, which hides it.

    After a compaction the Cleaner removes all that a base replaces, and takes such a file for an original
    (AcidUtils.getAcidState, 3.1.3 and 4.1.0).
    """
    for path in find_stray_files(table.kind, state)[:1]:
        where = {"table": table.name, "path": state.listing.absolute_path(path)}
        raise build_error("HIVE_ACID_UNSUPPORTED_LAYOUT.STRAY_FILE", **where)


def find_names_not_hives(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Files in folders that are read, and delete deltas, of names that Hive does not find.

    Hive 3.1.3 and 4.1 ignore other files than `bucket_%05d`, and 4.1 in row mode delete deltas whose write IDs are not
    padded with zeros. In an insert-only table every name counts.
    """
    if not kind.has_row_ids:
        return ()
    return tuple(path for folder in (*state.data_folders, *state.delete_deltas) for path in _find_in_folder(folder))


def _is_in_acid_folder(file: ListedFile) -> bool:
    top, slash, _ = file.relative_path.partition("/")
    return bool(slash) and is_acid_folder_like(top)


def _find_in_folder(folder: AcidFolder) -> list[str]:
    found = [file.relative_path for file in folder.files if not _is_hives(folder, file)]
    is_unpadded = folder.name.kind is FolderKind.DELETE_DELTA and folder.path != folder.name.format()
    return [folder.path, *found] if is_unpadded else found


def _is_hives(folder: AcidFolder, file: ListedFile) -> bool:
    if file.name.endswith(FLUSH_LENGTH_SUFFIX):
        return True
    bucket = BucketFileName.parse(file.name)
    if bucket:
        return bucket.format() == file.name and file.relative_path == f"{folder.path}/{file.name}"
    return original_bucket(file.name) is not None and folder.name.kind is not FolderKind.DELETE_DELTA
