"""The files that a compaction folds, and into which. Pure: from what lies in a folder to what is to be made.

The directories and the names of results are those of Hive's CompactorMR (3.1.3, 4.1.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.write_ids import LONG_MIN, ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidFolder, AcidState
from hive_acid.wire.scan_plan import DeleteFolder, PartitionScan, ScanFile, ScanFolder

Run = tuple["PlannedInput", ...]


@dataclass(frozen=True)
class PlannedInput:
    """A file of `folder`. Files of deletes and of rows of one bucket are never folded together."""

    folder: ScanFolder | DeleteFolder
    file: ScanFile


@dataclass(frozen=True)
class PlannedFile:
    """A file to be made: of what, in which folder, for which bucket.

    `groups` are in the order of row IDs: all rows of one come before those of the next. A group is of runs whose rows
    interleave, a run of files that follow each other. `buckets`: 0, or into how many files its rows are spread evenly.
    """

    folder: str
    bucket: int
    holds_deletes: bool
    groups: tuple[tuple[Run, ...], ...]
    buckets: int = 0


@dataclass(frozen=True)
class CompactionPlan:
    """The files that a compaction makes; nothing if `files` is empty.

    `needs_cleaning`: there are folders that nobody needs, so the Cleaner is to be told even if nothing is made.
    """

    files: tuple[PlannedFile, ...]
    needs_cleaning: bool
    applies_deletes: bool = True


def find_foldable_mark(folders: Iterable[AcidFolder], mark: int) -> int:
    """The greatest write ID, `mark` at most, at which no folder has to be cut in two.

    A delta that streaming ingest still writes to has greater ones, and would be read beside what it was folded into.
    """
    return min((f.name.min_write_id - 1 for f in folders if f.name.max_write_id > mark), default=mark)


def is_enough(kind: CompactionKind, state: AcidState) -> bool:
    """False if a compaction would change nothing (CompactorUtil.isEnoughToCompact, 4.1.0).

    Also for a minor compaction of deletes with rows of one write ID, that of a transaction of several statements: only
    their statement IDs tell Hive 4 that the deletes came later, and the result would have none
    (OrcInputFormat.isQualifiedDeleteDeltaForSplit, 4.0.0).
    """
    deltas = (*state.deltas, *state.delete_deltas)
    if kind is CompactionKind.MINOR:
        ranges = {(delta.name.min_write_id, delta.name.max_write_id) for delta in deltas}
        is_alike = len(ranges) == 1 and bool(state.deltas and state.delete_deltas)
        is_of_one = is_alike and all(first == last for first, last in ranges)
        return len(deltas) > 1 and not (is_of_one or (is_alike and len(deltas) == 2))
    if kind is CompactionKind.REBALANCE:
        return bool(state.originals or state.base or deltas)
    return bool(state.originals) or len(deltas) + bool(state.base) > 1


def build_compaction_plan(
    kind: CompactionKind, state: AcidState, partition: PartitionScan, visibility_txn_id: int, buckets: int | None = None
) -> CompactionPlan:
    """The plan for a table or partition: `state` as chosen by `ValidWriteIdList.for_compaction`, `partition` its scan.

    `visibility_txn_id` is the transaction whose commit makes the result visible, 0 if the rename does (3.1). `buckets`
    are those of a rebalance; by default as many as there are.
    """
    needs_cleaning = bool(state.obsolete or state.aborted)
    if not is_enough(kind, state):
        return CompactionPlan((), needs_cleaning)
    if kind is CompactionKind.MINOR:
        return CompactionPlan(tuple(_minor_files(state, partition, visibility_txn_id)), needs_cleaning, False)
    folder = build_base_name(state, visibility_txn_id)
    if kind is CompactionKind.REBALANCE:
        found = len({file.bucket for source in partition.folders for file in source.files})
        groups = _build_groups(partition.folders)
        return CompactionPlan((PlannedFile(folder, 0, False, groups, buckets or found or 1),), needs_cleaning)
    files = _data_files(folder, partition.folders)
    return CompactionPlan(tuple(files) or (PlannedFile(folder, 0, False, ()),), needs_cleaning)


def find_last_folded(state: AcidState) -> int | None:
    """The greatest write ID of what can be seen; None if there are only originals."""
    return max((folder.name.max_write_id for folder in (*state.data_folders, *state.delete_deltas)), default=None)


def find_covered(state: AcidState, plan: CompactionPlan) -> int:
    """The greatest write ID below which no aborted one can count again: that of what is made, else that of the base.

    Files that are made replace folders. The Cleaner does not call its work done while these are there. Once its list of
    write IDs has them removed, that list knows what was aborted before.
    """
    folded = find_last_folded(state) if plan.files else state.base and state.base.name.max_write_id
    return max(0, folded or 0)


def find_cleanable(write_ids: ValidWriteIdList, covered: int) -> int:
    """The greatest write ID that the Cleaner may be told of: below the first aborted one above what is `covered`.

    Hive 4's Cleaner removes what its own list of write IDs, which may end earlier, knows to be aborted. Then it looks
    once more, with a list in which all up to the reported write ID is committed. If nothing is obsolete in that, it has
    the aborted write IDs up to the reported one forgotten, and rows of one that no base covers count from then on
    (CompactionCleaner, TxnUtils.createValidTxnListForCleaner, MarkCleanedFunction, 4.1.0).
    """
    above = [write_id for write_id in write_ids.aborted if write_id > covered]
    return max(0, min([write_ids.high_water_mark, *(write_id - 1 for write_id in above)]))


def build_base_name(state: AcidState, visibility_txn_id: int) -> str:
    """The base after the greatest write ID that is folded; after none, if there were only originals."""
    folded = find_last_folded(state)
    last = LONG_MIN if folded is None else folded
    return FolderName(FolderKind.BASE, last, last, None, visibility_txn_id).format()


def build_delta_name(kind: FolderKind, state: AcidState, visibility_txn_id: int) -> str:
    """The folder that deltas or delete deltas are folded into; `kind` says which of the two, and there are some."""
    deltas = (*state.deltas, *state.delete_deltas)
    first = min(delta.name.min_write_id for delta in deltas)
    last = max(delta.name.max_write_id for delta in deltas)
    return FolderName(kind, first, last, None, visibility_txn_id).format()


def _minor_files(state: AcidState, partition: PartitionScan, visibility_txn_id: int) -> list[PlannedFile]:
    def name(kind: FolderKind) -> str:
        return build_delta_name(kind, state, visibility_txn_id)

    paths = {state.listing.absolute_path(delta.path) for delta in state.deltas}
    rows = [folder for folder in partition.folders if folder.path in paths]
    files = _data_files(name(FolderKind.DELTA), rows)
    if state.deltas and not files:
        files = [PlannedFile(name(FolderKind.DELTA), 0, False, ())]
    folder = name(FolderKind.DELETE_DELTA)
    buckets = sorted({file.bucket for deletes in partition.deletes.folders for file in deletes.files})
    for bucket in buckets:
        runs = tuple((PlannedInput(d, f),) for d in partition.deletes.folders for f in d.files if f.bucket == bucket)
        files.append(PlannedFile(folder, bucket, True, (runs,)))
    return files


def _data_files(folder: str, sources: Sequence[ScanFolder]) -> list[PlannedFile]:
    buckets = sorted({file.bucket for source in sources for file in source.files})
    return [PlannedFile(folder, bucket, False, _build_groups(_restrict(sources, bucket))) for bucket in buckets]


def _restrict(sources: Sequence[ScanFolder], bucket: int) -> list[ScanFolder]:
    """The folders with the files of that bucket alone; those without any are left out."""
    found = [replace(s, files=tuple(file for file in s.files if file.bucket == bucket)) for s in sources]
    return [source for source in found if source.files]


def _build_groups(sources: Sequence[ScanFolder]) -> tuple[tuple[Run, ...], ...]:
    """Runs by the write IDs that their rows may have: those of folders whose ranges do not meet need no merging."""
    groups: list[list[Run]] = []
    last = -1
    for source in sorted(sources, key=lambda folder: (folder.min_write_id, folder.max_write_id)):
        if not groups or source.min_write_id > last:
            groups.append([])
        groups[-1] += _build_runs(source)
        last = max(last, source.max_write_id)
    return tuple(tuple(group) for group in groups)


def _build_runs(source: ScanFolder) -> list[Run]:
    """The rows of files without ACID columns are numbered through, file after file of one bucket."""
    if source.raw is None:
        return [(PlannedInput(source, file),) for file in source.files]
    by_bucket = groupby(sorted(source.files, key=lambda file: file.bucket), key=lambda file: file.bucket)
    return [tuple(PlannedInput(source, file) for file in run) for _, run in by_bucket]
