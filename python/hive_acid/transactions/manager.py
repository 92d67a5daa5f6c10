"""Opens, commits and aborts transactions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence

from hive_acid import config
from hive_acid.errors import (
    HiveAcidError,
    MetastoreUnavailable,
    TransactionAborted,
)
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.hive_settings import parse_duration_ms
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.server_settings import find_server_value
from hive_acid.metastore.types import LockComponent, LockState, TransactionState
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList
from hive_acid.older_python import add_note
from hive_acid.transactions.commits import Commit, CommitOutcome
from hive_acid.transactions.heartbeat import Heartbeat
from hive_acid.transactions.kept_files import KeptFiles, asks_cleaner
from hive_acid.transactions.locks import Identity, Timing, Waiting, acquire, acquire_at_once

LOG = logging.getLogger(__name__)
_NEW_MS = 1_000
"""A transaction that is younger and has locked nothing is open, for its opening has just been answered."""


def _nothing(*_: object) -> None:
    return None


_TOLD = {
    CommitOutcome.OPEN: StatementOutcome.NOT_COMMITTED,  # no commit was sent, so it can only time out
    CommitOutcome.COMMITTED: StatementOutcome.COMMITTED,
    CommitOutcome.ABORTED: StatementOutcome.NOT_COMMITTED,
    CommitOutcome.UNKNOWN: StatementOutcome.NOT_KNOWN,
}


class Transaction:
    """One open transaction."""

    def __init__(self, manager: TransactionManager, txn_id: int, subject: str, settings: config.Settings) -> None:
        self.txn_id = txn_id
        self.subject = subject
        self.outcome = CommitOutcome.OPEN
        self._manager = manager
        self._settings = settings
        self._metastore = manager.metastore
        self._kept = KeptFiles(manager.metastore, txn_id)
        self._opened_ms = manager.timing.clock_ms()
        self._has_locked = False
        self.has_younger = False
        """Younger transactions were there when its own snapshot was taken, which it does not see."""

    @property
    def statement_outcome(self) -> StatementOutcome:
        """The outcome that an error tells of the statement that wrote in it."""
        return _TOLD[self.outcome]

    @property
    def asks_cleaner(self) -> bool:
        """The Cleaner does not wait for it, but for what it asks to be kept."""
        return self._manager.asks_cleaner and self._metastore.line.cleans_behind_transactions

    def keep_files(self, tables: Iterable[TableName]) -> None:
        """The Cleaner leaves files of these tables where they are until the end. Call it before the snapshot is taken.

        Raises TransactionAborted.
        """
        if self.asks_cleaner:
            age_ms = self._manager.timing.clock_ms() - self._opened_ms
            self._kept.add(tables, self.confirm, is_new=age_ms < _NEW_MS and not self._has_locked)

    def own_snapshot(self) -> ValidTxnList:
        """A list of what older transactions have committed, and of its own; see `Metastore.valid_transactions`."""
        if not self.asks_cleaner:
            return self._metastore.valid_transactions(self.txn_id)
        seen = self._metastore.valid_transactions(0)
        self.has_younger = seen.high_water_mark > self.txn_id
        return seen.up_to(self.txn_id)

    def latest_snapshot(self) -> ValidTxnList:
        """A list of what everybody has committed by now, younger transactions too, and nothing of its own.

        For what is read under a lock that is held already: a younger transaction may have moved rows out of a
        partition and dropped it before the lock was granted, and must be seen whole.
        """
        return self._metastore.valid_transactions(0)

    def allocate_write_id(self, table: TableName) -> int:
        """The transaction's write ID on the table."""
        return self._metastore.allocate_write_id(self.txn_id, table)

    def lock(self, components: Sequence[LockComponent]) -> int:
        """Waits for the locks; see `acquire`."""
        self._has_locked = True  # somebody may have been waited for
        waiting = self.waiting(frozenset(component.table for component in components))
        return acquire(self._metastore, self.txn_id, components, self._manager.identity, waiting)

    def try_lock(self, components: Sequence[LockComponent]) -> bool:
        """Takes the locks if nobody is in the way; False, and no request is left, if somebody is."""
        return acquire_at_once(self._metastore, self.txn_id, components, self._manager.identity)

    def request_lock(self, components: Sequence[LockComponent]) -> tuple[int, LockState]:
        """Queues a request for the locks and leaves it there, granted or not: its ID and which of both."""
        identity = self._manager.identity
        return self._metastore.lock(self.txn_id, components, identity.user, identity.host, identity.agent)

    def waiting(self, tables: frozenset[TableName]) -> Waiting:
        """How to wait for others who use the tables, under the settings of the session."""
        return self._manager.waiting(self._settings, lambda: self._manager.before_waiting(tables))

    def ensure_active(self) -> None:
        """Raises what the heartbeat found if the transaction is lost, or if it has not beaten for too long."""
        failure = self._manager.heartbeat.failure(self.txn_id)
        if failure is not None:
            raise failure

    def confirm(self) -> None:
        """The same, and asks the metastore, of which nobody knows how long ago it has answered.

        Before files get their names: a metastore forgets transactions that it has ended, and their write IDs count as
        committed then. Raises MetastoreUnavailable without an answer, and if the statement was cancelled.
        """
        self._manager.timing.check()
        self.ensure_active()
        self._manager.heartbeat.ask(self.txn_id)

    def commit(self, *, heeds_cancellation: bool = True) -> None:
        """Commits, and finds out what happened if the reply is lost.

        Raises TransactionAborted (nothing is visible), MetastoreUnavailable (nobody was reached, so that no commit was
        sent) or CommitStateUnknown (nobody knows; keep the files), and before that if the statement was cancelled.
        """
        if heeds_cancellation:
            self._manager.timing.check()
        self.ensure_active()
        # a beat that comes after the commit would find no transaction and report it as lost
        self._manager.heartbeat.unregister(self.txn_id)
        self._kept.stop()
        self.outcome = CommitOutcome.UNKNOWN  # which it stays if an interrupt comes while the answer is awaited
        commit = Commit(self._metastore, self.txn_id, self.subject, self._settings, self._manager.timing)
        try:
            commit.send()
            self.outcome = CommitOutcome.COMMITTED
        except TransactionAborted:
            self.outcome = CommitOutcome.ABORTED
            raise
        except MetastoreUnavailable as lost:
            self.outcome, error = commit.resolve(lost)
            if error is lost:
                raise
            if error is not None:
                raise error from lost
        except HiveAcidError:
            self.outcome = CommitOutcome.OPEN
            raise

    def end_read(self) -> None:
        """Ends a transaction that wrote nothing. Raises what the metastore says: then it times out."""
        self._manager.heartbeat.unregister(self.txn_id)
        self._kept.stop()
        self.outcome = CommitOutcome.COMMITTED
        self._metastore.commit(self.txn_id)

    def abort(self) -> None:
        """Aborts; does nothing once the transaction is known to have ended.

        Raises MetastoreUnavailable: then it times out. Raises MetastoreRefused or TransactionAborted if a commit of
        unknown outcome has succeeded, or may have.
        """
        if self.outcome in (CommitOutcome.COMMITTED, CommitOutcome.ABORTED):
            return
        self._manager.heartbeat.unregister(self.txn_id)
        self._kept.stop()
        try:
            self._metastore.abort(self.txn_id)
        except TransactionAborted:
            may_count = self.outcome is CommitOutcome.UNKNOWN  # and a metastore forgets committed ones, too
            if may_count and self._metastore.transaction_state(self.txn_id) is not TransactionState.ABORTED:
                raise
            LOG.info("transaction %d had been ended by the metastore", self.txn_id)
        self.outcome = CommitOutcome.ABORTED

    def abort_because(self, error: BaseException) -> bool:
        """Aborts; if that cannot be done, `error` gets a note. False if what it wrote may have been committed.

        An interrupt while a commit's answer is awaited leaves that open; the metastore's answer to the abort tells.
        """
        may_count = self.outcome is CommitOutcome.UNKNOWN
        try:
            self.abort()
        except Exception as second:  # noqa: BLE001 (the first error is what counts)
            if may_count:
                add_note(error, f"whether transaction {self.txn_id} was committed is not known; its files are kept")
                return False
            if self._has_ended():
                self.outcome = CommitOutcome.ABORTED
            else:
                add_note(error, f"transaction {self.txn_id} was not aborted and will time out: {second}")
        return True

    def _has_ended(self) -> bool:
        """True for one that the metastore has ended, and perhaps forgotten; it cannot be aborted any more."""
        try:
            return self._metastore.transaction_state(self.txn_id) is not TransactionState.OPEN
        except Exception:  # noqa: BLE001 (an error before counts)
            return False


