"""A lock that is kept while a younger transaction of the same statement does the work."""

from __future__ import annotations

import logging

from hive_acid.transactions.manager import Transaction

LOG = logging.getLogger(__name__)


class KeptLock:
    """The transaction of an attempt that got its lock too late for its snapshot.

    A lock ends with its transaction, and asking for it anew would mean to wait behind everybody else again. So the
    transaction stays, with nothing written under it, and keeps other writers out; it is aborted when the statement
    has ended.
    """

    def __init__(self, transaction: Transaction, partitions: tuple[str, ...] | None) -> None:
        self._transaction = transaction
        self._partitions = partitions

    def is_kept_by(self, transaction: Transaction) -> bool:
        """True if it is this transaction that keeps the lock."""
        return self._transaction is transaction

    def covers(self, partitions: tuple[str, ...] | None) -> bool:
        """True if the lock is on all of these partitions, or on the whole table; None: the whole table is wanted."""
        return self._partitions is None or (partitions is not None and set(partitions) <= set(self._partitions))

    def ensure_active(self) -> None:
        """Raises what the heartbeat found if the lock is lost."""
        self._transaction.ensure_active()

    def release(self) -> None:
        """Aborts the transaction. If the metastore does not answer, it times out: that is no error of the statement."""
        try:
            self._transaction.abort()
        except Exception as error:  # noqa: BLE001 (the statement has ended by then)
            LOG.warning("transaction %d, which kept a lock, will time out: %s", self._transaction.txn_id, error)
