"""The stages of a writing statement: each is what the one before has found, and what its own step has added.

A step takes the stage that it needs, and gives the next one; see `hive_acid.execution.steps` for their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hive_acid import config
from hive_acid.metastore.types import LockComponent
from hive_acid.model.names import FolderName, is_base
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.snapshot import ScannedSnapshot, Snapshot
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import Rule
from hive_acid.wire.statements import Statement
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.engine import Engine
from hive_acid.writing.partitions import TouchedPartitions
from hive_acid.writing.publishing.publication import Publication


@dataclass(frozen=True, eq=False)
class Request:
    """A statement, the engine that runs it, and the settings of its session."""

    statement: Statement
    engine: Engine
    settings: config.Settings


@dataclass(frozen=True, eq=False)
class Found(Request):
    """The table is known."""

    table: TableDescription


@dataclass(frozen=True, eq=False)
class Opened(Found):
    """The engine's scans read `snapshot` by its `token`."""

    snapshot: ScannedSnapshot
    token: str


@dataclass(frozen=True, eq=False)
class Begun(Opened):
    """The statement belongs to a transaction that writes; `taken` is the transaction's snapshot, which scans read."""

    transaction: Transaction
    taken: Snapshot


@dataclass(frozen=True, eq=False)
class Numbered(Begun):
    """The transaction has a write ID in the table."""

    work: TableWork


@dataclass(frozen=True, eq=False)
class LockPlan:
    """All `locks` that a statement asks for, by its `rule`.

    `foreseen` are the partitions that it can write to, None if that cannot be told; `partitions` those that are locked
    by name, None if the whole table is.
    """

    rule: Rule
    foreseen: tuple[str, ...] | None
    partitions: tuple[str, ...] | None
    locks: tuple[LockComponent, ...]

    def find_unlocked(self, partitions: Iterable[str]) -> list[str]:
        """The partitions among these that no lock covers, sorted."""
        return [] if self.partitions is None else sorted(set(partitions) - set(self.partitions))


@dataclass(frozen=True, eq=False)
class Foreseen(Opened):
    """A dry run knows which locks the statement would ask for."""

    plan: LockPlan


@dataclass(frozen=True, eq=False)
class Counted(Foreseen):
    """A dry run knows what the statement would write."""

    result: WriteResult


@dataclass(frozen=True, eq=False)
class Planned(Numbered):
    """It is known which locks the statement asks for."""

    plan: LockPlan


@dataclass(frozen=True, eq=False)
class Locked(Planned):
    """The locks are held.

    `holds_target`: the target is locked as one that is read, as it was in the snapshot, so that nobody has dropped a
    part of it since.
    """

    holds_target: bool


@dataclass(frozen=True, eq=False)
class Written(Locked):
    """The engine has written the rows into folders that nobody reads yet."""

    publication: Publication
    result: WriteResult


@dataclass(frozen=True, eq=False)
class Prepared(Written):
    """The folders can be put in place: `touched` are the partitions that were written to, None in a flat table."""

    touched: TouchedPartitions | None

    @property
    def locations(self) -> list[str]:
        """The folders that the statement has written to; see `find_locations`."""
        return find_locations(self.table, self.touched)


@dataclass(frozen=True, eq=False)
class Published(Prepared):
    """The folders are in place; the commit makes them visible."""


def find_locations(table: TableDescription, touched: TouchedPartitions | None) -> list[str]:
    """The folders of the partitions, or of the flat table."""
    return [table.location] if touched is None else list(touched.locations.values())


@dataclass(eq=False)
class TableWork:
    """The work of a transaction, whose `snapshot` saw `before`, on a table under its one write ID there.

    `partitions` are those that it has written to, or is about to, with their locations. `written` are those with files
    of the transaction, `overwritten` those of them with a base; an empty name stands for a flat table. `published` are
    the statements whose files are in place.
    """

    table: TableDescription
    snapshot: Snapshot
    before: ValidWriteIdList
    write_id: int
    next_statement_id: int = 0
    partitions: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    overwritten: set[str] = field(default_factory=set)
    published: list[Published] = field(default_factory=list)

    def note(self, result: WriteResult) -> None:
        """Later statements write under greater statement IDs."""
        self.written |= {folder.partition for folder in result.folders}
        self.overwritten |= find_overwritten(result)
        names = (FolderName.parse(folder.name) for folder in result.folders)
        self.next_statement_id = 1 + max(name.statement_id or 0 for name in names if name)

    @property
    def own_view(self) -> ValidWriteIdList:
        """The write IDs that the snapshot sees, and the transaction's own."""
        return self.before.with_own(self.write_id)


def find_overwritten(result: WriteResult) -> set[str]:
    """The partitions that get a base; an empty name stands for a flat table."""
    return {folder.partition for folder in result.folders if is_base(folder.name)}
