"""A transaction of several statements: one snapshot, one commit, and each statement sees what those before it wrote."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, build_error
from hive_acid.execution.conflicts import Conflict
from hive_acid.execution.engine import Engine, RowCounts, WriteResult
from hive_acid.execution.notification import notify
from hive_acid.execution.partitions import TouchedPartitions, add_new, withdraw_statistics
from hive_acid.execution.publication import Publication
from hive_acid.execution.snapshots import Snapshot
from hive_acid.execution.statement import Statement, refuse_other_columns
from hive_acid.execution.target import refuse_unwritable
from hive_acid.execution.writing import TableWrite, Writing, find_lockable_partitions
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, OperationKind
from hive_acid.model.bucket import MAX_STATEMENT
from hive_acid.model.names import FolderName, is_base
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Outcome, TransactionManager
from hive_acid.transactions.validity import build_lock_components, build_read_lock, find_rule, is_covered


@dataclass
class _TableWork:
    """What the transaction does to one table.

    `unreported` is told to listeners at the commit.
    """

    table: TableDescription
    before: ValidWriteIdList
    write_id: int
    next_statement_id: int = 0
    partitions: set[str] = field(default_factory=set)
    is_written: bool = False
    is_overwritten: bool = False
    unreported: list[tuple[WriteResult, TouchedPartitions | None]] = field(default_factory=list)


class SessionTransaction:
    """The open transaction of one session; its scans find it by `token`.

    A conflict is not run again, for the statements before have been answered: it is HIVE_ACID_WRITE_CONFLICT, and like
    every error of a statement that writes it leaves a transaction that can only be aborted. Statements come one at a
    time; scans may come from several threads. Unless `reads_own`, statements do not see what those before them wrote.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        transactions: TransactionManager,
        writing: Writing,
        settings: config.Settings,
        reads_own: bool = True,
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._writing = writing
        self._reads_own = reads_own
        self.settings = settings
        self._transaction = transactions.begin("its tables", settings)
        self._snapshot = Snapshot(metastore, file_system, self._transaction.snapshot)
        self._statements = threading.RLock()
        self._reads = threading.Lock()
        self._held: list[LockComponent] = []
        self._work: dict[TableName, _TableWork] = {}
        self._publications: list[Publication] = []
        self._failure: BaseException | None = None
        self.token = uuid.uuid4().hex

    @property
    def txn_id(self) -> int:
        """The metastore's ID."""
        return self._transaction.txn_id

    @property
    def written_tables(self) -> tuple[TableName, ...]:
        """The tables with changes, sorted."""
        return tuple(sorted(name for name, work in self._work.items() if work.is_written))

    @property
    def written(self) -> dict[TableName, tuple[str, ...]]:
        """By table with changes the partitions that were written; none of a flat table."""
        return {name: tuple(sorted(self._work[name].partitions)) for name in self.written_tables}

    # what scans ask, as of a Snapshot

    def partition_names(self, table: TableName) -> list[str]:
        """See Snapshot; the table is locked as SHARED_READ until the transaction ends."""
        self._lock_read(table)
        return self._snapshot.partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """See Snapshot, with what the transaction has written; the table is locked as SHARED_READ until it ends."""
        self._lock_read(table)
        return self._snapshot.scan_plan(table, partitions, with_row_ids)

    def _lock_read(self, table: TableName) -> None:
        self._ensure_usable()
        with self._reads:
            self._lock([build_read_lock(table)])

    def _lock(self, components: Sequence[LockComponent]) -> None:
        """Waits for those that the transaction does not hold yet."""
        wanted = [component for component in components if not is_covered(component, self._held)]
        if wanted:
            self._transaction.lock(wanted)
            self._held += wanted

    # statements

    def run(self, statement: Statement, engine: Engine, settings: config.Settings) -> RowCounts:
        """The numbers of rows changed; nobody else sees them yet."""
        with self._statements:
            self._ensure_usable()
            try:
                return self._run(statement, engine, settings)
            except Conflict as conflict:
                self._failure = build_error(
                    "HIVE_ACID_WRITE_CONFLICT",
                    txnId=self.txn_id,
                    table=statement.target,
                    reason=conflict.reason,
                    attempts=1,
                )
                raise self._failure from conflict
            except BaseException as error:
                self._failure = error
                raise

    def _run(self, statement: Statement, engine: Engine, settings: config.Settings) -> RowCounts:
        table = self._metastore.table(statement.target)
        refuse_unwritable(table, statement, settings)
        refuse_other_columns(statement, table)
        work = self._find_work(table)
        _refuse_beside_overwrites(statement, work, self.txn_id)
        # statements before an overwrite or TRUNCATE may have read what it replaces, and written it elsewhere
        rule = find_rule(statement.kind, self._metastore.line, reads_target=True)
        partitions = find_lockable_partitions(statement, table, self._snapshot, engine, self.token, settings)
        whole_table, *_ = build_lock_components(rule, table.name, (), table.is_partitioned)
        if is_covered(whole_table, self._held):
            partitions = None
        self._lock(build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions))
        self._writing.checks.check(rule, self._transaction, table, work.before, work.write_id)
        self._writing.checks.check_partitions(self._transaction, table.name, self._snapshot)
        publication = Publication(self._file_system, table.location, self.txn_id, table.kind.has_row_ids)
        self._publications.append(publication)
        write = TableWrite(self._transaction, rule, table, work.before, work.write_id, partitions, publication)
        result = self._writing.stage(
            statement, write, self._snapshot, settings, self.token, engine, work.next_statement_id
        )
        if not result.folders:
            publication.remove_staging()
            return result.counts
        self._transaction.ensure_active()
        touched = self._writing.prepare(write, result)
        if touched is not None:
            self._record(work, touched, rule.operation if partitions is None else None)
        note = self._writing.notes.build(statement, result, self.txn_id, work.write_id, settings)
        publication.publish(result, touched.locations if touched else {}, note)
        self._note(work, result)
        if settings.flag(config.NOTIFY_WRITES):
            work.unreported.append((result, touched))
        return result.counts

    def _find_work(self, table: TableDescription) -> _TableWork:
        work = self._work.get(table.name)
        if work is None:
            before = self._snapshot.write_ids(table.name)
            write_id = self._transaction.allocate_write_id(table.name)
            if before.max_visible >= write_id:
                raise Conflict(self.txn_id, f"write ID {write_id} is not above all that the snapshot sees")
            work = self._work[table.name] = _TableWork(table, before, write_id)
        if work.next_statement_id > MAX_STATEMENT - 1:
            reason = "the transaction has used up its statement IDs"
            raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=self.txn_id, reason=reason)
        return work

    def _record(self, work: _TableWork, touched: TouchedPartitions, operation: OperationKind | None) -> None:
        """New partitions, and those written to if no lock has named them, before there is a file in them.

        A metastore of the 3.1 line forgets an aborted transaction that has recorded nothing, and a lock for dynamic
        partitions records nothing there: its write ID would count as committed, and its files would be seen.
        """
        add_new(self._metastore, work.table, touched, work.write_id, work.before.with_own(work.write_id))
        names = sorted(touched.locations)
        if operation is not None:
            self._metastore.add_dynamic_partitions(self.txn_id, work.write_id, work.table.name, names, operation)
        work.partitions |= set(names)

    def _note(self, work: _TableWork, result: WriteResult) -> None:
        """Later statements write under greater statement IDs, and see what this one wrote."""
        work.is_written = True
        work.is_overwritten = any(is_base(folder.name) for folder in result.folders)
        names = (FolderName.parse(folder.name) for folder in result.folders)
        work.next_statement_id = 1 + max(name.statement_id or 0 for name in names if name)
        if self._reads_own:
            self._snapshot.note_written(work.table.name, work.before.with_own(work.write_id))

    # the end

    def commit(self) -> None:
        """Makes everything visible at once.

        Raises what a statement's commit raises; then nothing is visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN. A
        transaction in which a statement failed is aborted, and HIVE_ACID_TRANSACTION_STATE says so.
        """
        with self._statements:
            try:
                self._ensure_usable()
                if not self.written_tables:
                    self._transaction.end_read()
                    return
                for name in self.written_tables:
                    self._finish(self._work[name])
                self._transaction.commit()
            except CommitStateUnknown:
                raise
            except BaseException as error:
                self.abort(error)
                raise

    def _finish(self, work: _TableWork) -> None:
        """What is stale by the commit, and who wants to know of it."""
        own_view = work.before.with_own(work.write_id)
        withdraw_statistics(self._metastore, work.table, sorted(work.partitions), work.write_id, own_view)
        if work.unreported:
            files = self._file_system
            notify(self._metastore, files, work.table, work.unreported, self.txn_id, work.write_id)

    def abort(self, error: BaseException) -> None:
        """Undoes everything, because of `error`, which gets a note of what could not be undone."""
        with self._statements:
            if self._transaction.outcome is Outcome.COMMITTED:
                return
            self._failure = self._failure or error
            if self._transaction.abort_because(error):
                for publication in self._publications:
                    publication.undo(error)

    def _ensure_usable(self) -> None:
        if self._failure is not None:
            reason = f"a statement in it has failed: {self._failure}"
            raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=self.txn_id, reason=reason)
        self._transaction.ensure_active()


def _refuse_beside_overwrites(statement: Statement, work: _TableWork, txn_id: int) -> None:
    """A base hides all else that is written under its write ID, which is one per transaction and table."""
    if work.is_overwritten or (statement.overwrite is not None and work.is_written):
        reason = f"an overwrite or TRUNCATE of {statement.target} must be the only statement in it that writes there"
        raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=txn_id, reason=reason)
