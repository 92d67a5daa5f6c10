"""What a call of the metastore or the file system reads and writes: two calls that share nothing may change places.

A method that is not listed reads and writes all there is, so that a new one costs schedules and hides nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from hive_acid.model.names import STAGING_PREFIX

METASTORE, FILES = "metastore", "files"
TXNS, WRITE_IDS, LOCKS, TABLES, PARTITIONS, QUEUE, FOLDERS = range(7)
ALL = frozenset(range(7))


class Footprint(NamedTuple):
    """The parts of the world that a call reads, and those that it writes."""

    reads: frozenset[int]
    writes: frozenset[int]

    def depends_on(self, written: Collection[int], read: Collection[int]) -> bool:
        """True if the call cannot change places with calls that have written and read this."""
        return not (self.reads.isdisjoint(written) and self.writes.isdisjoint(written) and self.writes.isdisjoint(read))


def _reads(*parts: int) -> Footprint:
    return Footprint(frozenset(parts), frozenset())


def _writes(*parts: int, reads: Collection[int] = ()) -> Footprint:
    return Footprint(frozenset(reads), frozenset(parts))


_EVERYTHING = Footprint(ALL, ALL)
_OF = {
    "open_transaction": _writes(TXNS),
    "open_compaction": _writes(TXNS),
    "valid_transactions": _reads(TXNS),
    "valid_write_ids": _reads(TXNS, WRITE_IDS),
    "allocate_write_id": _writes(WRITE_IDS, reads=[TXNS]),
    "heartbeat": _reads(TXNS),
    "commit": _writes(TXNS, LOCKS, QUEUE),
    "abort": _writes(TXNS, LOCKS),
    "transaction_state": _reads(TXNS),
    "transactions": _reads(TXNS),
    "latest_conflict": _reads(TXNS),
    "lock": _writes(TXNS, LOCKS),
    "check_lock": _writes(LOCKS, reads=[TXNS]),
    "unlock": _writes(LOCKS),
    "held_locks": _reads(LOCKS),
    "add_dynamic_partitions": _writes(TXNS),
    "remove_partition": _writes(PARTITIONS),
    "commit_unchecked": _writes(TXNS, LOCKS, QUEUE),
    "find_ready": _reads(TXNS, QUEUE),
    "mark_cleaned": _writes(TXNS, WRITE_IDS, QUEUE),
    "config_value": _reads(),
    "table": _reads(TABLES),
    "constraints": _reads(),
    "column_defaults": _reads(),
    "drop_statistics": _writes(TABLES),
    "partition_names": _reads(PARTITIONS),
    "partitions": _reads(PARTITIONS),
    "add_partitions": _writes(PARTITIONS),
    "drop_partition_statistics": _writes(PARTITIONS),
    "request_compaction": _writes(QUEUE),
    "compactions": _reads(QUEUE),
    "next_compaction": _writes(QUEUE),
    "start_compaction": _writes(QUEUE, reads=[TXNS]),
    "mark_compacted": _writes(QUEUE),
    "mark_failed": _writes(QUEUE),
    "mark_refused": _writes(QUEUE),
    "list_trees": _reads(FOLDERS),
    "read_text": _reads(FOLDERS),
    "exists": _reads(FOLDERS),
    "homes": _reads(),
    "tells_rights": _reads(),
    "closed": _reads(),
    "checksums": _reads(FOLDERS),
    "row_counts": _reads(FOLDERS),
    "rename": _writes(FOLDERS),
    "delete_tree": _writes(FOLDERS),
    "make_folder": _writes(FOLDERS),
    "write_text": _writes(FOLDERS),
    "add_file": _writes(FOLDERS),
}


def find_footprint(method: str) -> Footprint:
    """Of a call of the method."""
    return _OF.get(method, _EVERYTHING)


def is_private(method: str, args: tuple[Any, ...]) -> bool:
    """True for a call that reads or writes nothing that another client can notice: its own staging folder."""
    footprint = find_footprint(method)
    if not footprint.reads and not footprint.writes:
        return True
    return (
        FOLDERS in footprint.writes
        and bool(args)
        and all(STAGING_PREFIX in str(path) for path in args[:1])
        and (method != "rename")
    )
