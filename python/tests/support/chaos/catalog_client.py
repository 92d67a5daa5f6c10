"""A plain client of the metastore that changes tables: with locks as Hive takes them, or without any.

What it stores of a table it has read before, as Hive does: two that alter one table at once would undo each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from support.chaos.more_calls import MoreCalls
from support.chaos.rows import Layout
from support.metastore_setup import ALL_CAPABILITIES, TRANSACTIONAL, build_storage

DATABASE = "default"
LOCK_SECONDS = 20.0
POLL_SECONDS = 0.05
TIMEOUT_MS = 60_000
STORED_TYPES: Mapping[str, str] = {"INT": "int", "BIGINT": "bigint", "STRING": "string"}


class Busy(Exception):
    """A lock was not to be had in time; nothing was done."""


class CatalogClient:
    """One connection, for one thread. Calls raise what thrift raises."""

    def __init__(self, uri: str) -> None:
        self.metastore = ThriftMetastore(uri, timeout_ms=TIMEOUT_MS)
        self._endpoint = parse_uris(uri)[0]
        self._connection = BinaryConnection(self._endpoint, TIMEOUT_MS)
        self._client = self._connection.client
        self._more = MoreCalls(self._client)

    @contextmanager
    def locked(self, name: str, kind: LockKind, partition: str | None = None) -> Iterator[None]:
        """Holds a lock in a transaction of its own, as Hive does for a statement that alters a table. Raises Busy."""
        txn_id = self.metastore.open_transaction("hive", "testhost", "hive")
        try:
            component = LockComponent(TableName(DATABASE, name), kind, OperationKind.NO_TXN, partition)
            lock_id, state = self.metastore.lock(txn_id, [component], "hive", "testhost", "hive")
            start = time.monotonic()
            while state is LockState.WAITING:
                if time.monotonic() > start + LOCK_SECONDS:
                    raise Busy
                time.sleep(POLL_SECONDS)
                state = self.metastore.check_lock(txn_id, lock_id, int((time.monotonic() - start) * 1000))
            if state is not LockState.ACQUIRED:
                raise Busy
            yield
        except BaseException:
            self.metastore.abort(txn_id)
            raise
        self.metastore.commit(txn_id)

    def table(self, name: str) -> Any:
        """The stored table."""
        capabilities = ttypes.ClientCapabilities(values=[ttypes.ClientCapability.INSERT_ONLY_TABLES])
        request = ttypes.GetTableRequest(dbName=DATABASE, tblName=name, capabilities=capabilities)
        return self._client.get_table_req(request).table

    def exists(self, name: str) -> bool:
        """True if there is a table of the name."""
        return name in self._client.get_all_tables(DATABASE)

    def create(self, name: str, layout: Layout, location: str | None = None) -> None:
        """A transactional table."""
        storage = build_storage(location)
        storage.cols = _fields(layout.columns)
        self._create(name, storage, _fields(layout.partition_columns))

    def create_like(self, name: str, other: str) -> None:
        """A transactional table with the columns of another."""
        stored = self.table(other)
        storage = build_storage()
        storage.cols = stored.sd.cols
        self._create(name, storage, stored.partitionKeys)

    def _create(self, name: str, storage: Any, partition_columns: Sequence[Any]) -> None:
        table = ttypes.Table(
            tableName=name,
            dbName=DATABASE,
            owner="hive",
            createTime=int(time.time()),
            lastAccessTime=0,
            retention=0,
            sd=storage,
            partitionKeys=list(partition_columns),
            parameters=dict(TRANSACTIONAL),
            tableType="MANAGED_TABLE",
        )
        if self.metastore.line is MetastoreLine.HIVE_3:
            self._client.create_table(table)
        else:
            request = ttypes.CreateTableRequest(
                table=table, processorCapabilities=ALL_CAPABILITIES, processorIdentifier="chaos@localhost"
            )
            self._client.create_table_req(request)

    def drop(self, name: str) -> None:
        """With its files."""
        self._more.drop_table(DATABASE, name)

    def rename(self, name: str, new_name: str) -> None:
        """ALTER TABLE … RENAME TO; a managed table's folder goes with it."""
        stored = self.table(name)
        stored.tableName = new_name
        self._client.alter_table_with_environment_context(DATABASE, name, stored, keep_statistics())

    def set_property(self, name: str, key: str) -> None:
        """ALTER TABLE … SET TBLPROPERTIES."""
        stored = self.table(name)
        stored.parameters[key] = "1"
        self._let_server_date(stored)
        self._client.alter_table_with_environment_context(DATABASE, name, stored, keep_statistics())

    def add_column(self, name: str, column: str) -> None:
        """ALTER TABLE … ADD COLUMNS."""
        stored = self.table(name)
        stored.sd.cols.append(ttypes.FieldSchema(column, "int", ""))
        self._let_server_date(stored)
        self._client.alter_table_with_environment_context(DATABASE, name, stored, keep_statistics())

    @staticmethod
    def _let_server_date(stored: Any) -> None:
        """As clients of Hive and Spark do: what alters a table moves the time of its last DDL (decision 0007)."""
        stored.parameters.pop("transient_lastDdlTime", None)

    def notes(self, name: str) -> tuple[str, ...]:
        """Names of properties and columns."""
        stored = self.table(name)
        return (*stored.parameters, *(column.name for column in stored.sd.cols))

    def add_partition(self, name: str, values: Sequence[int], location: str | None) -> None:
        """ALTER TABLE … ADD PARTITION … LOCATION; by default below the table's folder."""
        stored = self.table(name)
        storage = stored.sd
        names = (f"{column.name}={value}" for column, value in zip(stored.partitionKeys, values, strict=True))
        storage.location = location or f"{storage.location}/{'/'.join(names)}"
        partition = ttypes.Partition(
            values=[str(value) for value in values],
            dbName=DATABASE,
            tableName=name,
            createTime=int(time.time()),
            lastAccessTime=0,
            sd=storage,
            parameters={},
        )
        request = ttypes.AddPartitionsRequest(
            dbName=DATABASE, tblName=name, parts=[partition], ifNotExists=False, needResult=False
        )
        self._client.add_partitions_req(request)

    def drop_partition(self, name: str, values: Sequence[int]) -> None:
        """With its files."""
        self._more.drop_partition(DATABASE, name, [str(value) for value in values])

    def rename_partition(self, name: str, values: Sequence[int], new_values: Sequence[int]) -> None:
        """ALTER TABLE … PARTITION … RENAME TO; its folder goes with it."""
        old, new = ([str(value) for value in chosen] for chosen in (values, new_values))
        names = (f"{column}={value}" for column, value in zip(self.partition_columns(name), old, strict=True))
        found = self._client.get_partitions_by_names(DATABASE, name, ["/".join(names)])
        if not found:
            raise ttypes.NoSuchObjectException(f"no partition {old}")
        found[0].values = new
        self._more.rename_partition(DATABASE, name, old, found[0])

    def exchange_out(self, name: str, values: Mapping[str, int], other: str) -> None:
        """ALTER TABLE other EXCHANGE PARTITION (…) WITH TABLE name: Hive refuses it, other clients need not.

        On a connection of its own: where it fails, servers leave the transaction on their database open, in which all
        that the connection does later would stay, unseen by others and holding its locks (HMSHandler,
        exchange_partitions throws before its `try`).
        """
        spec = {key: str(value) for key, value in values.items()}
        connection = BinaryConnection(self._endpoint, TIMEOUT_MS)
        try:
            MoreCalls(connection.client).exchange_partition(spec, (DATABASE, name), (DATABASE, other))
        finally:
            connection.shutdown()

    def partition_columns(self, name: str) -> list[str]:
        """In the table's order."""
        return [column.name for column in self.table(name).partitionKeys]

    def close(self) -> None:
        """Closes both connections."""
        self.metastore.close()
        self._connection.shutdown()


def _fields(columns: Sequence[tuple[str, str]]) -> list[Any]:
    return [ttypes.FieldSchema(name, STORED_TYPES[kind], "") for name, kind in columns]
