"""The ways to a warehouse: metastore, file system, transactions."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.manager import TransactionManager


@dataclass(frozen=True)
class Warehouse:
    """The metastore, the storage of its tables, and the transactions that are opened in it."""

    metastore: Metastore
    file_system: FileSystem
    transactions: TransactionManager
