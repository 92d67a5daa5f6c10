"""The world that the clients of a model share, and what a fresh reader sees of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from doubles.memory_metastore import MemoryMetastore
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.bucket import BucketProperty
from hive_acid.model.names import STAGING_PREFIX, FolderKind, FolderName
from hive_acid.model.table import Column, Partition, TableDescription, TableName
from hive_acid.reading.snapshot import Snapshot
from hive_acid.transactions.blockers import find_blockers
from support.faults import Clock
from support.memory_file_system import MemoryFileSystem
from support.model_checker.engine import FILE, read_table
from support.model_checker.operations import Operation, Stand
from support.model_checker.rows import Record, Row, RowId, Rows, format_records, show
from support.model_checker.schedule import Run

TABLE = TableName("db", "t")
LOCATION = "/warehouse/t"
TIMEOUT_MS = 300_000
LOCK_TIMEOUT_MS = 60_000
"""Before the metastore would end a transaction."""
START: Rows = (Row(1, 0), Row(2, 0), Row(3, 0), Row(6, 0))
"""What the table holds at the beginning."""
_BUCKET = BucketProperty(0, 0).encode()


@dataclass(frozen=True)
class Setting:
    """What kind of table, on which line of the metastore."""

    line: MetastoreLine = MetastoreLine.HIVE_4
    is_partitioned: bool = False

    def __str__(self) -> str:
        return f"{self.line.value}-{'partitioned' if self.is_partitioned else 'flat'}"


@dataclass
class World:
    """Metastore and files, at a time that stands still."""

    setting: Setting = field(default_factory=Setting)

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.memory = MemoryMetastore(self.setting.line, clock=self.clock, timeout_ms=TIMEOUT_MS)
        self.files = MemoryFileSystem()
        self.run: Run | None = None
        self.is_read_by_hive = True
        """Readers are Hive's too, whose rule about write IDs is stricter."""
        self.owners: dict[int, int] = {}
        self.operations: list[Operation] = []
        self.commits: list[Operation] = []
        self.running: dict[int, Operation] = {}
        self.snapshot_states: dict[int, set[Rows]] = {}
        self._struck: set[int] = set()
        self._has_passed = False
        self.may_deadlock = False
        self._fill()
        self.first_table = self.memory.table(TABLE)

    def _fill(self) -> None:
        """Three transactions of Hive's: rows, the end of one of them, and more rows. So there is something to fold."""
        is_partitioned = self.setting.is_partitioned
        columns = (Column("id", "int"), Column("v", "int"))
        partition_columns = (Column("d", "int"),) if is_partitioned else ()
        self.memory.add_table(
            TableDescription(
                TABLE, LOCATION, columns, partition_columns=partition_columns, parameters={"transactional": "true"}
            )
        )
        self.files.make_folder(LOCATION)
        for name in ("d=0", "d=1") if is_partitioned else ():
            self.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
            self.files.make_folder(f"{LOCATION}/{name}")
        first = [Record(RowId(1, _BUCKET, n), 1, 0, row) for n, row in enumerate((*START[:2], Row(4, 0), Row(5, 0)))]
        ends = [one._replace(write_id=2) for one in first[2:]]
        more = [Record(RowId(3, _BUCKET, n), 3, 0, row) for n, row in enumerate(START[2:])]
        start = ((FolderKind.DELTA, first), (FolderKind.DELETE_DELTA, ends), (FolderKind.DELTA, more))
        for kind, records in start:
            self._write_as_hive(kind, records)

    def _write_as_hive(self, kind: FolderKind, records: Sequence[Record]) -> None:
        txn_id = self.memory.open_transaction("first", "host", "hive")
        write_id = self.memory.allocate_write_id(txn_id, TABLE)
        operation = OperationKind.INSERT if kind is FolderKind.DELTA else OperationKind.DELETE
        component = LockComponent(TABLE, LockKind.SHARED_READ, operation)
        self.memory.lock(txn_id, [component], "first", "host", "hive")
        folder = FolderName(kind, write_id, write_id, 0).format()
        for name in ("d=0", "d=1") if self.setting.is_partitioned else ("",):
            found = [one for one in records if not name or name == f"d={one.row.d}"]
            root = f"{LOCATION}/{name}".rstrip("/")
            self.files.add_file(f"{root}/{folder}/{FILE}", text=format_records(found))
        self.memory.commit(txn_id)

    def pause_of(self, client: int) -> Callable[[int], None]:
        """How the client pauses."""

        def pause_ms(pause_ms: int) -> None:
            if pause_ms and self.run is not None:
                self.run.wait(client)

        return pause_ms

    def record_insert(self, txn_id: int) -> None:
        """The transaction is one that writes to the table."""
        component = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)
        self.memory.lock(txn_id, [component], "first", "host", "hive")

    def roots(self) -> list[str]:
        """The folders of the table, or of its partitions."""
        if not self.setting.is_partitioned:
            return [LOCATION]
        return [part.location for part in self.memory._partitions[TABLE].values()]

    def write_delta(self, root: str, write_id: int) -> None:
        """A row that nobody is ever to see."""
        record = Record(RowId(write_id, _BUCKET, 0), write_id, 0, Row(99, 0))
        name = FolderName(FolderKind.DELTA, write_id, write_id, 0).format()
        self.files.add_file(f"{root}/{name}/{FILE}", text=format_records([record]))

    def wait_for_work(self, client: int) -> bool:
        """The client waits for what others do. False if they have all ended."""
        assert self.run is not None
        return self.run.wait(client, is_idle=True)

    # what the clients tell of what they do

    def begin(self, client: int, operation: Operation) -> None:
        """The client begins it."""
        operation.stand = Stand.RUNNING
        operation.after = tuple(other for other in self.operations if other.stand is Stand.DONE)
        self.operations.append(operation)
        self.running[client] = operation

    def note_opened(self, client: int, txn_id: int) -> None:
        """The client has opened a transaction."""
        self.owners[txn_id] = client
        if client in self.running:
            self.running[client].txn_ids.append(txn_id)

    def is_struck(self, client: int) -> bool:
        """True if somebody has ended transactions of the client, so that it may fail."""
        return client in self._struck

    def find_committed(self) -> list[Operation]:
        """The operations whose rows count: done, or of a transaction that has recorded a write and is committed."""
        return [operation for operation in self.operations if self._counts(operation)]

    def note_commits(self) -> None:
        """Somebody has committed: which operations count from now on is noted in their order."""
        self.commits += [one for one in self.find_committed() if one not in self.commits]
        for place, operation in enumerate(self.commits):
            operation.place = place

    def _counts(self, operation: Operation) -> bool:
        if operation.is_effective or operation.stand is Stand.DONE:
            return True
        found = (self.memory._transactions.find(txn_id) for txn_id in operation.txn_ids)
        return any(one and one.components and one.state is TransactionState.COMMITTED for one in found)

    def abort_of(self, client: int) -> bool:
        """Ends the open transactions of the client. False if it has none."""
        found = self._open_of(client)
        self._struck.add(client)
        for txn_id in found:
            self.memory.abort(txn_id)
        return bool(found)

    def pass_time(self) -> bool:
        """Waiting requests of Trino, which asks for two locks, and of others may wait for each other."""
        if not self.may_deadlock or self._has_passed:
            return False
        self._has_passed = True
        self.clock.now_ms += LOCK_TIMEOUT_MS
        self._struck |= set(range(len(self.run.clients) if self.run else 0))
        return True

    def has_open(self, client: int) -> bool:
        return bool(self._open_of(client))

    def _open_of(self, client: int) -> list[int]:
        return [txn_id for txn_id in self.open_transactions() if self.owners.get(txn_id) == client]

    def open_transactions(self) -> list[int]:
        """Of all clients."""
        return [one.id for one in self.memory._transactions.listed() if one.state is TransactionState.OPEN]

    # what is there

    def fingerprint(self) -> int:
        """The same for worlds that no call can tell apart."""
        return hash((freeze_metastore(self.memory), self._freeze_files()))

    def _freeze_files(self) -> frozenset[tuple[str, str]]:
        """Without staging, where names are random."""
        return frozenset((path, text) for path, text in self.files.texts.items() if STAGING_PREFIX not in path)

    def view(self) -> object:
        """Equal for worlds in which a reader sees the same."""
        seen = self.memory.valid_transactions(0)
        write_ids = self.memory.valid_write_ids([TABLE], seen)[TABLE]
        files = self._freeze_files()
        compactions = seen if any("_v" in path for path, _ in files) else None
        return write_ids, compactions, files, tuple(self.memory._partitions.get(TABLE, {}))

    def is_closed_to_readers(self) -> bool:
        """True if a reader would have to wait for a lock on the table, or on a partition of it."""
        locks = self.memory.held_locks()
        if not locks:
            return False
        names = self.memory.partition_names(TABLE) if self.setting.is_partitioned else []
        wanted = [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT, name) for name in (None, *names)]
        return bool(find_blockers(self.setting.line, wanted, locks, None))

    def read(self) -> Rows:
        """What a reader sees that begins now. Raises Violation."""
        snapshot = Snapshot(self.memory, self.files, self.memory.valid_transactions(0))
        stored = read_table(snapshot, TABLE, self.setting.is_partitioned, self.files, as_hive=self.is_read_by_hive)
        return show(stored)


def freeze_metastore(memory: MemoryMetastore) -> tuple[object, ...]:
    """All of it that a call can tell, but for times and numbers of heartbeats."""
    table = memory._transactions
    return (
        tuple(
            (one.id, one.state, one.commit_id, frozenset(one.components), one.is_forgotten)
            for one in table._transactions.values()
        ),
        tuple(tuple(ids.items()) for ids in table._write_ids.values()),
        tuple(table._restored.values()),
        tuple((lock.lock_id, lock.component, lock.state) for lock in memory.held_locks()),
        tuple(memory.compactions()),
        tuple(
            (name, part.location, tuple(part.parameters)) for name, part in memory._partitions.get(TABLE, {}).items()
        ),
        tuple(memory._tables[TABLE].parameters.items()) if TABLE in memory._tables else None,
    )
