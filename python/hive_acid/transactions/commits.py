"""The commit of one transaction, which is asked after if its answer is lost."""

from __future__ import annotations

import logging
from enum import Enum

from hive_acid import config
from hive_acid.errors import (
    HiveAcidError,
    MetastoreRefused,
    MetastoreUnavailable,
    StatementCancelled,
    TransactionAborted,
    build_error,
)
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import TransactionState
from hive_acid.transactions.locks import Timing

LOG = logging.getLogger(__name__)
_NO_STATE = (MetastoreUnavailable, MetastoreRefused, StatementCancelled)
"""Errors of the question for a state, which is asked again. The wait for a connection ends early if the statement is
cancelled.
"""


class CommitOutcome(Enum):
    """How a transaction ended, as far as this process knows."""

    OPEN = "open"
    COMMITTED = "committed"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


class Commit:
    """The commit of a transaction; `subject` names its table in messages."""

    def __init__(
        self, metastore: Metastore, txn_id: int, subject: str, settings: config.Settings, timing: Timing
    ) -> None:
        self._metastore = metastore
        self._txn_id = txn_id
        self._subject = subject
        self._settings = settings
        self._timing = timing
        self._may_count = False
        """It was sent."""

    def send(self) -> None:
        """Sends it. Raises TransactionAborted, and MetastoreUnavailable: then `resolve` finds out."""
        try:
            self._metastore.commit(self._txn_id)
        except MetastoreUnavailable as error:
            self._may_count = self._may_count or error.was_sent
            raise

    def resolve(self, lost: MetastoreUnavailable) -> tuple[CommitOutcome, HiveAcidError | None]:
        """The outcome, and the error unless it is committed, once its answer was lost.

        Asks for the state, and commits again (which is idempotent) while the transaction is open.
        """
        clock_ms = self._timing.clock_ms
        until_ms = clock_ms() + self._settings.number(config.COMMIT_RESOLVE_TIMEOUT_MS)
        while clock_ms() < until_ms:
            try:
                state = self._send_if_open()
            except _NO_STATE as error:
                LOG.warning("still asking what became of transaction %d: %s", self._txn_id, error)
                self._timing.resolve_pause_ms(self._settings.number(config.LOCK_POLL_MAX_MS))
                continue
            if state is TransactionState.COMMITTED:
                return CommitOutcome.COMMITTED, None
            if state is TransactionState.ABORTED:
                return CommitOutcome.ABORTED, self._build_aborted()
            break
        return (CommitOutcome.UNKNOWN, self._build_unknown(lost)) if self._may_count else (CommitOutcome.OPEN, lost)

    def _send_if_open(self) -> TransactionState | None:
        """The state of the transaction; the commit is sent again if it is open.

        A metastore knows a committed transaction no more once what it wrote was compacted and cleaned away. So if one
        that was sent before may have been carried out meanwhile, only its state tells (TxnHandler.commitTxn, 4.0.0).
        """
        state = self._metastore.transaction_state(self._txn_id)
        if state is not TransactionState.OPEN:
            return state
        try:
            self.send()
        except TransactionAborted:
            return self._metastore.transaction_state(self._txn_id) if self._may_count else TransactionState.ABORTED
        return TransactionState.COMMITTED

    def _build_aborted(self) -> HiveAcidError:
        reason = "the metastore aborted it while its commit was under way"
        return build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=self._txn_id, table=self._subject, reason=reason)

    def _build_unknown(self, lost: MetastoreUnavailable) -> HiveAcidError:
        why = lost.getMessageParameters()
        return build_error(
            "HIVE_ACID_COMMIT_STATE_UNKNOWN",
            txnId=self._txn_id,
            table=self._subject,
            reason=f"no answer to {why['method']}: {why['reason']}",
            uri=self._metastore.uri,
        )
