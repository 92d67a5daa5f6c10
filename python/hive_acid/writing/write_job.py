"""The write job of a statement: what the engine is asked for, and what is counted with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import TableDescription
from hive_acid.reading.snapshot import ScannedSnapshot, Snapshot, scannable
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import Overwrite, Statement
from hive_acid.wire.write_spec import Buckets, Layout, Place, RequiredColumn, Spread, WriteResult, WriteSpec
from hive_acid.writing.buckets import find_bucketing
from hive_acid.writing.change_limits import ChangeLimits
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.engine import SourceChanged
from hive_acid.writing.overwrites import find_emptied, find_truncated
from hive_acid.writing.publishing.publication import Publication
from hive_acid.writing.stages import Foreseen, Locked, Opened
from hive_acid.writing.table_rules import (
    build_row_type,
    find_compression,
    find_layout,
    find_required,
    has_typed_partitions,
)


@dataclass(frozen=True)
class _Job:
    """The job of a statement.

    Replaced rows are counted in the snapshot of the token `counting`, or under the lock in one that is taken then.
    """

    opened: Opened
    spec: WriteSpec
    counting: Locked | str

    @cached_property
    def limits(self) -> ChangeLimits:
        """The limits that the session sets."""
        return ChangeLimits.find(self.opened.settings)


class WriteJobs:
    """Runs write jobs. `pause_ms` raises if the statement was cancelled; `snapshots` is where scans find theirs."""

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        pause_ms: Callable[[int], None],
        snapshots: MutableMapping[str, ScannedSnapshot],
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._pause_ms = pause_ms
        self._snapshots = snapshots

    def stage(self, locked: Locked, publication: Publication) -> WriteResult:
        """Runs the job under the lock; its folders are in the publication's staging then.

        A result without folders says that there is nothing to commit. Raises HIVE_ACID_TOO_MANY_ROWS, and Conflict if
        the engine found the statement's source changed.
        """
        self._pause_ms(0)
        overwrites, work = locked.statement.overwrite is not None, locked.work
        output = publication.begin(lambda: self._find_elsewhere(locked.table))
        place = Place(publication.staging, work.write_id, work.next_statement_id, overwrites=overwrites, output=output)
        try:
            return self._run(_Job(locked, self._build_spec(locked, place), locked))
        except SourceChanged as change:
            raise Conflict(locked.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.SOURCE_UNSTABLE") from change

    def discard(self, foreseen: Foreseen) -> WriteResult:
        """Does all that `stage` does, and raises what it raises, but stores nothing.

        Needs no transaction that writes, and no lock: rows that an overwrite or TRUNCATE replaces are counted in the
        statement's snapshot. The result tells the partitions and files that would be written.
        """
        self._pause_ms(0)
        # hidden, as any staging folder, though nothing ever comes there
        staging = f"{foreseen.table.location.rstrip('/')}/{STAGING_PREFIX}dry-run"
        place = Place(staging, overwrites=foreseen.statement.overwrite is not None, discards=True)
        spec = self._build_spec(foreseen, place)
        with scannable(self._snapshots, foreseen.snapshot) as counting:
            job = _Job(foreseen, spec, counting)
            try:
                return self._run(job)
            except SourceChanged:
                return self._run(job)

    def _find_elsewhere(self, table: TableDescription) -> dict[str, str]:
        """Partitions that do not lie in the table's folder under their names; asked for under the lock."""
        if not table.is_partitioned:
            return {}
        root = table.location.rstrip("/")
        partitions = self._metastore.partitions(table.name, self._metastore.partition_names(table.name))
        return {p.name: p.location for p in partitions if p.location.rstrip("/") != f"{root}/{p.name}"}

    def _build_spec(self, opened: Opened, place: Place) -> WriteSpec:
        statement, table, snapshot, settings = opened.statement, opened.table, opened.snapshot, opened.settings
        changes_rows = statement.writes is not RowWrites.INSERTS
        # which partitions are touched is known to the engine only, once it has pruned them
        victims = snapshot.scan_plan(table.name, None).buckets if changes_rows and not table.is_partitioned else ()
        buckets = find_bucketing(table, statement, settings) or Buckets()
        return WriteSpec(
            writes=statement.writes,
            table=str(table.name),
            time_zone=statement.time_zone,
            layout=self._build_layout(table),
            place=place,
            buckets=buckets,
            spread=Spread(
                cores=statement.parallelism,
                victim_buckets=(0 if table.is_partitioned else buckets.count) or len(victims),
                max_buckets=1 if buckets.count else self._insert_buckets(table, settings),
                shuffles_inserts=settings.flag(config.INSERT_SHUFFLE),
                # Trino changes no rows of insert-only tables
                splits_buckets=not table.kind.has_row_ids or settings.flag(config.INSERT_SPLIT_BUCKETS),
                keeps_buckets=table.bucket_count > 0,
            ),
            required=self._find_required(statement, table),
        )

    def _build_layout(self, table: TableDescription) -> Layout:
        layout = find_layout(table)
        return Layout(
            name=layout.name,
            file_name=layout.file_name,
            row_type=build_row_type(table),
            compression=find_compression(table, self._metastore.line),
            partition_columns=table.partition_columns,
            as_hive_3=self._metastore.line.has_values_of_hive_3,
        )

    def _find_required(self, statement: Statement, table: TableDescription) -> tuple[RequiredColumn, ...]:
        """Asked for under the lock, which keeps others from adding constraints."""
        if statement.writes is RowWrites.DELETES or statement.kind is StatementKind.TRUNCATE:
            return ()
        found = find_required(table, statement.kind, self._metastore.constraints(table.name))
        return tuple(RequiredColumn(name, position) for name, position in found)

    def _run(self, job: _Job) -> WriteResult:
        opened, engine, token = job.opened, job.opened.engine, job.opened.token
        if opened.statement.overwrite is not None:
            return self._run_overwrite(job, opened.statement.overwrite)
        self._refuse_misspelled(opened, lambda: self._snapshots[token].partition_names(opened.table.name))
        result = engine.write(token, job.spec)
        job.limits.check(opened.statement, result.counts.lost, lambda: engine.count_rows(token, None))
        return result

    def _run_overwrite(self, job: _Job, overwrite: Overwrite) -> WriteResult:
        opened, table, result = job.opened, job.opened.table, WriteResult()
        # asked for under the lock, under which none comes or goes
        existing = self._metastore.partition_names(table.name) if table.is_partitioned else []
        self._refuse_misspelled(opened, lambda: existing)
        if opened.statement.kind is StatementKind.TRUNCATE:
            emptied = find_truncated(overwrite, table, existing) if table.is_partitioned else ("",)
            if isinstance(job.counting, Locked):
                self._refuse_unlocked(job.counting, emptied)
        else:
            if overwrite.if_not_exists and "/".join(overwrite.parts) in existing:
                return result
            result = opened.engine.write(opened.token, job.spec)
            emptied = find_emptied(overwrite, table, existing, result)
        replaced = (*result.partitions, *emptied) if table.is_partitioned else None
        result = self._with_replaced(job, replaced, result)
        return result.joined(opened.engine.write_empty(emptied, job.spec)) if emptied else result

    def _refuse_unlocked(self, locked: Locked, emptied: Sequence[str]) -> None:
        """Partitions that came between the plan of the locks and the locks are to be locked and emptied as well.

        An INSERT into old and new ones that was committed meanwhile would lose its rows in the old ones alone.
        """
        if came := locked.plan.find_unlocked(emptied):
            raise Conflict(locked.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_ADDED", partition=came[0])

    def _with_replaced(self, job: _Job, partitions: Sequence[str] | None, result: WriteResult) -> WriteResult:
        """The result with the number of rows in what is replaced, if that is wanted."""
        if isinstance(job.counting, Locked) and not job.limits.are_set:
            return result
        engine = job.opened.engine
        with self._counting(job) as token:
            rows = engine.count_rows(token, partitions)
            job.limits.check(job.opened.statement, rows, lambda: engine.count_rows(token, None))
        return replace(result, counts=replace(result.counts, replaced=rows))

    def _refuse_misspelled(self, opened: Opened, find_names: Callable[[], Sequence[str]]) -> None:
        """Changes of the rows of such a partition would go to another one, of the name that its values should have."""
        if not has_typed_partitions(opened.table):
            return
        found = opened.engine.find_misspelled(find_names())
        if found:
            names = {"partition": found[0], "wanted": found[1]}
            where = {"operation": opened.statement.kind.title, "table": opened.table.name}
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.MISSPELT_PARTITION", **names, **where)

    @contextmanager
    def _counting(self, job: _Job) -> Iterator[str]:
        """The token of the snapshot in which replaced rows are counted.

        Under the lock it is a new one: a base also replaces what was committed since the statement's own.
        """
        if isinstance(job.counting, str):
            yield job.counting
            return
        locked = job.counting
        locked.transaction.keep_files([locked.table.name])
        seen = self._metastore.valid_transactions(0)
        now = Snapshot(self._metastore, self._file_system, seen, locked.table)
        with scannable(self._snapshots, now) as token:
            yield token

    def _insert_buckets(self, table: TableDescription, settings: config.Settings) -> int:
        is_broken = self._metastore.line.breaks_rows_by_minor and table.kind.has_row_ids
        by_line = 1 if is_broken else MAX_BUCKET + 1
        return settings.number(config.INSERT_BUCKETS) or by_line
