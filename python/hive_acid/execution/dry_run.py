"""The dry run of a writing statement: the executor's steps as far as they change nothing."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence

from hive_acid import config
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.analysed_table import AnalysedTable
from hive_acid.model.names import find_bucket
from hive_acid.model.table import TableDescription, TableName
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.snapshot import ScannedSnapshot, scannable
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.blockers import find_blockers
from hive_acid.transactions.validity import build_lock_components, find_rule
from hive_acid.writing.engine import Engine, WriteResult
from hive_acid.writing.foreseen_partitions import find_lockable_partitions
from hive_acid.writing.statement import Statement
from hive_acid.writing.table_rules import refuse_unwritable
from hive_acid.writing.writer import Writing


class _ObservedSnapshot:
    """A snapshot that remembers which files of one table its scans were given."""

    def __init__(self, snapshot: ScannedSnapshot, table: TableName) -> None:
        self._snapshot = snapshot
        self._table = table
        self.sizes: dict[str, int] = {}

    def read_together(self, tables: Iterable[TableName]) -> None:
        """See Snapshot."""
        self._snapshot.read_together(tables)

    def ensure_same(self, analysed: AnalysedTable) -> None:
        """See Snapshot."""
        self._snapshot.ensure_same(analysed)

    def partition_names(self, table: TableName) -> list[str]:
        """See Snapshot."""
        return self._snapshot.partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """See Snapshot."""
        plan = self._snapshot.scan_plan(table, partitions, with_row_ids)
        if table == self._table:
            folders = [folder for partition in plan.partitions for folder in partition.folders]
            self.sizes |= {f"{f.path}/{file.path}": file.length_bytes for f in folders for file in f.files}
        return plan


def rehearse(
    statement: Statement,
    engine: Engine,
    settings: config.Settings,
    metastore: Metastore,
    reading: ReadTransaction,
    writing: Writing,
    snapshots: MutableMapping[str, ScannedSnapshot],
) -> DryRun:
    """What the statement would do in the snapshot of `reading`, which is ended.

    Opens no write ID, stores nothing and locks what a SELECT locks. Raises what the statement itself would raise of a
    table that it cannot write, of its rows, and HIVE_ACID_TOO_MANY_ROWS; errors of locking, publishing and committing
    are not foreseen.
    """
    table = metastore.table(statement.target)
    refuse_unwritable(table, statement, settings)
    statement.refuse_changed(table)
    observed = _ObservedSnapshot(reading, table.name)
    try:
        with scannable(snapshots, observed) as token:
            partitions = find_lockable_partitions(statement, table, reading, engine, token, settings)
            result = writing.rehearse(statement, table, partitions, reading, settings, token, engine)
        return _build(statement, table, metastore, partitions, result, observed, reading.txn_id)
    finally:
        reading.end()


def _build(
    statement: Statement,
    table: TableDescription,
    metastore: Metastore,
    partitions: tuple[str, ...] | None,
    result: WriteResult,
    observed: _ObservedSnapshot,
    own_txn_id: int | None,
) -> DryRun:
    rule = find_rule(statement.kind, metastore.line, statement.target in statement.sources)
    locks = build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions)
    return DryRun(
        kind=statement.kind,
        table=table.name,
        rows=result.counts,
        files=len(observed.sizes),
        bytes=sum(observed.sizes.values()),
        partitions=result.partitions,
        buckets=_find_buckets(result),
        locks=locks,
        blockers=find_blockers(metastore.line, locks, metastore.held_locks(), own_txn_id),
    )


def _find_buckets(result: WriteResult) -> tuple[int, ...]:
    numbers = (find_bucket(file) for folder in result.folders for file in folder.files)
    return tuple(sorted({number for number in numbers if number is not None}))
