"""A statement's whole world in memory: metastore, files, an engine that writes what it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from doubles.memory_metastore import MemoryMetastore
from hive_acid.config import Settings
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.execution.executor import Executor
from hive_acid.metastore.types import MetastoreLine, TransactionState
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.heartbeat import Heartbeat
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite, Statement
from hive_acid.wire.write_spec import RowCounts, WriteResult, WriteSpec, WrittenFolder
from hive_acid.writing.publishing.output_rules import find_place
from support.faults import Clock, FaultyMetastore
from support.memory_file_system import MemoryFileSystem

TABLE = TableName("db", "t")
LOCATION = "/warehouse/t"
TIMEOUT_MS = 300_000
WRITES = {
    StatementKind.UPDATE: RowWrites.UPDATES,
    StatementKind.DELETE: RowWrites.DELETES,
    StatementKind.MERGE: RowWrites.MIXED,
    StatementKind.REPLACE: RowWrites.MIXED,
}


def build_table(**changes: object) -> TableDescription:
    """A flat full-ACID table `db.t (id int, name string)`."""
    values: dict[str, object] = {
        "name": TABLE,
        "location": LOCATION,
        "columns": (Column("id", "int"), Column("name", "string")),
        "parameters": {"transactional": "true", "COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}'},
    }
    return TableDescription(**(values | changes))  # type: ignore[arg-type]


@dataclass
class FakeEngine:
    """Writes as the shim does: `buckets` files per folder and partition by task attempts, then moved by the driver.

    The files stand for `rows` rows per partition. `before` runs first; `fails` is raised at the end of the work.
    `foreseen` are the partitions known before. `there` is how many rows each partition holds, whatever was written.
    """

    file_system: MemoryFileSystem
    rows: int = 3
    fails: BaseException | None = None
    before: Callable[[str], None] | None = None
    partitions: tuple[str, ...] = ("",)
    buckets: int = 1
    foreseen: tuple[str, ...] | None = None
    misspelled: tuple[str, str] | None = None
    there: Mapping[str, int] = field(default_factory=lambda: {"": 10})
    before_count: Callable[[str], None] | None = None
    counted: list[tuple[str, ...] | None] = field(default_factory=list)
    specs: list[WriteSpec] = field(default_factory=list)

    def find_partitions(self, token: str) -> tuple[str, ...] | None:
        return self.foreseen

    def find_misspelled(self, partitions: Sequence[str]) -> tuple[str, str] | None:
        return self.misspelled if self.misspelled and self.misspelled[0] in partitions else None

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        if self.before_count:
            self.before_count(token)
        self.counted.append(None if partitions is None else tuple(partitions))
        return sum(self.there.get(name, 0) for name in (self.there if partitions is None else partitions))

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        self.specs.append(spec)
        base = FolderName(FolderKind.BASE, spec.place.write_id, spec.place.write_id).format()
        folders = tuple(WrittenFolder(base, 0, 50, ("bucket_00000",), partition) for partition in partitions)
        if spec.place.output.id:
            return WriteResult(self._upload(folders, spec, "driver"))
        for folder in () if spec.place.discards else folders:
            self.file_system.add_file(f"{spec.place.staging}/{folder.staged_path}/bucket_00000", folder.bytes)
        return WriteResult(folders)

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        write_id = spec.place.write_id
        self.specs.append(spec)
        if self.before:
            self.before(token)
        files = tuple(f"bucket_{bucket:05d}" for bucket in range(self.buckets))
        folders = [
            WrittenFolder(
                FolderName(kind, write_id, write_id, statement_id).format(),
                self.rows,
                100,
                files,
                partition,
            )
            for partition in (self.partitions if self.rows else ())
            for kind, statement_id in self.folders(spec)
        ]
        staged = [f"{folder.staged_path}/{file}" for folder in folders for file in files]
        if spec.place.output.id:
            self._upload(folders, spec, "overtaken")
            folders = list(self._upload(folders, spec, "winner"))
        elif not spec.place.discards:
            self._store(staged, spec)
        if self.fails:
            raise self.fails
        changed = self.rows * len(self.partitions)
        counts = {"insert": RowCounts(changed), "delete": RowCounts(0, 0, changed)}
        return WriteResult(tuple(folders), counts.get(spec.writes.value, RowCounts(0, changed)))

    def _store(self, staged: Sequence[str], spec: WriteSpec) -> None:
        attempt = f"{spec.place.staging}/attempt-1"
        for path in (*staged, "left-behind"):
            self.file_system.add_file(f"{attempt}/{path}")
        for path in staged:
            self.file_system.rename(f"{attempt}/{path}", f"{spec.place.staging}/{path}")

    def _upload(self, folders: Sequence[WrittenFolder], spec: WriteSpec, attempt: str) -> tuple[WrittenFolder, ...]:
        """As tasks do that a committer of Hadoop's keeps back; each attempt writes files of another length."""
        job, length_bytes = spec.place.output, 100 + len(attempt)
        for folder in folders:
            place = find_place(job, folder.partition)
            root = place if folder.partition in job.elsewhere else job.root
            for file in folder.files:
                self.file_system.upload(job.id, root, attempt, f"{place}/{folder.name}/{file}", length_bytes)
        return tuple(
            replace(folder, sizes=(length_bytes,) * len(folder.files), attempts=(attempt,) * len(folder.files))
            for folder in folders
        )

    @staticmethod
    def folders(spec: WriteSpec) -> list[tuple[FolderKind, int]]:
        """Kind and statement ID of the folders that a statement makes."""
        first = spec.place.statement_id
        if spec.place.overwrites:
            return [(FolderKind.BASE, 0)]
        return {
            "insert": [(FolderKind.DELTA, first)],
            "delete": [(FolderKind.DELETE_DELTA, first)],
            "update": [
                (FolderKind.DELETE_DELTA, first),
                (FolderKind.DELTA, first + 1),
            ],
            "mixed": [
                (FolderKind.DELETE_DELTA, first),
                (FolderKind.DELTA, first + 1),
                (FolderKind.DELTA, first + 2),
            ],
        }[spec.writes.value]


