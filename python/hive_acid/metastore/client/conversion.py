"""Between thrift's objects and our values. Pure functions."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import (
    HeldLock,
    LockComponent,
    LockKind,
    LockState,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import JSON_SERDE, Column, Partition, RowFormat, TableDescription, TableName
from hive_acid.model.write_ids import LONG_MAX, ValidTxnList, ValidWriteIdList

_BARE_DECIMAL = re.compile(r"(?<!\w)decimal(?!\s*[\w(:])", re.IGNORECASE)
"""Hive and Spark take it for `decimal(10,0)`, ORC takes it for nothing; with a colon it is the name of a field."""
_LOCK_TYPES = {kind: getattr(ttypes.LockType, kind.name) for kind in LockKind}
_LOCK_KINDS = {code: kind for kind, code in _LOCK_TYPES.items()}
_OPERATIONS = {operation: getattr(ttypes.DataOperationType, operation.name) for operation in OperationKind}
_LOCK_STATES = {getattr(ttypes.LockState, state.name): state for state in LockState}
_LOCK_STATES[ttypes.LockState.ABORT] = LockState.NOT_ACQUIRED
_TXN_STATES = {getattr(ttypes.TxnState, state.name): state for state in TransactionState}
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")


def is_bit_set(bits: bytes, index: int) -> bool:
    """Bit `index` of Java's BitSet.toByteArray: little endian, trailing zero bytes cut off."""
    return index // 8 < len(bits) and bool(bits[index // 8] >> index % 8 & 1)


def split_by_bits(ids: Sequence[int], aborted_bits: bytes) -> tuple[frozenset[int], frozenset[int]]:
    """The open and the aborted ones of `ids`."""
    aborted = frozenset(id_ for index, id_ in enumerate(ids) if is_bit_set(aborted_bits, index))
    return frozenset(ids) - aborted, aborted


def build_valid_transactions(response: Any, own_txn_id: int) -> ValidTxnList:
    """The snapshot of `own_txn_id` (0: of nobody) from GetOpenTxnsResponse (TxnCommonUtils.createValidReadTxnList)."""
    open_ids, aborted_ids = split_by_bits(response.open_txns, response.abortedBits)
    seen = ValidTxnList(response.txn_high_water_mark, open_ids, aborted_ids)
    return seen.up_to(own_txn_id) if own_txn_id else seen


def build_valid_write_ids(answer: Any) -> ValidWriteIdList:
    """From TableValidWriteIds (TxnCommonUtils.createValidReaderWriteIdList)."""
    open_ids, aborted_ids = split_by_bits(answer.invalidWriteIds, answer.abortedBits)
    min_open = LONG_MAX if answer.minOpenWriteId is None else answer.minOpenWriteId
    return ValidWriteIdList(answer.fullTableName, answer.writeIdHighWaterMark, open_ids, aborted_ids, min_open)


def build_operation(operation: OperationKind) -> int:
    """DataOperationType."""
    code: int = _OPERATIONS[operation]
    return code


def build_lock_component(component: LockComponent) -> Any:
    """LockComponent with every field set that changes its meaning: unset ones mean different things per release."""
    return ttypes.LockComponent(
        type=_LOCK_TYPES[component.kind],
        level=ttypes.LockLevel.TABLE if component.partition is None else ttypes.LockLevel.PARTITION,
        dbname=component.table.database,
        tablename=component.table.table,
        partitionname=component.partition,
        operationType=build_operation(component.operation),
        isTransactional=True,
        isDynamicPartitionWrite=component.is_dynamic_partition_write,
    )


def build_lock_state(code: int) -> LockState:
    """From LockState."""
    return _LOCK_STATES[code]


