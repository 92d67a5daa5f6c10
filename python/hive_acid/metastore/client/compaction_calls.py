"""The compaction queue over thrift."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hive_acid.errors import build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.client.calls import Calls
from hive_acid.metastore.compaction_types import (
    AbortedCompaction,
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    CompactionState,
    RequestedCompaction,
)
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableName

_TYPES = {
    CompactionKind.MINOR: ttypes.CompactionType.MINOR,
    CompactionKind.MAJOR: ttypes.CompactionType.MAJOR,
    CompactionKind.REBALANCE: ttypes.CompactionType.REBALANCE,
    CompactionKind.ABORT_CLEANUP: ttypes.CompactionType.ABORT_TXN_CLEANUP,
    CompactionKind.SMART_OPTIMIZE: ttypes.CompactionType.SMART_OPTIMIZE,
}
_KINDS = {code: kind for kind, code in _TYPES.items()}
_STATES = {state.value: state for state in CompactionState} | {"attempted": CompactionState.DID_NOT_INITIATE}
_PASSED_ON = ("toomanyaborts", "state", "start", "hasoldabort", "enqueueTime", "retryRetention", "poolname")
_NO_JOB = "None"
_NO_POOL = "default"
"""The pool that 4.x lists for an entry that was requested for none."""
_LEVELS_WITH_POOLS = "a pool, CLUSTERED INTO or ORDER BY"


class CompactionCalls(Calls):
    """The part of `Metastore` about compaction."""

    def request_compaction(self, request: CompactionRequest) -> RequestedCompaction:
        """See `CompactionQueue`. In another catalog than `hive` Hive's Cleaner takes the table for dropped."""
        if self._catalog != DEFAULT_CATALOG:
            where = {"operation": "ALTER TABLE … COMPACT", "table": request.table, "catalog": self._catalog}
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_IN_CATALOG", **where)
        asked = ttypes.CompactionRequest(
            dbname=request.table.database,
            tablename=request.table.table,
            partitionname=request.partition,
            type=_TYPES[request.kind],
            runas=request.user,
            properties=dict(request.properties) or None,
        )
        if self.line.serves_workers:
            asked.initiatorId = request.initiator
            asked.poolName = request.pool
            asked.numberOfBuckets = request.buckets
            asked.orderByClause = request.order_by
        elif request.kind is CompactionKind.REBALANCE or (request.pool or request.buckets or request.order_by):
            raise build_error("HIVE_ACID_INTERNAL", reason=f"3.1 has no rebalance, and not {_LEVELS_WITH_POOLS}")
        answer = self._change("compact2", asked, table=str(request.table))
        id_ = answer.id if answer.id > 0 else None
        return RequestedCompaction(id_, _parse_state(answer.state), bool(answer.accepted), answer.errormessage or "")

    def compactions(self) -> list[CompactionInfo]:
        # servers list what has not begun in an order of their own (seen on 4.0.0), and give out rising IDs
        listed = self._read("show_compact", ttypes.ShowCompactRequest()).compacts
        return sorted((_build_info(element) for element in listed), key=lambda info: -info.id)

    def abort_compactions(self, ids: Sequence[int]) -> list[AbortedCompaction]:
        self._require_workers("abort_Compactions")
        answers = self._read("abort_Compactions", ttypes.AbortCompactionRequest(compactionIds=list(ids)))
        found = (answers.abortedcompacts[id_] for id_ in ids)
        return [AbortedCompaction(each.compactionId, each.status or "", each.message or "") for each in found]

    def next_compaction(self, worker: str, version: str, pool: str | None) -> CompactionJob | None:
        self._require_workers("find_next_compact2")
        request = ttypes.FindNextCompactRequest(workerId=worker, workerVersion=version, poolName=pool)
        found = self._change("find_next_compact2", request).ci
        return None if found is None or not found.id else _build_job(found, worker)

    def open_compaction(self, user: str, host: str, agent: str, kind: CompactionKind) -> int:
        self._require_workers("open_txns")
        is_rebalance = kind is CompactionKind.REBALANCE
        kind_code = ttypes.TxnType.REBALANCE_COMPACTION if is_rebalance else ttypes.TxnType.COMPACTION
        request = ttypes.OpenTxnRequest(num_txns=1, user=user, hostname=host, agentInfo=agent, txn_type=kind_code)
        txn_id: int = self._change("open_txns", request).txn_ids[0]
        return txn_id

    def start_compaction(self, job: CompactionJob, txn_id: int) -> None:
        if job.highest_write_id is None or job.user is None:
            raise build_error("HIVE_ACID_INTERNAL", reason="a compaction starts with a highest write ID and a user")
        self._require_workers("update_compactor_state")
        self._read("update_compactor_state", _build_struct(job), txn_id, txn_id=txn_id, table=str(job.table))

    def mark_compacted(self, job: CompactionJob) -> None:
        self._mark("mark_compacted", job)

    def mark_failed(self, job: CompactionJob) -> None:
        self._mark("mark_failed", job)

    def mark_refused(self, job: CompactionJob) -> None:
        self._mark("mark_refused", job)

    def _mark(self, method: str, job: CompactionJob) -> None:
        self._require_workers(method)
        self._change(method, _build_struct(job), table=str(job.table))

    def abort_transactions(self, txn_ids: Sequence[int]) -> None:
        self._read("abort_txns", ttypes.AbortTxnsRequest(txn_ids=list(txn_ids)))

    def _require_workers(self, method: str) -> None:
        if not self.line.serves_workers:
            reason = f"a metastore of the 3.1 line has no {method}: it lets nobody else compact"
            raise build_error("HIVE_ACID_INTERNAL", reason=reason)


