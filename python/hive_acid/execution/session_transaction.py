"""A transaction of several statements: one snapshot, one commit, and each statement sees what those before it wrote."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, build_error
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.execution.scope import Tools, WritingScope
from hive_acid.execution.steps import AT_COMMIT, AT_COMMIT_OF_A_TABLE, IN_TRANSACTION, LOCKED_AHEAD, TOGETHER
from hive_acid.execution.watch import Phase
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableName
from hive_acid.model.table_identity import AnalysedTable
from hive_acid.reading.opening import Opening
from hive_acid.reading.snapshot import Snapshot
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.statements import Statement
from hive_acid.wire.write_spec import RowCounts
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.engine import Engine
from hive_acid.writing.stages import Begun, Found, Locked, Planned, Request

LOG = logging.getLogger(__name__)


class SessionTransaction(WritingScope):
    """The open transaction of one session; its scans find it by `token`.

    A conflict is not run again, for the statements before have been answered: it is HIVE_ACID_WRITE_CONFLICT, and like
    every error of a statement that writes it leaves a transaction that can only be aborted. Statements come one at a
    time; scans may come from several threads. Unless `reads_own`, statements do not see what those before them wrote.
    """

    has_several = True
    reads_target = True
    """Statements before an overwrite or TRUNCATE may have read what it replaces, and written it elsewhere."""

    def __init__(self, tools: Tools, settings: config.Settings, reads_own: bool = True) -> None:
        super().__init__(tools, settings)
        self._steps = IN_TRANSACTION if reads_own else TOGETHER
        warehouse = tools.warehouse
        self._reads = Opening(
            warehouse.metastore,
            warehouse.file_system,
            settings,
            lambda: warehouse.transactions.begin("its tables", settings),
        )
        self.held = self._reads.held  # which grows
        self._statements = threading.RLock()
        self._failure: BaseException | None = None
        self.is_rolled_back = False
        self.token = uuid.uuid4().hex

    @property
    def txn_id(self) -> int:
        """The metastore's ID; the transaction is opened if it has not been yet."""
        if not self._reads.has_begun:
            self._ensure_usable()
        return self._reads.transaction.txn_id

    @property
    def has_begun(self) -> bool:
        """True once a statement has opened it."""
        return self._reads.has_begun

    @property
    def shown_id(self) -> int | str:
        """The same for messages; opens nothing."""
        return self.txn_id if self._reads.has_begun else "(none)"

    @property
    def statement_outcome(self) -> StatementOutcome:
        """The outcome that an error which ends it tells of its statements' writes."""
        return self._reads.transaction.statement_outcome if self.written_tables else StatementOutcome.NOTHING_CHANGED

    @property
    def written_tables(self) -> tuple[TableName, ...]:
        """The tables with changes, sorted."""
        return tuple(self.written)

    # what scans ask, as of a Snapshot

    def read_together(self, tables: Iterable[TableName]) -> None:
        """A query is about to read these tables: they are locked before the snapshot is taken, if it is the first."""
        self._ensure_usable()
        self._reads.read(tables)

    def ensure_same(self, analysed: AnalysedTable) -> None:
        """See Snapshot; the table is locked as SHARED_READ until the transaction ends."""
        self._read(analysed.table).ensure_same(analysed)

    def partition_names(self, table: TableName) -> list[str]:
        """See Snapshot; the table is locked as SHARED_READ until the transaction ends."""
        return self._read(table).partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """See Snapshot, with what the transaction has written; the table is locked as SHARED_READ until it ends."""
        snapshot = self._read(table)
        self._reads.hold(table, partitions or ())
        return snapshot.scan_plan(table, partitions, with_row_ids)

    def _read(self, table: TableName) -> Snapshot:
        self.read_together([table])
        return self._reads.under_lock()

    # statements

    def run(self, statement: Statement, engine: Engine, settings: config.Settings) -> RowCounts:
        """The numbers of rows changed; nobody else sees them yet."""
        with self._statements, self._noting_failure(statement.target):
            return self._steps.walk(self, Request(statement, engine, settings)).result.counts

    def lock_together(self, statements: Sequence[tuple[Statement, Engine]]) -> None:
        """Asks at once for the locks of statements to come, of which there is one at least, and one that overwrites.

        One after the other, two transactions that overwrite the same partitions could each wait for the other.
        """
        wanted: list[LockComponent] = []
        self.overwrites = True
        with self._statements, self._noting_failure(statements[0][0].target):
            self._reads.keep([source for statement, _ in statements for source in statement.sources])
            for statement, engine in statements:
                wanted += LOCKED_AHEAD.walk(self, Request(statement, engine, self.settings)).plan.locks
            with self.watch.during(Phase.LOCK_WAIT):
                self._reads.lock(list(dict.fromkeys(wanted)))

    @contextmanager
    def _noting_failure(self, target: TableName) -> Iterator[None]:
        """A statement that writes runs within it: after an error of it the transaction can only be aborted."""
        self._ensure_usable()
        try:
            yield
        except Conflict as conflict:
            self._failure = conflict.build_error(target, 1)
            raise self._failure from conflict
        except BaseException as error:
            self._failure = error
            raise

    # what its statements run within

    def open_snapshot(self, found: Found) -> Begun:
        """Begins the transaction if the statement is the first. The snapshot has what statements before it wrote."""
        self._reads.keep(found.statement.sources)
        taken, transaction = self._reads.before_write_id(), self._reads.transaction
        return Begun(**vars(found), snapshot=taken, token=self.token, transaction=transaction, taken=taken)

    def lock(self, planned: Planned) -> None:
        """Waits for those that are not held."""
        self._reads.lock(planned.plan.locks)

    def holds(self, table: TableName) -> bool:
        """True if a statement before has read the table."""
        return self._reads.holds(table)

    def check_sources(self, locked: Locked) -> None:
        """Raises HIVE_ACID_TABLE_CHANGED: the statements before have read the snapshot."""
        self._reads.use(locked.statement.sources)

    # the end

    def commit(self) -> None:
        """Makes everything visible at once.

        Raises what a statement's commit raises; then nothing is visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN. A
        transaction in which a statement failed is aborted, and HIVE_ACID_TRANSACTION_STATE says so.
        """
        with self._statements:
            try:
                self._ensure_usable()
                if self._reads.has_begun:
                    self._commit()
            except CommitStateUnknown as error:
                self.quirks.after_end(error)
                raise
            except BaseException as error:
                self.abort(error)
                raise
            self.quirks.after_end(None)

    def _commit(self) -> None:
        last = [self.work[name].published[-1] for name in self.written_tables]
        if not last:
            self._reads.transaction.end_read()
            return
        try:
            for published in last:
                AT_COMMIT_OF_A_TABLE.walk(self, published)
            AT_COMMIT.walk(self, last[-1])
        except Conflict as conflict:
            raise conflict.build_error(", ".join(map(str, self.written_tables)), 1) from conflict

    def abort(self, error: BaseException) -> None:
        """Undoes everything, because of `error`, which gets a note of what could not be undone."""
        with self._statements:
            self._failure = self._failure or error
            if self._reads.has_begun:
                self._undo(self._reads.transaction, error)
            self.quirks.after_end(error)

    def roll_back(self) -> None:
        """Undoes everything, as its user wants it; later statements are refused, and a commit is none."""
        self.is_rolled_back = True
        self._undo_for("HIVE_ACID_TRANSACTION_STATE.ROLLED_BACK")

    def close(self) -> None:
        """Undoes everything, for its application ends; unless a statement runs, whose error does."""
        if self._statements.acquire(blocking=False):
            try:
                self._undo_for("HIVE_ACID_TRANSACTION_STATE.APPLICATION_ENDED")
            finally:
                self._statements.release()

    def _undo_for(self, condition: str) -> None:
        error = build_error(condition, txnId=self.shown_id)
        self.abort(error)
        for note in getattr(error, "__notes__", ()):
            LOG.warning("%s", note)

    def _ensure_usable(self) -> None:
        if self.is_rolled_back:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.ROLLED_BACK", txnId=self.shown_id)
        if self._failure is not None:
            failed = "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
            raise build_error(failed, txnId=self.shown_id, failure=self._failure)
        if self._reads.has_begun:
            self._reads.transaction.ensure_active()
