"""Tables for tests that need a metastore: the same wishes, put into a real server or into the in-memory one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from uuid import uuid4

from doubles.memory_metastore import MemoryMetastore
from hive_acid.metastore.client.conversion import parse_partition_values
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.statistics.withdrawal import (
    STATISTICS_KEY,
    build_alter_partitions,
    build_alter_table,
    keep_statistics,
)
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition, TableDescription, TableName

ACCURATE = '{"BASIC_STATS":"true","COLUMN_STATS":{"id":"true"}}'
"""A value of COLUMN_STATS_ACCURATE as Hive writes it."""
ORC = "org.apache.hadoop.hive.ql.io.orc"
ALL_CAPABILITIES = [
    "HIVEFULLACIDWRITE",
    "HIVEFULLACIDREAD",
    "HIVEMANAGEDINSERTWRITE",
    "HIVEMANAGEDINSERTREAD",
    "EXTWRITE",
]
TRANSACTIONAL = {"transactional": "true"}
DATABASE_PROPERTIES = {"made.for": "contract"}
"""Those of each database made here."""


class MetastoreSetup(Protocol):
    """What a test puts into a metastore beside the protocol, and what it looks up there."""

    metastore: Metastore
    database: str

    def create_table(
        self, name: str, *, partition_columns: Sequence[str] = (), parameters: Mapping[str, str] = TRANSACTIONAL
    ) -> TableName:
        """An ORC table with the columns `id bigint, v string`; partition columns are strings."""
        ...

    def add_partition(
        self, table: TableName, name: str, *, parameters: Mapping[str, str] | None = None, location: str | None = None
    ) -> None:
        """A partition by its metastore name; by default without parameters and below the table's folder."""
        ...

    def stored_write_id(self, table: TableName, partition: str | None = None) -> int | None:
        """The write ID at the table or partition that statistics are judged by."""
        ...


class MemorySetup:
    """Puts tables into a `MemoryMetastore`."""

    def __init__(self, metastore: MemoryMetastore) -> None:
        self.metastore = metastore
        self.database = "contract"
        metastore.database_properties[self.database] = dict(DATABASE_PROPERTIES)

    def create_table(
        self, name: str, *, partition_columns: Sequence[str] = (), parameters: Mapping[str, str] = TRANSACTIONAL
    ) -> TableName:
        table = TableName(self.database, name)
        self.metastore.add_table(
            TableDescription(
                name=table,
                location=f"file:/warehouse/{self.database}.db/{name}",
                columns=(Column("id", "bigint"), Column("v", "string")),
                partition_columns=tuple(Column(column.lower(), "string") for column in partition_columns),
                input_format=f"{ORC}.OrcInputFormat",
                parameters=dict(parameters),
            )
        )
        return table

    def add_partition(
        self, table: TableName, name: str, *, parameters: Mapping[str, str] | None = None, location: str | None = None
    ) -> None:
        where = location or f"{self.metastore.table(table).location}/{name}"
        self.metastore.add_partition(
            table, Partition(name, parse_partition_values(name), where, dict(parameters or {}))
        )

    def stored_write_id(self, table: TableName, partition: str | None = None) -> int | None:
        return self.metastore.stored_write_id(table, partition)


def build_storage(location: str | None = None) -> Any:
    """The StorageDescriptor of an unbucketed ORC table."""
    return ttypes.StorageDescriptor(
        cols=[ttypes.FieldSchema("id", "bigint", ""), ttypes.FieldSchema("v", "string", "")],
        location=location,
        inputFormat=f"{ORC}.OrcInputFormat",
        outputFormat=f"{ORC}.OrcOutputFormat",
        compressed=False,
        numBuckets=-1,
        serdeInfo=ttypes.SerDeInfo(serializationLib=f"{ORC}.OrcSerde", parameters={}),
        bucketCols=[],
        sortCols=[],
        parameters={},
        storedAsSubDirectories=False,
    )


