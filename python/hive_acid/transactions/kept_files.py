"""Files that the Cleaner is asked to leave where they are, where it does not wait for open transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.server_settings import find_server_value
from hive_acid.model.table import TableName

_MIN_HISTORY = "hive.txn.use.minhistorywriteid"


def asks_cleaner(metastore: Metastore) -> bool:
    """True if, by a setting of the metastore, its Cleaner waits only for those who ask it to.

    Only 4.x knows it (ReadyToCleanHandler); it is true by default on 4.2.0, false on 4.0.0 to 4.1.0 (asked there).
    """
    return find_server_value(metastore.config_value, _MIN_HISTORY, "false") == "true"


class KeptFiles:
    """The tables that one transaction has asked the Cleaner to leave alone; for several threads.

    A metastore keeps for ever what it is told of a transaction that has ended, and the Cleaner off the table. So
    nothing is on its way when the end is asked for, and nothing is told after it.
    """

    def __init__(self, metastore: Metastore, txn_id: int) -> None:
        self._metastore = metastore
        self._txn_id = txn_id
        self._tables: frozenset[TableName] = frozenset()
        self._guard = threading.Lock()
        self._has_stopped = False

    def add(self, tables: Iterable[TableName], confirm: Callable[[], None], *, is_new: bool = False) -> None:
        """Asks for those that it has not been asked for. `confirm` raises if the transaction is not open any more.

        It is not called for the first ones of a transaction that `is_new`: its opening has been answered right before.
        """
        wanted = frozenset(tables) - self._tables
        if not wanted:
            return
        if self._tables or not is_new:
            confirm()
        with self._guard:
            if self._has_stopped:
                raise build_error(
                    "HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=min(wanted), reason="its transaction has ended"
                )
            self._metastore.keep_files(self._txn_id, sorted(wanted))
            self._tables |= wanted

    def stop(self) -> None:
        """Before the transaction ends."""
        with self._guard:
            self._has_stopped = True
