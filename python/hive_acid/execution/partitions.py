"""The partitions a statement has written to: where they lie, and what the metastore must be told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import OperationKind
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList


@dataclass(frozen=True)
class TouchedPartitions:
    """By name, the location of each partition the metastore knows and of each that is new."""

    existing: Mapping[str, str]
    new: Mapping[str, str]

    @property
    def locations(self) -> Mapping[str, str]:
        """All of them."""
        return {**self.existing, **self.new}


def find_touched(metastore: Metastore, table: TableDescription, names: Sequence[str]) -> TouchedPartitions:
    """Looks the partitions up. A new one lies below the table, in a folder of its name, as Hive puts it."""
    existing = {partition.name: partition.location for partition in metastore.partitions(table.name, names)}
    root = table.location.rstrip("/")
    return TouchedPartitions(existing, {name: f"{root}/{name}" for name in names if name not in existing})


def register(
    metastore: Metastore,
    table: TableDescription,
    touched: TouchedPartitions,
    operation: OperationKind | None,
    txn_id: int,
    write_id: int,
    write_ids: ValidWriteIdList,
) -> None:
    """Adds new partitions, records all for conflict detection and compaction, and withdraws stale statistics.

    `operation` is None if the lock was on these partitions by name, which has recorded them.

    Before commit. A new partition stays in the metastore if the transaction is aborted afterwards, with no row in it,
    as Hive itself leaves it: another transaction may have begun to write to it.
    """
    if touched.new:
        metastore.add_partitions(table.name, touched.new, write_id, write_ids)
    names = sorted(touched.locations)
    if operation is not None:
        metastore.add_dynamic_partitions(txn_id, write_id, table.name, names, operation)
    # new ones too: adding a partition does not store our write ID (seen on 4.0.0), which defeats a concurrent ANALYZE
    metastore.drop_partition_statistics(table.name, names, write_id, write_ids)
