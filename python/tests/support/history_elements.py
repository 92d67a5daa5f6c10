"""The elements of a table's history: rows and their events, folders, writers, and what a reader was given."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.model.names import FolderName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList


@dataclass(frozen=True, order=True)
class Row:
    """A row by its identity: the write ID that inserted it and a number."""

    write_id: int
    number: int


@dataclass(frozen=True)
class Event:
    """A line of a data or delete file: the row and `currentTransaction`."""

    row: Row
    write_id: int


@dataclass
class Folder:
    """A folder on disk. `compacted` folders carry a marker, or `_v…` in their name."""

    name: FolderName
    events: list[Event]
    is_marked: bool = False
    replaces: tuple[FolderName, ...] = ()


@dataclass
class Writer:
    """An open transaction with its write IDs (several: a batch of streaming ingest)."""

    txn_id: int
    write_ids: tuple[int, ...]
    is_overwrite: bool = False
    statements: int = 0


@dataclass(frozen=True)
class Snapshot:
    """The two lists, as the metastore gave them at one moment; `own_txn_id` is the writer that asked (0: a reader)."""

    write_ids: ValidWriteIdList
    transactions: ValidTxnList
    own_txn_id: int = 0
