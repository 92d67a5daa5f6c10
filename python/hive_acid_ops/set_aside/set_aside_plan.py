"""The folders that are moved if a write ID is set aside, and why it may not be: functions on values.

A write ID can be taken back only as a whole, and only if nothing was built upon it. So its folders must hold nothing
else, and no later delete may be of its rows: an UPDATE of such a row has a newer version, which would stay beside the
version from before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hive_acid.api.conditions import HiveAcidError, Refusal, build_refusal
from hive_acid.api.files import BAR_PREFIX, FolderKind, FolderName, is_hidden
from hive_acid.api.snapshots import AcidState, ValidWriteIdList
from hive_acid.api.storage import ListedFile, Listing
from hive_acid.api.tables import TableName


@dataclass(frozen=True)
class SetAsidePlace:
    """A flat table (`partition` is None) or a partition, as a reader sees it that begins now.

    `moved` are the folders of the write ID that were moved before; `is_barred`: that was broken off.
    """

    partition: str | None
    state: AcidState
    moved: tuple[str, ...] = ()
    is_barred: bool = False

    @property
    def root(self) -> str:
        return self.state.listing.root.rstrip("/")


@dataclass(frozen=True)
class PlannedFolder:
    """A folder of the write ID that is to be moved: its path, and the files in it but the hidden ones.

    `root` is the folder of the table or partition.
    """

    root: str
    name: FolderName
    path: str
    files: tuple[ListedFile, ...]


@dataclass(frozen=True)
class SetAsidePlan:
    """The folders to be moved, in that order, the roots to be barred meanwhile, and files of later deletes.

    No row of the write ID may be deleted in one of `later_deletes`: path and length of each.
    """

    folders: tuple[PlannedFolder, ...]
    roots: tuple[str, ...]
    partitions: tuple[str, ...]
    later_deletes: tuple[tuple[str, int], ...]


def name_bar(write_id: int) -> str:
    """The folder that bars a root while this write ID is set aside."""
    return f"{BAR_PREFIX}{write_id}"


def without_bar(listing: Listing, write_id: int) -> Listing:
    """The listing without that folder; the same if there is none."""
    bar = name_bar(write_id)
    return replace(
        listing,
        files=tuple(file for file in listing.files if file.relative_path.partition("/")[0] != bar),
        folders=tuple(path for path in listing.folders if path.partition("/")[0] != bar),
    )


def plan_set_aside(
    table: TableName, write_id: int, write_ids: ValidWriteIdList, places: Sequence[SetAsidePlace]
) -> SetAsidePlan:
    """The plan, if the write ID can be set aside; `places` are all of the table, `write_ids` those of a reader.

    Folders with rows go first. A damaged delete file, such as Trino leaves, stays where readers stumble
    over it until the last.

    Raises HIVE_ACID_SET_ASIDE.
    """
    refusal = _refuse_state(write_id, write_ids) or next(
        (found for place in places for found in _find_covers(write_id, place.state)), None
    )
    if refusal is not None:
        raise build_set_aside_error(refusal, table, write_id)
    folders = [folder for place in places for folder in _find_own(write_id, place)]
    touched = [place for place in places if place.moved or place.is_barred or any(_find_own(write_id, place))]
    if not folders and not any(place.is_barred for place in places):
        raise build_set_aside_error(build_refusal("HIVE_ACID_SET_ASIDE.NOT_THERE"), table, write_id)
    return SetAsidePlan(
        tuple(sorted(folders, key=lambda folder: (folder.name.kind is FolderKind.DELETE_DELTA, folder.path))),
        tuple(place.root for place in touched),
        tuple(place.partition for place in touched if place.partition is not None),
        tuple(file for place in touched for file in _find_later_deletes(write_id, write_ids, place.state)),
    )


def build_set_aside_error(refusal: Refusal, table: TableName, write_id: int) -> HiveAcidError:
    """The error of a refusal."""
    return refusal.build_error(table=table, writeId=write_id)


def _refuse_state(write_id: int, write_ids: ValidWriteIdList) -> Refusal | None:
    if write_ids.is_valid(write_id) and write_id > 0:
        return None
    aborted = "aborted" if write_ids.is_aborted(write_id) else "unknown"
    return build_refusal("HIVE_ACID_SET_ASIDE.NOT_COMMITTED", state="open" if write_id in write_ids.open else aborted)


def _find_covers(write_id: int, state: AcidState) -> Iterator[Refusal]:
    """Folders of others with the write ID in their range, also those of a compaction that may yet become visible."""
    unseen = [FolderName.parse(path) for path in state.invisible]
    for name in (*(folder.name for folder in (*state.data_folders, *state.delete_deltas)), *unseen):
        if name is None or _is_own(write_id, name):
            continue
        path = state.listing.absolute_path(name.format())
        if name.kind is FolderKind.BASE and name.max_write_id == write_id and not name.visibility_txn_id:
            yield build_refusal("HIVE_ACID_SET_ASIDE.BASE", path=path)
        lowest = 0 if name.kind is FolderKind.BASE else name.min_write_id
        if lowest <= write_id <= name.max_write_id:
            yield build_refusal("HIVE_ACID_SET_ASIDE.COVERED", path=path)


def _find_own(write_id: int, place: SetAsidePlace) -> Iterator[PlannedFolder]:
    """Also those that a compaction of this write ID alone has replaced: they would be seen again without it."""
    listing = place.state.listing
    for path in listing.folders:
        name = FolderName.parse(path)
        if name is not None and _is_own(write_id, name):
            files = tuple(file for file in listing.files if _is_data_file(file, path))
            yield PlannedFolder(place.root, name, listing.absolute_path(path), files)


def _is_data_file(file: ListedFile, folder: str) -> bool:
    return file.relative_path.startswith(f"{folder}/") and not is_hidden(file.name)


def _is_own(write_id: int, name: FolderName) -> bool:
    is_of_write = name.kind is not FolderKind.BASE and not name.visibility_txn_id
    return is_of_write and name.min_write_id == name.max_write_id == write_id


def _find_later_deletes(write_id: int, write_ids: ValidWriteIdList, state: AcidState) -> Iterator[tuple[str, int]]:
    """The files of all delete deltas that reach beyond the write ID, but of those that were aborted."""
    for path in state.listing.folders:
        name = FolderName.parse(path)
        if name is None or name.kind is not FolderKind.DELETE_DELTA or name.max_write_id <= write_id:
            continue
        if path in state.aborted or write_ids.is_range_aborted(name.min_write_id, name.max_write_id):
            continue
        for file in state.listing.files:
            if _is_data_file(file, path):
                yield state.listing.absolute_path(file.relative_path), file.length_bytes
