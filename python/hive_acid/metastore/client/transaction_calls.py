"""Transactions, write IDs and locks over thrift."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hive_acid.errors import TransactionAborted, build_error
from hive_acid.metastore.client import conversion
from hive_acid.metastore.client.calls import Calls
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import (
    HeldLock,
    LockComponent,
    LockKind,
    LockState,
    MetastoreLine,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList

_LOWEST_WRITE_ID = 0


class TransactionCalls(Calls):
    """The part of `Metastore` about transactions."""

    def open_transaction(self, user: str, host: str, agent: str) -> int:
        request = ttypes.OpenTxnRequest(num_txns=1, user=user, hostname=host, agentInfo=agent)
        txn_id: int = self._change("open_txns", request).txn_ids[0]
        return txn_id

    def valid_transactions(self, own_txn_id: int) -> ValidTxnList:
        return conversion.build_valid_transactions(self._read("get_open_txns"), own_txn_id)

    def valid_write_ids(
        self, tables: Sequence[TableName], transactions: ValidTxnList | None
    ) -> dict[TableName, ValidWriteIdList]:
        """See `Metastore`. A server of 4.x that gets no list takes that of nobody's transaction; 3.1 must have one."""
        if not tables:
            return {}
        if transactions is None and self.line is MetastoreLine.HIVE_3:
            transactions = self.valid_transactions(0)
        request = ttypes.GetValidWriteIdsRequest(
            fullTableNames=[str(table) for table in tables],
            validTxnList=transactions.format() if transactions is not None else None,
        )
        answers = self._read("get_valid_write_ids", request).tblValidWriteIds
        by_name = {answer.fullTableName: conversion.build_valid_write_ids(answer) for answer in answers}
        missing = [str(table) for table in tables if str(table) not in by_name]
        if missing:
            reason = f"the answer lacks {', '.join(missing)}"
            raise build_error("HIVE_ACID_METASTORE_REFUSED", method="get_valid_write_ids", reason=reason)
        return {table: by_name[str(table)] for table in tables}

    def allocate_write_id(self, txn_id: int, table: TableName) -> int:
        request = ttypes.AllocateTableWriteIdsRequest(dbName=table.database, tableName=table.table, txnIds=[txn_id])
        answer = self._read("allocate_table_write_ids", request, txn_id=txn_id, table=str(table))
        write_id: int = answer.txnToWriteIds[0].writeId
        return write_id

    def restore_write_ids(self, table: TableName, high_water_mark: int, user: str, host: str) -> None:
        """See `Metastore`. The call is one of replication (TxnHandler.replTableWriteIdState)."""
        request = ttypes.ReplTblWriteIdStateRequest(
            validWriteIdlist=ValidWriteIdList(str(table), high_water_mark).format(),
            user=user,
            hostName=host,
            dbName=table.database,
            tableName=table.table,
        )
        self._read("repl_tbl_writeid_state", request, table=str(table))

    def keep_files(self, txn_id: int, tables: Collection[TableName]) -> None:
        """See `Metastore`.

        The Cleaner leaves a compaction alone whose highest write ID is not below the number that is told. Hive tells
        the lowest write ID that it finds open. This one is below all, because a reader may not see the result of a
        compaction that ends below that. One of originals alone ends at 0 (ReadyToCleanHandler; tried on 4.2.0). It is
        sent once: what arrives after the transaction's end is never removed.
        """
        request = {str(table): _LOWEST_WRITE_ID for table in tables}
        self._change("add_write_ids_to_min_history", txn_id, request, txn_id=txn_id)

    def heartbeat(self, txn_id: int) -> None:
        self._read("heartbeat", ttypes.HeartbeatRequest(txnid=txn_id), txn_id=txn_id)

    def commit(self, txn_id: int) -> None:
        self._change("commit_txn", _build_commit(txn_id), txn_id=txn_id)

    def abort(self, txn_id: int) -> None:
        self._read("abort_txn", ttypes.AbortTxnRequest(txnid=txn_id), txn_id=txn_id)

    def transaction_state(self, txn_id: int) -> TransactionState | None:
        """See `Metastore`.

        One that is not listed as open or aborted may be committed, forgotten, or an open one that only reads, which 4.x
        leaves out of the list. A heartbeat finds the last: it fails for everything but an open transaction, and what is
        not open never is again. So committing it then tells of the others and changes nothing: it succeeds for a
        committed transaction and fails for a forgotten one.
        """
        response = self._read("get_open_txns")
        open_ids, aborted_ids = conversion.split_by_bits(response.open_txns, response.abortedBits)
        if txn_id in open_ids:
            return TransactionState.OPEN
        if txn_id in aborted_ids:
            return TransactionState.ABORTED
        if txn_id > response.txn_high_water_mark:
            return None
        try:
            self.heartbeat(txn_id)
        except TransactionAborted as error:
            if _was_aborted(error):
                return TransactionState.ABORTED
        else:
            return TransactionState.OPEN
        try:
            self._read("commit_txn", _build_commit(txn_id), txn_id=txn_id)
        except TransactionAborted as error:
            return TransactionState.ABORTED if _was_aborted(error) else None
        return TransactionState.COMMITTED

    def transactions(self) -> list[TransactionInfo]:
        infos = self._read("get_open_txns_info").open_txns
        return sorted((conversion.build_transaction_info(info) for info in infos), key=lambda info: info.id)

    def latest_conflict(self, txn_id: int) -> int:
        if self.line is MetastoreLine.HIVE_3:
            raise build_error("HIVE_ACID_INTERNAL", reason="a metastore of the 3.1 line cannot be asked for conflicts")
        latest: int = self._read("get_latest_txnid_in_conflict", txn_id, txn_id=txn_id)
        return latest

    # locks

    def lock(
        self, txn_id: int, components: Sequence[LockComponent], user: str, host: str, agent: str
    ) -> tuple[int, LockState]:
        if self.line is MetastoreLine.HIVE_3 and any(part.kind is LockKind.EXCL_WRITE for part in components):
            raise build_error("HIVE_ACID_INTERNAL", reason="a metastore of the 3.1 line has no EXCL_WRITE locks")
        request = ttypes.LockRequest(
            component=[conversion.build_lock_component(component) for component in components],
            txnid=txn_id,
            user=user,
            hostname=host,
            agentInfo=agent,
        )
        tables = ", ".join(sorted({str(component.table) for component in components}))
        answer = self._change("lock", request, txn_id=txn_id, table=tables)
        return answer.lockid, conversion.build_lock_state(answer.state)

    def check_lock(self, txn_id: int, lock_id: int, elapsed_ms: int) -> LockState:
        request = ttypes.CheckLockRequest(lockid=lock_id, txnid=txn_id, elapsed_ms=elapsed_ms)
        return conversion.build_lock_state(self._read("check_lock", request, txn_id=txn_id).state)

    def unlock(self, lock_id: int) -> None:
        self._change("unlock", ttypes.UnlockRequest(lockid=lock_id))

    def held_locks(self, table: TableName | None = None) -> list[HeldLock]:
        request = ttypes.ShowLocksRequest()
        if table is not None:
            request = ttypes.ShowLocksRequest(dbname=table.database, tablename=table.table)
        return [conversion.build_held_lock(element) for element in self._read("show_locks", request).locks or ()]


def _build_commit(txn_id: int) -> ttypes.CommitTxnRequest:
    """Without `exclWriteEnabled` a server of the 4.x line would not search for conflicts.

    One of the 3.1 line always does, and skips a field that it does not know. It is sent to that too, for one of 4.x may
    stand in its place by now.
    """
    return ttypes.CommitTxnRequest(txnid=txn_id, exclWriteEnabled=False)


def _was_aborted(error: TransactionAborted) -> bool:
    """True if the metastore said so; else it does not know the transaction, or not as an open one."""
    return isinstance(error.__cause__, ttypes.TxnAbortedException)
