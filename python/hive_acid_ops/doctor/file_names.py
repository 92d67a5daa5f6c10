"""Files that are none of the table's, and names that an engine misreads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_acid.api.files import BucketFileName
from hive_acid.api.snapshots import AcidState, find_stray_files
from hive_acid.api.storage import ListedFile, Listing
from hive_acid.api.tables import TableDescription
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject
from hive_acid_ops.foreign_files import find_names_not_hives

SPARK_MARKER = "_SUCCESS"


def find_strays(subject: Subject, table: TableDescription, state: AcidState) -> Iterator[Finding]:
    """Files beside the bases and deltas, which came there under no transaction: by Spark without the extension."""
    strays = find_stray_files(table.kind, state)
    if strays:
        detail = f"{len(strays)} files that belong to no base or delta, the first of them {strays[0]}"
        cure = "move them away and INSERT their rows"
        path = state.listing.absolute_path(strays[0])
        yield subject.finding(FindingKind.STRAY_FILES, detail, _find_harm(table, state), cure, path)


def _find_harm(table: TableDescription, state: AcidState) -> str:
    if state.base:
        return "no engine reads them, and a Cleaner removes them"
    if table.kind.has_row_ids:
        return "reading is refused here; Hive shows their rows, never changes them, and loses them in a compaction"
    return "reading is refused here; Hive does not see their rows"


def find_spark_markers(subject: Subject, listing: Listing) -> Iterator[Finding]:
    """Markers that Spark's own writers leave directly in the folder to which they have written."""
    for file in listing.files:
        if file.relative_path == SPARK_MARKER:
            path = listing.absolute_path(file.relative_path)
            detail = "Spark without this extension, or another committer of Hadoop's, has written here"
            harm = "none by itself, but what it wrote or removed was under no transaction"
            cure = "see to it that such sessions are set up by hive_acid.configure; then remove the file"
            yield subject.finding(FindingKind.SPARK_MARKER, detail, harm, cure, path)


def find_stray_root_files(subject: Subject, listing: Listing, partition_roots: Sequence[str]) -> Iterator[Finding]:
    """Files of a partitioned table that lie in no partition: directly in the table's folder."""
    strays = [f for f in listing.files if "/" not in f.relative_path and not f.name.startswith(("_", "."))]
    if strays and listing.root.rstrip("/") not in partition_roots:
        detail = f"{len(strays)} files in no partition, the first of them {strays[0].name}"
        cure = "move them away and INSERT their rows"
        path = listing.absolute_path(strays[0].relative_path)
        yield subject.finding(FindingKind.STRAY_FILES, detail, "no engine reads them", cure, path)


def find_misread_names(subject: Subject, table: TableDescription, state: AcidState) -> Iterator[Finding]:
    """Names that some engine passes over, in folders that are read.

    Trino 476 ignores `bucket_00000_0` in a delete delta, which Hive 4 itself writes.
    """
    not_hives = find_names_not_hives(table.kind, state)
    if not_hives:
        detail = f"{len(not_hives)} names that are none of Hive's, the first of them {not_hives[0]}"
        harm = "Hive passes them over, and its next major compaction loses their rows or brings deleted ones back"
        cure = "restore the name that was written; or INSERT OVERWRITE the rows, once they are known to be right"
        path = state.listing.absolute_path(not_hives[0])
        yield subject.finding(FindingKind.NAME_NOT_HIVES, detail, harm, cure, path)
    attempts = [file.relative_path for folder in state.delete_deltas for file in folder.files if _has_attempt(file)]
    if attempts:
        detail = f"{len(attempts)} delete files with the number of an attempt, the first of them {attempts[0]}"
        path = state.listing.absolute_path(attempts[0])
        harm = "Trino (476) passes them over and shows the deleted rows; Hive and Spark read them"
        cure = "a major compaction, before Trino reads the table"
        yield subject.finding(FindingKind.NAME_TRINO_IGNORES, detail, harm, cure, path)


def _has_attempt(file: ListedFile) -> bool:
    bucket = BucketFileName.parse(file.name)
    return bucket is not None and bucket.attempt is not None
