"""A table that is written, compacted and cleaned step by step, kept twice.

Once as a history: which write ID inserted and deleted which row, and how each transaction ended. From it the rows of a
snapshot follow by definition. And once as folders with rows and delete events, as Hive's writers, compactors and
cleaner would leave them. A reader of the folders must find the rows of the history.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.write_ids import LONG_MAX, ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.listing import ListedFile, Listing
from support.history_elements import Event, Folder, Row, Snapshot, Writer

COMPACTED = '{"thisFileVersion":"0","dataFormat":"compacted"}'


@dataclass
class TableHistory:
    """`snapshots` are the readers that are still running; a polite cleaner spares what they read.

    `hive_4` says whether a Hive of that line compacts the table, or one of 3.1.
    """

    hive_4: bool = True
    folders: dict[FolderName, Folder] = field(default_factory=dict)
    inserted: set[Row] = field(default_factory=set)
    deleted_by: dict[Row, list[int]] = field(default_factory=dict)
    overwrites: set[int] = field(default_factory=set)
    writers: list[Writer] = field(default_factory=list)
    compactions: list[tuple[int, Folder]] = field(default_factory=list)
    aborted: set[int] = field(default_factory=set)
    aborted_txns: set[int] = field(default_factory=set)
    snapshots: list[Snapshot] = field(default_factory=list)
    last_txn_id: int = 0
    last_write_id: int = 0

    # The history

    def visible_rows(self, write_ids: ValidWriteIdList) -> set[Row]:
        """The rows of a snapshot by definition."""
        overwritten = max((i for i in self.overwrites if write_ids.is_valid(i)), default=0)
        return {
            row
            for row in self.inserted
            if row.write_id >= overwritten
            and write_ids.is_valid(row.write_id)
            and not any(write_ids.is_valid(i) for i in self.deleted_by.get(row, ()))
        }

    def snapshot(self, own: Writer | None = None) -> Snapshot:
        """The lists that the metastore gives now; an own transaction sees its own write IDs."""
        open_ids = {i for writer in self.writers if writer is not own for i in writer.write_ids}
        open_txns = {writer.txn_id for writer in self.writers} | {txn_id for txn_id, _ in self.compactions}
        return Snapshot(
            ValidWriteIdList("db.t", self.last_write_id, frozenset(open_ids), frozenset(self.aborted)),
            ValidTxnList(self.last_txn_id, frozenset(open_txns), frozenset(self.aborted_txns)),
            own.txn_id if own else 0,
        )

    # Writing

    def begin(self, write_ids: int = 1, is_overwrite: bool = False) -> None:
        """A transaction with new write IDs. An overwrite is alone: it holds an exclusive lock."""
        if any(writer.is_overwrite for writer in self.writers) or (is_overwrite and self.writers):
            return
        self.last_txn_id += 1
        first, self.last_write_id = self.last_write_id + 1, self.last_write_id + write_ids
        writer = Writer(self.last_txn_id, tuple(range(first, self.last_write_id + 1)), is_overwrite)
        self.writers.append(writer)
        if is_overwrite:
            self.overwrites.add(first)
            self._add(FolderName(FolderKind.BASE, first, first), [])
        elif write_ids > 1:
            self._add(FolderName(FolderKind.DELTA, first, self.last_write_id), [])

    def insert(self, writer: Writer, rows: int) -> None:
        """One INSERT statement; a batch inserts under each of its write IDs into its one folder."""
        first, last = writer.write_ids[0], writer.write_ids[-1]
        known = len(self.inserted)
        new = [Row(writer.write_ids[i % len(writer.write_ids)], known + i) for i in range(rows)]
        self.inserted |= set(new)
        events = [Event(row, row.write_id) for row in new]
        if writer.is_overwrite:
            self.folders[FolderName(FolderKind.BASE, first, first)].events += events
        elif last > first:
            self.folders[FolderName(FolderKind.DELTA, first, last)].events += events
        elif events:
            self._add(FolderName(FolderKind.DELTA, first, first, writer.statements), events)
            writer.statements += 1

    def delete(self, writer: Writer, choice: int) -> None:
        """One DELETE statement of up to two rows that its transaction sees and nobody else is deleting.

        A snapshot precedes the write ID of its transaction, so it holds no rows of later write IDs.
        """
        if writer.is_overwrite or len(writer.write_ids) > 1:
            return
        lost = {row for row, ids in self.deleted_by.items() if any(i not in self.aborted for i in ids)}
        write_id = writer.write_ids[0]
        seen = self.visible_rows(self.snapshot(writer).write_ids) - lost
        rows = sorted(row for row in seen if row.write_id <= write_id)
        victims = (rows[choice % len(rows) :] if rows else [])[:2]
        for row in victims:
            self.deleted_by.setdefault(row, []).append(write_id)
        if victims:
            name = FolderName(FolderKind.DELETE_DELTA, write_id, write_id, writer.statements)
            self._add(name, [Event(row, write_id) for row in victims])
            writer.statements += 1

    def end(self, writer: Writer, commits: bool) -> None:
        """Commit or abort; a batch loses its later half when it aborts. The writer's own snapshots end with it."""
        if commits and self._has_conflict(writer):
            commits = False
        self.writers.remove(writer)
        self.snapshots = [snapshot for snapshot in self.snapshots if snapshot.own_txn_id != writer.txn_id]
        if not commits:
            self.aborted_txns.add(writer.txn_id)
            self.aborted |= set(writer.write_ids[len(writer.write_ids) // 2 :])

    def _has_conflict(self, writer: Writer) -> bool:
        mine = [ids for ids in self.deleted_by.values() if writer.write_ids[0] in ids]
        return any(i not in self.aborted and i not in writer.write_ids for ids in mine for i in ids)

    # Compaction and cleaning

    def compact(self, major: bool, up_to_mark: bool, keeps_empty_delta: bool) -> None:
        """Starts a compaction of Hive 4 (it ends with `end_compaction`), or does all of one of Hive 3.1."""
        if self.compactions:
            return
        view = self._compactor_view()
        base, deltas = self._compactor_inputs(view)
        if len(deltas) + (1 if major and base else 0) < 2:
            return
        end = max(folder.name.max_write_id for folder in deltas)
        if self.hive_4 and up_to_mark:
            end = view.high_water_mark
        start = min(folder.name.min_write_id for folder in deltas)
        self.last_txn_id += 1
        txn_id = self.last_txn_id
        replaced = [name for name in self.folders if name.max_write_id <= end]
        if not major:
            replaced = [name for name in replaced if name.min_write_id >= start and name.kind is not FolderKind.BASE]
        for folder in self._results(major, start, end, deltas, view, keeps_empty_delta):
            name = folder.name
            visibility = txn_id if self.hive_4 else 0
            folder.name = FolderName(name.kind, name.min_write_id, name.max_write_id, None, visibility)
            folder.is_marked = major and not self.hive_4
            folder.replaces = tuple(name for name in replaced if name != folder.name)
            if folder.name not in self.folders:
                self.folders[folder.name] = folder
            if self.hive_4:
                self.compactions.append((txn_id, folder))

    def end_compaction(self, commits: bool) -> None:
        """Ends the compaction of Hive 4 that is running."""
        if not commits:
            self.aborted_txns |= {txn_id for txn_id, _ in self.compactions}
        self.compactions = []

    def clean(self, politely: bool) -> None:
        """Removes what finished compactions have replaced, and folders of aborted transactions.

        A polite cleaner waits until every running reader sees the result of the compaction.
        """
        running = {folder.name for _, folder in self.compactions}
        for result in [folder for folder in self.folders.values() if folder.replaces]:
            if result.name in running or result.name.visibility_txn_id in self.aborted_txns:
                continue
            if politely and not all(_sees_result(reader, result.name) for reader in self.snapshots):
                continue
            for name in result.replaces:
                self.folders.pop(name, None)
            result.replaces = ()
        for name in [name for name, folder in self.folders.items() if not self._is_compacted_base(folder)]:
            if not name.visibility_txn_id and all(
                i in self.aborted for i in range(name.min_write_id, name.max_write_id + 1)
            ):
                del self.folders[name]

    def _is_compacted_base(self, folder: Folder) -> bool:
        is_base = folder.name.kind is FolderKind.BASE
        return is_base and (folder.is_marked or bool(folder.name.visibility_txn_id))

    def _compactor_view(self) -> ValidWriteIdList:
        """Nothing open, and no batch of which a part is open."""
        begun = [writer.write_ids[0] for writer in self.writers]
        return ValidWriteIdList(
            "db.t", min([self.last_write_id, *(i - 1 for i in begun)]), frozenset(), frozenset(self.aborted), LONG_MAX
        )

    def _compactor_inputs(self, view: ValidWriteIdList) -> tuple[Folder | None, list[Folder]]:
        """The newest base that is done, and all deltas above it that are done, replaced ones left out."""
        done = [folder for folder in self.folders.values() if folder.name.visibility_txn_id not in self.aborted_txns]
        done = [folder for folder in done if folder.name.max_write_id <= view.high_water_mark]
        bases = [
            folder
            for folder in done
            if folder.name.kind is FolderKind.BASE
            and (self._is_compacted_base(folder) or folder.name.max_write_id not in self.aborted)
        ]
        base = max(bases, key=lambda folder: (folder.name.max_write_id, folder.name.visibility_txn_id), default=None)
        floor = base.name.max_write_id if base else 0
        replaced = {name for folder in done for name in folder.replaces}
        deltas = [
            folder
            for folder in done
            if folder.name.kind is not FolderKind.BASE
            and folder.name.min_write_id > floor
            and folder.name not in replaced
            and any(i not in self.aborted for i in range(folder.name.min_write_id, folder.name.max_write_id + 1))
        ]
        return base, deltas

    def _results(
        self,
        major: bool,
        start: int,
        end: int,
        deltas: Iterable[Folder],
        view: ValidWriteIdList,
        keeps_empty_delta: bool,
    ) -> list[Folder]:
        if major:
            rows = sorted(row for row in self.visible_rows(view) if row.write_id <= end)
            events = [Event(row, row.write_id) for row in rows]
            return [Folder(FolderName(FolderKind.BASE, end, end), events)]
        results = []
        for kind in (FolderKind.DELTA, FolderKind.DELETE_DELTA):
            events = [
                event
                for folder in deltas
                if folder.name.kind is kind
                for event in folder.events
                if view.is_valid(event.write_id)
            ]
            if events or (kind is FolderKind.DELTA and keeps_empty_delta):
                results.append(Folder(FolderName(kind, start, end), events))
        return results

    def _add(self, name: FolderName, events: list[Event]) -> None:
        self.folders[name] = Folder(name, events)

    # Storage

    def listing(self, root: str, unpadded: frozenset[FolderName]) -> tuple[Listing, dict[str, str], dict[str, Folder]]:
        """The listing, the marker texts, and the folder behind each path. Folders without events have no file."""
        files: list[ListedFile] = []
        markers: dict[str, str] = {}
        by_path: dict[str, Folder] = {}
        for folder in self.folders.values():
            path = _unpadded(folder.name) if folder.name in unpadded else folder.name.format()
            by_path[f"{root}/{path}"] = folder
            if folder.events:
                files.append(ListedFile(f"{path}/bucket_00000{'_1' if folder.name in unpadded else ''}", 100, 1))
            if folder.is_marked:
                files.append(ListedFile(f"{path}/_metadata_acid", 40, 1))
                markers[path] = COMPACTED
        folders = tuple(path.removeprefix(f"{root}/") for path in by_path)
        return Listing(root, tuple(files), folders), markers, by_path


def _sees_result(reader: Snapshot, result: FolderName) -> bool:
    if result.visibility_txn_id:
        return reader.transactions.is_valid(result.visibility_txn_id)
    if result.kind is FolderKind.BASE:
        return reader.write_ids.is_valid_compacted_base(result.max_write_id)
    return True


def _unpadded(name: FolderName) -> str:
    if name.kind is FolderKind.BASE:
        text = f"base_{name.max_write_id}"
    else:
        text = f"{name.kind.value}_{name.min_write_id}_{name.max_write_id}"
    if name.statement_id is not None:
        return f"{text}_{name.statement_id}"
    return f"{text}_v{name.visibility_txn_id}" if name.visibility_txn_id else text