def _known(convert: Callable[[Any], Any], value: Any) -> Any:
    """None for what is not set; servers answer with 0, an empty text or nothing."""
    return convert(value) if value else None


def _parse_state(word: str) -> CompactionState:
    """One table's entry in a state of a later release is no failure of statements about others."""
    return _STATES.get(word, CompactionState.UNKNOWN)


def _parse_kind(code: int) -> dict[str, Any]:
    """The fields about the kind. thrift gives the plain number of a kind that its stubs do not know."""
    kind = _KINDS.get(code, CompactionKind.OTHER)
    return {"kind": kind, "kind_code": code if kind is CompactionKind.OTHER else None}


def _build_info(element: Any) -> CompactionInfo:
    # 4.0 and before have the highest write ID in the field of the highest transaction
    job_id = element.hadoopJobId
    return CompactionInfo(
        id=element.id or 0,
        table=TableName(element.dbname, element.tablename),
        state=_parse_state(element.state),
        partition=_known(str, element.partitionname),
        worker=_known(str, element.workerid),
        worker_version=_known(str, element.workerVersion),
        user=_known(str, element.runAs),
        job_id=None if job_id == _NO_JOB else _known(str, job_id),
        error=_known(str, element.errorMessage or element.metaInfo),
        enqueued_ms=_known(int, element.enqueueTime),
        started_ms=_known(int, element.start),
        ended_ms=_known(int, element.endTime),
        initiator=_known(str, element.initiatorId),
        initiator_version=_known(str, element.initiatorVersion),
        pool=None if element.poolName == _NO_POOL else _known(str, element.poolName),
        txn_id=_known(int, element.txnId),
        next_txn_id=_known(int, element.nextTxnId),
        committed_ms=_known(int, element.commitTime),
        highest_write_id=_known(int, element.hightestWriteId or element.hightestTxnId),
        **_parse_kind(element.type),
    )


def _build_job(found: Any, worker: str) -> CompactionJob:
    return CompactionJob(
        id=found.id,
        table=TableName(found.dbname, found.tablename),
        partition=_known(str, found.partitionname),
        user=_known(str, found.runas),
        properties=_known(str, found.properties),
        worker=worker,
        buckets=_known(int, found.numberOfBuckets),
        order_by=_known(str, found.orderByClause),
        stored=tuple((name, getattr(found, name)) for name in _PASSED_ON),
        **_parse_kind(found.type),
    )


def _build_struct(job: CompactionJob) -> Any:
    return ttypes.CompactionInfoStruct(
        id=job.id,
        dbname=job.table.database,
        tablename=job.table.table,
        partitionname=job.partition,
        type=_TYPES.get(job.kind, job.kind_code),
        runas=job.user,
        properties=job.properties,
        workerId=job.worker,
        highestWriteId=job.highest_write_id,
        errorMessage=job.error,
        numberOfBuckets=job.buckets,
        orderByClause=job.order_by,
        **dict(job.stored),
    )
