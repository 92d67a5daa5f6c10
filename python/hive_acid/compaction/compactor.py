"""One compaction of a table or a partition within a transaction: what to fold, folding it, putting it into place."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid import config
from hive_acid.compaction.obstacles import find_obstacle, find_partition_obstacle
from hive_acid.compaction.plan.engine import CompactionEngine, FoldingJob
from hive_acid.compaction.plan.flat_planning import build_flat_plan
from hive_acid.compaction.plan.overrides import FileOverrides
from hive_acid.compaction.plan.planning import (
    CompactionPlan,
    build_compaction_plan,
    find_cleanable,
    find_covered,
    find_foldable_mark,
)
from hive_acid.compaction.renumbering import Renumbering
from hive_acid.errors import build_error
from hive_acid.history.note import MAX_HISTORY_BYTES
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.names import COMPACTED_METADATA, HISTORY_FILE, METADATA_FILE, FolderName
from hive_acid.model.table import Partition, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.quirks import beside_hive
from hive_acid.quirks.unseen import UnseenCompaction, refuse_unseen
from hive_acid.reading.evolution import find_evolution
from hive_acid.reading.opening import Opening
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.flush_lengths import load_readable_bytes
from hive_acid.snapshot.insert_only import build_insert_only_plan
from hive_acid.snapshot.plan_building import build_scan_plan
from hive_acid.snapshot.row_numbers import number_rows
from hive_acid.snapshot.stray_files import refuse_stray_files
from hive_acid.snapshot.table_snapshot import load_states
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import build_read_lock, is_lockable
from hive_acid.wire.scan_plan import PartitionScan
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.notes import NoteWriter
from hive_acid.writing.publishing.local_files import refuse_local_files
from hive_acid.writing.publishing.mounts import refuse_mounted
from hive_acid.writing.publishing.output_rules import find_scheme, is_object_store
from hive_acid.writing.publishing.publication import Markers, Owner, Publication
from hive_acid.writing.publishing.publications import build_compaction_publication
from hive_acid.writing.table_rules import (
    build_row_type,
    find_compression,
    find_layout,
)


@dataclass(frozen=True)
class CompactedPlace:
    """The place that is compacted: a flat table (`partition` is None) or a partition."""

    table: TableDescription
    partition: Partition | None

    @property
    def partition_name(self) -> str:
        """Empty for a flat table."""
        return self.partition.name if self.partition else ""

    @property
    def location(self) -> str:
        """Where its folders lie."""
        return (self.partition.location if self.partition else self.table.location).rstrip("/")

    def gives_new_ids(self, kind: CompactionKind) -> bool:
        """True if rows that are compacted so have other IDs afterwards."""
        return kind is CompactionKind.REBALANCE and self.table.kind.has_row_ids

    def lock(self, kind: CompactionKind) -> LockComponent:
        """The lock that keeps it from being dropped or cleaned. A rebalance keeps writers out too."""
        name = self.partition.name if self.partition and is_lockable(self.partition.name) else None
        if kind is CompactionKind.REBALANCE:
            return LockComponent(self.table.name, LockKind.EXCL_WRITE, OperationKind.UPDATE, name)
        return build_read_lock(self.table.name, name)


@dataclass(frozen=True)
class Foldable:
    """The findings of a compaction: the place, the write IDs that it may fold, all that there is, and the plan.

    Up to `cleanable` (inclusive) the Cleaner may forget aborted write IDs. `notes` are the paths of notes for the
    history in what is folded, `folders` the names of all folders of the place.
    """

    place: CompactedPlace
    write_ids: ValidWriteIdList
    scan: PartitionScan
    plan: CompactionPlan
    cleanable: int
    notes: tuple[str, ...] = ()
    folders: frozenset[str] = frozenset()


class Compactor:
    """Compacts on one metastore's tables by one engine."""

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        engine: CompactionEngine,
        settings: config.Settings,
        notes: NoteWriter | None = None,
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._engine = engine
        self._settings = settings
        self._notes = notes or NoteWriter()
        self._renumbering = Renumbering(metastore, file_system, settings)

    def find_place(self, name: TableName, partition: str | None, kind: CompactionKind) -> CompactedPlace:
        """The table or partition as the metastore has it now.

        Raises HIVE_ACID_TABLE_NOT_FOUND; HIVE_ACID_PARTITION_NOT_FOUND; HIVE_ACID_UNSUPPORTED_TABLE for what cannot be
        compacted.
        """
        table = self._metastore.table(name)
        if refusal := find_obstacle(table, kind, self._settings.flag(config.ALLOW_NON_ATOMIC_RENAME)):
            raise refusal.build_error(operation=f"A {kind.value} compaction", table=name)
        if (partition is not None) != table.is_partitioned:
            raise build_error("HIVE_ACID_INTERNAL", reason=f"{name} is compacted by partition if it has any")
        self._refuse_storage(table.location, kind, name)
        if partition is None:
            return CompactedPlace(table, None)
        found = self._metastore.partitions(name, [partition])
        if not found:
            raise build_error("HIVE_ACID_PARTITION_NOT_FOUND", table=name, partition=partition)
        if refusal := find_partition_obstacle(table, found[0]):
            raise refusal.build_error(operation=f"A {kind.value} compaction", table=name)
        self._refuse_storage(found[0].location, kind, name)
        return CompactedPlace(table, found[0])

    def _refuse_storage(self, location: str, kind: CompactionKind, name: TableName) -> None:
        """On the 3.1 line a base counts as soon as it is there, which must be as a whole whatever is allowed."""
        operation, is_early = f"A {kind.value} compaction", not self._metastore.line.commits_compactions
        if is_early and is_object_store(location):
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_ON_OBJECT_STORE"
            raise build_error(condition, operation=operation, table=name, scheme=find_scheme(location))
        allowed = self._settings.flag(config.ALLOW_NON_ATOMIC_RENAME) and not is_early
        refuse_mounted(self._file_system, operation, name, [location], allowed)
        refuse_local_files(self._file_system, operation, name, [location], self._settings)

    def meet_changes(self, place: CompactedPlace, kind: CompactionKind, transaction: Transaction) -> None:
        """The first check under the lock. Raises Conflict if rows were changed that have new IDs afterwards."""
        if place.gives_new_ids(kind):
            self._renumbering.meet_changes(place.lock(kind), transaction)

    def keep_changes_out(self, found: Foldable, kind: CompactionKind, transaction: Transaction) -> None:
        """The last check before the commit. Raises Conflict as `meet_changes`."""
        if found.place.gives_new_ids(kind):
            lock = found.place.lock(kind)
            self._renumbering.keep_changes_out(lock, found.place.location, found.write_ids, transaction)

    def find_foldable(
        self, place: CompactedPlace, kind: CompactionKind, transaction: Transaction, buckets: int | None = None
    ) -> Foldable:
        """The work that the transaction, which holds the lock, finds to fold.

        Raises Conflict as `meet_changes`, UnseenCompaction, and HIVE_ACID_UNSUPPORTED_LAYOUT for stray files.
        """
        name = place.table.name
        opening = Opening(
            self._metastore,
            self._file_system,
            self._settings,
            lambda: transaction,
            lambda *_: UnseenCompaction(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.COMPACTED"),
        )
        opening.keep([name])
        # taken under the lock: what older transactions have committed by now is folded too
        snapshot = opening.find_own_view()
        seen = self._metastore.valid_write_ids([name], snapshot)[name]
        write_ids = seen.for_compaction()
        # after the snapshot: a column that was added before a row in it was written must not be lost
        place = self.find_place(name, place.partition.name if place.partition else None, kind)
        state = self._load_state(place, write_ids, snapshot)
        mark = find_foldable_mark((*state.data_folders, *state.delete_deltas), write_ids.high_water_mark)
        if mark < write_ids.high_water_mark:
            write_ids = write_ids.for_compaction(mark)
            state = self._load_state(place, write_ids, snapshot)
        refuse_unseen(self._metastore.line, state, snapshot, transaction)
        if place.gives_new_ids(kind):
            self._renumbering.refuse_later_changes(state.listing, write_ids, seen, transaction)
        visible_by = transaction.txn_id if self._metastore.line.commits_compactions else 0
        if place.table.kind.has_row_ids:
            partition = self._scan(place, write_ids, state)
            plan = build_compaction_plan(kind, state, partition, visible_by, buckets)
        else:
            partition = build_insert_only_plan(place.table, write_ids, [(place.partition_name, state)]).partitions[0]
            plan = build_flat_plan(kind, place.table, state, partition, visible_by)
        # after the scan, whose own refusal tells more of a file that no base hides
        refuse_stray_files(place.table, state)
        cleanable = find_cleanable(write_ids, find_covered(state, plan))
        folders = frozenset(path for path in state.listing.folders if "/" not in path)
        return Foldable(place, write_ids, partition, plan, cleanable, _find_notes(kind, state), folders)

    def _scan(self, place: CompactedPlace, write_ids: ValidWriteIdList, state: AcidState) -> PartitionScan:
        name = place.table.name
        readable_bytes = load_readable_bytes(self._file_system, str(name), [state])
        if readable_bytes is None:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=name, reason="streaming ingest closes a file")
        scan = build_scan_plan(place.table, write_ids, [(place.partition_name, state)], readable_bytes)
        return number_rows(self._file_system, scan, True).partitions[0]

    def _load_state(self, place: CompactedPlace, write_ids: ValidWriteIdList, snapshot: ValidTxnList) -> AcidState:
        return load_states(self._file_system, [place.location], write_ids, snapshot)[0]

    def publication(self, place: CompactedPlace, transaction: Transaction) -> Publication:
        """Where the result is staged, and put into place from."""
        marker = None if self._metastore.line.commits_compactions else (METADATA_FILE, COMPACTED_METADATA)
        markers = Markers(transaction.txn_id, place.table.kind.has_row_ids, marker, marks_bases=marker is not None)
        return build_compaction_publication(self._file_system, place.location, markers, self._settings)

    def fold(
        self,
        kind: CompactionKind,
        found: Foldable,
        transaction: Transaction,
        publication: Publication,
        overrides: FileOverrides,
    ) -> WriteResult:
        """Folds the files into staging and puts the result into place, under the lock of the transaction.

        Raises Conflict, on the 3.1 line, if Hive is at the place too: nothing is put there then.
        """
        result = self._stage(found, publication, overrides)
        note = self._build_note(kind, found, result, transaction.txn_id)
        transaction.ensure_active()
        publication.publish(self._find_owner(found, transaction), result, {}, note)
        return result

    def _find_owner(self, found: Foldable, transaction: Transaction) -> Owner:
        """On 3.1 the rename makes the base count, and no lock keeps Hive's Worker out."""
        made = FolderName.parse(found.plan.files[0].folder)
        if self._metastore.line not in beside_hive.FAULT.lines or made is None:
            return transaction
        table, partition = found.place.table.name, found.place.partition_name or None
        where = (table, partition, found.place.location)
        return beside_hive.WatchedPlace(
            transaction, self._metastore, self._file_system, *where, known=found.folders, last=made.max_write_id
        )

    def _stage(self, found: Foldable, publication: Publication, overrides: FileOverrides) -> WriteResult:
        table = found.place.table
        job = FoldingJob(
            table.name,
            table.columns,
            publication.staging,
            build_row_type(table),
            overrides.compression or find_compression(table, self._metastore.line),
            find_evolution(self._settings, self._metastore.line),
            found.write_ids,
            found.scan,
            found.plan,
            find_layout(table),
            overrides.options,
            publication.begin(dict),
        )
        return self._engine.compact(job)

    def _build_note(self, kind: CompactionKind, found: Foldable, result: WriteResult, txn_id: int) -> str | None:
        """The note for the history that the result is to have, with those of what was folded."""
        texts = (self._file_system.read_text(path) for path in found.notes)
        return self._notes.build_folded(
            f"COMPACT '{kind.value}'", texts, result, txn_id, found.write_ids, self._settings
        )


def _find_notes(kind: CompactionKind, state: AcidState) -> tuple[str, ...]:
    deltas = (*state.deltas, *state.delete_deltas)
    folders = deltas if kind is CompactionKind.MINOR or state.base is None else (state.base, *deltas)
    wanted = {f"{folder.path}/{HISTORY_FILE}" for folder in folders}
    found = (f for f in state.listing.files if f.relative_path in wanted and f.length_bytes <= MAX_HISTORY_BYTES)
    return tuple(state.listing.absolute_path(file.relative_path) for file in found)
