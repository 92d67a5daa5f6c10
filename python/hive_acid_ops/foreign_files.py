"""Files that a compaction and the Cleaner after it lose: those of no folder, and those of names that are not Hive's.

Seen with Hive 3.1.3: files of other names than Hive's are invisible to it, its compaction leaves them out, and its
Cleaner removes them.
"""

from __future__ import annotations

from hive_acid.api.files import FLUSH_LENGTH_SUFFIX, BucketFileName, FolderKind, original_bucket
from hive_acid.api.snapshots import AcidFolder, AcidState, find_stray_files
from hive_acid.api.storage import ListedFile
from hive_acid.api.tables import TableKind


def find_foreign_files(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Both sorts, by their paths below the root; also delete deltas of names that Hive passes over."""
    return find_stray_files(kind, state) + find_names_not_hives(kind, state)


def find_names_not_hives(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Files in folders that are read, and delete deltas, of names that Hive does not find.

    Hive 3.1.3 and 4.1 ignore other files than `bucket_%05d`, and 4.1 in row mode delete deltas whose write IDs are not
    padded with zeros. In an insert-only table every name counts.
    """
    if not kind.has_row_ids:
        return ()
    return tuple(path for folder in (*state.data_folders, *state.delete_deltas) for path in _find_in_folder(folder))


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
