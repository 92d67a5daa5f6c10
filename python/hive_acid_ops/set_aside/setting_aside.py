"""Sets a write ID aside: its folders are moved to where no engine reads, so that the table is as without it.

The moves are no single step, and a damaged table must not become a wrong one if they are broken off. So each table or
partition that is touched is barred first, by a folder of a name on which every engine fails. The bars go once all is
moved and committed. A second call for the same write ID goes on where the first was broken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hive_acid.api.compaction import CompactionState
from hive_acid.api.conditions import HiveAcidError, add_note, build_error, build_refusal
from hive_acid.api.files import (
    HISTORY_FILE,
    SET_ASIDE_FOLDER,
    VERSION_FILE,
    VERSION_FILE_CONTENT,
    FolderKind,
    FolderName,
)
from hive_acid.api.settings import ALLOW_NON_ATOMIC_RENAME, Settings
from hive_acid.api.snapshots import ValidTxnList, ValidWriteIdList, load_state
from hive_acid.api.statements import (
    LockComponent,
    LockKind,
    NoteWriter,
    OperationKind,
    StatementOutcome,
    Transaction,
    Warehouse,
    telling,
    withdraw_statistics,
)
from hive_acid.api.storage import FileVersion, OutputWay, find_output_way, find_scheme
from hive_acid.api.tables import TableDescription, TableKind, TableName
from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.history.reader import load_history
from hive_acid_ops.initiator.survey import find_roots
from hive_acid_ops.set_aside.delete_events import UnreadableDeletes, count_deletes
from hive_acid_ops.set_aside.set_aside_plan import (
    PlannedFolder,
    SetAsidePlace,
    SetAsidePlan,
    build_set_aside_error,
    name_bar,
    plan_set_aside,
    without_bar,
)

OPERATION = "SET ASIDE"
_BAR_FILE = "README"
_BAR_TEXT = (
    "Write ID {write_id} is being set aside. If nobody is at it, run "
    "`hive-acid doctor {table} --set-aside {write_id} --yes` again.\n"
)


@dataclass(frozen=True)
class LostFolder:
    """A folder that is moved, with its files; `rows` is None if a file of it cannot be read.

    The rows of a delta are lost; those that a delete delta deletes are there again.
    """

    path: str
    is_of_deletes: bool
    files: int
    bytes: int
    rows: int | None


@dataclass(frozen=True)
class SetAside:
    """A write ID that was set aside, or would be: `target` is the hidden folder below each table or partition."""

    table: TableName
    write_id: int
    folders: tuple[LostFolder, ...]
    written_by: tuple[HistoryEntry, ...]
    is_done: bool = False
    target: str = SET_ASIDE_FOLDER


@dataclass(frozen=True)
class _Survey:
    """The table as a reader sees it that begins now; of the bars only that of this write ID is looked through."""

    table: TableDescription
    write_id: int
    write_ids: ValidWriteIdList
    places: Sequence[SetAsidePlace]

    @property
    def barred(self) -> tuple[str, ...]:
        return tuple(place.root for place in self.places if place.is_barred)

    @property
    def has_moved(self) -> bool:
        return any(place.moved for place in self.places)


class SettingAside:
    """Sets write IDs of one warehouse aside; `notes` writes those for the history."""

    def __init__(self, warehouse: Warehouse, notes: NoteWriter, settings: Settings) -> None:
        self._warehouse = warehouse
        self._metastore = warehouse.metastore
        self._files = warehouse.file_system
        self._notes = notes
        self._settings = settings

    def foresee(self, name: TableName, write_id: int) -> SetAside:
        """The rows and files that would be lost now. Changes nothing.

        Raises HIVE_ACID_TABLE_NOT_FOUND, HIVE_ACID_UNSUPPORTED_TABLE for a table that is not transactional or lies
        where folders are not renamed as a whole, HIVE_ACID_SET_ASIDE, HIVE_ACID_UNSUPPORTED_LAYOUT for folders that no
        reader takes, and what metastore and storage raise.
        """
        survey = self._survey(name, write_id, self._metastore.valid_transactions(0))
        return self._describe(survey, self._plan(survey))

    def run(self, name: TableName, write_id: int) -> SetAside:
        """Sets it aside, under an exclusive lock of the table, and says what was lost.

        Raises as `foresee`, and HIVE_ACID_LOCK_TIMEOUT: nothing has been moved then. After another error the table
        may be barred: it can be read once this was called again.
        """
        transaction = self._warehouse.transactions.begin(str(name), self._settings)
        try:
            with telling(StatementOutcome.NOTHING_CHANGED):
                transaction.lock([LockComponent(name, LockKind.EXCLUSIVE, OperationKind.NO_TXN)])
                survey = self._survey(name, write_id, transaction.latest_snapshot())
                plan, lost = self._prepare(survey, transaction)
        except BaseException as error:
            transaction.abort_because(error)
            raise
        try:
            self._move(plan.folders, transaction)
            self._tell(survey.table, write_id, plan, transaction)
            transaction.commit()
        except BaseException as error:
            add_note(error, f"{name} can be read again once write ID {write_id} was set aside: run the same again")
            transaction.abort_because(error)
            raise
        self._unbar(plan.roots, write_id)
        return replace(lost, is_done=True)

    def _survey(self, name: TableName, write_id: int, seen: ValidTxnList) -> _Survey:
        table = self._metastore.table(name)
        what = {"operation": OPERATION, "table": name}
        if table.kind is TableKind.PLAIN:
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL", **what)
        allows = self._settings.flag(ALLOW_NON_ATOMIC_RENAME)
        if find_output_way(table.location, allows) is not OutputWay.RENAME:
            scheme = find_scheme(table.location)
            raise build_error("HIVE_ACID_UNSUPPORTED_TABLE.NON_ATOMIC_RENAME", scheme=scheme, **what)
        write_ids = self._metastore.valid_write_ids([name], seen)[name]
        names = self._metastore.partition_names(name) if table.is_partitioned else []
        partitions = self._metastore.partitions(name, names) if table.is_partitioned else None
        roots = find_roots(table, partitions)
        listings = self._files.list_trees([root.location for root in roots]) if roots else []
        aside = self._files.list_all([_aside(root.location) for root in roots]) if roots else []
        places = []
        for root, listing, moved in zip(roots, listings, aside, strict=True):
            bare = without_bar(listing, write_id)
            state = load_state(self._files, bare, write_ids, seen)
            places.append(SetAsidePlace(root.partition, state, _find_moved(moved.folders, write_id), bare != listing))
        return _Survey(table, write_id, write_ids, places)

    def _plan(self, survey: _Survey) -> SetAsidePlan:
        table, write_id = survey.table.name, survey.write_id
        plan = plan_set_aside(table, write_id, survey.write_ids, survey.places)
        for path, length_bytes in plan.later_deletes:
            try:
                rows = count_deletes(self._files, path, length_bytes, write_id)
            except UnreadableDeletes as error:
                refusal = build_refusal("HIVE_ACID_SET_ASIDE.DELETES_UNREADABLE", path=path, failure=error)
                raise build_set_aside_error(refusal, table, write_id) from error
            if rows:
                refusal = build_refusal("HIVE_ACID_SET_ASIDE.DELETED_LATER", path=path, rows=rows)
                raise build_set_aside_error(refusal, table, write_id)
        return plan

    def _prepare(self, survey: _Survey, transaction: Transaction) -> tuple[SetAsidePlan, SetAside]:
        """Bars what the plan touches. If anything is in the way no bar is left, unless folders were moved before."""
        roots = survey.barred
        try:
            plan = self._plan(survey)
            lost = self._describe(survey, plan)
            roots += plan.roots
            self._bar(survey, plan, transaction)
        except BaseException:
            if roots and not survey.has_moved:
                transaction.confirm()  # else another process may have taken over, behind the same bars
                self._unbar(roots, survey.write_id)
            raise
        return plan, lost

    def _bar(self, survey: _Survey, plan: SetAsidePlan, transaction: Transaction) -> None:
        """A compaction that begins there from now on fails, and one that has begun before is in the queue."""
        table, write_id = survey.table.name, survey.write_id
        text = _BAR_TEXT.format(table=table, write_id=write_id)
        for root in plan.roots:
            transaction.ensure_active()
            self._files.write_text(f"{root}/{name_bar(write_id)}/{_BAR_FILE}", text)
        for entry in self._metastore.compactions():
            if entry.table == table and entry.state is CompactionState.WORKING:
                refusal = build_refusal("HIVE_ACID_SET_ASIDE.COMPACTING", id=entry.id)
                raise build_set_aside_error(refusal, table, write_id)

    def _unbar(self, roots: Iterable[str], write_id: int) -> None:
        for root in sorted(set(roots)):
            self._files.delete_tree(f"{root}/{name_bar(write_id)}")

    def _move(self, folders: Sequence[PlannedFolder], transaction: Transaction) -> None:
        for folder in folders:
            transaction.ensure_active()
            self._files.make_folder(_aside(folder.root))
            self._files.rename(folder.path, f"{_aside(folder.root)}/{folder.path.rpartition('/')[2]}")

    def _tell(self, table: TableDescription, write_id: int, plan: SetAsidePlan, transaction: Transaction) -> None:
        """Withdraws the statistics, and leaves a note for the history in a delta without rows.

        Its write ID is the sign by which older snapshots are known not to serve.
        """
        own_id = transaction.allocate_write_id(table.name)
        text = f"hive-acid doctor {table.name} --set-aside {write_id} --yes"
        count = len(plan.partitions)
        note = self._notes.build_told(OPERATION, text, count, transaction.txn_id, own_id, self._settings)
        if note is not None:
            folder = f"{plan.roots[0]}/{FolderName(FolderKind.DELTA, own_id, own_id, 0).format()}"
            if table.kind.has_row_ids:
                self._files.write_text(f"{folder}/{VERSION_FILE}", VERSION_FILE_CONTENT)
            self._files.write_text(f"{folder}/{HISTORY_FILE}", note)
        seen = self._metastore.valid_write_ids([table.name], transaction.own_snapshot())[table.name]
        withdraw_statistics(self._metastore, table, plan.partitions, own_id, seen.with_own(own_id))

    def _describe(self, survey: _Survey, plan: SetAsidePlan) -> SetAside:
        name, write_id = survey.table.name, survey.write_id
        entries = load_history(self._metastore, self._files, name)
        written_by = tuple(entry for entry in entries if entry.first_write_id == entry.write_id == write_id)
        return SetAside(name, write_id, tuple(self._count(name, folder) for folder in plan.folders), written_by)

    def _count(self, table: TableName, folder: PlannedFolder) -> LostFolder:
        files = [
            FileVersion(f"{folder.root}/{file.relative_path}", file.length_bytes, file.modified_ms)
            for file in folder.files
        ]
        rows: int | None = None
        if all(file.length_bytes for file in files):
            with suppress(HiveAcidError):
                rows = sum(self._files.row_counts(str(table), files)) if files else 0
        total_bytes = sum(file.length_bytes for file in files)
        return LostFolder(folder.path, folder.name.kind is FolderKind.DELETE_DELTA, len(files), total_bytes, rows)


def _aside(location: str) -> str:
    return f"{location.rstrip('/')}/{SET_ASIDE_FOLDER}"


def _find_moved(folders: Sequence[str], write_id: int) -> tuple[str, ...]:
    names = {path: FolderName.parse(path) for path in folders}
    return tuple(path for path, name in names.items() if name and name.min_write_id == name.max_write_id == write_id)
