"""Withdrawing statistics that a write makes stale (Hive answers count(*) from them, or folds predicates by them).

COLUMN_STATS_ACCURATE is removed, and with it the numbers of rows and of their bytes: a minor compaction of Hive 4.1.0
calls whatever number it finds accurate. 4.x: the write ID of the table or partition is moved to ours as well, and
always, so that an ANALYZE that runs beside us cannot certify numbers that miss our rows
(ObjectStore.isCurrentStatsValidForTheQuery).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_acid.errors import build_error
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList

STATISTICS_KEY = "COLUMN_STATS_ACCURATE"
_STALE = (STATISTICS_KEY, "numRows", "rawDataSize")


def keep_statistics() -> Any:
    """The context of an alter call that tells the server not to compute statistics by listing files."""
    return ttypes.EnvironmentContext(properties={"DO_NOT_UPDATE_STATS": "true"})


def has_statistics(thing: Any) -> bool:
    """True if statistics of the Table or Partition are marked as accurate."""
    return STATISTICS_KEY in (thing.parameters or {})


def without_statistics(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a table or partition without what its rows had been counted to."""
    return {key: value for key, value in parameters.items() if key not in _STALE}


def remove_statistics(thing: Any) -> None:
    """Takes them off a Table or Partition that is about to be written back."""
    thing.parameters = without_statistics(thing.parameters or {})


def check_writable(thing: Any, table: TableName) -> None:
    """Refuses what cannot be written back unharmed: skewed tables stored as folders (see the IDL)."""
    if thing.sd is not None and thing.sd.storedAsSubDirectories:
        reason = "it is skewed and stored as directories"
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE", operation="A write", table=table, reason=reason)


def check_own_write_id(write_id: int, write_ids: ValidWriteIdList) -> None:
    """The server takes a list in which our own write ID is visible. Raises HIVE_ACID_INTERNAL otherwise."""
    if not write_ids.is_valid(write_id):
        reason = f"write ID {write_id} is not visible in its own list {write_ids.format()}"
        raise build_error("HIVE_ACID_INTERNAL", reason=reason)


def build_alter_table(table: Any, write_id: int, write_ids: ValidWriteIdList) -> Any:
    """AlterTableRequest. The server reads the write ID from the table, not from the request."""
    table.writeId = write_id
    return ttypes.AlterTableRequest(
        dbName=table.dbName,
        tableName=table.tableName,
        table=table,
        environmentContext=keep_statistics(),
        writeId=write_id,
        validWriteIdList=write_ids.format(),
    )


def build_alter_partitions(
    table: TableName, partitions: Sequence[Any], write_id: int, write_ids: ValidWriteIdList
) -> Any:
    """AlterPartitionsRequest. The server copies the request's write ID to each partition."""
    return ttypes.AlterPartitionsRequest(
        dbName=table.database,
        tableName=table.table,
        partitions=list(partitions),
        environmentContext=keep_statistics(),
        writeId=write_id,
        validWriteIdList=write_ids.format(),
    )
