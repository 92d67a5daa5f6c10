"""Runs writing statements: each in a transaction of its own, several in one, or for show."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import SnapshotUnavailable, WriteConflict, build_error
from hive_acid.errors.outcome import StatementOutcome, tell, telling
from hive_acid.execution.dry_run import perform_dry_run
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.execution.scope import Tools, WritingScope
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.execution.statement_transaction import StatementTransaction
from hive_acid.execution.steps import ALONE
from hive_acid.execution.watch import Watch
from hive_acid.model.table import TableName
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.wire.statements import Statement, StatementAnswer
from hive_acid.wire.write_spec import RowCounts
from hive_acid.writing.conflicts import Conflict, GivesWay, LostTogether, meeting_lost_files
from hive_acid.writing.engine import Engine
from hive_acid.writing.kept_lock import KeptLock
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.stages import Request

LOG = logging.getLogger(__name__)
MIN_RESTART_PAUSE_MS = 20
MAX_RESTART_PAUSE_MS = 500
AfterCommit = Callable[[Mapping[TableName, Sequence[str]], config.Settings], None]


@dataclass
class Way:
    """How long a statement has given way to exclusive locks."""

    clock_ms: Callable[[], int]
    limit_ms: int
    _since_ms: int | None = None

    def give(self, conflict: GivesWay, table: TableName) -> int:
        """The change of the number of attempts. Raises HIVE_ACID_LOCK_TIMEOUT after the limit."""
        now_ms = self.clock_ms()
        self._since_ms = now_ms if self._since_ms is None else self._since_ms
        if now_ms - self._since_ms >= self.limit_ms:
            raise conflict.build_timeout(table, now_ms - self._since_ms) from None
        return -1


class Executor:
    """Runs statements against one metastore. `snapshots` is where scans find the snapshot of a running statement.

    `pause_ms` waits, and raises if the statement was cancelled. `after_commit` is told, by table, which partitions a
    committed statement has written, and must not raise. `notes` writes those for the history. `observe` is told of each
    writing statement that has ended, and must not raise.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        settings: config.Settings,
        pause_ms: Callable[[int], None],
        after_commit: AfterCommit | None = None,
        notes: NoteWriter | None = None,
    ) -> None:
        self._settings = settings
        self._after_commit = after_commit
        self.snapshots: dict[str, ScannedSnapshot] = {}
        self._tools = Tools(warehouse, pause_ms, self.snapshots, notes or NoteWriter())
        self.observe: Callable[[Watch], None] | None = None
        self.follow = Watch.follow

    def dry_run(self, statement: Statement, engine: Engine) -> DryRun:
        """The effects that `run` would have now; see `perform_dry_run`."""
        request = self._build_request(statement, engine)
        return perform_dry_run(request, self._tools, ReadTransaction(self._tools.warehouse, request.settings))

    def begin_transaction(
        self, session_settings: Mapping[str, str], reads_own: bool = True, purpose: str | None = None
    ) -> SessionTransaction:
        """Opens a transaction of several statements; whoever began it ends it by `end_transaction`.

        `purpose` is what the history tells in place of the statements' texts.
        """
        settings = self._settings.overridden_by(session_settings)
        begun = SessionTransaction(self._tools, settings, reads_own)
        begun.purpose = purpose
        self.snapshots[begun.token] = begun
        return begun

    def find_transaction(self, token: str) -> SessionTransaction | None:
        """The transaction of several statements with this token; None once it has ended."""
        found = self.snapshots.get(token)
        return found if isinstance(found, SessionTransaction) else None

    def end_transaction(self, transaction: SessionTransaction, error: BaseException | None) -> None:
        """Commits the transaction, if it is not rolled back, or aborts it because of an error."""
        try:
            with telling(lambda: transaction.statement_outcome):
                if error is None and transaction.is_rolled_back:
                    return
                if error is None:
                    transaction.commit()
                    self._tell(transaction)
                else:
                    transaction.abort(error)
        finally:
            self.snapshots.pop(transaction.token, None)

    def run_within(self, token: str, statement: Statement, engine: Engine) -> StatementAnswer:
        """Runs a statement of the transaction with this token."""
        transaction = self.find_transaction(token)
        if transaction is None:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.ENDED", txnId="(ended)")
        settings = self._settings.overridden_by(statement.settings)

        def run(watch: Watch) -> RowCounts:
            transaction.watch = watch
            with telling(StatementOutcome.TRANSACTION_DOOMED):
                return transaction.run(statement, engine, settings)

        return self._watched([statement], run)

    def close(self) -> None:
        """Undoes the transactions of several statements that are open, but for those of which a statement runs."""
        for token in tuple(self.snapshots):
            transaction = self.find_transaction(token)
            if transaction is not None:
                transaction.close()

    def run(self, statement: Statement, engine: Engine) -> StatementAnswer:
        """The effects of the statement, once they are committed.

        A lost race is run again in a new transaction, at most `maxAttempts` times; then HIVE_ACID_WRITE_CONFLICT. So is
        a statement of whose snapshot a file is gone; then HIVE_ACID_SNAPSHOT_UNAVAILABLE. Any other error leaves
        nothing visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN, after which nobody knows.
        """
        request = self._build_request(statement, engine)

        def run(watch: Watch) -> RowCounts:
            return self._run_until_won(statement, lambda kept: self._run_alone(request, kept, watch))

        return self._watched([statement], run)

    def run_together(self, statements: Sequence[tuple[Statement, Engine]]) -> StatementAnswer:
        """Runs statements, of which there is one at least, as one: in one transaction, each as if it were the first.

        The effects of all, once they are committed. Lost races and errors as in `run`.
        """

        def run(watch: Watch) -> RowCounts:
            return self._run_until_won(statements[0][0], lambda _: self._run_together(statements, watch))

        return self._watched([statement for statement, _ in statements], run)

    def _watched(self, statements: Sequence[Statement], run: Callable[[Watch], RowCounts]) -> StatementAnswer:
        watch = Watch(self._tools.warehouse.transactions.timing.clock_ms, statements, self.follow)
        try:
            watch.counts = counts = run(watch)
            return StatementAnswer(counts, watch.sum_up())
        except BaseException as error:
            watch.error = error
            raise
        finally:
            if self.observe is not None:
                self.observe(watch)

    def _run_until_won(self, first: Statement, attempt: Callable[[KeptLock | None], RowCounts]) -> RowCounts:
        """The result of `attempt`. It raises Conflict for a lost race, and is given the lock that is kept from that.

        A statement that gives way to an exclusive lock has waited for nothing: neither that counts as an attempt nor
        the one that has got the kept lock. After the longest time that a lock is waited for it ends as one that waits.
        """
        settings = self._settings.overridden_by(first.settings)
        max_attempts, way = settings.number(config.MAX_ATTEMPTS), self._build_way(settings)
        kept_lock: KeptLock | None = None
        number = 0
        try:
            while number < max_attempts:
                try:
                    return attempt(kept_lock)
                except Conflict as conflict:
                    LOG.info("%s of %s runs again: %s", first.kind.title, first.target, conflict)
                    lost = conflict
                    number += way.give(conflict, first.target) if isinstance(conflict, GivesWay) else 1
                    if kept_lock is not None and kept_lock is not conflict.kept_lock:
                        kept_lock.release()
                    kept_lock = conflict.kept_lock
                if kept_lock is None:  # behind a kept lock nobody else is in the way
                    longest_ms = min(MAX_RESTART_PAUSE_MS, 50 * 2**number)
                    self._tools.pause_ms(random.randint(MIN_RESTART_PAUSE_MS, longest_ms))
        finally:
            if kept_lock is not None:
                kept_lock.release()
        raise lost.build_error(first.target, max_attempts)

    def _build_way(self, settings: config.Settings) -> Way:
        return Way(self._tools.warehouse.transactions.timing.clock_ms, settings.number(config.LOCK_TIMEOUT_MS))

    def _run_alone(self, request: Request, kept_lock: KeptLock | None, watch: Watch) -> RowCounts:
        scope = StatementTransaction(self._tools, request.settings, kept_lock)
        scope.watch = watch
        with telling(lambda: scope.statement_outcome), scope, meeting_lost_files():
            written = ALONE.walk(scope, request)
        self._tell(scope)
        return written.result.counts

    def _run_together(self, statements: Sequence[tuple[Statement, Engine]], watch: Watch) -> RowCounts:
        transaction = self.begin_transaction(statements[0][0].settings, reads_own=False)
        transaction.watch = watch
        counts = RowCounts()
        try:
            with self._ended(transaction):
                if any(statement.overwrite is not None for statement, _ in statements):
                    transaction.lock_together(statements)
                for statement, engine in statements:
                    settings = self._settings.overridden_by(statement.settings)
                    counts = counts.joined(transaction.run(statement, engine, settings))
        except (WriteConflict, SnapshotUnavailable) as error:
            raise LostTogether(error) from error
        return counts

    @contextmanager
    def _ended(self, transaction: SessionTransaction) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self.end_transaction(transaction, error)
            tell(error, transaction.statement_outcome)
            raise
        self.end_transaction(transaction, None)

    def _build_request(self, statement: Statement, engine: Engine) -> Request:
        return Request(statement, engine, self._settings.overridden_by(statement.settings))

    def _tell(self, committed: WritingScope) -> None:
        if self._after_commit is not None and committed.written:
            with telling(StatementOutcome.COMMITTED):
                self._after_commit(committed.written, committed.settings)
