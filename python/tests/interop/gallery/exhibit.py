"""What the gallery shows: tables of every layout that engines leave, each with the rows that are in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from interop.hive_engine import HIVE_VERSIONS, HiveEngine
from interop.hive_table import HiveTable
from support.acid_files import Event, write_folder

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Exhibit:
    """A table of one layout.

    The first column of each is `id INT`, which tells the rows apart, the second `name STRING`; after those come what
    `more_columns` and `partitioned_by` declare. New rows have `more_literals` there (in SQL of both engines), which
    come back as `more_values`.

    make: brings rows into the table, which has been created empty.
    rows: what is in it then, as Hive gives it, sorted by ID.
    clustered_by: the CLUSTERED BY clause, if any.
    hive_versions: the lines that can make it.
    hive_misreads: why Hive's own readers do not return `rows`: they are not asked before a major compaction, or an
        overwrite of ours, has mended the table.
    refused: the condition by which each of our statements is refused that would have to read the table.
    compactions: what Hive can do with it after our changes, where it goes all the way.
    goes_all_the_way: whether each kind of statement of both engines, and Hive's compactions, come after each other on
        it. What these write looks alike whatever was there before, so of most layouts it is asked what a DELETE and a
        MERGE of ours make of them.
    """

    name: str
    make: Callable[[Workshop], None]
    rows: tuple[Row, ...]
    more_columns: str = ""
    partitioned_by: str = ""
    more_literals: tuple[str, ...] = ()
    more_values: Row = ()
    clustered_by: str = ""
    hive_versions: tuple[str, ...] = HIVE_VERSIONS
    hive_misreads: str = ""
    refused: str = ""
    compactions: tuple[str, ...] = ("minor", "major")
    goes_all_the_way: bool = False

    def create_statement(self, table: str) -> str:
        """CREATE TABLE in Hive's language."""
        partitions = f"PARTITIONED BY ({self.partitioned_by})" if self.partitioned_by else ""
        more = f", {self.more_columns}" if self.more_columns else ""
        return (
            f"CREATE TABLE {table} (id INT, name STRING{more}) {partitions} {self.clustered_by} STORED AS ORC "
            "TBLPROPERTIES ('transactional'='true')"
        )


@dataclass
class Workshop:
    """Where an exhibit is made: its table in a Hive engine, our session and a client on the engine's metastore."""

    table: HiveTable
    spark: SparkSession
    client: ThriftMetastore
    _open: list[int] = field(default_factory=list)

    @property
    def hive(self) -> HiveEngine:
        """The engine."""
        return self.table.engine

    @property
    def name(self) -> TableName:
        """The table's name in the metastore."""
        return TableName("default", self.table.name)

    def sql(self, *statements: str) -> None:
        """Has Hive carry them out; `{t}` is the table."""
        for statement in statements:
            self.hive.sql(statement.format(t=self.table.name))

    def commit_write_ids(self, count: int) -> list[int]:
        """Transaction IDs of as many committed transactions, each of which allocated the table's next write ID.

        The write IDs are dense and begin at 1.
        """
        txn_ids = [self._begin() for _ in range(count)]
        for txn_id in txn_ids:
            self.client.commit(txn_id)
        return txn_ids

    def abort_write_id(self) -> int:
        """The same for one transaction that was aborted; one that has locked nothing the metastore would forget."""
        txn_id = self._begin()
        lock = LockComponent(self.name, LockKind.SHARED_READ, OperationKind.INSERT)
        self.client.lock(txn_id, [lock], "gallery", "localhost", "another writer")
        self.client.abort(txn_id)
        return txn_id

    def open_write_id(self) -> int:
        """The same for one that stays open until `abort_open`."""
        self._open.append(self._begin())
        return self._open[-1]

    def abort_open(self) -> None:
        """Ends what `open_write_id` has begun."""
        while self._open:
            self.client.abort(self._open.pop())

    def put(
        self,
        folder: str,
        *events: Event | Sequence[Event],
        file: str = "bucket_00000",
        footer: Mapping[str, str] | None = None,
        has_version_file: bool = True,
    ) -> Path:
        """Writes a folder with one file of these events, or adds a file to it (see support.acid_files)."""
        path = self.table.location() / folder
        flat = [event for item in events for event in ([item] if isinstance(item, Event) else item)]
        columns = ",".join(f"{name}:{kind}" for name, kind in self._columns())
        files = {file: flat}
        write_folder(self.spark, path, f"struct<{columns}>", files, footer=footer, has_version_file=has_version_file)
        return path

    def _columns(self) -> list[tuple[str, str]]:
        return [(column.name, column.type) for column in self.client.table(self.name).columns]

    def _begin(self) -> int:
        txn_id = self.client.open_transaction("gallery", "localhost", "another writer")
        self.client.allocate_write_id(txn_id, self.name)
        return txn_id
