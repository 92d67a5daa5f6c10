"""Keeps Hive 4's Cleaner from what an overwrite replaces, until its commit; see `LowerWriteIds`."""

from __future__ import annotations

from hive_acid.execution.scope import WritingScope
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.transactions.lower_write_ids import can_be_cleaned
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.stages import Begun, Locked


def hold_lower_write_id(scope: WritingScope, begun: Begun, before: ValidWriteIdList) -> None:
    """Ahead of the statement's own write ID, where there is something to replace and the Cleaner may look at it.

    `before` are the table's write IDs in the snapshot.
    """
    metastore, name = scope.tools.metastore, begun.table.name
    replaces = scope.overwrites or begun.statement.kind.replaces
    if not replaces or not before.high_water_mark or metastore.line is not MetastoreLine.HIVE_4:
        return
    if before.aborted or can_be_cleaned(metastore, name):
        scope.lower_write_ids.hold(name)


def keep_cleaner_off(scope: WritingScope, locked: Locked) -> None:
    """An earlier statement of the transaction, which changed no row, has got the write ID. Raises Conflict."""
    name, replaces = locked.table.name, locked.statement.kind.replaces
    if not replaces or not locked.work.before.high_water_mark or scope.lower_write_ids.are_held(name):
        return
    if can_be_cleaned(scope.tools.metastore, name):
        raise Conflict(locked.transaction.txn_id, "a compaction of the table waits to be cleaned")