class StillHeartbeat(Heartbeat):
    """Beats when it is asked to. Where time stands still a thread would never have its turn."""

    def _start_thread(self) -> threading.Thread:
        return threading.current_thread()


def keep_still(transactions: TransactionManager) -> TransactionManager:
    """The same without a thread; before it has begun a transaction."""
    transactions.heartbeat = StillHeartbeat(
        transactions.metastore, transactions.heartbeat.timeout_ms, transactions.timing.clock_ms
    )
    return transactions


@dataclass
class World:
    """Metastore, files and executor, with time that stands still."""

    line: MetastoreLine = MetastoreLine.HIVE_4
    settings: dict[str, str] = field(default_factory=dict)
    shared_with: World | None = None
    """The world whose metastore and files this one's executor works on too, as another client does."""

    def __post_init__(self) -> None:
        self.clock = Clock()
        if self.shared_with is not None:
            self.memory, self.file_system = self.shared_with.memory, self.shared_with.file_system
        else:
            self.memory = MemoryMetastore(self.line, clock=self.clock, timeout_ms=TIMEOUT_MS)
            self.memory.add_table(build_table())
            self.file_system = MemoryFileSystem()
            self.file_system.make_folder(LOCATION)
        self.metastore = FaultyMetastore(self.memory)
        self.engine = FakeEngine(self.file_system)
        settings = Settings(self.settings)
        identity = Identity("user", "host", "agent")
        self.transactions = keep_still(TransactionManager(self.metastore, identity, settings, self.clock.timing))
        self.warehouse = Warehouse(self.metastore, self.file_system, self.transactions)
        self.executor = Executor(self.warehouse, settings, self.clock.pause_ms)

    def run(self, kind: StatementKind, **changes: object) -> int:
        """The number of rows changed."""
        return self.executor.run(self.statement(kind, **changes), self.engine).counts.affected

    def dry_run(self, kind: StatementKind, **changes: object) -> DryRun:
        """What the statement would do."""
        return self.executor.dry_run(self.statement(kind, **changes), self.engine)

    def statement(self, kind: StatementKind, **changes: object) -> Statement:
        """A statement on the table as it is now."""
        table = self.memory.table(TABLE)
        values = {
            "kind": kind,
            "writes": WRITES.get(kind, RowWrites.INSERTS),
            "target": TABLE,
            "sources": () if kind is StatementKind.INSERT else (TABLE,),
            "time_zone": "UTC",
            "parallelism": 2,
            "analysed": (describe_analysed(table),),
        }
        if kind in (StatementKind.OVERWRITE, StatementKind.TRUNCATE):
            values |= {"overwrite": Overwrite(), "sources": ()}
        return Statement(**(values | changes))  # type: ignore[arg-type]

    def overwrite_as_another(self, root: str = LOCATION) -> None:
        """An INSERT OVERWRITE of another client, of the table or of the partition that lies at `root`."""
        txn_id = self.memory.open_transaction("other", "host", "agent")
        write_id = self.memory.allocate_write_id(txn_id, TABLE)
        self.file_system.add_file(f"{root}/base_{write_id:07d}/bucket_00000")
        self.memory.commit(txn_id)

    def folders(self) -> list[str]:
        """Names of all folders in the table, hidden ones too."""
        prefix = LOCATION + "/"
        return sorted({path[len(prefix) :].split("/")[0] for path in self.file_system.files if path.startswith(prefix)})

    def open_transactions(self) -> list[int]:
        return [info.id for info in self.memory.transactions() if info.state is TransactionState.OPEN]

    def visible_write_ids(self) -> list[int]:
        """Write IDs that a new snapshot sees and that have a folder."""
        write_ids = self.memory.valid_write_ids([TABLE], self.memory.valid_transactions(0))[TABLE]
        parsed = (FolderName.parse(name) for name in self.folders())
        return sorted({name.max_write_id for name in parsed if name and write_ids.is_valid(name.max_write_id)})

    def time_out(self) -> None:
        """Lets every forgotten transaction time out."""
        self.clock.now_ms += TIMEOUT_MS + 1
        self.memory.transactions()
