"""Requests for compactions, put into the queue through the metastore alone."""

from __future__ import annotations

import socket

from hive_acid.api.clocks import monotonic_ms, pause_ms
from hive_acid.api.compaction import Compact, CompactionRequests, NamedTable, build_requests
from hive_acid.api.settings import Settings
from hive_acid.api.tables import Metastore, TableName
from hive_acid_ops.files.loading import find_partitions
from hive_acid_ops.listing import Listing


def request_compactions(
    metastore: Metastore, name: TableName, partition: str | None, kind: str, *, waits: bool
) -> Listing:
    """The answer to a request for the flat table, or for each partition that has the values of `partition`.

    `kind` is `major` or `minor`. With `waits` all have ended. Raises what ALTER TABLE … COMPACT raises, and
    HIVE_ACID_PARTITION_NOT_FOUND.
    """
    table = metastore.table(name)
    partitions = find_partitions(metastore, table, partition) or ()
    statement = Compact(NamedTable((name.database, name.table)), kind, waits=waits)
    initiator = f"{socket.gethostname()}-hive-acid-compact"
    requests = build_requests(statement, table, partitions, metastore.line, initiator)
    queue = CompactionRequests(metastore, monotonic_ms, pause_ms)
    outcomes = queue.compact(requests, Settings({}), waits=waits)
    return Listing("partitions", tuple(column.name for column in Compact.COLUMNS), [each.row() for each in outcomes])
