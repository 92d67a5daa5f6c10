"""Tables, partitions and their statistics over thrift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hive_acid.errors import HiveAcidError, MetastoreRefused, build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.client import conversion, notification
from hive_acid.metastore.client.catalog_checks import CatalogChecks
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.statistics import withdrawal
from hive_acid.metastore.statistics.extremes import find_extremes
from hive_acid.metastore.types import AddedFile, MetastoreLine, OperationKind
from hive_acid.model.table import Partition, TableConstraints, TableDescription, TableKind, TableName
from hive_acid.model.write_ids import ValidWriteIdList

_PARTITIONS_PER_CALL = 500
_ENGINES = ("hive", "spark", "impala")
"""Each keeps statistics of its own on 4.x."""


class TableCalls(CatalogChecks):
    """The part of `Metastore` about tables."""

    def _raw_table(self, name: TableName) -> Any:
        """The stored table, not adapted to a client: no processor capabilities are sent (4.x would transform it)."""
        capabilities = ttypes.ClientCapabilities(values=[ttypes.ClientCapability.INSERT_ONLY_TABLES])
        request = ttypes.GetTableRequest(dbName=name.database, tblName=name.table, capabilities=capabilities)
        return self._read("get_table_req", request, table=str(name)).table

    def table(self, name: TableName) -> TableDescription:
        raw = self._raw_table(name)
        found = conversion.build_table(raw)
        if found.kind is not TableKind.PLAIN and self._catalog != DEFAULT_CATALOG:
            self.refuse_twins(name)
            self.refuse_forgotten(name, raw.writeId or 0)
        return found

    def table_identity(self, name: TableName) -> str:
        raw = self._raw_table(name)
        return f"{raw.id or 0}/{raw.createTime or 0}"

    def constraints(self, table: TableName) -> TableConstraints:
        where = (DEFAULT_CATALOG, table.database, table.table)
        not_null = self._read("get_not_null_constraints", ttypes.NotNullConstraintsRequest(*where), table=str(table))
        check = self._read("get_check_constraints", ttypes.CheckConstraintsRequest(*where), table=str(table))
        return TableConstraints(
            frozenset(c.column_name.lower() for c in not_null.notNullConstraints if c.enable_cstr),
            frozenset(c.dc_name.lower() for c in check.checkConstraints if c.enable_cstr),
        )

    def column_defaults(self, table: TableName) -> dict[str, str]:
        return {c.column_name.lower(): c.default_value for c in self._default_constraints(table) if c.enable_cstr}

    def default_texts(self, table: TableName) -> dict[str, str]:
        return {c.column_name.lower(): c.default_value for c in self._default_constraints(table)}

    def _default_constraints(self, table: TableName) -> list[ttypes.SQLDefaultConstraint]:
        request = ttypes.DefaultConstraintsRequest(DEFAULT_CATALOG, table.database, table.table)
        found = self._read("get_default_constraints", request, table=str(table))
        return list(found.defaultConstraints)

    def column_extremes(self, table: TableName, partitions: Sequence[str]) -> dict[tuple[str, str], tuple[str, ...]]:
        """See `Metastore`. 3.1 does not tell engines apart."""
        columns = [column.name for column in self.table(table).columns]
        engines = (None,) if self.line is MetastoreLine.HIVE_3 else _ENGINES
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for engine in engines:
            where = {"dbName": table.database, "tblName": table.table, "colNames": columns, "engine": engine}
            request = ttypes.TableStatsRequest(**where)
            answered = {"": self._read("get_table_statistics_req", request, table=str(table)).tableStats}
            for start in range(0, len(partitions), _PARTITIONS_PER_CALL):
                names = list(partitions[start : start + _PARTITIONS_PER_CALL])
                of_partitions = ttypes.PartitionsStatsRequest(**where, partNames=names)
                answered |= self._read("get_partitions_statistics_req", of_partitions, table=str(table)).partStats
            for name, columns_of in answered.items():
                for each in columns_of:
                    place = (name, each.colName)
                    found[place] = (*found.get(place, ()), *find_extremes(each))
        return found

    def database_names(self) -> list[str]:
        if self._catalog == DEFAULT_CATALOG:
            return sorted(self._read("get_all_databases"))
        return sorted(self._read("get_databases", ""))

    def table_names(self) -> list[TableName]:
        databases = self.database_names()
        found = ((database, self._read("get_all_tables", database)) for database in databases)
        return sorted(TableName(database, table) for database, tables in found for table in tables)

    def database_parameters(self, database: str) -> dict[str, str]:
        return dict(self._raw_database(database).parameters or {}) if self.line.tells_databases else {}

    def _raw_database(self, database: str) -> Any:
        return self._read("get_database_req", ttypes.GetDatabaseRequest(name=database, catalogName=DEFAULT_CATALOG))

    def new_table_location(self, name: TableName) -> str | None:
        """As Warehouse.getDefaultTablePath has it for managed tables."""
        if not self.line.adapts_tables or not self.config_value("metastore.warehouse.external.dir", "").strip():
            return None
        database = self._raw_database(name.database)
        if database.managedLocationUri:
            return f"{database.managedLocationUri.rstrip('/')}/{name.table}"
        if self._catalog != DEFAULT_CATALOG:  # its folder is not the warehouse's
            return f"{database.locationUri.rstrip('/')}/{name.table}"
        root = self.config_value("metastore.warehouse.dir", "").rstrip("/")
        folder = root if name.database == "default" else f"{root}/{name.database}.db"
        return f"{folder}/{name.table}" if root else None

    def warehouse(self) -> str | None:
        try:
            if not self.line.tells_databases:
                return self.config_value("hive.metastore.warehouse.dir", "").strip() or None
            location: str | None = self._raw_database("default").locationUri
        except HiveAcidError as error:
            if error.getCondition() != "HIVE_ACID_METASTORE_DENIED":
                raise
            return None
        return location or None

    def partition_names(self, table: TableName) -> list[str]:
        names: list[str] = self._read("get_partition_names", table.database, table.table, -1, table=str(table))
        return sorted(names) if names else self._none_of(table)

    def _none_of(self, table: TableName) -> list[str]:
        """No partitions: some servers answer so for a table that does not exist."""
        self._raw_table(table)
        return []

    def _raw_partitions(self, table: TableName, names: Sequence[str]) -> dict[str, Any]:
        """The partitions of the names, in the order asked for; unknown names are missing."""
        wanted = {conversion.parse_partition_values(name): name for name in names}
        found: dict[str, Any] = {}
        for start in range(0, len(names), _PARTITIONS_PER_CALL):
            for partition in self._load_partitions(table, list(names[start : start + _PARTITIONS_PER_CALL])):
                name = wanted.get(tuple(partition.values))
                if name is None:
                    reason = f"the answer has a partition {partition.values} of {table}, which was not asked for"
                    raise build_error("HIVE_ACID_METASTORE_REFUSED", method="get_partitions_by_names", reason=reason)
                found[name] = partition
        return {name: found[name] for name in names if name in found}

    def _load_partitions(self, table: TableName, names: list[str]) -> list[Any]:
        try:
            loaded: list[Any] = self._read(
                "get_partitions_by_names", table.database, table.table, names, table=str(table)
            )
        except MetastoreRefused:
            self._raw_table(table)  # 4.x calls a missing table an invalid object: gives it its name
            raise
        return loaded

    def partitions(self, table: TableName, names: Sequence[str]) -> list[Partition]:
        raw = self._raw_partitions(table, names)
        return [conversion.build_partition(name, partition) for name, partition in raw.items()]

    def add_partitions(
        self, table: TableName, locations: Mapping[str, str], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        withdrawal.check_own_write_id(write_id, write_ids)
        raw = self._raw_table(table)
        withdrawal.check_writable(raw, table)
        parts = [conversion.build_new_partition(raw, name, where, write_id) for name, where in locations.items()]
        for start in range(0, len(parts), _PARTITIONS_PER_CALL):
            request = ttypes.AddPartitionsRequest(
                dbName=table.database,
                tblName=table.table,
                parts=parts[start : start + _PARTITIONS_PER_CALL],
                ifNotExists=True,
                needResult=False,
                validWriteIdList=write_ids.format(),
            )
            self._change("add_partitions_req", request, table=str(table))

    def add_dynamic_partitions(
        self, txn_id: int, write_id: int, table: TableName, names: Sequence[str], operation: OperationKind
    ) -> None:
        request = ttypes.AddDynamicPartitions(
            txnid=txn_id,
            writeid=write_id,
            dbname=table.database,
            tablename=table.table,
            partitionnames=list(names),
            operationType=conversion.build_operation(operation),
        )
        self._change("add_dynamic_partitions", request, txn_id=txn_id, table=str(table))

    def notify_write(
        self, txn_id: int, write_id: int, table: TableName, files: Mapping[str, Sequence[AddedFile]]
    ) -> None:
        if self.line is MetastoreLine.HIVE_3:
            for name, added in files.items():
                self._change("fire_listener_event", notification.build_event(table, name, added), table=str(table))
            return
        requests = [notification.build_request(txn_id, write_id, table, *entry) for entry in files.items()]
        if set(files) == {""} and self._catalog == DEFAULT_CATALOG:  # the other call has a place for the catalog
            self._change("add_write_notification_log", requests[0], table=str(table))
            return
        for start in range(0, len(requests), _PARTITIONS_PER_CALL):
            batch = ttypes.WriteNotificationLogBatchRequest(
                catalog=DEFAULT_CATALOG,
                db=table.database,
                table=table.table,
                requestList=requests[start : start + _PARTITIONS_PER_CALL],
            )
            self._change("add_write_notification_log_in_batch", batch, table=str(table))
