"""The tables of the metastore in memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.client.conversion import parse_partition_values
from hive_acid.metastore.statistics.withdrawal import without_statistics
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Partition, TableConstraints, TableDescription, TableName
from hive_acid.model.write_ids import ValidWriteIdList


class MemoryTables:
    """The part of the metastore in memory about tables and partitions, and what a test puts in and looks at there."""

    _guard: threading.RLock
    _line: MetastoreLine

    def __init__(self) -> None:
        self._tables: dict[TableName, TableDescription] = {}
        self._identities: dict[TableName, str] = {}
        self._added = 0
        self._partitions: dict[TableName, dict[str, Partition]] = {}
        self._stored_write_ids: dict[tuple[TableName, str | None], int] = {}
        self.warehouse_location: str | None = None
        self.database_properties: dict[str, dict[str, str]] = {}
        self.extremes: dict[TableName, dict[tuple[str, str], tuple[str, ...]]] = {}
        self.defaults: dict[TableName, dict[str, str]] = {}
        self.disabled_defaults: dict[TableName, dict[str, str]] = {}
        self.table_constraints: dict[TableName, TableConstraints] = {}

    def add_table(self, table: TableDescription) -> None:
        """Adds or replaces a table."""
        with self._guard:
            self._added += 1
            if self._line is MetastoreLine.HIVE_4:
                there = self._tables.get(table.name)
                table = replace(table, table_id=table.table_id or (there.table_id if there else self._added))
            self._tables[table.name] = table
            self._identities[table.name] = str(self._added)
            self._partitions.setdefault(table.name, {})

    def add_partition(self, table: TableName, partition: Partition) -> None:
        """Adds or replaces a partition of a table that exists."""
        with self._guard:
            self._partitions[table][partition.name] = partition

    def remove_table(self, table: TableName) -> None:
        """As a client that asks for no lock drops it."""
        with self._guard:
            del self._tables[table]

    def remove_partition(self, table: TableName, name: str) -> None:
        """As a client does that asks for no lock."""
        with self._guard:
            del self._partitions[table][name]

    def stored_write_id(self, table: TableName, partition: str | None = None) -> int:
        """The write ID at the table or partition, which statistics are judged by; -1: none."""
        with self._guard:
            return self._stored_write_ids.get((table, partition), -1)

    def _not_found(self, table: TableName) -> HiveAcidError:
        return build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table)

    def table(self, name: TableName) -> TableDescription:
        with self._guard:
            if name not in self._tables:
                raise self._not_found(name)
            return self._tables[name]

    def table_identity(self, name: TableName) -> str:
        with self._guard:
            self.table(name)
            return self._identities[name]

    def database_names(self) -> list[str]:
        """The databases of tables and of `database_properties`."""
        return sorted({table.database for table in self._tables} | self.database_properties.keys())

    def table_names(self) -> list[TableName]:
        return sorted(self._tables)

    def database_parameters(self, database: str) -> dict[str, str]:
        return self.database_properties.get(database, {}) if self._line is MetastoreLine.HIVE_4 else {}

    def constraints(self, table: TableName) -> TableConstraints:
        return self.table_constraints.get(table, TableConstraints())

    def column_defaults(self, table: TableName) -> dict[str, str]:
        """`defaults` has them."""
        return dict(self.defaults.get(table, {}))

    def default_texts(self, table: TableName) -> dict[str, str]:
        """`disabled_defaults` has those that are not in force."""
        return {**self.column_defaults(table), **self.disabled_defaults.get(table, {})}

    def column_extremes(self, table: TableName, partitions: Sequence[str]) -> dict[tuple[str, str], tuple[str, ...]]:
        """`extremes` has them."""
        found = self.extremes.get(table, {})
        return {place: values for place, values in found.items() if place[0] in ("", *partitions)}

    def new_table_location(self, name: TableName) -> str | None:
        return None

    def warehouse(self) -> str | None:
        return self.warehouse_location

    def partition_names(self, table: TableName) -> list[str]:
        with self._guard:
            self.table(table)
            return sorted(self._partitions[table])

    def partitions(self, table: TableName, names: Sequence[str]) -> list[Partition]:
        with self._guard:
            self.table(table)
            stored = self._partitions[table]
            return [stored[name] for name in names if name in stored]

    def add_partitions(
        self, table: TableName, locations: Mapping[str, str], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        with self._guard:
            self.table(table)
            for name, location in locations.items():
                if name not in self._partitions[table]:
                    self._partitions[table][name] = Partition(name, parse_partition_values(name), location)
                    self._store_write_id(table, name, write_id, write_ids)

    def drop_statistics(self, table: TableDescription, write_id: int, write_ids: ValidWriteIdList) -> None:
        with self._guard:
            stored = self.table(table.name)
            if not stored.is_partitioned:
                self._store_write_id(table.name, None, write_id, write_ids)
            bare = without_statistics(stored.parameters, is_whole=stored.is_partitioned)
            self._tables[table.name] = replace(stored, parameters=bare)

    def drop_partition_statistics(
        self, table: TableName, names: Sequence[str], write_id: int, write_ids: ValidWriteIdList
    ) -> dict[str, str]:
        with self._guard:
            found = self.partitions(table, names)
            for partition in found:
                self._store_write_id(table, partition.name, write_id, write_ids)
                bare = replace(partition, parameters=without_statistics(partition.parameters))
                self._partitions[table][partition.name] = bare
            return {partition.name: partition.location for partition in found}

    def cascade_columns(self, table: TableName, write_id: int, write_ids: ValidWriteIdList) -> None:
        """Here partitions have no columns of their own."""
        self.drop_partition_statistics(table, self.partition_names(table), write_id, write_ids)

    def _store_write_id(
        self, table: TableName, partition: str | None, write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        if not write_ids.is_valid(write_id):
            reason = f"write ID {write_id} is not visible in its own list {write_ids.format()}"
            raise build_error("HIVE_ACID_INTERNAL", reason=reason)
        if self._line is MetastoreLine.HIVE_4:
            self._stored_write_ids[table, partition] = write_id
