"""Folders that the user of a statement may not write to are told of before rows are read or put there."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.stages import Found

_FEW = 500
"""Partitions are looked up so many at a time: most changes meet an open one among the first."""


def refuse_closed(files: FileSystem, places: Sequence[str]) -> None:
    """Raises HIVE_ACID_STORAGE_DENIED if one of these folders is closed, as far as storage tells."""
    closed = files.closed(places) if places else {}
    for path, reason in closed.items():
        raise build_error(
            "HIVE_ACID_STORAGE_DENIED", path=path, action="looking whether it may be written to", reason=reason
        )


def refuse_closed_partitions(
    metastore: Metastore, files: FileSystem, found: Found, foreseen: Sequence[str] | None
) -> None:
    """Refuses existing partitions that the statement is sure to write to, before it runs.

    UPDATE, DELETE and MERGE need not come to all partitions that they can touch: they are refused if all of these are
    closed, as a flat table is. Partitions that only their rows name, or those of an INSERT, are looked at when the job
    has ended. `foreseen` are those that it can write to, None if that cannot be told. Raises HIVE_ACID_STORAGE_DENIED.
    """
    if not files.tells_rights(found.table.location):
        return
    names = _find_names(metastore, found, foreseen)
    batches = [names[start : start + _FEW] for start in range(0, len(names), _FEW)]
    if found.statement.kind.changes_rows and not all(_are_closed(metastore, files, found, some) for some in batches):
        return
    for some in batches:
        refuse_closed(files, _find_places(metastore, found, some))


def _are_closed(metastore: Metastore, files: FileSystem, found: Found, names: Sequence[str]) -> bool:
    """True if all of these partitions are there and closed."""
    places = _find_places(metastore, found, names)
    return len(places) == len(names) == len(files.closed(places))


def _find_places(metastore: Metastore, found: Found, names: Sequence[str]) -> list[str]:
    return [partition.location for partition in metastore.partitions(found.table.name, names)]


def _find_names(metastore: Metastore, found: Found, foreseen: Sequence[str] | None) -> Sequence[str]:
    """The partitions that it can touch, new ones too; none if these cannot be told."""
    overwrite = found.statement.overwrite
    if overwrite is not None and overwrite.if_not_exists:
        return ()
    if foreseen is None and overwrite is not None and not overwrite.is_dynamic and found.table.is_partitioned:
        return tuple(filter(overwrite.covers, metastore.partition_names(found.table.name)))
    return foreseen or ()
