"""The dry run of a writing statement: its steps as far as they change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from hive_acid.execution.dry_run_report import DryRun
from hive_acid.execution.new_places import refuse_second_insert
from hive_acid.execution.scope import Scope, Tools
from hive_acid.execution.steps import DRY_RUN
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.names import find_bucket
from hive_acid.model.table import TableName
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.snapshot import ForwardedSnapshot, ScannedSnapshot, scannable
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.blockers import find_blockers
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.partitions import find_touched
from hive_acid.writing.stages import Counted, Found, Opened, Request, find_locations


class _ObservedSnapshot(ForwardedSnapshot):
    """A snapshot that remembers which files of one table its scans were given."""

    def __init__(self, snapshot: ScannedSnapshot, table: TableName) -> None:
        super().__init__(snapshot)
        self._table = table
        self.sizes: dict[str, int] = {}

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        plan = super().scan_plan(table, partitions, with_row_ids)
        if table == self._table:
            folders = [folder for partition in plan.partitions for folder in partition.folders]
            self.sizes |= {f"{f.path}/{file.path}": file.length_bytes for f in folders for file in f.files}
        return plan


class _DryScope(Scope):
    """Reads as a SELECT does; what its scans of the target were given is in `observed`, once a statement runs."""

    observed: _ObservedSnapshot

    def __init__(self, tools: Tools, reading: ReadTransaction, scans: ExitStack) -> None:
        super().__init__(tools)
        self._reading = reading
        self._scans = scans

    def open_snapshot(self, found: Found) -> Opened:
        """Begins nothing: a read transaction does so when it is first asked."""
        self.observed = _ObservedSnapshot(self._reading, found.table.name)
        token = self._scans.enter_context(scannable(self.tools.snapshots, self.observed))
        return Opened(**vars(found), snapshot=self._reading, token=token)


def perform_dry_run(request: Request, tools: Tools, reading: ReadTransaction) -> DryRun:
    """Counts what the statement would do in the snapshot of `reading`, and ends that.

    Opens no write ID, stores nothing and locks what a SELECT locks. Raises what the statement itself would raise of a
    table that it cannot write, of its rows, HIVE_ACID_IMMUTABLE_TABLE and HIVE_ACID_TOO_MANY_ROWS; other errors of
    locking, publishing and committing are not foreseen.
    """
    try:
        with ExitStack() as scans:
            scope = _DryScope(tools, reading, scans)
            counted = DRY_RUN.walk(scope, request)
            _foresee_second_insert(counted, tools)
        return _build(counted, tools.metastore, scope.observed.sizes, reading.txn_id)
    finally:
        reading.end()


def _foresee_second_insert(counted: Counted, tools: Tools) -> None:
    """Raises HIVE_ACID_IMMUTABLE_TABLE if the statement would now."""
    table, written = counted.table, counted.result.partitions
    if not table.is_immutable:
        return
    touched = find_touched(tools.metastore, table, written) if table.is_partitioned else None
    now = find_write_ids_now(tools.metastore, table.name)
    refuse_second_insert(tools, counted, find_locations(table, touched), now)


def _build(counted: Counted, metastore: Metastore, sizes: Mapping[str, int], own_txn_id: int | None) -> DryRun:
    return DryRun(
        kind=counted.statement.kind,
        table=counted.table.name,
        rows=counted.result.counts,
        files=len(sizes),
        bytes=sum(sizes.values()),
        partitions=counted.result.partitions,
        buckets=_find_buckets(counted.result),
        locks=counted.plan.locks,
        blockers=find_blockers(metastore.line, counted.plan.locks, metastore.held_locks(), own_txn_id),
    )


def _find_buckets(result: WriteResult) -> tuple[int, ...]:
    numbers = (find_bucket(file) for folder in result.folders for file in folder.files)
    return tuple(sorted({number for number in numbers if number is not None}))
