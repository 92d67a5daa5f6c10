"""Write IDs that metastores of the 3.1 line forget when a table could not be dropped.

Their listener for transactional tables clears what is known of a table's write IDs, whether the table was dropped or
not (AcidEventListener.onDropTable; tried on 3.1.3, where the metastore denied a DROP). All rows would be invisible to
every engine from then on, and new files would get the names of old ones. A rename that was denied lost nothing, but the
listener hears of renames that fail later, too.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.older_python import add_note
from hive_acid.quirks.fault import Fault
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.transactions.locks import Identity
from hive_acid.wire.ddl_kinds import DdlKind

LOG = logging.getLogger(__name__)
_CAN_FORGET = frozenset({DdlKind.DROP_TABLE, DdlKind.DROP_DATABASE, DdlKind.RENAME_TABLE})

FAULT = Fault(
    title="The metastore forgets the write IDs of a table that was not dropped",
    releases="Hive 3.1.3",
    lines=(MetastoreLine.HIVE_3,),
    harm="All rows are invisible to every engine, and new files get the names of old ones",
    until="the 3.1 line is not supported any more",
    called_by="Statements that alter a table (`execution/ddl.py`): the command is Spark's own, and has no stages",
)


@dataclass(frozen=True)
class _Kept:
    """The mark that tells a table from others of its name, and its write IDs."""

    identity: str
    write_ids: ValidWriteIdList


@dataclass(frozen=True)
class KeptWriteIds:
    """The write IDs of tables, seen under the exclusive lock of the statement that may lose them."""

    metastore: Metastore
    kind: DdlKind
    kept: Mapping[TableName, _Kept]

    @classmethod
    def of(cls, metastore: Metastore, kind: DdlKind, tables: Sequence[TableName]) -> KeptWriteIds:
        """They are noted only where something can be lost."""
        if kind not in _CAN_FORGET or metastore.line not in FAULT.lines:
            return cls(metastore, kind, {})
        found = metastore.valid_write_ids(tables, None)
        kept = {name: _Kept(metastore.table_identity(name), found[name]) for name in tables}
        return cls(metastore, kind, kept)

    def restore(self, own_txn_id: int, identity: Identity, error: BaseException) -> None:
        """Gives tables that are still there their write IDs back, once the statement has failed with `error`.

        `own_txn_id` is the statement's transaction. Others that wait for its locks have lost their write IDs, and are
        aborted. Raises HIVE_ACID_WRITE_IDS_FORGOTTEN in place of `error` if they could not be given back. A metastore
        that no longer tells whether it has them leaves a note at `error`.
        """
        failures = []
        for name, kept in self.kept.items():  # the other tables come first, then the error
            try:
                is_lost = self._is_lost(name, kept)
            except HiveAcidError as unanswered:
                text = (
                    f"Whether the metastore still has the write IDs of {name}, {kept.write_ids.format()}, is not known"
                )
                LOG.warning("%s: %s", text, unanswered)
                add_note(error, text)
                continue
            if is_lost:
                failures.append(self._restore(name, kept.write_ids, own_txn_id, identity))
        for failure in filter(None, failures):
            raise failure

    def _is_lost(self, name: TableName, kept: _Kept) -> bool:
        """True for the same table with fewer write IDs than before."""
        try:
            if self.metastore.table_identity(name) != kept.identity:
                return False
            return find_write_ids_now(self.metastore, name).high_water_mark < kept.write_ids.high_water_mark
        except HiveAcidError as error:
            if error.getCondition() == "HIVE_ACID_TABLE_NOT_FOUND":
                return False
            raise

    def _restore(
        self, name: TableName, before: ValidWriteIdList, own_txn_id: int, identity: Identity
    ) -> HiveAcidError | None:
        """The error, if that fails."""
        try:
            waiting = {lock.txn_id for lock in self.metastore.held_locks(name) if lock.txn_id}
            for txn_id in waiting - {own_txn_id}:
                self.metastore.abort(txn_id)
            _give_back(self.metastore, name, before, identity)
        except HiveAcidError as error:
            told = {"operation": self.kind.value, "table": name, "writeIds": before.format()}
            failure = build_error("HIVE_ACID_WRITE_IDS_FORGOTTEN", reason=str(error).rstrip("."), **told)
            failure.__cause__ = error
            return failure
        LOG.warning("the metastore had forgotten the write IDs of %s, and has them again: %s", name, before.format())
        return None


def _give_back(metastore: Metastore, table: TableName, before: ValidWriteIdList, identity: Identity) -> None:
    """Gives the table the same visible write IDs. Transactions that were open are aborted by now.

    From the first hidden one on each gets a transaction, for the metastore finds the greatest ID among those that have
    one. A lock that is asked for keeps it from forgetting an aborted transaction, which would show what it has written.
    """
    who = identity.user, identity.host, identity.agent
    hidden = before.open | before.aborted
    first = min(hidden, default=before.high_water_mark + 1)
    metastore.restore_write_ids(table, first - 1, identity.user, identity.host)
    for write_id in range(first, before.high_water_mark + 1):
        txn_id = metastore.open_transaction(*who)
        given = metastore.allocate_write_id(txn_id, table)
        if given != write_id:
            reason = f"{table} got write ID {given} and not {write_id}"
            raise build_error("HIVE_ACID_METASTORE_REFUSED", method="allocate_table_write_ids", reason=reason)
        if write_id in hidden:
            metastore.lock(txn_id, [LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)], *who)
            metastore.abort(txn_id)
        else:
            metastore.commit(txn_id)
    # the call gives nothing, and says nothing, if somebody has got a write ID since they were forgotten
    mark = find_write_ids_now(metastore, table).high_water_mark
    if mark < before.high_water_mark:
        reason = f"{table} has write IDs up to {mark} only, which somebody got meanwhile"
        raise build_error("HIVE_ACID_METASTORE_REFUSED", method="repl_tbl_writeid_state", reason=reason)
