"""Compactions of our workers that nobody works at any more.

A worker opens the transaction before it asks the queue for an entry, and asks under a name that holds it. So from the
moment in which an entry is somebody's, also if the answer is lost or the worker dies right then, the metastore knows
whether that somebody is alive.
"""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.metastore.compaction_types import CompactionInfo, CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import TransactionState

WORKER_PREFIX = "spark-"
"""The prefix of our workers' names. Before the first dash is what Hive takes for a host: a server that starts there
takes away what workers of its host do (revokeFromLocalWorkers)."""
STATEMENT_POOL_PREFIX = "spark-hive-acid-"
"""How the pools begin that a statement makes for what it does itself; each is one statement's."""
_TXN_MARK = ".txn"
"""Without a dash, for what follows the last one is the thread that SHOW COMPACTIONS names."""


def name_with_transaction(worker: str, txn_id: int) -> str:
    """The name under which the worker takes an entry that is to live and die with the transaction."""
    return f"{worker}{_TXN_MARK}{txn_id}"


def find_transaction(entry: CompactionInfo) -> int | None:
    """The transaction that an entry of one of our workers lives and dies with; None: not known."""
    if entry.txn_id is not None:
        return entry.txn_id
    _, mark, number = (entry.worker or "").rpartition(_TXN_MARK)
    return int(number) if mark and number.isdecimal() else None


def is_of_statement(pool: str | None) -> bool:
    """True for a pool that one statement created: when the statement has ended, nobody serves the pool."""
    return pool is not None and pool.startswith(STATEMENT_POOL_PREFIX)


def find_waiting(entries: Sequence[CompactionInfo], pool: str | None) -> CompactionInfo | None:
    """The entry that a worker of the pool would be given, as far as can be told, the first that was asked for.

    One of no pool may be given those of any, which the queue does after half a day
    (hive.compactor.worker.pool.timeout). Entries of kinds that none of ours can do wait for Hive's workers.
    """
    waiting = [entry for entry in entries if entry.state is CompactionState.INITIATED and entry.kind.is_ours]
    own = [entry for entry in waiting if entry.pool == pool]
    found = own or (waiting if pool is None else [])
    return min(found, key=lambda entry: entry.id, default=None)


def find_dead(metastore: Metastore) -> list[CompactionInfo]:
    """Entries that count as being worked at by one of our workers whose transaction has ended.

    A worker that fails, or has nothing to do, tells the queue before its transaction ends. So only what the queue says
    *after* the transaction is known to have ended counts. One that has committed may be about to tell it.
    """
    suspects = {entry.id: txn_id for entry in metastore.compactions() if (txn_id := _find_liveness(entry))}
    ended = {
        id_: txn_id
        for id_, txn_id in suspects.items()
        if metastore.transaction_state(txn_id) is not TransactionState.OPEN
    }
    if not ended:
        return []
    return [
        entry for entry in metastore.compactions() if entry.id in ended and _find_liveness(entry) == ended[entry.id]
    ]


def _find_liveness(entry: CompactionInfo) -> int | None:
    """The transaction of an entry that one of ours works at."""
    is_ours = entry.state is CompactionState.WORKING and (entry.worker or "").startswith(WORKER_PREFIX)
    return find_transaction(entry) if is_ours else None
