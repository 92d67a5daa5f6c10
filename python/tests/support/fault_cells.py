"""One cell of the matrix of faults in memory: a statement, a fault at one of its steps, what a fresh reader finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hive_acid.config import LOCK_TIMEOUT_MS, Settings
from hive_acid.errors import CommitStateUnknown, HiveAcidError, LockTimeout
from hive_acid.execution.executor import Executor
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.names import OVERWRITE_FILE, STAGING_PREFIX, FolderName
from hive_acid.model.table import Column, Partition, TableKind
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.table_snapshot import load_scan_plan
from hive_acid.transactions.locks import OUR_AGENT, Identity, Timing
from hive_acid.transactions.manager import TransactionManager
from hive_acid.wire.statement_kinds import StatementKind
from support.conditions import main_condition
from support.fault_points import ENGINE, FILES, METASTORE, Call, FaultPoints, Killed, Step
from support.mutations import Mutation
from support.statements import LOCATION, TABLE, FakeEngine, World, build_table, keep_still

SETTINGS = {"spark.hiveacid.lock.timeoutMs": "10000", "spark.hiveacid.commit.resolveTimeoutMs": "20000"}
PARTITIONS = ("d=new", "d=old")
"""The partitions that statements write: one is not there yet, the other lies elsewhere."""
FILES_PER_FOLDER = 2


@dataclass(frozen=True)
class End:
    """How a statement ended.

    `report` is what its caller was told: `done`, `unknown` (commit state), `killed` (nothing) or the name of an error:
    its condition, or its class. `is_visible` is what a fresh reader finds: all of it or nothing. `open` and `files` say
    that a transaction is left to time out, and files that no reader sees are left behind.
    """

    report: str
    is_visible: bool
    open: bool = False
    files: bool = False

    def __str__(self) -> str:
        left = [what for what, is_left in (("transaction", self.open), ("files", self.files)) if is_left]
        return f"{self.report}, {'done' if self.is_visible else 'undone'}" + (f", leaves {left}" if left else "")


class Cell:
    """A table with rows, and a statement about to run, whose every call is a step of `points`.

    `store` is what all paths begin with, such as `s3a://lake`.
    """

    def __init__(
        self, mutation: Mutation, line: MetastoreLine, kind: TableKind = TableKind.FULL_ACID, store: str = ""
    ) -> None:
        self.mutation = mutation
        self._location = f"{store}{LOCATION}"
        self._partitions = {"d=new": f"{self._location}/d=new", "d=old": f"{store}/elsewhere/old"}
        self.world = world = World(line, SETTINGS)
        world.memory.add_table(build_table(location=self._location))
        if mutation.is_partitioned:
            columns = (Column("d", "string"),)
            world.memory.add_table(build_table(location=self._location, partition_columns=columns))
            world.memory.add_partition(TABLE, Partition("d=old", ("old",), self._partitions["d=old"]))
            world.engine.partitions = ("d=old",)
        if kind is TableKind.INSERT_ONLY:
            table = world.memory.table(TABLE)
            insert_only = {"transactional": "true", "transactional_properties": "insert_only"}
            world.memory.add_table(replace(table, parameters=insert_only, input_format="a.OrcInputFormat"))
        world.run(StatementKind.INSERT)  # the rows that are there
        world.transactions.close()
        self._untouched = self._data_files()
        self._others: list[int] = []
        self._pauses_left = 0
        self.error: BaseException | None = None
        self.points = FaultPoints()
        self.transactions, self._executor, self._engine = self._build_client(self.points)
        self._statement = world.statement(mutation.kind)
        self.points.restart()

    def _build_client(self, points: FaultPoints) -> tuple[TransactionManager, Executor, FakeEngine]:
        """A process that runs statements. Its engine scans the table and writes to all partitions."""
        settings, identity = Settings(SETTINGS), Identity("user", "host", OUR_AGENT)
        metastore = points.watch(METASTORE, self.world.memory)
        files = points.watch(FILES, self.world.file_system)
        timing = Timing(self.world.clock, self.pause_ms, self.pause_ms)
        transactions = keep_still(TransactionManager(metastore, identity, settings, timing))
        executor = Executor(Warehouse(metastore, files, transactions), settings, self.pause_ms)

        def scan(token: str) -> None:
            names = metastore.partition_names(TABLE) if self.mutation.is_partitioned else None
            executor.snapshots[token].scan_plan(TABLE, names)

        partitions = PARTITIONS if self.mutation.is_partitioned else ("",)
        foreseen = partitions if self.mutation.names_partitions else None
        engine = FakeEngine(files, before=scan, partitions=partitions, foreseen=foreseen, buckets=FILES_PER_FOLDER)
        return transactions, executor, engine

    @property
    def replaces(self) -> bool:
        """True if the statement replaces all rows."""
        return self.mutation.kind in (StatementKind.OVERWRITE, StatementKind.TRUNCATE)

    def strike(self, position: int, act: Callable[[Cell, Step, Call], object]) -> None:
        """From the call at the position on, `act` stands in for every call."""
        self.points.at = position
        self.points.strike = lambda step, call: act(self, step, call)

    def pause_ms(self, pause_ms: int) -> None:
        """Time passes; the transactions of others are kept alive."""
        if self.points.is_dead:
            raise Killed
        self.world.clock.pause_ms(pause_ms)
        for txn_id in self._others:
            self.world.memory.heartbeat(txn_id)
        self._pauses_left -= 1
        if self._pauses_left == 0:
            self._commit_as_another(self._others[-1])

    def run(self) -> End:
        """Runs the statement and looks at what is there then, as `End` says."""
        report = self._report()
        self.points.heal()
        is_open = bool(set(self.world.open_transactions()) - set(self._others))
        self.world.time_out()
        assert self.world.open_transactions() == []
        assert self.world.memory.held_locks() == []
        ours, everything = self._written(), self._visible()
        visible = everything - self._untouched
        assert visible in (ours, set()), f"visible in part: {sorted(visible)}"
        is_visible = visible == ours != set()
        assert not (is_visible and self.replaces) or everything == ours, f"not replaced: {sorted(everything - ours)}"
        kept = ours if is_visible or report == "unknown" else set()
        return End(report, is_visible, is_open, files=self._data_files() != self._untouched | kept)

    def _report(self) -> str:
        try:
            changed = self._executor.run(self._statement, self.points.watch(ENGINE, self._engine)).counts.affected
        except CommitStateUnknown:
            return "unknown"
        except Killed:
            return "killed"
        except BaseException as error:  # noqa: BLE001 (an interrupt too is an end)
            self.error = error
            return main_condition(error) if isinstance(error, HiveAcidError) else type(error).__name__
        finally:
            self.transactions.close()
        rows = 0 if self.mutation.kind is StatementKind.TRUNCATE else self._engine.rows
        assert changed == rows * len(self._engine.partitions)
        return "done"

    def run_again(self) -> End:
        """The same statement in a new process, which nothing hinders."""
        self._untouched = self._data_files() - self._repaired()
        self._others.clear()
        self.points = FaultPoints()
        self.transactions, self._executor, self._engine = self._build_client(self.points)
        self._statement = self.world.statement(self.mutation.kind)
        return self.run()

    # what other clients do, if they get their lock at once

    def lock_as_another(self) -> int:
        """A transaction that holds the table for itself and stays open: its ID, or 0 if somebody has a lock."""
        memory = self.world.memory
        txn_id = memory.open_transaction("somebody", "elsewhere", "their tool")
        memory.valid_transactions(txn_id)
        memory.allocate_write_id(txn_id, TABLE)
        component = LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
        _, state = memory.lock(txn_id, [component], "somebody", "elsewhere", "their tool")
        if state is not LockState.ACQUIRED:
            memory.abort(txn_id)
            return 0
        self._others.append(txn_id)
        return txn_id

    def lock_for_a_while(self) -> None:
        """The same, until this process has paused three times."""
        if self.lock_as_another():
            self._pauses_left = 3

    def _commit_as_another(self, txn_id: int) -> None:
        self.world.memory.commit(txn_id)
        self._others.remove(txn_id)

    def change_as_another(self) -> None:
        """A whole UPDATE."""
        before = self._data_files()
        transactions, executor, engine = self._build_client(FaultPoints())
        at_once = self.world.statement(StatementKind.UPDATE, settings={LOCK_TIMEOUT_MS.key: "0"})
        try:
            executor.run(at_once, engine)
        except LockTimeout:
            return
        finally:
            transactions.close()
        self._untouched |= self._data_files() - before

    def overwrite_as_another(self) -> None:
        """An INSERT OVERWRITE of the whole table."""
        if txn_id := self.lock_as_another():
            base = f"base_{self.world.memory.allocate_write_id(txn_id, TABLE):07d}"
            paths = {f"{root}/{base}/bucket_00000" for root in self._roots()}
            for path in paths:
                self.world.file_system.add_file(path)
            self._untouched |= paths
            self._commit_as_another(txn_id)

    def alter_as_another(self) -> None:
        """A column gets another name."""
        if txn_id := self.lock_as_another():
            table = self.world.memory.table(TABLE)
            columns = (table.columns[0], replace(table.columns[1], name="renamed"))
            self.world.memory.add_table(replace(table, columns=columns))
            self._commit_as_another(txn_id)

    # what is there

    def _roots(self) -> list[str]:
        if not self.mutation.is_partitioned:
            return [self._location]
        names = self.world.memory.partition_names(TABLE)
        return [partition.location for partition in self.world.memory.partitions(TABLE, names)]

    def _data_files(self) -> set[str]:
        """All files but the version files, in staging folders too."""
        return {path for path in self.world.file_system.files if not path.rpartition("/")[2].startswith("_")}

    def _repaired(self) -> set[str]:
        """Files of an aborted overwrite that the next statement removes: readers of Hive may take its base."""
        files = self.world.file_system.files
        marks = [path for path in files if path.endswith(f"/{OVERWRITE_FILE}") and STAGING_PREFIX not in path]
        bases = {path.rpartition("/")[0] for path in marks} - {path.rpartition("/")[0] for path in self._visible()}
        return {path for path in files if path.rpartition("/")[0] in bases}

    def _written(self) -> set[str]:
        """The files that the statement should leave: of its last attempt; none if none came to writing."""
        if not self._engine.specs:
            return set()
        spec = self._engine.specs[-1]
        roots = list(self._partitions.values()) if self.mutation.is_partitioned else [self._location]
        count = FILES_PER_FOLDER
        if self.mutation.kind is StatementKind.TRUNCATE:
            roots, count = self._roots(), 1
        names = [
            FolderName(kind, spec.place.write_id, spec.place.write_id, statement_id).format()
            for kind, statement_id in FakeEngine.folders(spec)
        ]
        files = [f"bucket_{bucket:05d}" for bucket in range(count)]
        return {f"{root}/{name}/{file}" for root in roots for name in names for file in files}

    def _visible(self) -> set[str]:
        """The files that a new snapshot reads."""
        memory = self.world.memory
        transactions = memory.valid_transactions(0)
        write_ids = memory.valid_write_ids([TABLE], transactions)[TABLE]
        names = memory.partition_names(TABLE)
        partitions = memory.partitions(TABLE, names) if self.mutation.is_partitioned else None
        plan = load_scan_plan(self.world.file_system, memory.table(TABLE), partitions, write_ids, transactions)
        folders = [folder for part in plan.partitions for folder in (*part.folders, *part.deletes.folders)]
        return {f"{folder.path}/{file.path}" for folder in folders for file in folder.files}
