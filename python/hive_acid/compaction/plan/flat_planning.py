"""The files of an insert-only table that a compaction folds, and into which.

Pure: from what lies in a folder to what is made.

The directories and the names of results are those of Hive's MmMajorQueryCompactor and MmMinorQueryCompactor (4.1.0) and
of CompactorMR.runMmCompaction (3.1.3), which copy rows by queries: a file of a bucketed table stays one of its bucket,
and others are put together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hive_acid.compaction.plan.planning import (
    CompactionPlan,
    PlannedFile,
    PlannedInput,
    build_base_name,
    build_delta_name,
    is_enough,
)
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.names import FolderKind, find_bucket
from hive_acid.model.table import TableDescription
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.wire.scan_plan import PartitionScan, ScanFolder

MERGED_BYTES = 256_000_000
"""At most so many are put into a file of a table that is not bucketed, as by `hive.merge.size.per.task`."""


def build_flat_plan(
    kind: CompactionKind,
    table: TableDescription,
    state: AcidState,
    partition: PartitionScan,
    visibility_txn_id: int,
) -> CompactionPlan:
    """The plan for an insert-only table or one of its partitions; see `build_compaction_plan`.

    A rebalance is a major compaction, as for Hive (CompactorFactory, 4.1.0): rows without IDs have no buckets to be
    evened out. Raises HIVE_ACID_UNSUPPORTED_LAYOUT for a file of a bucketed table whose name tells none of its buckets.
    """
    needs_cleaning = bool(state.obsolete or state.aborted)
    if not is_enough(kind, state):
        return CompactionPlan((), needs_cleaning, False)
    folders = partition.folders
    if kind is CompactionKind.MINOR:
        name = build_delta_name(FolderKind.DELTA, state, visibility_txn_id)
        folders = tuple(folder for folder in folders if _is_of_delta(folder, state))
    else:
        name = build_base_name(state, visibility_txn_id)
    found = [PlannedInput(folder, file) for folder in folders for file in folder.files]
    runs = _by_bucket(found, table) if table.bucket_count else enumerate(_pack(found))
    files = tuple(PlannedFile(name, number, False, ((tuple(run),),)) for number, run in runs)
    return CompactionPlan(files or (PlannedFile(name, 0, False, ()),), needs_cleaning, False)


def _is_of_delta(folder: ScanFolder, state: AcidState) -> bool:
    """Also of a folder within a delta, as Hive's UNION ALL leaves them."""
    paths = (state.listing.absolute_path(delta.path) for delta in state.deltas)
    return any(f"{folder.path}/".startswith(f"{path}/") for path in paths)


def _by_bucket(files: Iterable[PlannedInput], table: TableDescription) -> list[tuple[int, list[PlannedInput]]]:
    runs: dict[int, list[PlannedInput]] = {}
    for one in files:
        bucket = find_bucket(one.file.path)
        if bucket is None or bucket >= table.bucket_count:
            path = f"{one.folder.path}/{one.file.path}"
            where = {"table": table.name, "path": path, "buckets": table.bucket_count}
            raise build_error("HIVE_ACID_UNSUPPORTED_LAYOUT.NO_BUCKET_OF_TABLE", **where)
        runs.setdefault(bucket, []).append(one)
    return sorted(runs.items())


def _pack(files: Iterable[PlannedInput]) -> Iterator[list[PlannedInput]]:
    """The files in order, in runs of at most MERGED_BYTES but for a file that is larger by itself."""
    run: list[PlannedInput] = []
    run_bytes = 0
    for one in files:
        if run and run_bytes + one.file.length_bytes > MERGED_BYTES:
            yield run
            run, run_bytes = [], 0
        run.append(one)
        run_bytes += one.file.length_bytes
    if run:
        yield run
