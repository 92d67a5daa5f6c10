"""Transactions and locks as a metastore shows them, the history of a table, and taking a write ID back."""

from hive_acid.history.entries import HistoryEntry
from hive_acid.history.reader import load_history
from hive_acid.metastore.types import HeldLock, LockKind, LockState, TransactionInfo, TransactionState
from hive_acid.set_aside.setting_aside import LostFolder, SetAside, SettingAside
from hive_acid.transactions.blockers import describe_owner
from hive_acid.transactions.unlocked_writers import OUR_AGENT
from hive_acid.writing.unlocked_writers import find_unlocked_writers

__all__ = [
    "OUR_AGENT",
    "HeldLock",
    "HistoryEntry",
    "LockKind",
    "LockState",
    "LostFolder",
    "SetAside",
    "SettingAside",
    "TransactionInfo",
    "TransactionState",
    "describe_owner",
    "find_unlocked_writers",
    "load_history",
]
