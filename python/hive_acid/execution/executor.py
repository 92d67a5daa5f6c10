"""The steps of a writing statement, in order."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, TransactionAborted, WriteConflict, build_error
from hive_acid.execution.dry_run import rehearse
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableDescription, TableName
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.snapshot import ScannedSnapshot, Snapshot, scannable
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.manager import Outcome, Transaction
from hive_acid.transactions.validity import build_lock_components, find_rule
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.engine import Engine, RowCounts, WriteResult
from hive_acid.writing.foreseen_partitions import find_lockable_partitions
from hive_acid.writing.kept_lock import Gate
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.notification import notify
from hive_acid.writing.partitions import TouchedPartitions, register
from hive_acid.writing.publication import Publication
from hive_acid.writing.statement import Statement
from hive_acid.writing.table_rules import refuse_unwritable
from hive_acid.writing.writer import TableWrite, Writing

LOG = logging.getLogger(__name__)
MIN_RESTART_PAUSE_MS = 20
MAX_RESTART_PAUSE_MS = 500
AfterCommit = Callable[[Mapping[TableName, Sequence[str]], config.Settings], None]


class Executor:
    """Runs statements against one metastore. `snapshots` is where scans find the snapshot of a running statement.

    `pause_ms` waits, and raises if the statement was cancelled. `after_commit` is told, by table, which partitions a
    committed statement has written, and must not raise. `notes` writes those for the history.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        settings: config.Settings,
        pause_ms: Callable[[int], None],
        after_commit: AfterCommit | None = None,
        notes: NoteWriter | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._settings = settings
        self._pause_ms = pause_ms
        self._after_commit = after_commit
        self.snapshots: dict[str, ScannedSnapshot] = {}
        self._writing = Writing(
            warehouse.metastore, warehouse.file_system, pause_ms, self.snapshots, notes or NoteWriter()
        )

    def dry_run(self, statement: Statement, engine: Engine) -> DryRun:
        """What `run` would do now; see `rehearse`."""
        settings = self._settings.overridden_by(statement.settings)
        reading = ReadTransaction(self._warehouse, settings)
        return rehearse(statement, engine, settings, self._warehouse.metastore, reading, self._writing, self.snapshots)

    def begin_transaction(self, session_settings: Mapping[str, str], reads_own: bool = True) -> SessionTransaction:
        """Opens a transaction of several statements; whoever began it ends it by `end_transaction`."""
        settings = self._settings.overridden_by(session_settings)
        begun = SessionTransaction(self._warehouse, self._writing, settings, reads_own)
        self.snapshots[begun.token] = begun
        return begun

    def end_transaction(self, transaction: SessionTransaction, error: BaseException | None) -> None:
        """Commits the transaction, or aborts it because of an error."""
        try:
            if error is None:
                transaction.commit()
                self._tell(transaction.written, transaction.settings)
            else:
                transaction.abort(error)
        finally:
            self.snapshots.pop(transaction.token, None)

    def run_within(self, token: str, statement: Statement, engine: Engine) -> RowCounts:
        """Runs a statement of the transaction with this token."""
        transaction = self.snapshots.get(token)
        if not isinstance(transaction, SessionTransaction):
            raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId="(ended)", reason="it has ended")
        return transaction.run(statement, engine, self._settings.overridden_by(statement.settings))

    def run_together(self, statements: Sequence[tuple[Statement, Engine]]) -> RowCounts:
        """Runs statements, of which there is one at least, as one: in one transaction, each as if it were the first.

        The rows changed by all, once they are committed. Lost races and errors as in `run`.
        """
        settings = self._settings.overridden_by(statements[0][0].settings)
        max_attempts = settings.number(config.MAX_ATTEMPTS)
        for attempt in range(1, max_attempts + 1):
            try:
                return self._run_together(statements)
            except WriteConflict as conflict:
                LOG.info("statements run again: %s", conflict)
                lost = conflict
            self._pause_after(attempt)
        raise build_error("HIVE_ACID_WRITE_CONFLICT", **{**lost.getMessageParameters(), "attempts": max_attempts})

    def _run_together(self, statements: Sequence[tuple[Statement, Engine]]) -> RowCounts:
        transaction = self.begin_transaction(statements[0][0].settings, reads_own=False)
        counts = RowCounts()
        try:
            if any(statement.overwrite is not None for statement, _ in statements):
                transaction.lock_together(statements, transaction.settings)
            for statement, engine in statements:
                settings = self._settings.overridden_by(statement.settings)
                counts = counts.joined(transaction.run(statement, engine, settings))
        except BaseException as error:
            self.end_transaction(transaction, error)
            raise
        self.end_transaction(transaction, None)
        return counts

    def run(self, statement: Statement, engine: Engine) -> RowCounts:
        """The numbers of rows changed, once they are committed.

        A lost race is run again in a new transaction, at most `maxAttempts` times; then HIVE_ACID_WRITE_CONFLICT. Any
        other error leaves nothing visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN, after which nobody knows.
        """
        settings = self._settings.overridden_by(statement.settings)
        max_attempts = settings.number(config.MAX_ATTEMPTS)
        gate: Gate | None = None
        try:
            for attempt in range(1, max_attempts + 1):
                table = self._warehouse.metastore.table(statement.target)
                refuse_unwritable(table, statement, settings)
                statement.refuse_changed(table)
                try:
                    return self._attempt(statement, table, settings, engine, gate)
                except Conflict as conflict:
                    LOG.info("%s of %s runs again: %s", statement.kind.title, table.name, conflict.reason)
                    lost = conflict
                    if gate is not None and gate is not conflict.gate:
                        gate.release()
                    gate = conflict.gate
                if gate is None:  # behind a gate nobody else is in the way
                    self._pause_after(attempt)
        finally:
            if gate is not None:
                gate.release()
        raise build_error(
            "HIVE_ACID_WRITE_CONFLICT",
            txnId=lost.txn_id,
            table=statement.target,
            reason=lost.reason,
            attempts=max_attempts,
        )

    def _pause_after(self, attempt: int) -> None:
        self._pause_ms(random.randint(MIN_RESTART_PAUSE_MS, min(MAX_RESTART_PAUSE_MS, 50 * 2**attempt)))

    def _attempt(
        self,
        statement: Statement,
        table: TableDescription,
        settings: config.Settings,
        engine: Engine,
        gate: Gate | None,
    ) -> RowCounts:
        rule = find_rule(statement.kind, self._warehouse.metastore.line, statement.target in statement.sources)
        if gate is not None:
            rule = rule.behind_gate()
        transaction = self._warehouse.transactions.begin(str(table.name), settings)
        publication = Publication(
            self._warehouse.file_system, table.location, transaction.txn_id, table.kind.has_row_ids
        )
        with self._ended(transaction, publication), self._scannable(transaction, table) as (snapshot, token):
            before = snapshot.write_ids(table.name)
            write_id = transaction.allocate_write_id(table.name)
            if before.max_visible >= write_id:
                raise Conflict(transaction.txn_id, f"write ID {write_id} is not above all that the snapshot sees")
            partitions = find_lockable_partitions(statement, table, snapshot, engine, token, settings)
            components = build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions)
            _lock(transaction, components, gate, partitions)
            self._writing.unlocked_writers.meet(transaction, components, settings)
            try:
                self._writing.checks.check(rule, transaction, table, before, write_id)
                self._writing.checks.check_partitions(transaction, table.name, snapshot)
                self._writing.checks.check_sources(transaction, table, snapshot, statement.sources)
            except Conflict as conflict:
                conflict.gate = gate or (Gate(transaction, partitions) if rule.can_be_gate else None)
                raise
            write = TableWrite(transaction, rule, table, before, write_id, partitions, publication)
            result = self._writing.stage(statement, write, snapshot, settings, token, engine)
            if not result.folders:
                # nothing is left for the initiator to look at
                transaction.abort()
                publication.remove_staging()
                return result.counts
            transaction.ensure_active()
            if gate is not None:
                gate.ensure_active()
            touched = self._publish(statement, write, result, settings)
            self._writing.close(transaction, components, [(write, touched)], settings)
            _commit(transaction)
        self._tell({table.name: result.partitions if table.is_partitioned else ()}, settings)
        return result.counts

    @contextmanager
    def _scannable(self, transaction: Transaction, table: TableDescription) -> Iterator[tuple[Snapshot, str]]:
        """The transaction's snapshot, and the token under which scans find it."""
        snapshot = Snapshot(self._warehouse.metastore, self._warehouse.file_system, transaction.own_snapshot(), table)
        with scannable(self.snapshots, snapshot) as token:
            yield snapshot, token

    def _tell(self, written: Mapping[TableName, Sequence[str]], settings: config.Settings) -> None:
        if self._after_commit is not None:
            self._after_commit(written, settings)

    def _publish(
        self, statement: Statement, write: TableWrite, result: WriteResult, settings: config.Settings
    ) -> TouchedPartitions | None:
        """The steps from staging to just before the commit."""
        txn_id, table = write.transaction.txn_id, write.table
        touched = self._writing.prepare(write, result)
        own_view = write.before.with_own(write.write_id)
        operation = write.rule.operation if write.partitions is None else None
        register(self._warehouse.metastore, table, touched, operation, txn_id, write.write_id, own_view)
        # last: the base of an overwrite must not lie there longer than needed
        note = self._writing.notes.build(statement, result, txn_id, write.write_id, settings)
        write.publication.publish(write.transaction, result, touched.locations if touched else {}, note)
        if settings.flag(config.NOTIFY_WRITES):
            notify(
                self._warehouse.metastore,
                self._warehouse.file_system,
                table,
                [(result, touched)],
                txn_id,
                write.write_id,
            )
        return touched

    @contextmanager
    def _ended(self, transaction: Transaction, publication: Publication) -> Iterator[None]:
        """Afterwards the transaction has ended, and what it wrote is undone unless it may count."""
        try:
            yield
        except CommitStateUnknown:
            raise
        except BaseException as error:
            if isinstance(error, Conflict) and error.gate is not None and error.gate.is_kept_by(transaction):
                raise
            if transaction.outcome is not Outcome.COMMITTED and transaction.abort_because(error):
                publication.undo(error)
            raise


def _lock(
    transaction: Transaction,
    components: tuple[LockComponent, ...],
    gate: Gate | None,
    partitions: tuple[str, ...] | None,
) -> None:
    """Behind a gate nobody waits: who stands in the way waits for the gate itself. Raises Conflict then."""
    if gate is None:
        transaction.lock(components)
    elif not gate.covers(partitions):
        raise Conflict(transaction.txn_id, "the statement touches partitions that were not there before")
    elif not transaction.try_lock(components):
        raise Conflict(transaction.txn_id, "another transaction waits for an exclusive lock")


def _commit(transaction: Transaction) -> None:
    """Raises Conflict if the metastore ended the transaction because another one had changed the same rows."""
    try:
        transaction.commit()
    except TransactionAborted as error:
        if not error.is_write_conflict:
            raise
        raise Conflict(transaction.txn_id, error.getMessageParameters()["reason"]) from error
