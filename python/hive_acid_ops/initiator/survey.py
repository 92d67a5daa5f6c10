"""Looks at tables and their partitions as a compactor does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.snapshots import AcidState, ValidTxnList, ValidWriteIdList, load_state
from hive_acid.api.storage import FileSystem, Listing
from hive_acid.api.tables import Metastore, Partition, TableDescription
from hive_acid_ops.initiator.policy import Thresholds

_PARTITIONS_AT_ONCE = 500
"""The number of roots whose listings are in memory together."""


@dataclass(frozen=True)
class Root:
    """A flat table (`partition` is None) or a partition, and where it lies."""

    partition: str | None
    location: str


@dataclass(frozen=True)
class CompactorView:
    """The view of a compactor that began now: `transactions` that are visible, and write IDs it might fold."""

    transactions: ValidTxnList
    write_ids: ValidWriteIdList

    @classmethod
    def load(cls, metastore: Metastore, table: TableDescription) -> CompactorView:
        """As the metastore has it now."""
        transactions = metastore.valid_transactions(0)
        write_ids = metastore.valid_write_ids([table.name], transactions)[table.name]
        return cls(transactions, write_ids.for_compaction())


def load_thresholds(metastore: Metastore, table: TableDescription) -> Thresholds:
    """The thresholds of the table, else of the metastore. Raises HIVE_ACID_CONFIGURATION for one that is no number."""
    try:
        return Thresholds.of_server(metastore.line, metastore.config_value).of_table(table.parameters)
    except ValueError as error:
        found = {"table": table.name, "failure": error}
        raise build_error("HIVE_ACID_CONFIGURATION.COMPACTION_THRESHOLD", **found) from error


def find_roots(table: TableDescription, partitions: Sequence[Partition] | None) -> list[Root]:
    """The table itself if it is flat, else its partitions."""
    return [Root(None, table.location)] if partitions is None else [Root(p.name, p.location) for p in partitions]


@dataclass(frozen=True)
class SurveyedRoot:
    """A root, what lies there, and what a compactor sees of it: a state, or the error that keeps it from being read."""

    root: Root
    listing: Listing
    state: AcidState | None
    error: HiveAcidError | None = None


def survey(file_system: FileSystem, roots: Sequence[Root], view: CompactorView) -> Iterator[SurveyedRoot]:
    """The roots, in order, as they lie now. Raises HIVE_ACID_STORAGE."""
    for start in range(0, len(roots), _PARTITIONS_AT_ONCE):
        batch = roots[start : start + _PARTITIONS_AT_ONCE]
        for root, listing in zip(batch, file_system.list_trees([root.location for root in batch]), strict=True):
            try:
                state = load_state(file_system, listing, view.write_ids, view.transactions)
                yield SurveyedRoot(root, listing, state)
            except HiveAcidError as error:
                yield SurveyedRoot(root, listing, None, error)
