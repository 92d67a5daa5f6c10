"""The transaction of one statement."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from hive_acid import config
from hive_acid.errors import CommitStateUnknown
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.execution.scope import Tools, WritingScope
from hive_acid.reading.opening import Opening
from hive_acid.reading.partition_locks import HeldSnapshot, PartitionLocks
from hive_acid.reading.snapshot import scannable
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.conflicts import Conflict, GivesWay, LostSource
from hive_acid.writing.kept_lock import KeptLock
from hive_acid.writing.stages import Begun, Found, Locked, Planned

if TYPE_CHECKING:
    from typing_extensions import Self


class StatementTransaction(WritingScope):
    """A context, after which the transaction has ended, and what it wrote is undone unless it may count.

    It only stays open if its lock is kept for the next run of the statement; `kept_lock` is that of the run before.
    """

    def __init__(self, tools: Tools, settings: config.Settings, kept_lock: KeptLock | None) -> None:
        super().__init__(tools, settings)
        self.kept_lock = kept_lock
        self._transaction: Transaction | None = None
        self._scans = ExitStack()

    @property
    def statement_outcome(self) -> StatementOutcome:
        """The outcome that an error of the statement tells of its writes."""
        return StatementOutcome.NOTHING_CHANGED if self._transaction is None else self._transaction.statement_outcome

    def open_snapshot(self, found: Found) -> Begun:
        warehouse, sources = self.tools.warehouse, found.statement.sources
        self._transaction = transaction = warehouse.transactions.begin(str(found.table.name), self.settings)
        lost = partial(LostSource, transaction.txn_id)
        opening = Opening(warehouse.metastore, warehouse.file_system, self.settings, lambda: transaction, lost)
        opening.keep(sources)
        taken = opening.before_write_id(found.table)
        locks = PartitionLocks(warehouse.metastore.line, self.settings)
        scanned = HeldSnapshot(taken, locks, transaction, lambda: self.held)
        token = self._scans.enter_context(scannable(self.tools.snapshots, scanned))
        return Begun(**vars(found), snapshot=taken, token=token, transaction=transaction, taken=taken)

    def lock(self, planned: Planned) -> None:
        """Behind a kept lock nobody waits: who stands in the way waits for that lock itself. Raises Conflict then."""
        transaction, plan = planned.transaction, planned.plan
        if self.kept_lock is None:
            transaction.lock(plan.locks)
        elif not self.kept_lock.covers(plan.partitions):
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITIONS_NOT_LOCKED")
        elif not transaction.try_lock(plan.locks):
            raise GivesWay(transaction.txn_id)
        self.held = plan.locks

    def check_sources(self, locked: Locked) -> None:
        self.tools.checks.check_sources(locked)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self._scans.close()
        try:
            self._end_after(error)
        finally:
            self.quirks.after_end(error)

    def _end_after(self, error: BaseException | None) -> None:
        if error is None or isinstance(error, CommitStateUnknown) or self._transaction is None:
            return
        kept_lock = error.kept_lock if isinstance(error, Conflict) else None
        if kept_lock is not None and kept_lock.is_kept_by(self._transaction):
            return
        self._undo(self._transaction, error)
