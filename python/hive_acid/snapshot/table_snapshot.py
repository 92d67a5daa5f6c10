"""From a table and a snapshot's lists to the scan plan, with one listing call, and more while a file is closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hive_acid.errors import HiveAcidError, Refusal, build_error, build_refusal
from hive_acid.model.names import METADATA_FILE
from hive_acid.model.table import FileFormat, Partition, TableDescription, TableKind
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidState, TableContent, count_content, marker_folders
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.filesystem import FileSystem, Listing
from hive_acid.snapshot.flush_lengths import load_readable_bytes
from hive_acid.snapshot.insert_only import build_insert_only_plan
from hive_acid.snapshot.plan_building import build_scan_plan
from hive_acid.snapshot.scan_plan import ScanPlan

_LISTINGS = 10
"""Attempts to list while streaming ingest closes one file after the other."""


def load_scan_plan(
    file_system: FileSystem,
    table: TableDescription,
    partitions: Sequence[Partition] | None,
    write_ids: ValidWriteIdList,
    transactions: ValidTxnList,
) -> ScanPlan:
    """The plan for reading `partitions` (None: the whole of an unpartitioned table), in the order given.

    Raises HIVE_ACID_UNSUPPORTED_TABLE if the table is not transactional or a partition has files of another format,
    and what `choose_directories`, `load_readable_bytes` and the building of the plan raise.
    """
    if table.kind is TableKind.PLAIN:
        raise _unreadable(table, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"))
    for partition in partitions or ():
        _check_format(table, partition)
    if write_ids.table != str(table.name):
        raise build_error(
            "HIVE_ACID_INTERNAL", reason=f"The write IDs of {write_ids.table} were given for table {table.name}"
        )
    if (partitions is None) == table.is_partitioned:
        raise build_error(
            "HIVE_ACID_INTERNAL", reason=f"Partitions are given for {table.name} if and only if it has any"
        )
    names, roots = _roots(table, partitions)
    for _ in range(_LISTINGS):
        states = list(zip(names, load_states(file_system, roots, write_ids, transactions), strict=True))
        without_folder = tuple(name for name, state in states if not state.listing.exists)
        if not table.kind.has_row_ids:
            return replace(build_insert_only_plan(table, write_ids, states), without_folder=without_folder)
        readable_bytes = load_readable_bytes(file_system, str(table.name), [state for _, state in states])
        if readable_bytes is not None:
            plan = build_scan_plan(table, write_ids, states, readable_bytes)
            return replace(plan, without_folder=without_folder)
    reason = f"streaming ingest closed a file during each of {_LISTINGS} listings"
    raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table.name, reason=reason)


def _check_format(table: TableDescription, partition: Partition) -> None:
    """Hive reads each partition in the partition's own way, the shim all of them in the table's."""
    if partition.input_format not in ("", table.input_format):
        other = partition.input_format.rpartition(".")[2]
        condition = "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_FORMAT"
        raise _unreadable(table, build_refusal(condition, partition=partition.name, format=other))
    if table.file_format is FileFormat.JSONFILE and partition.row_format not in (None, table.row_format):
        condition = "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_ROW_FORMAT"
        raise _unreadable(table, build_refusal(condition, partition=partition.name))


def load_content(
    file_system: FileSystem,
    table: TableDescription,
    partitions: Sequence[Partition] | None,
    write_ids: ValidWriteIdList,
    transactions: ValidTxnList,
) -> TableContent:
    """How much a reader of `partitions` (None: the whole of an unpartitioned table) would read.

    Raises what `choose_directories` raises.
    """
    _, roots = _roots(table, partitions)
    return count_content(load_states(file_system, roots, write_ids, transactions), write_ids)


def load_states(
    file_system: FileSystem, roots: Sequence[str], write_ids: ValidWriteIdList, transactions: ValidTxnList
) -> list[AcidState]:
    """The state of each root: one listing call, and one read for each base with a marker file."""
    listings = file_system.list_trees(roots) if roots else []
    return [load_state(file_system, listing, write_ids, transactions) for listing in listings]


def load_state(
    file_system: FileSystem, listing: Listing, write_ids: ValidWriteIdList, transactions: ValidTxnList
) -> AcidState:
    """The state of a listing; reads the marker file of each base with one. Raises what `choose_directories` raises."""
    markers = {
        folder: file_system.read_text(listing.absolute_path(f"{folder}/{METADATA_FILE}"))
        for folder in marker_folders(listing)
    }
    return choose_directories(listing, write_ids, transactions, markers)


def _unreadable(table: TableDescription, refusal: Refusal) -> HiveAcidError:
    return refusal.build_error(operation="Reading under a snapshot", table=table.name)


def _roots(table: TableDescription, partitions: Sequence[Partition] | None) -> tuple[list[str], list[str]]:
    if partitions is None:
        return [""], [table.location]
    return [partition.name for partition in partitions], [partition.location for partition in partitions]
