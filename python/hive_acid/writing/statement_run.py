"""A writing statement on its way: what its steps have found so far, and what its transaction has done to the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.metastore.types import LockComponent
from hive_acid.model.names import FolderName, is_base
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.snapshot import ScannedSnapshot, Snapshot
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import Rule
from hive_acid.writing.engine import Engine, WriteResult
from hive_acid.writing.local_files import refuse_local_files
from hive_acid.writing.mounts import refuse_mounted
from hive_acid.writing.partitions import TouchedPartitions
from hive_acid.writing.publication import Publication
from hive_acid.writing.statement import Statement
from hive_acid.writing.table_rules import find_place_fault


@dataclass(eq=False)
class StatementRun:
    """One run of a statement under the settings of its session. Each step fills in what later ones need.

    The engine's scans read `snapshot` by its `token`; `taken` is the same if the statement writes. `foreseen` are the
    partitions it can write to, None if that cannot be told; `partitions` those that are locked by name, None if the
    whole table is; `locks` are all that the statement asks for. `touched` are the partitions it has written to, None in
    a flat table. `holds_target`: the target is locked as one that is read, as it was in the snapshot, so that nobody
    has dropped a part of it since. `is_over`: there is nothing left to do.
    """

    statement: Statement
    engine: Engine
    settings: config.Settings
    table: TableDescription = field(init=False)
    transaction: Transaction = field(init=False)
    snapshot: ScannedSnapshot = field(init=False)
    taken: Snapshot = field(init=False)
    token: str = field(init=False)
    work: TableWork = field(init=False)
    rule: Rule = field(init=False)
    foreseen: tuple[str, ...] | None = field(init=False)
    partitions: tuple[str, ...] | None = field(init=False)
    locks: tuple[LockComponent, ...] = field(init=False)
    publication: Publication = field(init=False)
    result: WriteResult = field(init=False)
    touched: TouchedPartitions | None = field(init=False)
    holds_target: bool = False
    is_over: bool = False

    @property
    def locations(self) -> list[str]:
        """The folders it has written to: of the partitions, or of the flat table."""
        return list(self.touched.locations.values()) if self.touched else [self.table.location]


@dataclass(eq=False)
class TableWork:
    """The work of a transaction, whose `snapshot` saw `before`, on a table under its one write ID there.

    `partitions` are those that it has written to, or is about to, with their locations. `written` are those with files
    of the transaction, `overwritten` those of them with a base; an empty name stands for a flat table. `runs` are the
    statements whose files are in place.
    """

    table: TableDescription
    snapshot: Snapshot
    before: ValidWriteIdList
    write_id: int
    next_statement_id: int = 0
    partitions: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    overwritten: set[str] = field(default_factory=set)
    runs: list[StatementRun] = field(default_factory=list)

    def note(self, result: WriteResult) -> None:
        """Later statements write under greater statement IDs."""
        self.written |= {folder.partition for folder in result.folders}
        self.overwritten |= _find_overwritten(result)
        names = (FolderName.parse(folder.name) for folder in result.folders)
        self.next_statement_id = 1 + max(name.statement_id or 0 for name in names if name)

    @property
    def own_view(self) -> ValidWriteIdList:
        """The write IDs that the snapshot sees, and the transaction's own."""
        return self.before.with_own(self.write_id)


def refuse_beside_overwrites(statement: Statement, work: TableWork, txn_id: int) -> None:
    """A base hides all else that is written under its write ID, which is one per transaction and table.

    Raises HIVE_ACID_TRANSACTION_STATE.
    """
    if work.overwritten or (statement.overwrite is not None and work.written):
        raise build_error("HIVE_ACID_TRANSACTION_STATE.OVERWRITE_NOT_ALONE", txnId=txn_id, target=statement.target)


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


def refuse_places(files: FileSystem, run: StatementRun) -> None:
    """Refuses partitions on storage to which the files of this table's statements do not come."""
    locations = tuple(run.touched.existing.values()) if run.touched else ()
    operation, allowed = run.statement.kind.title, run.settings.flag(config.ALLOW_NON_ATOMIC_RENAME)
    for location in locations:
        if fault := find_place_fault(run.table, location, allowed):
            raise fault.build_error(operation=operation, table=run.table.name)
    refuse_storage(files, run, locations)


def refuse_storage(files: FileSystem, run: StatementRun, locations: Sequence[str]) -> None:
    """Refuses mounts whose storage does not rename folders at once, and local disks that other machines do not see.

    Raises HIVE_ACID_UNSUPPORTED_TABLE.
    """
    operation, name = run.statement.kind.title, run.table.name
    refuse_mounted(files, operation, name, locations, run.settings.flag(config.ALLOW_NON_ATOMIC_RENAME))
    refuse_local_files(files, operation, name, locations, run.settings)
