"""Files of committed writes that no reader can read: empty ones, and delete files whose end is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.files import BucketFileName, may_have_side_files
from hive_acid.api.snapshots import AcidFolder, AcidState
from hive_acid.api.storage import FileVersion, ListedFile
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject

_CORRUPT = "HIVE_ACID_CORRUPT_FILE"
_MOST_FILES = 1000
"""The number of delete files whose footers are read for one table or partition."""
_HARM = "reading and writing are refused here, and Hive 4 may fail too; an engine that reads on shows wrong rows"
_RESTORE = "restore the file from a copy"


def find_damaged_files(
    subject: Subject, state: AcidState, read_footers: Callable[[Sequence[FileVersion]], object]
) -> Iterator[Finding]:
    """Each file of a full ACID table that ends reading, with its write ID.

    Trino 476 leaves such delete files where a statement of its own fails and is committed all the same. `read_footers`
    raises HIVE_ACID_CORRUPT_FILE, which tells the path, for a file that is no ORC file.
    """
    for folder in (*state.data_folders, *state.delete_deltas):
        for file in folder.files:
            if _is_lost(folder, file):
                path = state.listing.absolute_path(file.relative_path)
                yield _build(subject, folder, path, f"{file.relative_path} is empty")
    yield from _find_cut(subject, state, read_footers)


def _is_lost(folder: AcidFolder, file: ListedFile) -> bool:
    """As a reader sees it; streaming ingest begins its files empty."""
    return (
        not file.length_bytes and BucketFileName.parse(file.name) is not None and not may_have_side_files(folder.name)
    )


def _find_cut(
    subject: Subject, state: AcidState, read_footers: Callable[[Sequence[FileVersion]], object]
) -> Iterator[Finding]:
    owners = {
        state.listing.absolute_path(file.relative_path): (folder, file)
        for folder in state.delete_deltas
        for file in folder.files
        if file.length_bytes
    }
    left = dict(list(owners.items())[:_MOST_FILES])
    while left:
        try:
            read_footers([FileVersion(path, file.length_bytes, file.modified_ms) for path, (_, file) in left.items()])
            return
        except HiveAcidError as error:
            path = error.getMessageParameters().get("path", "")
            if error.main_condition != _CORRUPT or path not in left:
                raise
        folder, file = left.pop(path)
        yield _build(subject, folder, path, f"{file.relative_path}, of {file.length_bytes} bytes, is no whole file")


def _build(subject: Subject, folder: AcidFolder, path: str, what: str) -> Finding:
    first, last = folder.name.min_write_id, folder.name.max_write_id
    ids, cure = f"{first}-{last}", f"{_RESTORE}. Without one nobody can tell what it held"
    if first == last:
        command = f"hive-acid doctor {subject.table} --set-aside {last}"
        ids, cure = str(last), f"{_RESTORE}; without one, `{command}` tells what is lost if the write ID is taken back"
    return subject.finding(FindingKind.UNREADABLE, f"{what}; its write ID {ids} is committed", _HARM, cure, path)
