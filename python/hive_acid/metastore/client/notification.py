"""Messages that tell the metastore's listeners about a write, in Hive's form.

The form is that of Hive.addWriteNotificationLog in 4.x and Hive.fireInsertEvent in 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hive_acid.metastore.client import conversion
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import AddedFile
from hive_acid.model.names import is_base
from hive_acid.model.table import TableName


def build_request(txn_id: int, write_id: int, table: TableName, partition: str, files: Sequence[AddedFile]) -> Any:
    """WriteNotificationLogRequest (4.x) for a partition, or for a flat table: then `partition` is empty."""
    return ttypes.WriteNotificationLogRequest(
        txnId=txn_id,
        writeId=write_id,
        db=table.database,
        table=table.table,
        fileInfo=_build_files(files, replaces=True),  # Hive says so of every ACID write
        partitionVals=_values(partition),
    )


def build_event(table: TableName, partition: str, files: Sequence[AddedFile]) -> Any:
    """FireEventRequest (3.1) with an insert event."""
    replaces = any(is_base(file.folder) for file in files)
    return ttypes.FireEventRequest(
        successful=True,
        data=ttypes.FireEventRequestData(insertData=_build_files(files, replaces=replaces)),
        dbName=table.database,
        tableName=table.table,
        partitionVals=_values(partition),
    )


def _build_files(files: Sequence[AddedFile], *, replaces: bool) -> Any:
    """The three lists run in parallel."""
    return ttypes.InsertEventRequestData(
        replace=replaces,
        filesAdded=[file.path for file in files],
        filesAddedChecksum=[file.checksum for file in files],
        subDirectoryList=[file.folder for file in files],
    )


def _values(partition: str) -> list[str] | None:
    return list(conversion.parse_partition_values(partition)) if partition else None