class ThriftSetup:
    """Puts tables into a real metastore, in a new database. Use `thrift_setup`, which closes the connections."""

    def __init__(self, metastore: ThriftMetastore) -> None:
        self.metastore = metastore
        self.database = f"contract_{uuid4().hex[:12]}"
        self._connection = BinaryConnection(parse_uris(metastore.uri)[0], 60_000)
        self._client = self._connection.client
        self._client.create_database(ttypes.Database(name=self.database, parameters=dict(DATABASE_PROPERTIES)))

    def create_table(
        self, name: str, *, partition_columns: Sequence[str] = (), parameters: Mapping[str, str] = TRANSACTIONAL
    ) -> TableName:
        table = ttypes.Table(
            tableName=name,
            dbName=self.database,
            owner="tester",
            createTime=0,
            lastAccessTime=0,
            retention=0,
            sd=build_storage(),
            partitionKeys=[ttypes.FieldSchema(column, "string", "") for column in partition_columns],
            parameters=dict(parameters),
            tableType="MANAGED_TABLE",
        )
        if self.metastore.line is MetastoreLine.HIVE_3:
            self._client.create_table(table)
        else:
            self._client.create_table_req(
                ttypes.CreateTableRequest(
                    table=table, processorCapabilities=ALL_CAPABILITIES, processorIdentifier="contract@localhost"
                )
            )
        return TableName(self.database, name)

    def add_partition(
        self, table: TableName, name: str, *, parameters: Mapping[str, str] | None = None, location: str | None = None
    ) -> None:
        where = location or f"{self.metastore.table(table).location}/{name}"
        partition = ttypes.Partition(
            values=list(parse_partition_values(name)),
            dbName=table.database,
            tableName=table.table,
            createTime=0,
            lastAccessTime=0,
            sd=build_storage(where),
            parameters=dict(parameters or {}),
        )
        self._client.add_partitions_req(
            ttypes.AddPartitionsRequest(
                dbName=table.database, tblName=table.table, parts=[partition], ifNotExists=False, needResult=False
            )
        )

    def stored_write_id(self, table: TableName, partition: str | None = None) -> int | None:
        if partition is None:
            request = ttypes.GetTableRequest(dbName=table.database, tblName=table.table)
            stored = self._client.get_table_req(request).table
        else:
            (stored,) = self._client.get_partitions_by_names(table.database, table.table, [partition])
        write_id: int | None = stored.writeId
        return write_id

    def mark_accurate(self, table: TableName, partition: str | None, mark: str) -> None:
        """Statistics of the table, or of a partition, count as accurate, as an ANALYZE of Hive leaves them."""
        metastore = self.metastore
        txn_id = metastore.open_transaction("tester", "testhost", "contract")
        write_id = metastore.allocate_write_id(txn_id, table)
        write_ids = metastore.valid_write_ids([table], metastore.valid_transactions(txn_id))[table]
        where, context = (table.database, table.table), keep_statistics()
        if partition is None:
            stored = self._client.get_table_req(ttypes.GetTableRequest(*where)).table
        else:
            (stored,) = self._client.get_partitions_by_names(*where, [partition])
        stored.parameters = {**(stored.parameters or {}), STATISTICS_KEY: mark}
        match partition is None, metastore.line:
            case True, MetastoreLine.HIVE_3:
                self._client.alter_table_with_environment_context(*where, stored, context)
            case True, MetastoreLine.HIVE_4:
                self._client.alter_table_req(build_alter_table(stored, write_id, write_ids))
            case False, MetastoreLine.HIVE_3:
                self._client.alter_partitions_with_environment_context(*where, [stored], context)
            case _:
                self._client.alter_partitions_req(build_alter_partitions(table, [stored], write_id, write_ids))
        metastore.commit(txn_id)

    def open_read_only(self) -> int:
        """A transaction as HiveServer2 of 4.x opens for a SELECT: of type READ_ONLY."""
        request = ttypes.OpenTxnRequest(num_txns=1, user="ada", hostname="engine", txn_type=ttypes.TxnType.READ_ONLY)
        txn_id: int = self._client.open_txns(request).txn_ids[0]
        return txn_id

    def alter_columns(self, table: TableName, types: Mapping[str, str]) -> None:
        """New types for columns by name. Partitions keep theirs (Hive's ALTER TABLE without CASCADE)."""
        request = ttypes.GetTableRequest(dbName=table.database, tblName=table.table)
        stored = self._client.get_table_req(request).table
        for column in stored.sd.cols:
            column.type = types.get(column.name, column.type)
        where = (table.database, table.table)
        self._client.alter_table_with_environment_context(*where, stored, keep_statistics())

    def drop_columns(self, table: TableName, names: Sequence[str]) -> None:
        """Takes columns away (Hive's ALTER TABLE … REPLACE COLUMNS). Files keep them."""
        request = ttypes.GetTableRequest(dbName=table.database, tblName=table.table)
        stored = self._client.get_table_req(request).table
        stored.sd.cols = [column for column in stored.sd.cols if column.name not in names]
        where = (table.database, table.table)
        self._client.alter_table_with_environment_context(*where, stored, keep_statistics())

    def alter_beside(self, table: TableName, properties: Mapping[str, str], columns: Sequence[str] = ()) -> None:
        """What another client does that asks for no lock: new properties, and new columns of type int at the end.

        As Hive's and Spark's clients do it, which leave the time of the last DDL to the server.
        """
        request = ttypes.GetTableRequest(dbName=table.database, tblName=table.table)
        where = (table.database, table.table)
        for _ in range(100):
            stored = self._client.get_table_req(request).table
            kept = {key: value for key, value in stored.parameters.items() if key != "transient_lastDdlTime"}
            stored.parameters = {**kept, **properties}
            stored.sd.cols = [*stored.sd.cols, *(ttypes.FieldSchema(name, "int", "") for name in columns)]
            try:
                self._client.alter_table_with_environment_context(*where, stored, keep_statistics())
                return
            except ttypes.MetaException as refused:  # statistics were withdrawn since they were read: 4.x says so
                assert "Cannot change stats state" in refused.message, refused.message
        raise AssertionError("refused for ever")

    def close(self) -> None:
        """Closes the connection the tables were made by."""
        self._connection.shutdown()


@contextmanager
def thrift_setup(uri: str) -> Iterator[ThriftSetup]:
    """A client and a new database; connections are closed at the end."""
    metastore = ThriftMetastore(uri, timeout_ms=60_000)
    setup = ThriftSetup(metastore)
    try:
        yield setup
    finally:
        setup.close()
        metastore.close()
