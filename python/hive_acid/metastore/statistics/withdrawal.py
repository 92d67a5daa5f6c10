"""Withdrawing statistics that a write makes stale (Hive answers count(*) from them, or folds predicates by them).

COLUMN_STATS_ACCURATE is removed, and with it the numbers of rows and of their bytes: a minor compaction of Hive 4.1.0
calls whatever number it finds accurate. So are those of Spark's ANALYZE, as Spark does when it writes (CommandUtils.
updateTableStats). 4.x: the write ID of the table or partition is moved to ours as well, and always, so that an ANALYZE
that runs beside us cannot certify numbers that miss our rows (ObjectStore.isCurrentStatsValidForTheQuery).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_acid.errors import build_error
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList

STATISTICS_KEY = "COLUMN_STATS_ACCURATE"
_COUNTED = frozenset({STATISTICS_KEY, "numRows", "rawDataSize"})
_SIZES = frozenset({"totalSize", "numFiles"})
_OF_SPARK = "spark.sql.statistics."
_DDL_TIME_KEY = "transient_lastDdlTime"
_SAME_DDL_TIME_SECONDS = 1.5
"""For so long alters may get the same time of the last DDL: a second, and what clocks may differ by."""
_ENGINE = "hive"
OUTRUN = "The table has been modified"
"""How 4.x refuses a compare-and-set (HiveAlterHandler.alterTable)."""


def keep_statistics() -> Any:
    """The context of an alter call that tells the server not to compute statistics by listing files."""
    return ttypes.EnvironmentContext(properties={"DO_NOT_UPDATE_STATS": "true"})


def is_stale(key: str) -> bool:
    """True for a parameter that a write of rows makes untrue."""
    return key in _COUNTED or key.startswith(_OF_SPARK)


def find_stale(thing: Any) -> frozenset[str]:
    """The keys of what a write makes stale at a Table or Partition.

    Rows of a partitioned table are counted at its partitions; only Spark keeps numbers of the whole as well.
    """
    is_whole = bool(getattr(thing, "partitionKeys", None))
    keys = (thing.parameters or {}).keys()
    return frozenset(key for key in keys if is_stale(key) and (not is_whole or key not in _COUNTED))


def without_statistics(parameters: Mapping[str, str], *, is_whole: bool = False) -> dict[str, str]:
    """The parameters of a table or partition without what its rows had been counted to.

    `is_whole`: of a partitioned table. Where something was counted, the size that was found then goes as well: Spark
    would broadcast by it.
    """
    stale = {key for key in parameters if is_stale(key) and (not is_whole or key not in _COUNTED)}
    if stale and not is_whole:
        stale |= {key for key in _SIZES if parameters.get(key) != "0"}
    return {key: value for key, value in parameters.items() if key not in stale}


def remove_statistics(thing: Any) -> None:
    """Takes them off a Table or Partition that is about to be written back."""
    is_whole = bool(getattr(thing, "partitionKeys", None))
    thing.parameters = without_statistics(thing.parameters or {}, is_whole=is_whole)


def find_ddl_time(table: Any) -> str:
    """When the Table was last altered, in seconds as text; empty if nobody has noted it."""
    return str((table.parameters or {}).get(_DDL_TIME_KEY, ""))


def find_pause(ddl_time: str, now_seconds: float) -> float:
    """The seconds until no alter can get this time of the last DDL any more."""
    if not ddl_time.isdecimal():
        return 0.0
    return min(max(0.0, int(ddl_time) + _SAME_DDL_TIME_SECONDS - now_seconds), _SAME_DDL_TIME_SECONDS)


def check_writable(thing: Any, table: TableName) -> None:
    """Refuses what cannot be written back unharmed: skewed tables stored as folders (see the IDL)."""
    if thing.sd is not None and thing.sd.storedAsSubDirectories:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.SKEW_FOLDERS", operation="A write", table=table)


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


def build_exchange(table: Any, write_id: int | None, write_ids: ValidWriteIdList) -> Any:
    """AlterTableRequest that is refused, with `OUTRUN`, if the time of the last DDL is not the Table's any more.

    The write ID stays if none is given.
    """
    if write_id is not None:
        request = build_alter_table(table, write_id, write_ids)
    else:
        where = {"dbName": table.dbName, "tableName": table.tableName}
        request = ttypes.AlterTableRequest(**where, table=table, environmentContext=keep_statistics())
    if ddl_time := find_ddl_time(table):
        request.expectedParameterKey, request.expectedParameterValue = _DDL_TIME_KEY, ddl_time
    return request


def build_move(table: TableName, write_id: int) -> Any:
    """SetPartitionsStatsRequest that stores the write ID of a flat table: statistics of no column, by a writer.

    The writer's list sees nothing, by which the server withdraws COLUMN_STATS_ACCURATE, unless nobody has stored a
    write ID before; then a second request does so (ObjectStore.updateTableColumnStatistics of 4.0 to 4.2).
    """
    where = ttypes.ColumnStatisticsDesc(isTblLevel=True, dbName=table.database, tableName=table.table)
    return ttypes.SetPartitionsStatsRequest(
        colStats=[ttypes.ColumnStatistics(statsDesc=where, statsObj=[], engine=_ENGINE)],
        needMerge=False,
        writeId=write_id,
        validWriteIdList=ValidWriteIdList(str(table), 0).format(),
        engine=_ENGINE,
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
