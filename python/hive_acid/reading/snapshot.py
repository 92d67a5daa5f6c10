"""Scan plans of statements and of plain reads: which files a scan reads."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Collection, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import Partition, TableDescription, TableName
from hive_acid.model.table_identity import AnalysedTable
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.reading.changed_tables import refuse_changed
from hive_acid.reading.missing_folders import refuse_moved
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.row_numbers import number_rows
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.snapshot.table_snapshot import load_content, load_scan_plan


class ScannedSnapshot(Protocol):
    """The questions of scans; see `Snapshot`."""

    def read_together(self, tables: Iterable[TableName]) -> None:
        """Told first of a query: all the transactional tables that it reads."""
        ...

    def ensure_same(self, analysed: AnalysedTable) -> None:
        """Raises HIVE_ACID_TABLE_CHANGED unless the table is what the scan was analysed on."""
        ...

    def partition_names(self, table: TableName) -> list[str]:
        """Names of the table's partitions."""
        ...

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """The files of the table, or of the partitions named; `with_row_ids` if the scan asks for ROW__ID."""
        ...


class ForwardedSnapshot:
    """A snapshot that hands every question on to another; what is done beside stands in a class made of it."""

    def __init__(self, snapshot: ScannedSnapshot) -> None:
        self._snapshot = snapshot

    def read_together(self, tables: Iterable[TableName]) -> None:
        self._snapshot.read_together(tables)

    def ensure_same(self, analysed: AnalysedTable) -> None:
        self._snapshot.ensure_same(analysed)

    def partition_names(self, table: TableName) -> list[str]:
        return self._snapshot.partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        return self._snapshot.scan_plan(table, partitions, with_row_ids)


@contextmanager
def scannable(snapshots: MutableMapping[str, ScannedSnapshot], snapshot: ScannedSnapshot) -> Iterator[str]:
    """A token under which scans find the snapshot among `snapshots`, as long as the context lasts."""
    token = uuid.uuid4().hex
    snapshots[token] = snapshot
    try:
        yield token
    finally:
        del snapshots[token]


