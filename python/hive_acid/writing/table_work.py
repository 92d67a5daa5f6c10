"""What a transaction of several statements has done to one table so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from hive_acid.errors import build_error
from hive_acid.model.names import FolderName, is_base
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.writing.engine import WriteResult
from hive_acid.writing.partitions import TouchedPartitions
from hive_acid.writing.statement import Statement
from hive_acid.writing.writer import TableWrite


@dataclass
class TableWork:
    """What the transaction does to the table.

    `written` are the partitions with files of the transaction, `overwritten` those of them with a base; an empty name
    stands for a flat table. At the commit `changes` of rows are compared once more with those of others, and
    `unreported` is told to listeners.
    """

    table: TableDescription
    before: ValidWriteIdList
    write_id: int
    next_statement_id: int = 0
    partitions: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    overwritten: set[str] = field(default_factory=set)
    changes: list[tuple[TableWrite, TouchedPartitions | None]] = field(default_factory=list)
    unreported: list[tuple[WriteResult, TouchedPartitions | None]] = field(default_factory=list)

    def note(self, result: WriteResult) -> None:
        """Later statements write under greater statement IDs."""
        self.written |= {folder.partition for folder in result.folders}
        self.overwritten |= _find_overwritten(result)
        names = (FolderName.parse(folder.name) for folder in result.folders)
        self.next_statement_id = 1 + max(name.statement_id or 0 for name in names if name)

    @property
    def own_view(self) -> ValidWriteIdList:
        """What the snapshot sees, and what the transaction itself has written."""
        return self.before.with_own(self.write_id)


def refuse_beside_overwrites(statement: Statement, work: TableWork, txn_id: int) -> None:
    """A base hides all else that is written under its write ID, which is one per transaction and table.

    Raises HIVE_ACID_TRANSACTION_STATE.
    """
    if work.overwritten or (statement.overwrite is not None and work.written):
        reason = f"an overwrite or TRUNCATE of {statement.target} must be the only statement in it that writes there"
        raise build_error("HIVE_ACID_TRANSACTION_STATE", txnId=txn_id, reason=reason)


def _find_overwritten(result: WriteResult) -> set[str]:
    return {folder.partition for folder in result.folders if is_base(folder.name)}


def refuse_overlap(work: TableWork, result: WriteResult) -> None:
    """A base hides only what lies beside it, so that other partitions may be written to under its write ID.

    Raises HIVE_ACID_OVERLAPPING_INSERTS.
    """
    overlap = ({folder.partition for folder in result.folders} & work.overwritten) | (
        _find_overwritten(result) & work.written
    )
    if overlap:
        partition = min(overlap)
        place = f"partition {partition} of {work.table.name}" if partition else str(work.table.name)
        raise build_error("HIVE_ACID_OVERLAPPING_INSERTS", place=place)
