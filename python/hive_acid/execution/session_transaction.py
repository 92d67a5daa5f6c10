"""A transaction of several statements: one snapshot, one commit, and each statement sees what those before it wrote."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, HiveAcidError, TransactionAborted, build_error
from hive_acid.metastore.types import LockComponent, OperationKind
from hive_acid.model.analysed_table import AnalysedTable
from hive_acid.model.bucket import MAX_STATEMENT
from hive_acid.model.table import TableDescription, TableName
from hive_acid.reading.session_snapshot import SessionSnapshot
from hive_acid.reading.snapshot import Snapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Outcome, Transaction
from hive_acid.transactions.validity import Rule, build_lock_components, find_rule, is_covered
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.engine import Engine, RowCounts, WriteResult
from hive_acid.writing.foreseen_partitions import find_lockable_partitions
from hive_acid.writing.notification import notify
from hive_acid.writing.partitions import TouchedPartitions, add_new, withdraw_statistics
from hive_acid.writing.publication import Publication
from hive_acid.writing.statement import Statement
from hive_acid.writing.table_rules import refuse_unwritable
from hive_acid.writing.table_work import TableWork, refuse_beside_overwrites, refuse_overlap
from hive_acid.writing.writer import TableWrite, Writing


class SessionTransaction:
    """The open transaction of one session; its scans find it by `token`.

    A conflict is not run again, for the statements before have been answered: it is HIVE_ACID_WRITE_CONFLICT, and like
    every error of a statement that writes it leaves a transaction that can only be aborted. Statements come one at a
    time; scans may come from several threads. Unless `reads_own`, statements do not see what those before them wrote.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        writing: Writing,
        settings: config.Settings,
        reads_own: bool = True,
    ) -> None:
        self._warehouse = warehouse
        self._writing = writing
        self._reads_own = reads_own
        self.settings = settings
        self._reads = SessionSnapshot(warehouse, settings)
        self._statements = threading.RLock()
        self._work: dict[TableName, TableWork] = {}
        self._publications: list[Publication] = []
        self._failure: BaseException | None = None
        self.token = uuid.uuid4().hex

    @property
    def txn_id(self) -> int:
        """The metastore's ID; the transaction is opened if it has not been yet."""
        return self._reads.transaction.txn_id

    @property
    def _transaction(self) -> Transaction:
        return self._reads.transaction

    @property
    def written_tables(self) -> tuple[TableName, ...]:
        """The tables with changes, sorted."""
        return tuple(sorted(name for name, work in self._work.items() if work.written))

    @property
    def written(self) -> dict[TableName, tuple[str, ...]]:
        """By table with changes the partitions that were written; none of a flat table."""
        return {name: tuple(sorted(self._work[name].partitions)) for name in self.written_tables}

    # what scans ask, as of a Snapshot

    def read_together(self, tables: Iterable[TableName]) -> None:
        """A query is about to read these tables: they are locked before the snapshot is taken, if it is the first."""
        self._ensure_usable()
        self._reads.read(tables)

    def ensure_same(self, analysed: AnalysedTable) -> None:
        """See Snapshot; the table is locked as SHARED_READ until the transaction ends."""
        self._read(analysed.name).ensure_same(analysed)

    def partition_names(self, table: TableName) -> list[str]:
        """See Snapshot; the table is locked as SHARED_READ until the transaction ends."""
        return self._read(table).partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """See Snapshot, with what the transaction has written; the table is locked as SHARED_READ until it ends."""
        return self._read(table).scan_plan(table, partitions, with_row_ids)

    def _read(self, table: TableName) -> Snapshot:
        self.read_together([table])
        return self._reads.under_lock()

    # statements

    def run(self, statement: Statement, engine: Engine, settings: config.Settings) -> RowCounts:
        """The numbers of rows changed; nobody else sees them yet."""
        with self._statements, self._noting_failure(statement.target):
            return self._run(statement, engine, settings)

    def lock_together(self, statements: Sequence[tuple[Statement, Engine]], settings: config.Settings) -> None:
        """Asks at once for the locks of statements to come, of which there is one at least.

        One after the other, two transactions that overwrite the same partitions could each wait for the other.
        """
        wanted: list[LockComponent] = []
        with self._statements, self._noting_failure(statements[0][0].target):
            for statement, engine in statements:
                table = self._warehouse.metastore.table(statement.target)
                self._find_work(table)  # a lock is recorded with the write ID
                rule, partitions = self._plan_locks(statement, table, engine, settings)
                wanted += build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions)
            self._reads.lock(list(dict.fromkeys(wanted)))

    @contextmanager
    def _noting_failure(self, target: TableName) -> Iterator[None]:
        """A statement that writes runs within it: after an error of it the transaction can only be aborted."""
        self._ensure_usable()
        try:
            yield
        except Conflict as conflict:
            self._failure = build_error(
                "HIVE_ACID_WRITE_CONFLICT",
                txnId=self.txn_id,
                table=target,
                reason=conflict.reason,
                attempts=1,
            )
            raise self._failure from conflict
        except BaseException as error:
            self._failure = error
            raise

    def _run(self, statement: Statement, engine: Engine, settings: config.Settings) -> RowCounts:
        table = self._warehouse.metastore.table(statement.target)
        refuse_unwritable(table, statement, settings)
        statement.refuse_changed(table)
        snapshot = self._reads.before_write_id()
        work = self._find_work(table)
        if self._reads_own:
            refuse_beside_overwrites(statement, work, self.txn_id)
        rule, partitions = self._plan_locks(statement, table, engine, settings)
        whole_table, *_ = build_lock_components(rule, table.name, (), table.is_partitioned)
        if is_covered(whole_table, self._reads.held):
            partitions = None
        self._reads.lock(build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions))
        held_here = [part for part in self._reads.held if part.table == table.name]
        self._writing.unlocked_writers.meet(self._transaction, held_here, settings)
        self._writing.checks.check(rule, self._transaction, table, work.before, work.write_id)
        self._writing.checks.check_partitions(self._transaction, table.name, snapshot)
        self._reads.use(statement.sources)
        publication = Publication(self._warehouse.file_system, table.location, self.txn_id, table.kind.has_row_ids)
        self._publications.append(publication)
        write = TableWrite(self._transaction, rule, table, work.before, work.write_id, partitions, publication)
        result = self._writing.stage(statement, write, snapshot, settings, self.token, engine, work.next_statement_id)
        if not result.folders:
            publication.remove_staging()
            return result.counts
        refuse_overlap(work, result)
        self._transaction.ensure_active()
        touched = self._writing.prepare(write, result)
        if touched is not None:
            self._record(work, touched, rule.operation if partitions is None else None)
        note = self._writing.notes.build(statement, result, self.txn_id, work.write_id, settings)
        publication.publish(self._transaction, result, touched.locations if touched else {}, note)
        self._note(work, result)
        if rule.admits_unlocked_writers:
            work.changes.append((write, touched))
        if settings.flag(config.NOTIFY_WRITES):
            work.unreported.append((result, touched))
        return result.counts

    def _plan_locks(
        self, statement: Statement, table: TableDescription, engine: Engine, settings: config.Settings
    ) -> tuple[Rule, tuple[str, ...] | None]:
        """The rule of the statement, and the partitions to lock by name, None for the whole table."""
        # statements before an overwrite or TRUNCATE may have read what it replaces, and written it elsewhere
        rule = find_rule(statement.kind, self._warehouse.metastore.line, reads_target=True)
        snapshot = self._reads.before_write_id()
        return rule, find_lockable_partitions(statement, table, snapshot, engine, self.token, settings)

    def _find_work(self, table: TableDescription) -> TableWork:
        work = self._work.get(table.name)
        if work is None:
            before = self._reads.before_write_id().write_ids(table.name)
            write_id = self._transaction.allocate_write_id(table.name)
            if before.max_visible >= write_id:
                raise Conflict(self.txn_id, f"write ID {write_id} is not above all that the snapshot sees")
            work = self._work[table.name] = TableWork(table, before, write_id)
        if work.next_statement_id > MAX_STATEMENT - 1:
            reason = "the transaction has used up its statement IDs"
            raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=self.txn_id, reason=reason)
        return work

    def _record(self, work: TableWork, touched: TouchedPartitions, operation: OperationKind | None) -> None:
        """New partitions, and those written to if no lock has named them, before there is a file in them.

        A metastore of the 3.1 line forgets an aborted transaction that has recorded nothing, and a lock for dynamic
        partitions records nothing there: its write ID would count as committed, and its files would be seen.
        """
        add_new(self._warehouse.metastore, work.table, touched, self.txn_id, work.write_id, work.own_view)
        names = sorted(touched.locations)
        if operation is not None:
            self._warehouse.metastore.add_dynamic_partitions(
                self.txn_id, work.write_id, work.table.name, names, operation
            )
        work.partitions |= set(names)

    def _note(self, work: TableWork, result: WriteResult) -> None:
        """Later statements see what this one wrote."""
        work.note(result)
        if self._reads_own:
            self._reads.under_lock().note_written(work.table.name, work.own_view)

    # the end

    def commit(self) -> None:
        """Makes everything visible at once.

        Raises what a statement's commit raises; then nothing is visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN. A
        transaction in which a statement failed is aborted, and HIVE_ACID_TRANSACTION_STATE says so.
        """
        with self._statements:
            try:
                self._ensure_usable()
                if not self._reads.has_begun:
                    return
                if not self.written_tables:
                    self._transaction.end_read()
                    return
                for name in self.written_tables:
                    self._finish(self._work[name])
                self._commit()
            except CommitStateUnknown:
                raise
            except BaseException as error:
                self.abort(error)
                raise

    def _commit(self) -> None:
        changes = [change for work in self._work.values() for change in work.changes]
        try:
            self._writing.close(self._transaction, self._reads.held, changes, self.settings)
            self._transaction.commit()
        except Conflict as conflict:
            raise self._build_conflict(conflict.reason) from conflict
        except TransactionAborted as error:
            if not error.is_write_conflict:
                raise
            raise self._build_conflict(error.getMessageParameters()["reason"]) from error

    def _build_conflict(self, reason: str) -> HiveAcidError:
        tables = ", ".join(str(name) for name in self.written_tables)
        return build_error("HIVE_ACID_WRITE_CONFLICT", txnId=self.txn_id, table=tables, reason=reason, attempts=1)

    def _finish(self, work: TableWork) -> None:
        """What is stale by the commit, and who wants to know of it."""
        withdraw_statistics(
            self._warehouse.metastore, work.table, sorted(work.partitions), work.write_id, work.own_view
        )
        if work.unreported:
            files = self._warehouse.file_system
            notify(self._warehouse.metastore, files, work.table, work.unreported, self.txn_id, work.write_id)

    def abort(self, error: BaseException) -> None:
        """Undoes everything, because of `error`, which gets a note of what could not be undone."""
        with self._statements:
            if self._reads.has_begun and self._transaction.outcome is Outcome.COMMITTED:
                return
            self._failure = self._failure or error
            if not self._reads.has_begun:
                return
            if self._transaction.abort_because(error):
                for publication in self._publications:
                    publication.undo(error)

    def _ensure_usable(self) -> None:
        if self._failure is not None:
            reason = f"a statement in it has failed: {self._failure}"
            txn_id = self.txn_id if self._reads.has_begun else "(none)"
            raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=txn_id, reason=reason)
        if self._reads.has_begun:
            self._transaction.ensure_active()
