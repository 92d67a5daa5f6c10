"""The partitions a statement has written to: where they lie, and what the metastore must be told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.writing.conflicts import Conflict


@dataclass(frozen=True)
class TouchedPartitions:
    """The locations by name, of each partition the metastore knows and of each that is new."""

    existing: Mapping[str, str]
    new: Mapping[str, str]

    @property
    def locations(self) -> Mapping[str, str]:
        return {**self.existing, **self.new}


def find_touched(metastore: Metastore, table: TableDescription, names: Sequence[str]) -> TouchedPartitions:
    """Looks the partitions up. A new one lies below the table, in a folder of its name, as Hive puts it."""
    existing = {partition.name: partition.location for partition in metastore.partitions(table.name, names)}
    root = table.location.rstrip("/")
    return TouchedPartitions(existing, {name: f"{root}/{name}" for name in names if name not in existing})


def add_new(
    metastore: Metastore,
    table: TableDescription,
    touched: TouchedPartitions,
    txn_id: int,
    write_id: int,
    write_ids: ValidWriteIdList,
) -> None:
    """Adds the partitions that the metastore does not know.

    One stays there if the transaction is aborted afterwards, with no row in it, as Hive itself leaves it: another
    transaction may have begun to write to it. Raises Conflict if somebody else has added one meanwhile that lies in
    another folder: rows in ours would never be found.
    """
    if not touched.new:
        return
    metastore.add_partitions(table.name, touched.new, write_id, write_ids)
    added = metastore.partitions(table.name, list(touched.new))
    where = {partition.name: partition.location.rstrip("/") for partition in added}
    for name, location in touched.new.items():
        if where.get(name) != location:
            found = f"in {where[name]}" if name in where else "nowhere any more"
            told = {"partition": name, "location": location, "found": found}
            raise Conflict(txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_ELSEWHERE", **told)


def withdraw_statistics(
    metastore: Metastore,
    table: TableDescription,
    partitions: Sequence[str],
    write_id: int,
    write_ids: ValidWriteIdList,
) -> dict[str, str]:
    """Withdraws the statistics that the write makes stale, before the commit: of the table and of the partitions.

    The locations of those partitions that are still there.
    """
    locations: dict[str, str] = {}
    if table.is_partitioned:
        # new ones too: adding one does not store our write ID (seen on 4.0.0), which defeats a concurrent ANALYZE
        locations = metastore.drop_partition_statistics(table.name, partitions, write_id, write_ids)
    metastore.drop_statistics(table, write_id, write_ids)
    return locations
