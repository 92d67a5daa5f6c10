"""Open write IDs below those of a transaction that overwrites: they keep Hive 4's Cleaner from its base.

The Cleaner takes each base up to the lowest open write ID that it knows of for valid, also one that nobody has
committed (AcidUtils.isValidBase, 4.0.0 to 4.2.0; HIVE-29601). If the transaction that overwrites is the oldest open one
and a compaction of the table waits to be cleaned, all that the base replaces is removed, and lost if the transaction is
aborted. With a lower open write ID the base is above the lowest one, and not valid until the commit.
"""

from __future__ import annotations

import logging

from hive_acid import config
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.transactions.manager import Transaction, TransactionManager

LOG = logging.getLogger(__name__)
_MAY_BE_CLEANED = (CompactionState.READY, CompactionState.UNKNOWN)


def can_be_cleaned(metastore: Metastore, table: TableName) -> bool:
    """True if the Cleaner waits for the table, or will once a compaction has ended, on the 4.x line.

    A compaction cannot begin while the table is locked for an overwrite.
    """
    return metastore.line is MetastoreLine.HIVE_4 and any(
        entry.table == table and (entry.state.is_pending or entry.state in _MAY_BE_CLEANED)
        for entry in metastore.compactions()
    )


class LowerWriteIds:
    """Write IDs of a second transaction, which writes nothing and ends after the one that overwrites."""

    def __init__(self, transactions: TransactionManager, settings: config.Settings) -> None:
        self._transactions = transactions
        self._settings = settings
        self._holder: Transaction | None = None
        self._tables: set[TableName] = set()

    def hold(self, table: TableName) -> None:
        """Before the other transaction has a write ID on the table."""
        if self._holder is None:
            self._holder = self._transactions.begin(str(table), self._settings)
        self._holder.allocate_write_id(table)
        self._tables.add(table)

    def are_held(self, table: TableName) -> bool:
        """True if there is one on the table."""
        return table in self._tables

    def ensure_active(self) -> None:
        """Raises what the heartbeat found if they are lost."""
        if self._holder is not None:
            self._holder.ensure_active()

    def release(self) -> None:
        """Once the other transaction has ended. If the metastore does not answer, they time out: that is no error."""
        holder, self._holder = self._holder, None
        if holder is None:
            return
        try:
            holder.abort()
        except HiveAcidError as error:
            LOG.warning("transaction %d, which held write IDs, will time out: %s", holder.txn_id, error)

    def leave(self) -> None:
        """Where nobody knows whether the other transaction has ended: they time out as it does."""
        holder, self._holder = self._holder, None
        if holder is not None:
            self._transactions.heartbeat.unregister(holder.txn_id)
