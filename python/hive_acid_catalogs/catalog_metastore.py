"""The client of a metastore whose databases and tables are made and dropped, as a catalog of Spark's asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from hive_acid.api.catalogs import DEFAULT_CATALOG, DescribedColumn
from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.connections import STRUCTURES
from hive_acid.api.statements import StatementOutcome, tell, telling
from hive_acid.api.tables import TableKind, TableName
from hive_acid_catalogs.directory import Directory
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable

_CAPABILITIES: Final = (
    "HIVEFULLACIDWRITE",
    "HIVEFULLACIDREAD",
    "HIVEMANAGEDINSERTWRITE",
    "HIVEMANAGEDINSERTREAD",
)
"""Without these a transformer of 4.x makes an external table, not transactional (MetastoreDefaultTransformer)."""
_IDENTIFIER: Final = "spark-hive-acid"
_ANSWERS: Final = frozenset({"HIVE_ACID_METASTORE_REFUSED", "HIVE_ACID_METASTORE_DENIED", "HIVE_ACID_TABLE_NOT_FOUND"})
"""Errors by which a metastore says no."""


class CatalogMetastore(Directory):
    """Also makes and drops. The caller holds the locks.

    An error says that nothing has changed if the metastore answered so, else that it is not known what became of it.
    """

    def create_table(self, table: DescribedTable) -> None:
        """A new table; without a location it lies where the metastore puts it."""
        if TableKind.of(table.properties) is not TableKind.PLAIN:
            with telling(StatementOutcome.NOTHING_CHANGED):
                self.refuse_twins(table.table)
                self._refuse_used_name(table.table)
        raw = build_raw_table(table, table.location or self.new_table_location(table.table))
        if not self.line.adapts_tables:
            _sent(lambda: self._change("create_table", raw))
            return
        request = STRUCTURES.CreateTableRequest(
            table=raw, processorCapabilities=list(_CAPABILITIES), processorIdentifier=_IDENTIFIER
        )
        _sent(lambda: self._change("create_table_req", request))

    def _refuse_used_name(self, name: TableName) -> None:
        """A drop in another catalog than `hive` leaves the write IDs, by which rows of before could be seen."""
        if self._catalog == DEFAULT_CATALOG:
            return
        asked = STRUCTURES.GetValidWriteIdsRequest(fullTableNames=[str(name)])
        if self._read("get_valid_write_ids", asked).tblValidWriteIds[0].writeIdHighWaterMark:
            where = {"operation": "CREATE TABLE", "table": name, "catalog": self._catalog}
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NAME_USED_IN_CATALOG", **where)

    def drop_table(self, name: TableName, *, purges: bool) -> None:
        """Drops the table, and its files if it is managed; `purges`: without a trash.

        Raises HIVE_ACID_TABLE_NOT_FOUND.
        """
        context = STRUCTURES.EnvironmentContext(properties={"ifPurge": "TRUE"} if purges else {})
        arguments = name.database, name.table, True, context
        _sent(lambda: self._change("drop_table_with_environment_context", *arguments, table=str(name)))

    def create_database(self, database: DescribedDatabase) -> None:
        """A new database; without a location it lies where the metastore puts it."""
        raw = STRUCTURES.Database(
            name=database.name.lower(),
            description=database.comment,
            locationUri=database.location,
            parameters=dict(database.properties),
            ownerName=database.owner,
            ownerType=STRUCTURES.PrincipalType.USER if database.owner else None,
        )
        _sent(lambda: self._change("create_database", raw))

    def drop_database(self, name: str, *, cascades: bool) -> None:
        """Drops the database, with its tables if `cascades`; else the metastore refuses one that is not empty."""
        _sent(lambda: self._change("drop_database", name.lower(), True, cascades))


def build_raw_table(table: DescribedTable, location: str | None) -> Any:
    """The Table of thrift for a new one; the metastore notes the times."""
    serde = STRUCTURES.SerDeInfo(serializationLib=table.serde, parameters=dict(table.serde_properties))
    storage = STRUCTURES.StorageDescriptor(
        cols=_build_fields(table.columns),
        location=location,
        inputFormat=table.input_format,
        outputFormat=table.output_format,
        compressed=False,
        numBuckets=table.bucket_count or -1,
        serdeInfo=serde,
        bucketCols=list(table.bucket_columns),
        sortCols=[],
        parameters={},
        storedAsSubDirectories=False,
    )
    return STRUCTURES.Table(
        tableName=table.table.table,
        dbName=table.table.database,
        owner=table.owner,
        createTime=0,
        lastAccessTime=0,
        retention=0,
        sd=storage,
        partitionKeys=_build_fields(table.partition_columns),
        parameters=dict(table.properties),
        tableType=table.kind,
    )


def _build_fields(columns: Sequence[DescribedColumn]) -> list[Any]:
    return [STRUCTURES.FieldSchema(column.name, column.type, column.comment) for column in columns]


def _sent(call: Callable[[], None]) -> None:
    try:
        call()
    except HiveAcidError as error:
        is_answer = error.main_condition in _ANSWERS
        tell(error, StatementOutcome.NOTHING_CHANGED if is_answer else StatementOutcome.NOT_KNOWN)
        raise
