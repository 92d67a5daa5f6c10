"""Keeps the transactions of this process alive."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hive_acid.errors import HiveAcidError, TransactionAborted, build_error
from hive_acid.metastore.protocol import Metastore

LOG = logging.getLogger(__name__)


class Heartbeat:
    """Beats every registered transaction three times per timeout of the metastore, on a thread of its own.

    The first failure that ends a transaction is kept; `failure` hands it to whoever is about to commit. A beat that
    the metastore did not answer is tried again at the next turn, until the timeout has passed since the last answer.
    """

    def __init__(self, metastore: Metastore, timeout_ms: int, clock_ms: Callable[[], int]) -> None:
        self._metastore = metastore
        self._timeout_ms = timeout_ms
        self._clock_ms = clock_ms
        self._guard = threading.Lock()
        self._last_answer_ms: dict[int, int] = {}
        self._failures: dict[int, HiveAcidError] = {}
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def timeout_ms(self) -> int:
        """After how long without a beat the metastore ends a transaction, as it was told by the metastore."""
        return self._timeout_ms

    def register(self, txn_id: int) -> None:
        """Starts beating; the thread starts with the first transaction."""
        with self._guard:
            self._last_answer_ms[txn_id] = self._clock_ms()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hive-acid-heartbeat", daemon=True)
                self._thread.start()

    def unregister(self, txn_id: int) -> None:
        """Stops beating and forgets the transaction's failure."""
        with self._guard:
            self._last_answer_ms.pop(txn_id, None)
            self._failures.pop(txn_id, None)

    def failure(self, txn_id: int) -> HiveAcidError | None:
        """Why the transaction can no longer be trusted, or None."""
        with self._guard:
            return self._failures.get(txn_id)

    def beat(self) -> None:
        """One turn over all transactions."""
        with self._guard:
            due = [txn_id for txn_id in self._last_answer_ms if txn_id not in self._failures]
        for txn_id in due:
            try:
                self._metastore.heartbeat(txn_id)
            except TransactionAborted as error:
                self._fail(txn_id, error)
            except HiveAcidError as error:
                self._unanswered(txn_id, error)
            else:
                self._answered(txn_id)

    def stop(self) -> None:
        """Ends the thread. Transactions still open time out."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._timeout_ms / 3000):
            self.beat()

    def _answered(self, txn_id: int) -> None:
        with self._guard:
            if txn_id in self._last_answer_ms:
                self._last_answer_ms[txn_id] = self._clock_ms()

    def _unanswered(self, txn_id: int, error: HiveAcidError) -> None:
        LOG.warning("heartbeat of transaction %d got no answer: %s", txn_id, error)
        with self._guard:
            silent_ms = self._clock_ms() - self._last_answer_ms.get(txn_id, self._clock_ms())
        if silent_ms >= self._timeout_ms:
            reason = f"no heartbeat was answered for {silent_ms} ms"
            lost = build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id, table="its tables", reason=reason)
            lost.__cause__ = error
            self._fail(txn_id, lost)

    def _fail(self, txn_id: int, error: HiveAcidError) -> None:
        LOG.warning("transaction %d is lost: %s", txn_id, error)
        with self._guard:
            if txn_id in self._last_answer_ms:
                self._failures.setdefault(txn_id, error)
