"""Does what the metastore's compaction queue asks for (4.x), or publishes a base beside it (3.1).

The calls' order is that of Hive's Worker (AcidCompactionService; since HIVE-29571 the commit before the mark). The
transaction holds the lock; its commit makes the result visible, and then the queue is told, so that the Cleaner may
remove what was replaced. The Cleaner would take an entry that is marked while the transaction is open; if that is
aborted then, the entry can keep it from all later cleaning of the table (HIVE-29572).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TypeVar

from hive_acid import config
from hive_acid.compaction.compactor import Compactor, Foldable
from hive_acid.compaction.plan.overrides import FileOverrides, read_overrides, refuse_unapplied
from hive_acid.compaction.queue.base_publishing import BasePublisher
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.compaction.queue.dead_workers import end_dead, tell_done
from hive_acid.compaction.queue.liveness import find_waiting, name_with_transaction
from hive_acid.errors import HiveAcidError, StatementCancelled, build_error
from hive_acid.errors.masking import masked
from hive_acid.metastore.compaction_types import (
    CompactionJob,
    CompactionKind,
    CompactionRequest,
)
from hive_acid.metastore.stringable_map import parse_map
from hive_acid.model.table import TableName
from hive_acid.older_python import add_note
from hive_acid.quirks.unseen import UnseenCompaction
from hive_acid.transactions.commits import CommitOutcome
from hive_acid.transactions.manager import Transaction, TransactionManager
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.conflicts import Conflict, meeting_lost_files

LOG = logging.getLogger(__name__)
NOTHING_TO_DO = "there is nothing to compact"
_T = TypeVar("_T")
_MAX_ERROR_LENGTH = 2000
"""The metastore's own column takes more, but not without end."""