class TransactionManager:
    """Begins transactions of this process and keeps them alive."""

    def __init__(self, metastore: Metastore, identity: Identity, settings: config.Settings, timing: Timing) -> None:
        self.metastore = metastore
        self.identity = identity
        self.timing = timing
        self.before_waiting: Callable[[Collection[TableName]], None] = _nothing
        """Told of the tables that a lock is waited for, before each pause: what need not be in the way can go."""
        self.tell_waiting: Callable[[str | None], None] | None = None
        """Told whom a statement waits for (`Waiting.tell`)."""
        self._settings = settings
        self.asks_cleaner = asks_cleaner(metastore)
        """The Cleaner waits for those transactions alone that have asked it to."""
        timeout = find_server_value(metastore.config_value, "hive.txn.timeout", "300s")
        self.heartbeat = Heartbeat(metastore, parse_duration_ms(timeout), timing.clock_ms)

    def waiting(self, settings: config.Settings, before_pause: Callable[[], None]) -> Waiting:
        """How to wait for locks under these settings."""
        return Waiting(
            settings.number(config.LOCK_TIMEOUT_MS),
            settings.number(config.LOCK_POLL_MIN_MS),
            settings.number(config.LOCK_POLL_MAX_MS),
            self.timing.clock_ms,
            self.timing.pause_ms,
            before_pause,
            self.tell_waiting,
        )

    def begin(
        self, subject: str, settings: config.Settings | None = None, compaction: CompactionKind | None = None
    ) -> Transaction:
        """Opens a transaction.

        `subject` names the table in messages; `settings` are those of the session, if they differ from the manager's;
        `compaction`: it is the transaction of one (4.x).
        """
        identity = self.identity
        who = identity.user, identity.host, identity.agent
        if compaction is None:
            txn_id = self.metastore.open_transaction(*who)
        else:
            txn_id = self.metastore.open_compaction(*who, compaction)
        self.heartbeat.register(txn_id)
        return Transaction(self, txn_id, subject, settings or self._settings)

    def close(self) -> None:
        """Stops the heartbeat, and aborts what is still open: nobody will commit it any more."""
        for txn_id in self.heartbeat.stop():
            try:
                self.metastore.abort(txn_id)
            except HiveAcidError as error:
                LOG.warning("transaction %d was not aborted and will time out: %s", txn_id, error)
