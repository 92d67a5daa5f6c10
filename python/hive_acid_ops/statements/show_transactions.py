"""The rows of SHOW TRANSACTIONS, and ABORT TRANSACTIONS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hive_acid.api.conditions import build_error
from hive_acid.api.statements import Row, StatementOutcome, TransactionInfo, TransactionState, telling
from hive_acid.api.tables import Metastore


def build_transaction_rows(transactions: Iterable[TransactionInfo]) -> list[Row]:
    """A row for each, by ID (ShowTransactionsOperation of Hive 4.1)."""
    return [
        (info.id, info.state.name, info.started_ms, info.last_heartbeat_ms, info.user, info.host)
        for info in sorted(transactions, key=lambda info: info.id)
    ]


def abort_transactions(metastore: Metastore, txn_ids: Sequence[int]) -> list[Row]:
    """Aborts open transactions of any client: a row with the ID and state of each, in the order given.

    The state is ABORTED, or COMMITTED of one that its owner has committed meanwhile. Raises
    HIVE_ACID_TRANSACTION_NOT_OPEN, and aborts none, if one is not open.
    """
    open_ids = {info.id for info in metastore.transactions() if info.state is TransactionState.OPEN}
    for txn_id in txn_ids:
        if txn_id not in open_ids:
            _require_open(metastore, txn_id)
    with telling(StatementOutcome.NOT_KNOWN):
        metastore.abort_transactions(txn_ids)
    with telling(StatementOutcome.CARRIED_OUT):
        aborted = {info.id for info in metastore.transactions() if info.state is TransactionState.ABORTED}
        return [(txn_id, "ABORTED" if txn_id in aborted else _find_end(metastore, txn_id)) for txn_id in txn_ids]


def _require_open(metastore: Metastore, txn_id: int) -> None:
    """The list may lack open ones that only read."""
    state = metastore.transaction_state(txn_id)
    if state is TransactionState.OPEN:
        return
    reason = "it is not known" if state is None else f"it is {state.value}"
    if state is None and txn_id > metastore.valid_transactions(0).high_water_mark:
        reason = "there has been none of this ID yet"
    raise build_error("HIVE_ACID_TRANSACTION_NOT_OPEN", txnId=txn_id, reason=reason)


def _find_end(metastore: Metastore, txn_id: int) -> str:
    """One that wrote nothing is forgotten once it is aborted."""
    state = metastore.transaction_state(txn_id)
    return (state or TransactionState.ABORTED).name
