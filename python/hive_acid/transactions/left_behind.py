"""Transactions of a process that has died in its driver's place."""

from __future__ import annotations

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.protocol import Metastore
from hive_acid.transactions.locks import Identity


def abort_left_behind(metastore: Metastore, identity: Identity) -> tuple[int, ...]:
    """Aborts the transactions whose locks have this identity, and returns their IDs; to be called before it has any.

    Without it the locks would stay until the metastore misses their heartbeats. Locks tell whose they are, while
    metastores do not keep the agent of a transaction. One that has ended meanwhile is nobody's concern.
    """
    locks = metastore.held_locks()
    left = {lock.txn_id for lock in locks if Identity(lock.user, lock.host, lock.agent) == identity}
    aborted = []
    for txn_id in sorted(txn_id for txn_id in left if txn_id is not None):
        try:
            metastore.abort(txn_id)
        except HiveAcidError:
            continue
        aborted.append(txn_id)
    return tuple(aborted)