class Snapshot:
    """The rows and files that are visible by a list of transactions.

    Tables and write-ID lists are fetched once; for several threads.
    """

    def __init__(
        self, metastore: Metastore, file_system: FileSystem, transactions: ValidTxnList, *known: TableDescription
    ) -> None:
        self.transactions = transactions
        self._metastore = metastore
        self._file_system = file_system
        self._guard = threading.Lock()
        self._write_ids: dict[TableName, ValidWriteIdList] = {}
        self._tables = {table.name: table for table in known}
        self._partition_names: dict[TableName, list[str]] = {}
        self._listed: dict[TableName, frozenset[str]] = {}
        self._plans: dict[tuple[TableName, tuple[str, ...] | None], ScanPlan] = {}

    def write_ids(self, table: TableName) -> ValidWriteIdList:
        """The write IDs of the table that are visible."""
        with self._guard:
            if table not in self._write_ids:
                self._write_ids[table] = self._metastore.valid_write_ids([table], self.transactions)[table]
            return self._write_ids[table]

    def read_together(self, tables: Iterable[TableName]) -> None:
        """A statement has locked what it reads."""

    def ensure_same(self, analysed: AnalysedTable) -> None:
        """Raises HIVE_ACID_TABLE_CHANGED unless the table whose files are read is what the scan was analysed on."""
        refuse_changed(analysed, self.description(analysed.table))

    def forget(self, tables: Iterable[TableName]) -> None:
        """The tables are locked now: what was looked up before may have changed, and is asked for anew."""
        names = frozenset(tables)
        with self._guard:
            for table in names:
                self._tables.pop(table, None)
                self._partition_names.pop(table, None)
                self._listed.pop(table, None)
            self._plans = {key: plan for key, plan in self._plans.items() if key[0] not in names}

    def partition_names(self, table: TableName) -> list[str]:
        """Names of the table's partitions, asked for once, after the snapshot was taken.

        Otherwise a transaction that the snapshot sees could have added a partition that the names lack. Asked for anew
        after a write of the transaction's own, the names are those that were there, and those that were written to: a
        partition that came since has no visible rows, unless somebody has renamed or exchanged one without a lock.
        Raises HIVE_ACID_TABLE_CHANGED.
        """
        with self._guard:
            if table not in self._partition_names:
                names = self._metastore.partition_names(table)
                listed = self._listed.get(table, frozenset(names))
                self._refuse_missing(table, listed, names)
                self._partition_names[table] = [name for name in names if name in listed]
                self._listed[table] = listed
            return self._partition_names[table]

    def listed_partition_names(self, table: TableName) -> frozenset[str]:
        """The partitions that have been listed, and those that the transaction has written to since."""
        with self._guard:
            return self._listed.get(table, frozenset())

    @staticmethod
    def _refuse_missing(table: TableName, wanted: Collection[str], there: Collection[str]) -> None:
        """A client that drops a partition without a lock would take rows out of a snapshot that has them."""
        missing = set(wanted) - set(there)
        if missing:
            raise build_error("HIVE_ACID_TABLE_CHANGED.PARTITION_GONE", table=table, partition=min(missing))

    def known_partition_names(self, table: TableName) -> list[str]:
        """The same if they have been asked for already, else nothing."""
        with self._guard:
            return self._partition_names.get(table, [])

    def note_written(self, table: TableName, own_view: ValidWriteIdList, partitions: Collection[str]) -> None:
        """The transaction has written to these partitions of the table (none of a flat one).

        It is listed anew, with the transaction's own write ID visible.
        """
        with self._guard:
            self._write_ids[table] = own_view
            self._partition_names.pop(table, None)
            if table in self._listed:
                self._listed[table] |= frozenset(partitions)
            self._plans = {key: plan for key, plan in self._plans.items() if key[0] != table}

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """The files of the table, or of the partitions named; listed once.

        With the first row ID of each file without ACID columns if the scan asks for ROW__ID (`with_row_ids`), or where
        deletes may concern its rows. Raises HIVE_ACID_TABLE_CHANGED if one of the partitions is not there any more.
        """
        key = (table, tuple(partitions) if partitions is not None else None)
        with self._guard:
            known = self._plans.get(key)
        if known is None:
            write_ids = self.write_ids(table)
            description = self.description(table)
            found = self._metastore.partitions(table, partitions) if partitions is not None else None
            if partitions is not None and found is not None:
                self._refuse_missing(table, partitions, [partition.name for partition in found])
            known = self._load_plan(description, found, write_ids)
            known = number_rows(self._file_system, known, with_row_ids=False)
            with self._guard:
                known = self._plans.setdefault(key, known)
        return number_rows(self._file_system, known, with_row_ids=True) if with_row_ids else known

    def _load_plan(
        self, table: TableDescription, partitions: Sequence[Partition] | None, write_ids: ValidWriteIdList
    ) -> ScanPlan:
        """Where a folder was missing, the second listing counts: between the two nobody had taken the table away."""
        plan = load_scan_plan(self._file_system, table, partitions, write_ids, self.transactions)
        if plan.without_folder:
            refuse_moved(self._metastore, self._file_system, table, partitions, plan)
            plan = load_scan_plan(self._file_system, table, partitions, write_ids, self.transactions)
        return plan

    def content(self, table: TableName) -> TableContent:
        """How much a reader of the whole table reads."""
        write_ids, description = self.write_ids(table), self.description(table)
        names = self.partition_names(table) if description.is_partitioned else None
        found = self._metastore.partitions(table, names) if names is not None else None
        return load_content(self._file_system, description, found, write_ids, self.transactions)

    def description(self, name: TableName) -> TableDescription:
        """The table, asked for once."""
        with self._guard:
            if name not in self._tables:
                self._tables[name] = self._metastore.table(name)
            return self._tables[name]
