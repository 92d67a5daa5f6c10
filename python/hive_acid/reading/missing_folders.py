"""Folders that are not there when a snapshot is listed, and whether the table itself is gone.

A client that drops or renames a table or partition under a lock waits for readers. Others take folders away while these
are listed, and leave the rows of those partitions that lie elsewhere: they would be part of a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import Partition, TableDescription
from hive_acid.model.table_identity import describe_analysed, find_change, normal_location
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan


def refuse_moved(
    metastore: Metastore,
    file_system: FileSystem,
    table: TableDescription,
    partitions: Sequence[Partition] | None,
    plan: ScanPlan,
) -> None:
    """Raises HIVE_ACID_TABLE_CHANGED if the folders that `plan` lacks are gone because the table or a partition is.

    `table` and `partitions` are what was listed. A server takes an entry away before the folder when it drops, and
    after the folder when it renames: so the table's own folder counts, too. A partition without a folder in a table
    that is there has no rows, as in Hive: object stores keep no empty folders.
    """
    change = find_change(describe_analysed(table), metastore.table(table.name))
    if change is not None:
        raise change.build_error(table=table.name)
    if partitions is None:
        has_rows = plan.write_ids.max_visible > 0
    else:
        missing = [partition for partition in partitions if partition.name in plan.without_folder]
        there = {found.name: found for found in metastore.partitions(table.name, [part.name for part in missing])}
        for partition in missing:
            now = there.get(partition.name)
            if now is None or normal_location(now.location) != normal_location(partition.location):
                told = {"table": table.name, "partition": partition.name}
                raise build_error("HIVE_ACID_TABLE_CHANGED.PARTITION_GONE", **told)
        root = f"{table.location.rstrip('/')}/"
        has_rows = any(f"{partition.location}/".startswith(root) for partition in missing)
    if has_rows and not file_system.exists(table.location):
        raise build_error("HIVE_ACID_TABLE_CHANGED.FOLDER_GONE", table=table.name, location=table.location)
