"""Transactions of a process that has died in its driver's place."""

from __future__ import annotations

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import TransactionState
from hive_acid.transactions.locks import Identity


def abort_left_behind(metastore: Metastore, identity: Identity) -> tuple[int, ...]:
    """Aborts what is open under this identity, and returns the IDs; to be called before it opens any.

    Without it their locks would stay until the metastore misses their heartbeats. One that has ended meanwhile is
    nobody's concern.
    """
    aborted = []
    for info in metastore.transactions():
        if info.state is TransactionState.OPEN and Identity(info.user, info.host, info.agent) == identity:
            try:
                metastore.abort(info.id)
            except HiveAcidError:
                continue
            aborted.append(info.id)
    return tuple(aborted)
