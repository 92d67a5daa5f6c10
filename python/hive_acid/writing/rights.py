"""Folders that the user of a statement may not write to are told of before rows are read or put there."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.statement_run import StatementRun


def refuse_closed(files: FileSystem, places: Sequence[str]) -> None:
    """Raises HIVE_ACID_STORAGE_DENIED if one of these folders is closed, as far as storage tells."""
    closed = files.closed(places) if places else {}
    for path, reason in closed.items():
        raise build_error(
            "HIVE_ACID_STORAGE_DENIED", path=path, action="looking whether it may be written to", reason=reason
        )


def refuse_closed_partitions(metastore: Metastore, files: FileSystem, run: StatementRun) -> None:
    """Refuses existing partitions that the statement is sure to write to, before it runs.

    UPDATE, DELETE and MERGE need not come to all partitions that they can touch: they are refused if all of these are
    closed, as a flat table is. Partitions that only their rows name, or those of an INSERT, are looked at when the job
    has ended. Raises HIVE_ACID_STORAGE_DENIED.
    """
    places = _find_places(metastore, run) if files.tells_rights(run.table.location) else []
    if not run.statement.kind.changes_rows or (places and len(files.closed(places)) == len(places)):
        refuse_closed(files, places)


def _find_places(metastore: Metastore, run: StatementRun) -> list[str]:
    """The folders of the existing ones among the partitions that it can touch; none if these cannot be told."""
    name, overwrite, names = run.table.name, run.statement.overwrite, run.foreseen
    if overwrite is not None and overwrite.if_not_exists:
        return []
    if names is None and overwrite is not None and not overwrite.is_dynamic and run.table.is_partitioned:
        names = tuple(filter(overwrite.covers, metastore.partition_names(name)))
    return [partition.location for partition in metastore.partitions(name, names)] if names else []
