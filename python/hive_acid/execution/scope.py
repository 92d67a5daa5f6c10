"""The scope that a writing statement runs within: a transaction of its own, one of several statements, or a dry run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, MutableMapping, Sequence

from hive_acid import config
from hive_acid.execution.watch import Watch
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableName
from hive_acid.quirks.acting import ActingQuirks
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.commits import CommitOutcome
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.kept_lock import KeptLock
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.publishing.publication import Markers, Publication
from hive_acid.writing.publishing.publications import build_statement_publication
from hive_acid.writing.snapshot_checks import SnapshotChecks
from hive_acid.writing.stages import Begun, Found, Locked, Opened, Planned, TableWork
from hive_acid.writing.write_job import WriteJobs


class Tools:
    """The tools of the steps in one warehouse. `pause_ms` waits, and raises if the statement was cancelled.

    `snapshots` is where scans find their snapshot, by its token; `notes` writes those for the history.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        pause_ms: Callable[[int], None],
        snapshots: MutableMapping[str, ScannedSnapshot],
        notes: NoteWriter,
    ) -> None:
        self.warehouse = warehouse
        self.metastore = warehouse.metastore
        self.files = warehouse.file_system
        self.pause_ms = pause_ms
        self.snapshots = snapshots
        self.notes = notes
        self.checks = SnapshotChecks(self.metastore, self.files)
        self.jobs = WriteJobs(self.metastore, self.files, pause_ms, snapshots)


class Scope(ABC):
    """The scope of a statement.

    `held` are the locks that are held, `kept_lock` one that is kept from an earlier run of the same statement.
    `reads_target`: the target counts as read, even if the statement's query does not read it. `watch` is that of the
    statement.
    """

    kept_lock: KeptLock | None = None
    reads_target = False

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.watch = Watch(tools.warehouse.transactions.timing.clock_ms)
        self.held: Sequence[LockComponent] = ()

    @abstractmethod
    def open_snapshot(self, found: Found) -> Opened:
        """The snapshot that the statement's scans read."""


class WritingScope(Scope):
    """A transaction that writes; `work` is what it has done, by table, which can be undone until the commit.

    `has_several`: the transaction can have more statements than one. `overwrites`: statements run as one, and one of
    them overwrites. `quirks` are called by the steps. `purpose` is what the history tells in place of the
    statements' texts, None: these.
    """

    has_several = False

    def __init__(self, tools: Tools, settings: config.Settings) -> None:
        super().__init__(tools)
        self.settings = settings
        self.overwrites = False
        self.purpose: str | None = None
        self.work: dict[TableName, TableWork] = {}
        self.quirks = ActingQuirks(tools.warehouse, self)
        self._publications: list[Publication] = []

    @abstractmethod
    def open_snapshot(self, found: Found) -> Begun:
        """The transaction's snapshot."""

    @abstractmethod
    def lock(self, planned: Planned) -> None:
        """Waits for those of the statement's locks that are not held."""

    def holds(self, table: TableName) -> bool:
        """True if the table is locked as one that is read since the snapshot, by a statement before."""
        return False

    @abstractmethod
    def check_sources(self, locked: Locked) -> None:
        """The tables that the statement reads may be read in the snapshot; they are locked by now."""

    def build_publication(self, locked: Locked) -> Publication:
        """The publication of what the statement is about to write, which is undone with the transaction."""
        table, markers = locked.table, Markers(locked.transaction.txn_id, locked.table.kind.has_row_ids)
        publication = build_statement_publication(
            self.tools.files, table.location, markers, locked.work.write_id, locked.settings
        )
        self._publications.append(publication)
        return publication

    @property
    def written(self) -> dict[TableName, tuple[str, ...]]:
        """The partitions that were written, sorted, by table with changes; a flat table has none."""
        return {name: tuple(sorted(work.partitions)) for name, work in sorted(self.work.items()) if work.published}

    def _undo(self, transaction: Transaction, error: BaseException) -> None:
        """Aborts because of `error` and takes back what was written, unless it may count; `error` may get notes."""
        if transaction.outcome is not CommitOutcome.COMMITTED and transaction.abort_because(error):
            for publication in self._publications:
                publication.undo(error)