class Worker:
    """Compacts tables of the metastore whose transactions it is given. For several threads.

    `supervise` gives what a compaction is to run within, so that it can be cancelled while it waits for a lock.
    `name` is how the queue shows it; it begins with `WORKER_PREFIX`; the number of the transaction is added to it.
    """

    def __init__(
        self,
        transactions: TransactionManager,
        compactor: Compactor,
        settings: config.Settings,
        name: str,
        version: str,
        supervise: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._metastore = transactions.metastore
        self._transactions = transactions
        self._compactor = compactor
        self._settings = settings
        self._name = name
        self._version = version
        self._supervise = supervise
        self._bases = BasePublisher(transactions, compactor, settings, supervise)

    def run_next(
        self, pool: str | None, find_reason: Callable[[CompactionJob], str | None] = lambda _: None
    ) -> CompactionOutcome | None:
        """Does the next compaction of the pool; None if there is none.

        `find_reason` is told of it first. If it gives a reason, nothing is done, and the queue is told that the request
        was refused for that.

        A failure is told to the queue and raised; nothing is left then, nothing was visible. If the queue's answer is
        lost, what it may have given out dies with the transaction: see `fail_dead`.
        """

        def use(job: CompactionJob, transaction: Transaction) -> CompactionOutcome:
            reason = find_reason(job)
            if reason is None:
                return self._run(job, transaction)
            self._end(transaction, lambda: self._metastore.mark_refused(replace(job, error=reason)))
            return CompactionOutcome(job.table, job.partition, job.kind, WriteResult(), False)

        return self._with_next(pool, use)

    def fail_next(self, pool: str | None, reason: str) -> bool:
        """Takes the next compaction of the pool and tells the queue that it failed; False if there is none."""

        def fail(job: CompactionJob, transaction: Transaction) -> bool:
            self._end(transaction, lambda: self._metastore.mark_failed(replace(job, error=reason)))
            return True

        return self._with_next(pool, fail) or False

    def _end(self, transaction: Transaction, tell: Callable[[], None]) -> None:
        """Tells the queue of a job at which nothing was done, and ends its transaction."""
        try:
            tell()
        except BaseException as error:
            transaction.abort_because(error)
            raise
        transaction.abort()

    def _with_next(self, pool: str | None, use: Callable[[CompactionJob, Transaction], _T]) -> _T | None:
        waiting = find_waiting(self._metastore.compactions(), pool)
        if waiting is None:
            return None
        with self._supervise():
            transaction = self._transactions.begin(str(waiting.table), self._settings, waiting.kind)
            try:
                name = name_with_transaction(self._name, transaction.txn_id)
                job = self._metastore.next_compaction(name, self._version, pool)
                if job is None:  # somebody was faster
                    transaction.abort()
                    return None
                if _is_rebalance(job.kind) != _is_rebalance(waiting.kind):
                    transaction = self._exchange(job, transaction)
            except BaseException as error:
                transaction.abort_because(error)
                raise
            return use(job, transaction)

    def _exchange(self, job: CompactionJob, transaction: Transaction) -> Transaction:
        """A transaction of the type that the job needs; the job is never without a live one."""
        fitting = self._transactions.begin(str(job.table), self._settings, job.kind)
        try:
            user = job.user or self._transactions.identity.user
            self._metastore.start_compaction(replace(job, user=user, highest_write_id=0), fitting.txn_id)
        except BaseException as error:
            fitting.abort_because(error)
            raise
        _end_other(transaction)
        return fitting

    def check(self, request: CompactionRequest) -> None:
        """Raises what `run` would raise because of the table or partition as it is now.

        Also HIVE_ACID_UNSUPPORTED_TABLE for properties that a compaction of ours would ignore, if it is ours to do.
        """
        place = self._compactor.find_place(request.table, request.partition, request.kind)
        if request.pool is None and (self._metastore.line.serves_workers or request.kind is CompactionKind.MAJOR):
            refuse_unapplied(place.table, dict(request.properties), self._metastore.line)

    def has_work(self, request: CompactionRequest) -> bool:
        """False if there is nothing to compact now. True also where that cannot be told: then a compaction will tell.

        Raises HIVE_ACID_CANCELLED.
        """
        with self._supervise():
            transaction = self._transactions.begin(str(request.table), self._settings)
            try:
                place = self._compactor.find_place(request.table, request.partition, request.kind)
                plan = self._compactor.find_foldable(place, request.kind, transaction, request.buckets).plan
                return bool(plan.files) or plan.needs_cleaning
            except StatementCancelled:
                raise
            except (Conflict, HiveAcidError) as error:
                LOG.info("whether %s needs a compaction is not known yet: %s", request.table, error)
                return True
            finally:
                _end_other(transaction)

    def fail_dead(self) -> list[int]:
        """Tells the queue of compactions whose worker, one of ours, has died; the IDs of those that have failed.

        One whose transaction was committed is done: the queue is told that. The queue itself gives entries to others
        after a day, and asks for none of the same table until then. On 3.1 there are none of ours.
        """
        return end_dead(self._metastore)

    def _run(self, job: CompactionJob, transaction: Transaction) -> CompactionOutcome:
        """In younger transactions after a conflict: their snapshot has what this one's had not."""
        job = replace(job, user=job.user or self._transactions.identity.user)
        max_attempts = self._settings.number(config.MAX_ATTEMPTS)
        attempts = 1
        try:
            while True:
                try:
                    with meeting_lost_files():
                        return self._compact(job, transaction)
                except Conflict as conflict:
                    if attempts >= max_attempts:
                        raise conflict.build_error(job.table, attempts) from None
                    if isinstance(conflict, UnseenCompaction):
                        self._await_commit(attempts)
                attempts += 1
                transaction = self._exchange(job, transaction)
        except BaseException as error:
            # a commit whose outcome is not known may have made the result visible
            may_be_visible = transaction.outcome is CommitOutcome.UNKNOWN and not transaction.abort_because(error)
            if not may_be_visible and transaction.outcome is not CommitOutcome.COMMITTED:
                self._report(job, error)  # before the transaction ends: else this worker would be taken for dead
                transaction.abort_because(error)
            raise

    def _await_commit(self, attempts: int) -> None:
        """Waits for another worker's commit, the longer the more often it has been waited for."""
        self._transactions.timing.pause_ms(self._settings.number(config.COMPACTION_POLL_MS) * 2 ** (attempts - 1))

    def _compact(self, job: CompactionJob, transaction: Transaction) -> CompactionOutcome:
        _refuse_request(job)
        place = self._compactor.find_place(job.table, job.partition, job.kind)
        transaction.lock([place.lock(job.kind)])
        self._compactor.meet_changes(place, job.kind, transaction)
        found = self._compactor.find_foldable(place, job.kind, transaction, job.buckets)
        job = replace(job, highest_write_id=found.cleanable)
        self._metastore.start_compaction(job, transaction.txn_id)
        result = WriteResult()
        if found.plan.files:
            overrides = read_overrides(found.place.table, _parse_properties(job), self._metastore.line)
            result = self._fold(job, found, transaction, overrides)
        elif found.plan.needs_cleaning:
            transaction.commit()
            tell_done(self._metastore, job)
        else:
            self._metastore.mark_refused(replace(job, error=NOTHING_TO_DO))
            transaction.commit()
        is_marked = bool(found.plan.files) or found.plan.needs_cleaning
        return CompactionOutcome(job.table, job.partition, job.kind, result, is_marked)

    def _fold(
        self, job: CompactionJob, found: Foldable, transaction: Transaction, overrides: FileOverrides
    ) -> WriteResult:
        publication = self._compactor.publication(found.place, transaction)
        try:
            result = self._compactor.fold(job.kind, found, transaction, publication, overrides)
            self._compactor.keep_changes_out(found, job.kind, transaction)
            transaction.commit()
        except BaseException as error:
            # the transaction stays open till the queue knows of the failure, or of a younger one in its place
            if transaction.outcome is CommitOutcome.OPEN or transaction.abort_because(error):
                publication.undo(error)
            raise
        tell_done(self._metastore, job)
        return result

    def publish_base(
        self, table: TableName, partition: str | None, properties: Mapping[str, str] | None = None
    ) -> CompactionOutcome:
        """Folds all into a base, on 3.1, where the queue is Hive's alone: the base is seen as soon as it is in place.

        The caller asks Hive for a major compaction then, which finds nothing left to fold, and has what the base
        replaces removed by the Cleaner. Nothing is made if the place is left to a compaction of Hive that is under way.

        Raises as `run`, also HIVE_ACID_WRITE_CONFLICT if Hive has put other results there again and again. A base that
        is in place stays, for it holds what there is.
        """
        return self._bases.publish(table, partition, properties)

    def _report(self, job: CompactionJob, error: BaseException) -> None:
        """Tells the queue; if that fails too, the queue gives the entry to another worker after a day (4.x)."""
        where = f"{job.table} ({job.partition})" if job.partition else str(job.table)
        add_note(error, f"it was {job.kind.value} compaction {job.id} of {where}")
        try:
            told = masked(str(error) or type(error).__name__)[:_MAX_ERROR_LENGTH]
            self._metastore.mark_failed(replace(job, error=told))
        except HiveAcidError as second:
            add_note(error, f"the queue was not told that compaction {job.id} failed: {second}")


def _parse_properties(job: CompactionJob) -> dict[str, str]:
    try:
        return parse_map(job.properties or "0:")
    except ValueError as error:
        reason = f"the properties of compaction {job.id}: {error}"
        raise build_error("HIVE_ACID_INTERNAL", reason=reason) from error


def _is_rebalance(kind: CompactionKind) -> bool:
    """Its transactions are of a type of their own."""
    return kind is CompactionKind.REBALANCE


def _refuse_request(job: CompactionJob) -> None:
    """Refuses kinds that only Hive's workers do, and the order of rows that Hive's own statement asks of a rebalance.

    The queue gives out the oldest entry of a pool, of any kind.
    """
    found = {"operation": f"A {job.kind.value} compaction", "table": job.table}
    if not job.kind.is_ours:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_KIND", **found)
    if job.order_by:
        raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.ORDER_BY", **found, order=job.order_by)


def _end_other(transaction: Transaction) -> None:
    """Aborts one in whose place another works. If the metastore does not answer, it times out."""
    try:
        transaction.abort()
    except HiveAcidError as error:
        LOG.warning("transaction %d, which compacts nothing, will time out: %s", transaction.txn_id, error)
