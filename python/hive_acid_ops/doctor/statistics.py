"""Statistics that count as accurate and are not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from hive_acid.api.files import FLUSH_LENGTH_SUFFIX
from hive_acid.api.snapshots import AcidState
from hive_acid.api.storage import FileVersion
from hive_acid.api.tables import MetastoreLine, TableDescription
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject

_ACCURATE = "COLUMN_STATS_ACCURATE"
_ROWS = "numRows"
_MOST_FILES = 1000
"""The number of files whose footers are read for one table or partition."""


def find_claimed_rows(parameters: Mapping[str, str]) -> int | None:
    """The number of rows that the metastore says is accurate, if it says so."""
    try:
        says = json.loads(parameters.get(_ACCURATE, "{}"))
        is_accurate = isinstance(says, dict) and str(says.get("BASIC_STATS", "")).lower() == "true"
        return int(parameters[_ROWS]) if is_accurate and _ROWS in parameters else None
    except ValueError:
        return None


def find_countable_files(table: TableDescription, state: AcidState) -> tuple[FileVersion, ...] | None:
    """The files whose rows are all the rows that a reader of `state` sees, or None if footers do not tell.

    They do not where rows are deleted, or seen in part, or lie in originals or in files that streaming ingest still
    writes to, and not of insert-only tables, whose files may be no ORC.
    """
    folders = state.data_folders
    is_told = table.kind.has_row_ids and not (state.delete_deltas or state.originals or any(f.check for f in folders))
    files = [file for folder in folders for file in folder.files if file.length_bytes]
    is_streamed = any(file.name.endswith(FLUSH_LENGTH_SUFFIX) for file in files)
    if not is_told or is_streamed or len(files) > _MOST_FILES:
        return None
    return tuple(
        FileVersion(state.listing.absolute_path(file.relative_path), file.length_bytes, file.modified_ms)
        for file in files
    )


def find_stale(line: MetastoreLine, subject: Subject, claimed_rows: int, found_rows: int) -> Iterator[Finding]:
    """Numbers that differ though the metastore calls its own accurate. Hive 4 answers count(*) from it."""
    if claimed_rows != found_rows:
        detail = f"the metastore says {claimed_rows} rows and calls that accurate; there are {found_rows}"
        wrong = "Hive 4 may answer count(*), min and max from them"
        harm = wrong if line is MetastoreLine.HIVE_4 else "Hive 3.1 may fold conditions by them, and lose rows"
        cure = f"ANALYZE TABLE {subject.table} COMPUTE STATISTICS in Hive"
        yield subject.finding(FindingKind.STALE_STATISTICS, detail, harm, cure)
