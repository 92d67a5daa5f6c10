"""Compaction by our worker, and the Cleaners of the metastore."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.queue.worker import Worker
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine, TransactionState
from hive_acid.model.names import COMPACTED_METADATA, FolderKind, FolderName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories, marker_folders
from hive_acid.snapshot.listing import Listing
from support.conditions import main_condition
from support.model_checker.actors import Actor
from support.model_checker.clients import SparkClient
from support.model_checker.engine import RowCompactionEngine
from support.model_checker.rows import Violation
from support.model_checker.world import LOCATION, TABLE, World


class SparkWorker(Actor):
    """Asks for a compaction of the table (or of the partition `d=1`), and does it."""

    bears = ("HIVE_ACID_WRITE_CONFLICT", "HIVE_ACID_SNAPSHOT_UNAVAILABLE", "HIVE_ACID_PARTITION_NOT_FOUND")

    def __init__(self, world: World, number: int, kind: CompactionKind) -> None:
        super().__init__(world, number)
        self.client = SparkClient(world, number)
        if world.setting.line is MetastoreLine.HIVE_3:  # another base of the same write IDs may be in place first
            self.bears = (*self.bears, "HIVE_ACID_STORAGE")
        self.kind = kind
        engine = RowCompactionEngine(self.client.files, world.files)
        settings = self.client.settings
        compactor = Compactor(self.client.metastore, self.client.files, engine, settings)
        self.worker = Worker(self.client.transactions, compactor, settings, f"spark-host{number}-1", "test")

    def act(self) -> None:
        partition = "d=1" if self.world.setting.is_partitioned else None
        try:
            if self.world.setting.line is MetastoreLine.HIVE_3:
                self.worker.publish_base(TABLE, partition)
            else:
                asked = self.client.metastore.request_compaction(CompactionRequest(TABLE, self.kind, partition))
                if asked.accepted:
                    self.worker.run_next(None)
        except HiveAcidError as error:
            if not self.world.is_struck(self.number) and main_condition(error) not in self.bears:
                raise Violation(f"a {self.kind.value} compaction failed by {error}") from error


class Cleaner(Actor):
    """The Cleaner of the 4.x line. A major compaction is done and waits for it, unless it `is_late`.

    It removes what the compaction has replaced once no transaction is open that was when it was committed, and what
    aborted transactions have left; then the metastore forgets these (CompactionCleaner, MarkCleanedFunction, 4.1.0).
    """

    def __init__(self, world: World, number: int, *, is_late: bool = False) -> None:
        super().__init__(world, number)
        self.memory = world.memory
        leave_aborted(world)
        if not is_late:
            SparkWorker(world, number, CompactionKind.MAJOR).act()

    def call(self, method: str, make: Callable[[], Any], *args: Any) -> Any:
        """A call of its own, which is a step."""
        run = self.world.run
        assert run is not None
        return run.call(self.number, method, args, make)

    def act(self) -> None:
        while True:
            found = self.call("find_ready", self._find_ready)
            if found is not None:
                self._clean(*found)
                return
            if not self.world.wait_for_work(self.number):
                return

    def _find_ready(self) -> tuple[CompactionInfo, int] | None:
        opened = self.world.open_transactions()
        min_open = min(opened, default=self.memory._transactions.high_water_mark + 1)
        for entry in self.memory.compactions():
            done = self.memory._transactions.find(entry.txn_id or 0)
            if entry.state is CompactionState.READY and done is not None and done.commit_id + 1 <= min_open:
                return entry, min_open
        return None

    def _clean(self, entry: CompactionInfo, min_open: int) -> None:
        seen = self.call("valid_transactions", lambda: self.memory.valid_transactions(0))
        seen = ValidTxnList(min_open - 1, frozenset(), frozenset(one for one in seen.aborted if one < min_open))
        ids = self.call("valid_write_ids", lambda: self.memory.valid_write_ids([TABLE], seen)[TABLE])
        mark = min(ids.high_water_mark, entry.highest_write_id or 0)
        ids = ValidWriteIdList(ids.table, mark, frozenset(), frozenset(one for one in ids.aborted if one <= mark))
        min_open_id = self.call("valid_write_ids", lambda: self.memory.valid_write_ids([TABLE], None)[TABLE].min_open)
        root = f"{LOCATION}/{entry.partition}" if entry.partition else LOCATION
        (listing,) = self.call("list_trees", lambda: self.world.files.list_trees([root]))
        state = choose_directories(listing, take_open_base(listing, ids, min_open_id), seen, {})
        for path in (*state.obsolete, *state.aborted):
            self.call("delete_tree", lambda path=path: self.world.files.delete_tree(f"{root}/{path}"))
        self.call("mark_cleaned", lambda: self._mark(entry, mark))

    def _mark(self, entry: CompactionInfo, mark: int) -> None:
        entries = self.memory._compactions._entries
        info, request = entries[entry.id]
        entries[entry.id] = replace(info, state=CompactionState.SUCCEEDED), request
        forget_aborted(self.world, mark)


def take_open_base(listing: Listing, ids: ValidWriteIdList, min_open: int) -> ValidWriteIdList:
    """The list as Hive 4's Cleaner applies it: each base up to the lowest open write ID counts, committed or not.

    AcidUtils.isValidBase, 4.0.0 to 4.2.0 (HIVE-29601).
    """
    names = (FolderName.parse(path) for path in listing.folders)
    bases = [name.max_write_id for name in names if name and name.kind is FolderKind.BASE]
    counted = [base for base in bases if base == min_open]
    if not counted:
        return ids
    mark = max(ids.high_water_mark, min_open)
    return ValidWriteIdList(ids.table, mark, frozenset(range(ids.high_water_mark + 1, mark)), ids.aborted)


def leave_aborted(world: World) -> int:
    """A delta of a transaction that was aborted; its write ID."""
    memory = world.memory
    txn_id = memory.open_transaction("first", "host", "hive")
    write_id = memory.allocate_write_id(txn_id, TABLE)
    world.record_insert(txn_id)
    for root in world.roots():
        world.write_delta(root, write_id)
    memory.abort(txn_id)
    return write_id


def forget_aborted(world: World, mark: int) -> None:
    """The aborted transactions whose write IDs are up to the mark are listed no more, and count as committed."""
    table = world.memory._transactions
    for txn_id, write_id in table._write_ids.get(TABLE, {}).items():
        if write_id <= mark and table.find(txn_id).state is TransactionState.ABORTED:
            world.memory.forget(txn_id)


class AbortedCleaner(Cleaner):
    """The Cleaner of aborted transactions (AbortedTxnCleaner, 4.x), which does not wait for readers."""

    def __init__(self, world: World, number: int) -> None:
        Actor.__init__(self, world, number)
        self.memory = world.memory
        leave_aborted(world)

    def act(self) -> None:
        seen = self.call("valid_transactions", lambda: self.memory.valid_transactions(0))
        ids = self.call("valid_write_ids", lambda: self.memory.valid_write_ids([TABLE], seen)[TABLE])
        for root in self.world.roots():
            (listing,) = self.call("list_trees", lambda root=root: self.world.files.list_trees([root]))
            for path in listing.folders:
                name = FolderName.parse(path)
                if name is not None and ids.is_range_aborted(name.min_write_id, name.max_write_id):
                    self.call(
                        "delete_tree", lambda path=path, root=root: self.world.files.delete_tree(f"{root}/{path}")
                    )
        self.call("mark_cleaned", lambda: forget_aborted(self.world, max(ids.aborted, default=0)))


class CleanerOf3(Cleaner):
    """The Worker and the Cleaner of the 3.1 line.

    The Worker finds the base that is in place, and nothing to do; the Cleaner notes the locks on the very table or
    partition, waits until these are gone, and removes what is obsolete (Cleaner.run, 3.1.3).
    """

    def act(self) -> None:
        while (mark := self.call("list_trees", self._find_base)) is None:
            if not self.world.wait_for_work(self.number):
                return
        locks = self.call("held_locks", self._find_locks)
        while locks & self.call("held_locks", self._find_locks):
            if not self.world.wait_for_work(self.number):
                return
        seen = self.call("valid_transactions", lambda: self.memory.valid_transactions(0))
        found = self.call("valid_write_ids", lambda: self.memory.valid_write_ids([TABLE], seen)[TABLE])
        listing = self.call("list_trees", self._list)
        marks = dict.fromkeys(marker_folders(listing), COMPACTED_METADATA)
        state = choose_directories(listing, found.for_compaction(mark), seen, marks)
        for path in (*state.obsolete, *state.aborted):
            self.call("delete_tree", lambda path=path: self.world.files.delete_tree(f"{self._root}/{path}"))

    @property
    def _partition(self) -> str | None:
        return "d=1" if self.world.setting.is_partitioned else None

    @property
    def _root(self) -> str:
        return f"{LOCATION}/{self._partition}" if self._partition else LOCATION

    def _list(self) -> Listing:
        return self.world.files.list_trees([self._root])[0]

    def _find_base(self) -> int | None:
        names = (FolderName.parse(path) for path in marker_folders(self._list()))
        return max((name.max_write_id for name in names if name), default=None)

    def _find_locks(self) -> frozenset[int]:
        held = self.memory.held_locks(TABLE)
        return frozenset(one.lock_id for one in held if one.partition == self._partition)


class Housekeeper(Cleaner):
    """The housekeeping of the metastore: entries of write IDs of old transactions go."""

    def __init__(self, world: World, number: int) -> None:
        Actor.__init__(self, world, number)

    def act(self) -> None:
        self.call("clean_entries", self.world.memory.clean_entries)


def build_cleaner(world: World, number: int, *, is_late: bool = False) -> Actor:
    """That of the world's line."""
    cleaner = CleanerOf3 if world.setting.line is MetastoreLine.HIVE_3 else Cleaner
    return cleaner(world, number, is_late=is_late)


def build_late_cleaner(world: World, number: int) -> Actor:
    """The same, for which there is nothing to do at the beginning."""
    return build_cleaner(world, number, is_late=True)
