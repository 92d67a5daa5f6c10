"""The requests to the metastore that an `ALTER TABLE … COMPACT` makes."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import Refusal, build_refusal
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableDescription, TableKind
from hive_acid.sql.operator_statements import Compact


def build_requests(
    statement: Compact, table: TableDescription, partitions: Sequence[str], line: MetastoreLine, initiator: str
) -> tuple[CompactionRequest, ...]:
    """A request for each partition of the statement, or one request for a table without partitions.

    `partitions` are names of the metastore: all of the table, if the statement has no PARTITION clause. Hive 3.1 and
    4.0 refuse a partitioned table without one, and 4.1 requests those that its thresholds call for. `initiator` is who
    asks, `host-name`. Raises HIVE_ACID_UNSUPPORTED_TABLE for what this table, or its metastore, cannot do.
    """
    kind = CompactionKind(statement.kind)
    if refusal := _find_obstacle(statement, kind, table, line):
        raise refusal.build_error(operation=f"COMPACT '{statement.kind}'", table=table.name)
    names: Sequence[str | None] = partitions if table.is_partitioned else (None,)
    return tuple(
        CompactionRequest(
            table=table.name,
            kind=kind,
            partition=name,
            properties=statement.properties,
            pool=statement.pool,
            buckets=statement.buckets,
            initiator=initiator,
        )
        for name in names
    )


def _find_obstacle(
    statement: Compact, kind: CompactionKind, table: TableDescription, line: MetastoreLine
) -> Refusal | None:
    if table.kind is TableKind.PLAIN:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")
    if statement.table.has_partition and not table.is_partitioned:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS")
    if statement.order_by is not None:
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.ORDER_BY", order=statement.order_by)
    if not line.serves_workers and (refusal := _find_obstacle_of_3(statement, kind, table)):
        return refusal
    if kind is CompactionKind.REBALANCE:
        return _find_rebalance_obstacle(table)
    if statement.buckets is not None:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.BUCKETS_WITHOUT_REBALANCE")
    return None


def _find_obstacle_of_3(statement: Compact, kind: CompactionKind, table: TableDescription) -> Refusal | None:
    """Clauses that Hive got with 4.0.

    CompactorMR.runMmCompaction of 3.1.3 does nothing unless the compaction is major.
    """
    if kind is CompactionKind.MINOR and table.kind is TableKind.INSERT_ONLY:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.MINOR_OF_INSERT_ONLY")
    asked = {
        "COMPACT 'rebalance'": kind is CompactionKind.REBALANCE,
        "POOL": statement.pool is not None,
        "CLUSTERED INTO … BUCKETS": statement.buckets is not None,
    }
    found = next((name for name, is_asked in asked.items() if is_asked), None)
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_TO_HIVE_3", clause=found) if found else None


def _find_rebalance_obstacle(table: TableDescription) -> Refusal | None:
    """Why the table cannot be rebalanced, as RebalanceQueryCompactor and AcidCompactionService of Hive 4 decide.

    Hive takes a rebalance of an insert-only table for a major compaction (CompactorFactory). Here the user asks for
    that by its name.
    """
    if table.kind is not TableKind.FULL_ACID:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.REBALANCE_OF_INSERT_ONLY")
    if table.bucket_count:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.REBALANCE_OF_BUCKETS")
    return None
