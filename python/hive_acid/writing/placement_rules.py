"""Where a statement may put its folders: beside those of its transaction, and on which storage."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.partitions import TouchedPartitions
from hive_acid.writing.publishing.local_files import refuse_local_files
from hive_acid.writing.publishing.mounts import refuse_mounted
from hive_acid.writing.stages import Found, Numbered, TableWork, find_overwritten
from hive_acid.writing.table_rules import find_place_fault


def refuse_beside_overwrites(numbered: Numbered) -> None:
    """A base hides all else that is written under its write ID, which is one per transaction and table.

    Raises HIVE_ACID_TRANSACTION_STATE.
    """
    statement, work = numbered.statement, numbered.work
    if work.overwritten or (statement.overwrite is not None and work.written):
        told = {"txnId": numbered.transaction.txn_id, "target": statement.target}
        raise build_error("HIVE_ACID_TRANSACTION_STATE.OVERWRITE_NOT_ALONE", **told)


def refuse_overlap(work: TableWork, result: WriteResult) -> None:
    """A base hides only what lies beside it, so that other partitions may be written to under its write ID.

    Raises HIVE_ACID_OVERLAPPING_INSERTS.
    """
    overlap = ({folder.partition for folder in result.folders} & work.overwritten) | (
        find_overwritten(result) & work.written
    )
    if overlap:
        partition = min(overlap)
        place = f"partition {partition} of {work.table.name}" if partition else str(work.table.name)
        raise build_error("HIVE_ACID_OVERLAPPING_INSERTS", place=place)


def refuse_places(files: FileSystem, found: Found, touched: TouchedPartitions | None) -> None:
    """Refuses partitions on storage to which the files of this table's statements do not come."""
    locations = tuple(touched.existing.values()) if touched else ()
    operation, allowed = found.statement.kind.title, found.settings.flag(config.ALLOW_NON_ATOMIC_RENAME)
    for location in locations:
        if fault := find_place_fault(found.table, location, allowed):
            raise fault.build_error(operation=operation, table=found.table.name)
    refuse_storage(files, found, locations)


def refuse_storage(files: FileSystem, found: Found, locations: Sequence[str]) -> None:
    """Refuses mounts whose storage does not rename folders at once, and local disks that other machines do not see.

    Raises HIVE_ACID_UNSUPPORTED_TABLE.
    """
    operation, name = found.statement.kind.title, found.table.name
    refuse_mounted(files, operation, name, locations, found.settings.flag(config.ALLOW_NON_ATOMIC_RENAME))
    refuse_local_files(files, operation, name, locations, found.settings)
