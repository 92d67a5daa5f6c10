"""Folders that the user of a statement may not write to are told of before rows are read or put there."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.statement_run import StatementRun

_FEW = 500
"""Partitions are looked up so many at a time: most changes meet an open one among the first."""


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
    if not files.tells_rights(run.table.location):
        return
    names = _find_names(metastore, run)
    batches = [names[start : start + _FEW] for start in range(0, len(names), _FEW)]
    if run.statement.kind.changes_rows and not all(_are_closed(metastore, files, run, some) for some in batches):
        return
    for some in batches:
        refuse_closed(files, _find_places(metastore, run, some))


def _are_closed(metastore: Metastore, files: FileSystem, run: StatementRun, names: Sequence[str]) -> bool:
    """True if all of these partitions are there and closed."""
    places = _find_places(metastore, run, names)
    return len(places) == len(names) == len(files.closed(places))


def _find_places(metastore: Metastore, run: StatementRun, names: Sequence[str]) -> list[str]:
    return [partition.location for partition in metastore.partitions(run.table.name, names)]


def _find_names(metastore: Metastore, run: StatementRun) -> Sequence[str]:
    """The partitions that it can touch, new ones too; none if these cannot be told."""
    overwrite = run.statement.overwrite
    if overwrite is not None and overwrite.if_not_exists:
        return ()
    if run.foreseen is None and overwrite is not None and not overwrite.is_dynamic and run.table.is_partitioned:
        return tuple(filter(overwrite.covers, metastore.partition_names(run.table.name)))
    return run.foreseen or ()
