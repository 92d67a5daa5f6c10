"""The steps of a statement inside its transaction: which partitions, the write job, publication."""

from __future__ import annotations

from collections.abc import Callable

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.execution.conflicts import ConflictChecks
from hive_acid.execution.engine import Engine, WriteResult, WriteSpec
from hive_acid.execution.partitions import TouchedPartitions, find_touched
from hive_acid.execution.publication import Publication
from hive_acid.execution.snapshots import Snapshot
from hive_acid.execution.statement import Statement
from hive_acid.execution.target import build_row_type, find_compression
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import Rule, StatementKind, is_lockable


def find_lockable_partitions(engine: Engine, token: str, settings: config.Settings) -> tuple[str, ...] | None:
    """The partitions that are locked by their names, or None if the whole table is locked."""
    names = engine.find_partitions(token)
    if not names or len(names) > settings.number(config.LOCK_MAX_PARTITIONS) or not all(map(is_lockable, names)):
        return None
    return names


class Writing:
    """Writes the changes of statements into their tables' folders. `pause_ms` raises if the statement was cancelled."""

    def __init__(self, metastore: Metastore, file_system: FileSystem, pause_ms: Callable[[int], None]) -> None:
        self._metastore = metastore
        self._pause_ms = pause_ms
        self.checks = ConflictChecks(metastore, file_system)

    def stage(
        self,
        statement: Statement,
        table: TableDescription,
        snapshot: Snapshot,
        publication: Publication,
        settings: config.Settings,
        token: str,
        write_id: int,
        engine: Engine,
        statement_id: int = 0,
    ) -> WriteResult:
        """Runs the write job under the lock; its folders are in staging then. `statement_id`: the first to use."""
        self._pause_ms(0)
        changes_rows = statement.kind is not StatementKind.INSERT
        # which partitions are touched is known to the engine only, once it has pruned them
        buckets = snapshot.scan_plan(table.name, None).buckets if changes_rows and not table.is_partitioned else ()
        spec = WriteSpec(
            kind=statement.kind.value,
            staging=publication.staging,
            write_id=write_id,
            statement_id=statement_id,
            row_type=build_row_type(table),
            compression=find_compression(table),
            time_zone=statement.time_zone,
            cores=statement.parallelism,
            buckets=len(buckets),
            max_buckets=self._insert_buckets(settings),
            shuffles_inserts=settings.flag(config.INSERT_SHUFFLE),
            partition_columns=tuple(column.name for column in table.partition_columns),
        )
        return engine.write(token, spec)

    def publish(
        self,
        rule: Rule,
        transaction: Transaction,
        table: TableDescription,
        result: WriteResult,
        publication: Publication,
        before: ValidWriteIdList,
        write_id: int,
        partitions: tuple[str, ...] | None,
    ) -> TouchedPartitions | None:
        """Renames the staged folders into place; the partitions they went to, None in a flat table.

        Raises Conflict if an overwrite was committed meanwhile, and HIVE_ACID_INTERNAL if a partition was written that
        is not among the locked `partitions`.
        """
        unlocked = set(result.partitions) - set(partitions) if partitions is not None else set()
        if unlocked:
            reason = f"partitions {', '.join(sorted(unlocked))} were written without a lock"
            raise build_error("HIVE_ACID_INTERNAL", reason=reason)
        self._pause_ms(0)
        touched = find_touched(self._metastore, table, result.partitions) if table.is_partitioned else None
        locations = touched.locations if touched else {}
        self.checks.check_bases(rule, transaction, list(locations.values()) or [table.location], before, write_id)
        publication.publish(result, locations)
        publication.remove_staging()
        return touched

    def _insert_buckets(self, settings: config.Settings) -> int:
        # Hive 3.1's minor compaction breaks an unbucketed table with deletes and files of several buckets
        by_line = 1 if self._metastore.line is MetastoreLine.HIVE_3 else MAX_BUCKET + 1
        return settings.number(config.INSERT_BUCKETS) or by_line
