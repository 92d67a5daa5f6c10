"""The metastore as the layers above see it.

Implementations may be used from several threads at once. Every method can raise `MetastoreUnavailable` (no answer: the
call may or may not have happened) and `MetastoreRefused` (the metastore answered with an error, nothing happened).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from hive_acid.metastore.compaction_protocol import CompactionQueue
from hive_acid.metastore.types import (
    AddedFile,
    HeldLock,
    LockComponent,
    LockState,
    MetastoreLine,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import Partition, TableConstraints, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList


class Metastore(CompactionQueue, Protocol):
    """Transactions, locks, write IDs, tables and partitions of one Hive Metastore, and its compaction queue."""

    @property
    def uri(self) -> str:
        """The address, for messages."""
        ...

    @property
    def line(self) -> MetastoreLine:
        """The protocol family, found once by what the server answers."""
        ...

    @property
    def version(self) -> str:
        """The version that the server gives itself (3.1.3 says "3.0"), asked once."""
        ...

    # transactions

    def open_transaction(self, user: str, host: str, agent: str) -> int:
        """The ID of a new transaction. IDs rise but are not dense. If the answer is lost, it times out by itself."""
        ...

    def valid_transactions(self, own_txn_id: int) -> ValidTxnList:
        """The snapshot of `own_txn_id` (0: of nobody).

        The high-water mark is not above the own ID, and the own ID counts as visible (TxnCommonUtils, both lines).
        """
        ...

    def valid_write_ids(
        self, tables: Sequence[TableName], transactions: ValidTxnList | None
    ) -> dict[TableName, ValidWriteIdList]:
        """Per table the write IDs that the snapshot sees. A write ID of the snapshot's own transaction is visible.

        None: what a transaction that begins now would see, as by `valid_transactions(0)`; 4.x tells it in one call.
        """
        ...

    def allocate_write_id(self, txn_id: int, table: TableName) -> int:
        """The write ID of the transaction on the table; asked again, the same. Allocate before locking.

        Raises TransactionAborted if the transaction is not open.
        """
        ...

    def restore_write_ids(self, table: TableName, high_water_mark: int, user: str, host: str) -> None:
        """Has all write IDs up to the mark (inclusive) visible, where the metastore knows none of the table.

        Nothing happens where it knows any.
        """
        ...

    def keep_files(self, txn_id: int, tables: Collection[TableName]) -> None:
        """The Cleaner removes nothing that a compaction has folded of these tables until the transaction ends. 4.x.

        For a metastore with `metastore.txn.use.minhistorywriteid`, whose Cleaner waits for nobody else. Others pass it
        over. The transaction must be open: what is told of one that has ended stays there for ever.
        """
        ...

    def heartbeat(self, txn_id: int) -> None:
        """Keeps the transaction and its locks alive.

        Raises TransactionAborted if it is not open, also if it has been committed: stop beating before the commit.
        """
        ...

    def commit(self, txn_id: int) -> None:
        """Commits; a committed transaction may be committed again.

        Raises TransactionAborted if it was aborted, also when the metastore aborts it now because of a write conflict.
        MetastoreUnavailable means that the outcome is not known: ask `transaction_state`. Never sent twice by itself.
        """
        ...

    def abort(self, txn_id: int) -> None:
        """Aborts; an aborted transaction may be aborted again.

        Raises MetastoreRefused if the transaction was committed or the metastore does not know it (any more).
        """
        ...

    def transaction_state(self, txn_id: int) -> TransactionState | None:
        """Where a transaction of any client stands, or None if it cannot be told (never begun, or forgotten).

        Ends nothing. A transaction that is open, and not listed so, may live a timeout longer for the question.
        """
        ...

    def transactions(self) -> list[TransactionInfo]:
        """All open and aborted transactions the metastore remembers, by ID."""
        ...

    def latest_conflict(self, txn_id: int) -> int:
        """The latest transaction that changed what this one locked for UPDATE or DELETE after this one began; 0: none.

        4.x line only. Ask while the lock is held.
        """
        ...

    # locks

    def lock(
        self, txn_id: int, components: Sequence[LockComponent], user: str, host: str, agent: str
    ) -> tuple[int, LockState]:
        """Asks for all components at once: the lock ID and whether it was granted. Never sent twice by itself.

        Raises TransactionAborted if the transaction is not open.
        """
        ...

    def check_lock(self, txn_id: int, lock_id: int, elapsed_ms: int) -> LockState:
        """Looks at a waiting lock again, `elapsed_ms` after it was asked for; also a heartbeat of the transaction.

        Raises TransactionAborted if the transaction is not open.
        """
        ...

    def unlock(self, lock_id: int) -> None:
        """Takes back a waiting lock; nothing happens if there is none (any more).

        A granted lock of an open transaction is refused: it ends with the transaction.
        """
        ...

    def held_locks(self, table: TableName | None = None) -> list[HeldLock]:
        """Granted and waiting locks of all clients, of one table (and its partitions) or of everything."""
        ...

    # tables and partitions

    def table(self, name: TableName) -> TableDescription:
        """The table. Raises HIVE_ACID_TABLE_NOT_FOUND."""
        ...

    def table_identity(self, name: TableName) -> str:
        """The mark that tells the table from others of its name. Raises HIVE_ACID_TABLE_NOT_FOUND.

        Its ID and the second of its creation; 3.1 shows no ID.
        """
        ...

    def database_names(self) -> list[str]:
        """All databases that the user may see, in order."""
        ...

    def table_names(self) -> list[TableName]:
        """All tables and views of all databases, in order."""
        ...

    def database_parameters(self, database: str) -> dict[str, str]:
        """The properties of a database, as far as the line has any that count: 3.1 has none."""
        ...

    def constraints(self, table: TableName) -> TableConstraints:
        """The constraints on its new rows."""
        ...

    def column_defaults(self, table: TableName) -> dict[str, str]:
        """The default expressions, as text, by column in lower case."""
        ...

    def default_texts(self, table: TableName) -> dict[str, str]:
        """The texts of all default expressions, those of disabled constraints too, by column in lower case."""
        ...

    def column_extremes(self, table: TableName, partitions: Sequence[str]) -> dict[tuple[str, str], tuple[str, ...]]:
        """The least and greatest values that are stored of columns, as texts: by partition and column.

        The values of the table as a whole stand under the empty name. The values of every engine are told.
        """
        ...

    def new_table_location(self, name: TableName) -> str | None:
        """Where a new transactional table must lie if that is not below its database's own location.

        So where a metastore keeps such tables apart from all others; None elsewhere.
        """
        ...

    def warehouse(self) -> str | None:
        """The folder in which the metastore puts new databases; None if it does not let this user see it.

        That of its database `default`; on the 3.1 line the one of its settings, which need not tell a file system.
        """
        ...

    def partition_names(self, table: TableName) -> list[str]:
        """Names of all partitions as the metastore spells them, sorted. Raises HIVE_ACID_TABLE_NOT_FOUND."""
        ...

    def partitions(self, table: TableName, names: Sequence[str]) -> list[Partition]:
        """The partitions of these names, in the order asked for; names that do not exist are left out."""
        ...

    def add_partitions(
        self, table: TableName, locations: Mapping[str, str], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        """Adds partitions by their metastore names, without statistics. One that exists stays as it is.

        `write_ids` is the writer's own list, with `write_id` visible.
        """
        ...

    def add_dynamic_partitions(
        self, txn_id: int, write_id: int, table: TableName, names: Sequence[str], operation: OperationKind
    ) -> None:
        """Records the partitions written under a dynamic-partition lock. Once per transaction and table, before commit.

        Raises TransactionAborted if the transaction is not open.
        """
        ...

    def drop_statistics(self, table: TableDescription, write_id: int, write_ids: ValidWriteIdList) -> None:
        """Withdraws the table's statistics: no engine may answer or plan queries by numbers of before our write.

        Alterations of the table by others meanwhile stay. The rows of a partitioned table are counted at its
        partitions; there only Spark's numbers of the whole go. `write_ids` is the writer's own list, with `write_id`
        visible. Call before commit; harmless if it aborts.
        """
        ...

    def drop_partition_statistics(
        self, table: TableName, names: Sequence[str], write_id: int, write_ids: ValidWriteIdList
    ) -> dict[str, str]:
        """The same for existing partitions: the location of each by its name. Names that do not exist are missing."""
        ...

    def cascade_columns(self, table: TableName, write_id: int, write_ids: ValidWriteIdList) -> None:
        """Gives the partitions the table's own columns, as CASCADE of Hive's ALTER TABLE does; withdraws statistics.

        Each keeps a list of columns, by which Hive 3.1.3 compacts it. `write_ids` as for `drop_statistics`.
        """
        ...

    def notify_write(
        self, txn_id: int, write_id: int, table: TableName, files: Mapping[str, Sequence[AddedFile]]
    ) -> None:
        """Has the server's listeners told of the files written, by partition name; a flat table's name is "".

        As Hive does it: 4.x keeps them until the transaction commits, 3.1 fires an insert event at once. The partitions
        exist by now.
        """
        ...

    # the rest

    def config_value(self, name: str, default: str) -> str:
        """A setting of the server, as it is written there (perhaps with a unit), or `default`."""
        ...

    def close(self) -> None:
        """Closes the connections of all threads. Open transactions stay open until they time out."""
        ...