def build_held_lock(element: Any) -> HeldLock:
    """From ShowLocksResponseElement. Unset numbers arrive as 0 or not at all."""
    return HeldLock(
        lock_id=element.lockid,
        database=element.dbname,
        table=TableName(element.dbname, element.tablename) if element.tablename else None,
        partition=element.partname or None,
        state=_LOCK_STATES[element.state],
        kind=_LOCK_KINDS[element.type],
        txn_id=element.txnid or None,
        user=element.user,
        host=element.hostname,
        agent=element.agentInfo or "",
        blocked_by=element.blockedByExtId or None,
        component=element.lockIdInternal or None,
        blocked_by_component=element.blockedByIntId or None,
        acquired_ms=element.acquiredat or None,
        last_heartbeat_ms=element.lastheartbeat or None,
    )


def build_transaction_info(info: Any) -> TransactionInfo:
    """From TxnInfo."""
    return TransactionInfo(
        id=info.id,
        state=_TXN_STATES[info.state],
        user=info.user,
        host=info.hostname,
        agent=info.agentInfo or "",
        started_ms=info.startedTime,
        last_heartbeat_ms=info.lastHeartbeatTime,
    )


def _build_columns(fields: Sequence[Any] | None) -> tuple[Column, ...]:
    return tuple(Column(field.name.lower(), _BARE_DECIMAL.sub("decimal(10,0)", field.type)) for field in fields or ())


def _build_row_format(storage: Any) -> RowFormat:
    """The part of a description that is asked for, and no more: there may be thousands of partitions."""
    serde = storage.serdeInfo or ttypes.SerDeInfo()
    if serde.serializationLib != JSON_SERDE:
        return RowFormat(serde.serializationLib or "")
    return RowFormat(JSON_SERDE, frozenset((serde.parameters or {}).items()), _build_columns(storage.cols))


def _find_source_path(table: Any, storage: Any) -> str:
    """The property `path` of the SerDe, which Spark goes by and not by the location (HiveExternalCatalog)."""
    if (table.parameters or {}).get("spark.sql.sources.provider", "hive").lower() == "hive":
        return ""
    properties = (storage.serdeInfo or ttypes.SerDeInfo()).parameters or {}
    return next((value for name, value in properties.items() if name.lower() == "path"), "")


def build_table(table: Any) -> TableDescription:
    """The description in a Table of thrift's. Views have no storage: their location and input format are empty."""
    storage = table.sd or ttypes.StorageDescriptor()
    return TableDescription(
        name=TableName(table.dbName, table.tableName),
        location=storage.location or "",
        columns=_build_columns(storage.cols),
        partition_columns=_build_columns(table.partitionKeys),
        bucket_columns=tuple(column.lower() for column in storage.bucketCols or ()),
        bucket_count=max(0, storage.numBuckets or 0),
        input_format=storage.inputFormat or "",
        parameters=dict(table.parameters or {}),
        sort_columns=tuple(order.col.lower() for order in storage.sortCols or ()),
        has_skew_folders=bool(storage.storedAsSubDirectories),
        row_format=_build_row_format(storage),
        created_s=table.createTime or 0,
        table_id=table.id or 0,
        source_path=_find_source_path(table, storage),
    )


def parse_partition_values(name: str) -> tuple[str, ...]:
    """The values of `k1=v1/k2=v2`, unescaped (FileUtils.unescapePathName). Raises ValueError for other names."""
    values = []
    for part in name.split("/"):
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise ValueError(f"{name!r} is no partition name")
        values.append(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value))
    return tuple(values)


def build_partition(name: str, partition: Any) -> Partition:
    """From Partition, which does not carry its own name."""
    storage = partition.sd
    return Partition(
        name=name,
        values=tuple(partition.values),
        location=storage.location or "",
        parameters=dict(partition.parameters or {}),
        input_format=storage.inputFormat or "",
        row_format=_build_row_format(storage),
    )


def build_new_partition(table: Any, name: str, location: str, write_id: int) -> Any:
    """A Partition of the raw table, with its columns and formats, no statistics, and our write ID (4.x)."""
    storage = copy.copy(table.sd)
    storage.location = location
    return ttypes.Partition(
        values=list(parse_partition_values(name)),
        dbName=table.dbName,
        tableName=table.tableName,
        sd=storage,
        parameters={},
        writeId=write_id,
    )
