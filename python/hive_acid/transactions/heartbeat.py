"""Keeps the transactions of this process alive."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hive_acid.errors import HiveAcidError, TransactionAborted, build_error
from hive_acid.metastore.protocol import Metastore

LOG = logging.getLogger(__name__)


def _nothing() -> None:
    return None


class Heartbeat:
    """Beats every registered transaction three times per timeout of the metastore, on a thread of its own.

    The first failure that ends a transaction is kept; `failure` hands it to whoever is about to commit. A beat that
    the metastore did not answer is tried again at the next turn, until the timeout has passed since the last beat that
    it has answered was sent. Any other error ends the transaction too, and the thread goes on.
    """

    def __init__(self, metastore: Metastore, timeout_ms: int, clock_ms: Callable[[], int]) -> None:
        self._metastore = metastore
        self._timeout_ms = timeout_ms
        self._clock_ms = clock_ms
        self._guard = threading.Lock()
        self._last_beat_ms: dict[int, int] = {}
        self._failures: dict[int, HiveAcidError] = {}
        self.after_turn: Callable[[], None] = _nothing
        """Called on the thread of the heartbeats after each turn; must not wait for anything."""
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def timeout_ms(self) -> int:
        """After how long without a beat the metastore ends a transaction, as it was told by the metastore."""
        return self._timeout_ms

    def register(self, txn_id: int) -> None:
        """Starts beating; the thread starts with the first transaction."""
        with self._guard:
            self._last_beat_ms[txn_id] = self._clock_ms()
            if self._thread is None:
                self._thread = self._start_thread()

    def unregister(self, txn_id: int) -> None:
        """Stops beating and forgets the transaction's failure."""
        with self._guard:
            self._last_beat_ms.pop(txn_id, None)
            self._failures.pop(txn_id, None)

    def failure(self, txn_id: int) -> HiveAcidError | None:
        """Why the transaction can no longer be trusted, or None.

        This process, or its thread that beats, may have stood still: then the time alone tells.
        """
        with self._guard:
            known = self._failures.get(txn_id)
            return known or self._find_silence(txn_id)

    def ask(self, txn_id: int) -> None:
        """Beats now. Raises what the metastore says: HIVE_ACID_TRANSACTION_ABORTED if the transaction has ended."""
        asked_ms = self._clock_ms()
        self._metastore.heartbeat(txn_id)
        self._answered(txn_id, asked_ms)

    def beat(self) -> None:
        """One turn over all transactions."""
        with self._guard:
            due = [txn_id for txn_id in self._last_beat_ms if txn_id not in self._failures]
        for txn_id in due:
            try:
                self.ask(txn_id)
            except TransactionAborted as error:
                self._fail(txn_id, error)
            except HiveAcidError as error:
                self._unanswered(txn_id, error)
            except Exception as error:  # noqa: BLE001 (nobody else would hear of it, and others wait for their beat)
                reason = f"transaction {txn_id} got no heartbeat: {type(error).__name__}: {error}"
                fault = build_error("HIVE_ACID_INTERNAL", reason=reason)
                fault.__cause__ = error
                self._fail(txn_id, fault)

    def stop(self) -> tuple[int, ...]:
        """Ends the thread: the transactions that are still registered, each of them lost to whoever runs within it."""
        self._stopped.set()
        with self._guard:
            for txn_id in self._last_beat_ms:
                told = {"txnId": txn_id, "table": "its tables", "reason": "its application has ended"}
                self._failures.setdefault(txn_id, build_error("HIVE_ACID_TRANSACTION_ABORTED", **told))
            return tuple(self._last_beat_ms)

    def _start_thread(self) -> threading.Thread:
        thread = threading.Thread(target=self._run, name="hive-acid-heartbeat", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        while not self._stopped.wait(self._timeout_ms / 3000):
            try:
                self.beat()
                self.after_turn()
            except Exception:  # the next turn may go well
                LOG.exception("a turn of the heartbeat failed")

    def _answered(self, txn_id: int, asked_ms: int) -> None:
        with self._guard:
            if txn_id in self._last_beat_ms:
                self._last_beat_ms[txn_id] = asked_ms

    def _unanswered(self, txn_id: int, error: HiveAcidError) -> None:
        with self._guard:
            if txn_id not in self._last_beat_ms:
                return
            lost = self._find_silence(txn_id)
        LOG.warning("heartbeat of transaction %d got no answer: %s", txn_id, error)
        if lost is not None:
            lost.__cause__ = error
            self._fail(txn_id, lost)

    def _find_silence(self, txn_id: int) -> HiveAcidError | None:
        now_ms = self._clock_ms()
        silent_ms = now_ms - self._last_beat_ms.get(txn_id, now_ms)
        if silent_ms < self._timeout_ms:
            return None
        reason = f"no heartbeat was answered for {silent_ms} ms, and the metastore ends it after {self._timeout_ms} ms"
        return build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id, table="its tables", reason=reason)

    def _fail(self, txn_id: int, error: HiveAcidError) -> None:
        """Does nothing if the transaction has ended while its beat was on its way."""
        with self._guard:
            if txn_id not in self._last_beat_ms:
                return
            self._failures.setdefault(txn_id, error)
        LOG.warning("transaction %d is lost: %s", txn_id, error)
