"""The metastore as a catalog of Spark's shows it: what there is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hive_acid.api.catalogs import DEFAULT_CATALOG, DescribedColumn
from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.connections import STRUCTURES, ThriftMetastore
from hive_acid.api.tables import TableName, build_table
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable

T = TypeVar("T")


class Directory(ThriftMetastore):
    """Databases and tables of a metastore, with all that a catalog tells of them."""

    def described_database(self, name: str) -> DescribedDatabase | None:
        """The database, None if there is none; 3.1 tells its name alone."""
        if not self.line.tells_databases:
            is_there = name.lower() in self.database_names()
            return DescribedDatabase(name.lower(), None, None, None, {}) if is_there else None
        request = STRUCTURES.GetDatabaseRequest(name=name.lower(), catalogName=DEFAULT_CATALOG)
        return _if_there(lambda: build_described_database(self._read("get_database_req", request, table=name)))

    def table_names_in(self, database: str) -> list[str]:
        """Tables and views of a database, in order."""
        return sorted(self._read("get_all_tables", database))

    def described_table(self, name: TableName) -> DescribedTable | None:
        """The table or view, None if there is none."""
        return _if_there(lambda: build_described_table(self._raw_table(name)))


def _if_there(load: Callable[[], T]) -> T | None:
    try:
        return load()
    except HiveAcidError as error:
        if error.main_condition == "HIVE_ACID_TABLE_NOT_FOUND":
            return None
        raise


def build_described_database(raw: Any) -> DescribedDatabase:
    """From Database."""
    return DescribedDatabase(
        name=raw.name,
        comment=raw.description or None,
        location=raw.locationUri or None,
        owner=raw.ownerName or None,
        properties=dict(raw.parameters or {}),
    )


def build_described_table(raw: Any) -> DescribedTable:
    """From Table. Views have no storage."""
    storage = raw.sd or STRUCTURES.StorageDescriptor()
    serde = storage.serdeInfo or STRUCTURES.SerDeInfo()
    table = build_table(raw)
    return DescribedTable(
        table=table.name,
        kind=raw.tableType or "",
        owner=raw.owner or "",
        created_s=table.created_s,
        columns=_build_columns(table.columns, storage.cols),
        partition_columns=_build_columns(table.partition_columns, raw.partitionKeys),
        bucket_columns=table.bucket_columns,
        bucket_count=table.bucket_count,
        sort_columns=table.sort_columns,
        location=table.location or None,
        input_format=table.input_format or None,
        output_format=storage.outputFormat or None,
        serde=serde.serializationLib or None,
        serde_properties=dict(serde.parameters or {}),
        properties=table.parameters,
    )


def _build_columns(columns: Sequence[Any], fields: Sequence[Any] | None) -> tuple[DescribedColumn, ...]:
    return tuple(
        DescribedColumn(column.name, column.type, field.comment or None)
        for column, field in zip(columns, fields or (), strict=True)
    )
