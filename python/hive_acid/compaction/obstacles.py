"""Why a table or partition is not compacted by us."""

from __future__ import annotations

from hive_acid import config
from hive_acid.errors import Refusal, build_refusal
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import Partition, TableDescription, TableKind
from hive_acid.writing.buckets import build_sorted_refusal
from hive_acid.writing.table_rules import find_encryption_fault, find_format_fault, find_storage_fault


def find_obstacle(table: TableDescription, kind: CompactionKind, allow_non_atomic_rename: bool) -> Refusal | None:
    """Why the table is not compacted by us, if it is not."""
    if table.kind is TableKind.PLAIN:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")
    if fault := find_format_fault(table):
        setting = config.COMPACTION_RUN_IN.key
        return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_NOT_COMPACTED", setting=setting, **fault.params)
    if fault := find_encryption_fault(table):
        return fault
    if table.sort_columns:
        return build_sorted_refusal(table.sort_columns)
    if kind is CompactionKind.REBALANCE and table.bucket_count:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.REBALANCE_OF_BUCKETS")
    return find_storage_fault(table, allow_non_atomic_rename)


def find_partition_obstacle(table: TableDescription, partition: Partition) -> Refusal | None:
    """Why the partition is not compacted by us, if it is not: its files may be of another format than the table's."""
    if partition.input_format in ("", table.input_format):
        return None
    other = partition.input_format.rpartition(".")[2]
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_FORMAT", partition=partition.name, format=other)
