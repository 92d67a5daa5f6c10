"""Transactions and locks as a metastore shows them, the history of a table, and taking a write ID back."""

from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.history.entries import COMPACTION, MAX_PARTITIONS, UNKNOWN, HistoryEntry
from hive_acid.metastore.types import (
    HeldLock,
    LockComponent,
    LockKind,
    LockState,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.operators.rows import ShownScope
from hive_acid.operators.show_compactions import build_compaction_rows
from hive_acid.operators.show_locks import build_lock_rows
from hive_acid.operators.show_transactions import abort_transactions, build_transaction_rows
from hive_acid.quirks.unlocked_writers import find_unlocked_writers
from hive_acid.reading.warehouse import Warehouse
from hive_acid.sql.operator_statements import AbortTransactions, ShowCompactions, ShowLocks, ShowTransactions
from hive_acid.transactions.blockers import describe_owner
from hive_acid.transactions.locks import OUR_AGENT
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.partitions import withdraw_statistics

__all__ = [
    "COMPACTION",
    "MAX_PARTITIONS",
    "OUR_AGENT",
    "UNKNOWN",
    "AbortTransactions",
    "HeldLock",
    "HistoryEntry",
    "LockComponent",
    "LockKind",
    "LockState",
    "NoteWriter",
    "OperationKind",
    "ShowCompactions",
    "ShowLocks",
    "ShowTransactions",
    "ShownScope",
    "StatementOutcome",
    "Transaction",
    "TransactionInfo",
    "TransactionState",
    "Warehouse",
    "abort_transactions",
    "build_compaction_rows",
    "build_lock_rows",
    "build_transaction_rows",
    "describe_owner",
    "find_unlocked_writers",
    "telling",
    "withdraw_statistics",
]
