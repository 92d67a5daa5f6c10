"""Open write IDs below those of a transaction that overwrites: they keep Hive 4's Cleaner from its base.

The Cleaner takes each base up to the lowest open write ID that it knows of for valid, also one that nobody has
committed (AcidUtils.isValidBase, 4.0.0 to 4.2.0). If the transaction that overwrites is the oldest open one and a
compaction of the table waits to be cleaned, all that the base replaces is removed, and lost if the transaction is
aborted. With a lower open write ID the base is above the lowest one, and not valid until the commit.
"""

from __future__ import annotations

import logging

from hive_acid.errors import CommitStateUnknown, HiveAcidError
from hive_acid.metastore.compaction_types import CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.quirks.fault import Fault
from hive_acid.quirks.quirk import Quirk, QuirkScope
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.stages import Begun, Locked, Written

LOG = logging.getLogger(__name__)
_MAY_BE_CLEANED = (CompactionState.READY, CompactionState.UNKNOWN)

FAULT = Fault(
    title="The Cleaner treats the uncommitted base of an overwrite as valid",
    releases="Hive 4.0.0 to 4.2.0",
    lines=(MetastoreLine.HIVE_4,),
    ticket="HIVE-29601",
    harm="Rows that an overwrite replaces are removed, and lost if it is aborted",
    until="no release without HIVE-29601 is supported",
)


def can_be_cleaned(metastore: Metastore, table: TableName) -> bool:
    """True if the Cleaner waits for the table, or will once a compaction has ended.

    A compaction cannot begin while the table is locked for an overwrite.
    """
    return any(
        entry.table == table and (entry.state.is_pending or entry.state in _MAY_BE_CLEANED)
        for entry in metastore.compactions()
    )


class LowerWriteIds(Quirk):
    """Write IDs of a second transaction, which writes nothing and ends after the one that overwrites."""

    FAULT = FAULT

    def __init__(self, warehouse: Warehouse, scope: QuirkScope) -> None:
        super().__init__(warehouse, scope)
        self._holder: Transaction | None = None
        self._tables: set[TableName] = set()

    def before_write_id(self, begun: Begun, before: ValidWriteIdList) -> None:
        """Holds one where there is something to replace and the Cleaner may look at it."""
        name = begun.table.name
        replaces = self.scope.overwrites or begun.statement.kind.replaces
        if not replaces or not before.high_water_mark:
            return
        if before.aborted or can_be_cleaned(self.warehouse.metastore, name):
            self._hold(name)

    def _hold(self, table: TableName) -> None:
        if self._holder is None:
            self._holder = self.warehouse.transactions.begin(str(table), self.scope.settings)
        self._holder.allocate_write_id(table)
        self._tables.add(table)

    def before_job(self, locked: Locked) -> None:
        """An earlier statement of the transaction, which changed no row, may have got the write ID. Raises Conflict."""
        name, replaces = locked.table.name, locked.statement.kind.replaces
        if not self.scope.has_several or not replaces or not locked.work.before.high_water_mark:
            return
        if name not in self._tables and can_be_cleaned(self.warehouse.metastore, name):
            raise Conflict(locked.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.NOT_CLEANED")

    def before_publish(self, written: Written) -> None:
        """Raises what the heartbeat found if they are lost."""
        if self._holder is not None:
            self._holder.ensure_active()

    def after_end(self, error: BaseException | None) -> None:
        """They end too; where nobody knows whether the transaction has ended, they time out as it does."""
        holder, self._holder = self._holder, None
        if holder is None:
            return
        if isinstance(error, CommitStateUnknown):
            self.warehouse.transactions.heartbeat.unregister(holder.txn_id)
            return
        try:
            holder.abort()
        except HiveAcidError as failure:
            LOG.warning("transaction %d, which held write IDs, will time out: %s", holder.txn_id, failure)
