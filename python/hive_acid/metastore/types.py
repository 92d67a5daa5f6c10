"""Questions to the metastore and its answers, in our own words: no thrift type leaves this package."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hive_acid.model.table import TableName


class MetastoreLine(Enum):
    """The two protocol families: 3.1 and everything from 4.0 on."""

    HIVE_3 = "3.1"
    HIVE_4 = "4"

    @property
    def serves_workers(self) -> bool:
        """The queue gives compactions to any client's workers, by pools, and knows rebalances."""
        return self is MetastoreLine.HIVE_4

    @property
    def commits_compactions(self) -> bool:
        """The result of a compaction is used after its commit. On the other line it is used once it is in place."""
        return self is MetastoreLine.HIVE_4

    @property
    def breaks_rows_by_minor(self) -> bool:
        """Hive's minor compaction breaks an unbucketed table that has deletes and files of several buckets.

        Its next major compaction fails with "Two readers" then.
        """
        return self is MetastoreLine.HIVE_3

    @property
    def cleans_behind_transactions(self) -> bool:
        """The Cleaner waits for open transactions. On the other line it waits for locks on what it cleans."""
        return self is MetastoreLine.HIVE_4

    @property
    def has_cleaner_setting(self) -> bool:
        """The Cleaner has its own setting. On the other line the Initiator's setting also starts the Cleaner."""
        return self is MetastoreLine.HIVE_4

    @property
    def tells_databases(self) -> bool:
        """Clients get the location and the parameters of a database."""
        return self is MetastoreLine.HIVE_4

    @property
    def adapts_tables(self) -> bool:
        """A client's capabilities decide which tables it sees and creates; managed tables can have their own folder."""
        return self is MetastoreLine.HIVE_4

    @property
    def stores_write_ids(self) -> bool:
        """Tables and partitions store a write ID, so that an alteration can check that nothing has changed since."""
        return self is MetastoreLine.HIVE_4

    @property
    def has_values_of_hive_3(self) -> bool:
        """Values of changed types and dates before 1582 are what Hive 3.1 makes of them."""
        return self is MetastoreLine.HIVE_3


@dataclass(frozen=True)
class ServerInfo:
    """The description that a metastore gives of itself.

    `version` is what it calls itself (3.1.3 says "3.0"). `has_get_table`: it serves the call by which clients older
    than 4.0.1 get tables. `transforms_tables`: it adapts tables to the capabilities that a client declares, and lets
    none create a transactional table that declares none. `warehouse`: see `Metastore.warehouse`.
    """

    version: str
    has_get_table: bool
    transforms_tables: bool
    warehouse: str | None = None


class LockKind(Enum):
    """Lock types, by the names of Hive's LockType.

    SHARED_WRITE excludes another SHARED_WRITE on the 3.1 line and admits it on the 4.x line. EXCL_WRITE exists on the
    4.x line only.
    """

    SHARED_READ = "shared_read"
    SHARED_WRITE = "shared_write"
    EXCL_WRITE = "excl_write"
    EXCLUSIVE = "exclusive"


class OperationKind(Enum):
    """The operations of a transaction on the locked object. INSERT, UPDATE and DELETE are recorded as writes of it."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    NO_TXN = "no_txn"

    @property
    def is_conflicting(self) -> bool:
        """True if it takes part in the search for write conflicts."""
        return self in (OperationKind.UPDATE, OperationKind.DELETE)


@dataclass(frozen=True)
class LockComponent:
    """One object of a lock request: a table, or one partition by its metastore name (`k=v/…`).

    `is_dynamic_partition_write` says that the partitions written become known later (`add_dynamic_partitions`); then
    `partition` is None.
    """

    table: TableName
    kind: LockKind
    operation: OperationKind
    partition: str | None = None
    is_dynamic_partition_write: bool = False


class LockState(Enum):
    """The states of a lock request. NOT_ACQUIRED: it was refused, and is no longer queued."""

    ACQUIRED = "acquired"
    WAITING = "waiting"
    NOT_ACQUIRED = "not_acquired"


@dataclass(frozen=True)
class HeldLock:
    """A granted or waiting lock of any client.

    `table` is None for a lock on a whole database, `txn_id` is None for a lock outside of transactions, `blocked_by` is
    the lock ID it waits for. A lock of several components is listed once per component, under one `lock_id`, numbered
    by `component` from 1; `blocked_by_component` belongs to `blocked_by`. Times are milliseconds since 1970 by the
    metastore's clock: since when it is granted, and the last heartbeat of a lock outside of transactions.
    """

    lock_id: int
    database: str
    table: TableName | None
    partition: str | None
    state: LockState
    kind: LockKind
    txn_id: int | None
    user: str
    host: str
    agent: str
    blocked_by: int | None = None
    component: int | None = None
    blocked_by_component: int | None = None
    acquired_ms: int | None = None
    last_heartbeat_ms: int | None = None


@dataclass(frozen=True)
class AddedFile:
    """A file that a transaction has put in place.

    `folder` is that of the base, delta or delete delta, as it is called below the table or partition; `checksum` is
    storage's own in hexadecimal, empty where storage has none.
    """

    path: str
    folder: str
    checksum: str


class TransactionState(Enum):
    """The state of a transaction."""

    OPEN = "open"
    ABORTED = "aborted"
    COMMITTED = "committed"


@dataclass(frozen=True)
class TransactionInfo:
    """An open or aborted transaction of any client; times are milliseconds since 1970, by the metastore's clock."""

    id: int
    state: TransactionState
    user: str
    host: str
    agent: str
    started_ms: int | None = None
    last_heartbeat_ms: int | None = None
