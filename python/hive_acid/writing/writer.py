"""The steps of a statement inside its transaction: which partitions, the write job, publication."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, MetastoreLine
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.snapshot import ScannedSnapshot, Snapshot, scannable
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.sql import RowWrites
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import Rule, StatementKind
from hive_acid.writing.buckets import Bucketing, find_bucketing
from hive_acid.writing.change_limits import ChangeLimits
from hive_acid.writing.conflicts import Conflict, ConflictChecks
from hive_acid.writing.engine import Engine, SourceChanged, WriteResult, WriteSpec
from hive_acid.writing.new_folders import find_leftover
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.overwrites import (
    find_emptied,
    find_truncated,
    remove_aborted_overwrites,
)
from hive_acid.writing.partitions import TouchedPartitions, find_touched
from hive_acid.writing.publication import Publication
from hive_acid.writing.statement import Overwrite, Statement
from hive_acid.writing.table_rules import (
    build_row_type,
    find_compression,
    find_layout,
    find_required,
    has_typed_partitions,
)
from hive_acid.writing.unlocked_writers import UnlockedWriters


@dataclass(frozen=True)
class TableWrite:
    """What a statement writes to a table in a transaction whose snapshot saw `before`.

    `partitions` are those that are locked by name, None if the whole table is.
    """

    transaction: Transaction
    rule: Rule
    table: TableDescription
    before: ValidWriteIdList
    write_id: int
    partitions: tuple[str, ...] | None
    publication: Publication


@dataclass(frozen=True)
class _Job:
    """The write job of a statement, whose scans read the snapshot of `token`.

    `partitions` are those that are locked by name, None if the whole table is. `counting` is the token of the snapshot
    in which replaced rows are counted; None: of one that is taken then, under the lock.
    """

    statement: Statement
    table: TableDescription
    partitions: tuple[str, ...] | None
    engine: Engine
    token: str
    spec: WriteSpec
    limits: ChangeLimits
    counting: str | None = None


class Writing:
    """Writes the changes of statements into their tables' folders. `pause_ms` raises if the statement was cancelled.

    `snapshots` is where scans find their snapshot, `notes` writes those for the history.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        pause_ms: Callable[[int], None],
        snapshots: MutableMapping[str, ScannedSnapshot],
        notes: NoteWriter,
    ) -> None:
        self.notes = notes
        self._metastore = metastore
        self._file_system = file_system
        self._pause_ms = pause_ms
        self._snapshots = snapshots
        self.checks = ConflictChecks(metastore, file_system)
        self.unlocked_writers = UnlockedWriters(metastore)

    def stage(
        self,
        statement: Statement,
        write: TableWrite,
        snapshot: ScannedSnapshot,
        settings: config.Settings,
        token: str,
        engine: Engine,
        statement_id: int = 0,
    ) -> WriteResult:
        """Runs the write job under the lock; its folders are in staging then. `statement_id`: the first to use.

        A result without folders says that there is nothing to commit. Raises HIVE_ACID_TOO_MANY_ROWS, and Conflict if
        the engine found the statement's source changed.
        """
        self._pause_ms(0)
        spec = replace(
            self._build_spec(statement, write.table, snapshot, settings),
            staging=write.publication.staging,
            write_id=write.write_id,
            statement_id=statement_id,
        )
        limits = ChangeLimits.find(settings)
        try:
            return self._run(_Job(statement, write.table, write.partitions, engine, token, spec, limits))
        except SourceChanged as change:
            reason = "the source had other rows when it was read again"
            raise Conflict(write.transaction.txn_id, reason) from change

    def rehearse(
        self,
        statement: Statement,
        table: TableDescription,
        partitions: tuple[str, ...] | None,
        snapshot: ScannedSnapshot,
        settings: config.Settings,
        token: str,
        engine: Engine,
    ) -> WriteResult:
        """Does all that `stage` does, and raises what it raises, but stores nothing.

        Needs no transaction that writes, and no lock: rows that an overwrite or TRUNCATE replaces are counted in
        `snapshot`. The result tells the partitions and files that would be written.
        """
        self._pause_ms(0)
        # hidden, as any staging folder, though nothing ever comes there
        staging = f"{table.location.rstrip('/')}/{STAGING_PREFIX}dry-run"
        spec = replace(self._build_spec(statement, table, snapshot, settings), staging=staging, discards=True)
        limits = ChangeLimits.find(settings)
        with scannable(self._snapshots, snapshot) as counting:
            job = _Job(statement, table, partitions, engine, token, spec, limits, counting)
            try:
                return self._run(job)
            except SourceChanged:
                return self._run(job)

    def _build_spec(
        self, statement: Statement, table: TableDescription, snapshot: ScannedSnapshot, settings: config.Settings
    ) -> WriteSpec:
        """The job but for where it writes and under which IDs."""
        changes_rows = statement.writes is not RowWrites.INSERTS
        # which partitions are touched is known to the engine only, once it has pruned them
        buckets = snapshot.scan_plan(table.name, None).buckets if changes_rows and not table.is_partitioned else ()
        bucketing = find_bucketing(table, statement, settings) or Bucketing((), 0)
        layout = find_layout(table)
        return WriteSpec(
            kind=statement.writes.value,
            staging="",
            write_id=0,
            statement_id=0,
            row_type=build_row_type(table),
            layout=layout.name,
            file_name=layout.file_name,
            compression=find_compression(table),
            time_zone=statement.time_zone,
            cores=statement.parallelism,
            buckets=(0 if table.is_partitioned else bucketing.count) or len(buckets),
            max_buckets=1 if bucketing.count else self._insert_buckets(table, settings),
            shuffles_inserts=settings.flag(config.INSERT_SHUFFLE),
            partition_columns=tuple((column.name, column.type) for column in table.partition_columns),
            overwrites=statement.overwrite is not None,
            table=str(table.name),
            required=self._find_required(statement, table),
            bucket_columns=bucketing.columns,
            bucket_count=bucketing.count,
            bucketing_version=bucketing.version,
            bucketing_time_zone=bucketing.time_zone,
            as_hive_3=self._metastore.line is MetastoreLine.HIVE_3,
        )

    def _find_required(self, statement: Statement, table: TableDescription) -> tuple[tuple[str, int], ...]:
        """Asked for under the lock, which keeps others from adding constraints."""
        if statement.writes is RowWrites.DELETES or statement.kind is StatementKind.TRUNCATE:
            return ()
        return find_required(table, statement.kind, self._metastore.constraints(table.name))

    def _run(self, job: _Job) -> WriteResult:
        if job.statement.overwrite is not None:
            return self._run_overwrite(job, job.statement.overwrite)
        self._refuse_misspelled(job, lambda: self._snapshots[job.token].partition_names(job.table.name))
        result = job.engine.write(job.token, job.spec)
        job.limits.check(job.statement, result.counts.lost, lambda: job.engine.count_rows(job.token, None))
        return result

    def _run_overwrite(self, job: _Job, overwrite: Overwrite) -> WriteResult:
        table, result = job.table, WriteResult()
        # asked for under the lock, under which none comes or goes
        existing = self._metastore.partition_names(table.name) if table.is_partitioned else []
        self._refuse_misspelled(job, lambda: existing)
        if job.statement.kind is StatementKind.TRUNCATE:
            found = find_truncated(overwrite, table, existing) if table.is_partitioned else ("",)
            emptied = found if job.partitions is None else tuple(sorted(set(found) & set(job.partitions)))
        else:
            if overwrite.if_not_exists and "/".join(overwrite.parts) in existing:
                return result
            result = job.engine.write(job.token, job.spec)
            emptied = find_emptied(overwrite, table, existing, result)
        replaced = (*result.partitions, *emptied) if table.is_partitioned else None
        result = self._with_replaced(job, replaced, result)
        return result.joined(job.engine.write_empty(emptied, job.spec)) if emptied else result

    def _with_replaced(self, job: _Job, partitions: Sequence[str] | None, result: WriteResult) -> WriteResult:
        """The result with the number of rows in what is replaced, if that is wanted."""
        if job.counting is None and not job.limits.are_set:
            return result
        with self._counting(job) as token:
            rows = job.engine.count_rows(token, partitions)
            job.limits.check(job.statement, rows, lambda: job.engine.count_rows(token, None))
        return replace(result, counts=replace(result.counts, replaced=rows))

    def _refuse_misspelled(self, job: _Job, find_names: Callable[[], Sequence[str]]) -> None:
        """Changes of the rows of such a partition would go to another one, of the name that its values should have."""
        if not has_typed_partitions(job.table):
            return
        found = job.engine.find_misspelled(find_names())
        if found:
            reason = f"its partition {found[0]} stands for the values of {found[1]} in this session; rename it to that"
            operation = job.statement.kind.title
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE", operation=operation, table=job.table.name, reason=reason)

    @contextmanager
    def _counting(self, job: _Job) -> Iterator[str]:
        """The token of the snapshot in which replaced rows are counted.

        Under the lock it is a new one: a base also replaces what was committed since the statement's own.
        """
        if job.counting is not None:
            yield job.counting
            return
        seen = self._metastore.valid_transactions(0)
        now = Snapshot(self._metastore, self._file_system, seen, job.table)
        with scannable(self._snapshots, now) as token:
            yield token

    def prepare(self, write: TableWrite, result: WriteResult) -> TouchedPartitions | None:
        """Makes sure that the staged folders can be published: the partitions they go to, None in a flat table.

        Raises Conflict if an overwrite was committed meanwhile, HIVE_ACID_FOLDER_NOT_EMPTY if there is something in the
        folder of a new partition, and HIVE_ACID_INTERNAL if a partition was written that is not among the locked ones.
        """
        unlocked = set(result.partitions) - set(write.partitions) if write.partitions is not None else set()
        if unlocked:
            reason = f"partitions {', '.join(sorted(unlocked))} were written without a lock"
            raise build_error("HIVE_ACID_INTERNAL", reason=reason)
        self._pause_ms(0)
        table = write.table
        touched = find_touched(self._metastore, table, result.partitions) if table.is_partitioned else None
        locations = list(touched.locations.values()) if touched else [table.location]
        now = self.checks.write_ids_now(table.name)
        self.checks.check_bases(write.rule, write.transaction, locations, write.before, now, write.write_id)
        remove_aborted_overwrites(self._file_system, locations, now)
        if touched:
            self._refuse_leftovers(write, touched)
            write.publication.make_folders(locations)
        return touched

    def _refuse_leftovers(self, write: TableWrite, touched: TouchedPartitions) -> None:
        found = find_leftover(self._file_system, list(touched.new.values()), write.write_id, lambda: self._now(write))
        if found is None:
            return
        name = next(name for name, location in touched.new.items() if location == found.folder)
        if self._metastore.partitions(write.table.name, [name]):
            raise Conflict(write.transaction.txn_id, f"partition {name} was added meanwhile")
        raise found.build_error("A write to a new partition", write.table.name)

    def _now(self, write: TableWrite) -> ValidWriteIdList:
        return self.checks.write_ids_now(write.table.name)

    def close(
        self,
        transaction: Transaction,
        locks: Sequence[LockComponent],
        changes: Sequence[tuple[TableWrite, TouchedPartitions | None]],
        settings: config.Settings,
    ) -> None:
        """Right before the commit: keeps out who would not see it, and makes sure that the changes have missed nothing.

        A conflict in a flat table is found by the server. Raises Conflict and HIVE_ACID_UNLOCKED_WRITER.
        """
        if not self.unlocked_writers.keep_out(transaction, locks, settings):
            return
        for write, touched in changes:
            if touched is not None:
                now = self.checks.write_ids_now(write.table.name)
                locations = list(touched.locations.values())
                self.checks.check_bases(write.rule, transaction, locations, write.before, now, write.write_id)

    def _insert_buckets(self, table: TableDescription, settings: config.Settings) -> int:
        # Hive 3.1's minor compaction breaks an unbucketed table with deletes and files of several buckets
        is_broken = self._metastore.line is MetastoreLine.HIVE_3 and table.kind.has_row_ids
        by_line = 1 if is_broken else MAX_BUCKET + 1
        return settings.number(config.INSERT_BUCKETS) or by_line
