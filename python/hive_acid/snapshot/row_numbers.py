"""Row IDs of files without ACID columns: where the numbers of each file begin.

Hive numbers the rows of all such files of one bucket in one folder as if they were one file
(VectorizedOrcAcidRowBatchReader.computeOffsetAndBucket), so a file's numbers follow from the lengths of those before
it. Here they are asked for once a plan, for all files together, and only for rows whose IDs are needed: where a delete
may concern them or the query names ROW__ID.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.scan_plan import ScanFile, ScanFolder
from hive_acid.wire.storage import FileVersion


def number_rows(file_system: FileSystem, plan: ScanPlan, with_row_ids: bool) -> ScanPlan:
    """The plan with the first row ID of every file without ACID columns whose rows need IDs.

    `with_row_ids`: the query asks for ROW__ID. One call to storage, if any length is unknown.
    """
    folders = [folder for partition in plan.partitions for folder in partition.folders]
    needed = {folder.path for folder in folders if folder.raw is not None and (folder.deletes or with_row_ids)}
    if not needed:
        return plan
    wanted = [version for folder in folders if folder.path in needed for version in _find_uncounted(folder)]
    rows = dict(zip(wanted, file_system.row_counts(plan.table, wanted), strict=True)) if wanted else {}
    partitions = []
    for partition in plan.partitions:
        numbered = [_number(folder, rows) if folder.path in needed else folder for folder in partition.folders]
        partitions.append(replace(partition, folders=tuple(numbered)))
    return replace(plan, partitions=tuple(partitions))


def _find_uncounted(folder: ScanFolder) -> list[FileVersion]:
    """The files that others of their bucket follow."""
    following = Counter(file.bucket for file in folder.files)
    found = []
    for file in folder.files:
        following[file.bucket] -= 1
        if following[file.bucket]:
            found.append(_version(folder, file))
    return found


def _number(folder: ScanFolder, rows: Mapping[FileVersion, int]) -> ScanFolder:
    next_row: Counter[int] = Counter()
    files = []
    for file in folder.files:
        files.append(replace(file, first_row=next_row[file.bucket]))
        next_row[file.bucket] += rows.get(_version(folder, file), 0)
    return replace(folder, files=tuple(files))


def _version(folder: ScanFolder, file: ScanFile) -> FileVersion:
    return FileVersion(f"{folder.path}/{file.path}", file.length_bytes, file.modified_ms)
