"""The requests to the metastore that an `ALTER TABLE … COMPACT` makes."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableDescription, TableKind
from hive_acid.sql.operator_statements import Compact


def build_requests(
    statement: Compact, table: TableDescription, partitions: Sequence[str], line: MetastoreLine, initiator: str
) -> tuple[CompactionRequest, ...]:
    """A request for each of the partitions that the statement is about, or one for a flat table.

    `partitions` are names of the metastore: all of the table, if the statement has no PARTITION clause. Hive 3.1 and
    4.0 refuse a partitioned table without one, and 4.1 requests those that its thresholds call for. `initiator` is who
    asks, `host-name`. Raises HIVE_ACID_UNSUPPORTED_TABLE for what this table, or its metastore, cannot do.
    """
    kind = CompactionKind(statement.kind)
    if reason := _find_obstacle(statement, kind, table, line):
        raise _refusal(statement, table, reason)
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


def _refusal(statement: Compact, table: TableDescription, reason: str) -> HiveAcidError:
    operation = f"COMPACT '{statement.kind}'"
    return build_error("HIVE_ACID_UNSUPPORTED_TABLE", operation=operation, table=table.name, reason=reason)


def _find_obstacle(
    statement: Compact, kind: CompactionKind, table: TableDescription, line: MetastoreLine
) -> str | None:
    if table.kind is TableKind.PLAIN:
        return "it is not transactional"
    if statement.table.partition and not table.is_partitioned:
        return "it has no partitions"
    if statement.order_by is not None:
        return f"rows are not put into another order (ORDER BY {statement.order_by})"
    if line is MetastoreLine.HIVE_3 and (reason := _find_obstacle_of_3(statement, kind, table)):
        return reason
    if kind is CompactionKind.REBALANCE:
        return _find_rebalance_obstacle(table)
    if statement.buckets is not None:
        return "CLUSTERED INTO … BUCKETS belongs to COMPACT 'rebalance'"
    return None


def _find_obstacle_of_3(statement: Compact, kind: CompactionKind, table: TableDescription) -> str | None:
    """Clauses that Hive got with 4.0.

    CompactorMR.runMmCompaction of 3.1.3 does nothing unless the compaction is major.
    """
    if kind is CompactionKind.MINOR and table.kind is TableKind.INSERT_ONLY:
        return "it is insert-only, and Hive 3.1 compacts such tables by 'major' alone"
    asked = {
        "COMPACT 'rebalance'": kind is CompactionKind.REBALANCE,
        "POOL": statement.pool is not None,
        "CLUSTERED INTO … BUCKETS": statement.buckets is not None,
    }
    found = next((name for name, is_asked in asked.items() if is_asked), None)
    return f"its metastore is of the 3.1 line, which does not know {found}" if found else None


def _find_rebalance_obstacle(table: TableDescription) -> str | None:
    """Why the table cannot be rebalanced, as RebalanceQueryCompactor and AcidCompactionService of Hive 4 decide.

    Hive takes a rebalance of an insert-only table for a major compaction (CompactorFactory). Here the user asks for
    that by its name.
    """
    if table.kind is not TableKind.FULL_ACID:
        return "it is insert-only, and its rows have no buckets to be evened out"
    if table.bucket_count:
        return "it is CLUSTERED BY columns, and they decide which bucket a row is in"
    return None
