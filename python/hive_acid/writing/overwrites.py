"""The partitions that an INSERT OVERWRITE or TRUNCATE replaces, and what an overwrite that was aborted has left."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.acid_state import find_aborted_overwrites
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.statements import Overwrite
from hive_acid.wire.write_spec import WriteResult


def find_named_partitions(overwrite: Overwrite, table: TableDescription) -> tuple[str, ...] | None:
    """The partitions that the statement names in full; None if it names a table, or several by a part of the name."""
    if overwrite.names:
        return overwrite.names
    is_full = table.is_partitioned and len(overwrite.parts) == len(table.partition_columns)
    return ("/".join(overwrite.parts),) if is_full else None


def find_truncated(overwrite: Overwrite, table: TableDescription, existing: Sequence[str]) -> tuple[str, ...]:
    """The existing partitions that a TRUNCATE empties.

    Raises HIVE_ACID_PARTITION_NOT_FOUND if it names one in full that does not exist.
    """
    found = tuple(name for name in existing if overwrite.covers(name))
    named = find_named_partitions(overwrite, table)
    if named and not found:
        raise build_error("HIVE_ACID_PARTITION_NOT_FOUND", table=table.name, partition=named[0])
    return found


def find_emptied(
    overwrite: Overwrite, table: TableDescription, existing: Sequence[str], result: WriteResult
) -> tuple[str, ...]:
    """The partitions that an INSERT OVERWRITE replaces by nothing; one empty name for a flat table without rows.

    `existing` are the partitions that the metastore knows. Raises HIVE_ACID_INTERNAL if there are new rows in a
    partition that the statement does not name.
    """
    if not table.is_partitioned:
        return () if result.folders else ("",)
    strangers = [name for name in result.partitions if not overwrite.covers(name)]
    if strangers:
        wanted = ", ".join(overwrite.names or overwrite.parts)
        reason = f"rows came to {', '.join(strangers)}, which PARTITION ({wanted}) does not name"
        raise build_error("HIVE_ACID_INTERNAL", reason=reason)
    named = find_named_partitions(overwrite, table)
    replaced = named or (() if overwrite.is_dynamic else filter(overwrite.covers, existing))
    return tuple(sorted(set(replaced) - set(result.partitions)))


def remove_aborted_overwrites(file_system: FileSystem, locations: Sequence[str], write_ids: ValidWriteIdList) -> None:
    """Removes bases of aborted overwrites of ours, which died before they could do so.

    Where there is one, Hive 3.1 reads nothing ("Not enough history", AcidUtils.getAcidState of 3.1.3), and Hive 4 takes
    it for valid as long as no open write ID is below its own (AcidUtils.isValidBase).
    """
    if not write_ids.aborted:
        return
    for listing in file_system.list_trees(locations):
        for base in find_aborted_overwrites(listing, write_ids):
            file_system.delete_tree(listing.absolute_path(base))
