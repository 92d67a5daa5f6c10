"""The rows of VACUUM … DRY RUN: what the Cleaner would remove, and who keeps it waiting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.compaction import (
    AFTER_COMPACTION,
    WAITING_MS,
    CompactionInfo,
    CompactionState,
    Services,
    asks_cleaner,
    find_cleaning_cure,
    load_services,
)
from hive_acid.api.statements import HeldLock, Row, TransactionInfo, TransactionState, describe_owner
from hive_acid.api.storage import FileSystem, Listing
from hive_acid.api.tables import Metastore, TableName
from hive_acid_ops.doctor.ages import format_age, is_old
from hive_acid_ops.initiator.survey import CompactorView, SurveyedRoot, find_roots, survey

_REPLACED = "replaced"
_ABORTED = "aborted"


class CleaningCause(Enum):
    """Why a compaction that is done is not cleaned yet. Programs read the values, so they never change.

    HELD: by open transactions, or by locks.
    """

    NO_CLEANER = "no_cleaner"
    FAILED = "cleaner_failed"
    HELD = "held"
    NEXT_TURN = "next_turn"


@dataclass(frozen=True)
class Cleaning:
    """The cleaning of one table, as far as it is known.

    `entries`, `locks` and `transactions` are those that the metastore lists, the locks of this table alone.
    `waits_for_kept`: its Cleaner waits for those alone that have asked it to leave the table as it is. `now_ms` are
    milliseconds since 1970.
    """

    services: Services
    entries: Sequence[CompactionInfo]
    transactions: Sequence[TransactionInfo]
    locks: Sequence[HeldLock]
    waits_for_kept: bool
    now_ms: int

    def find_waiting(self, partition: str | None) -> CompactionInfo | None:
        """The latest compaction of a place that is done, and behind which the Cleaner has yet to come."""
        of_place = (entry for entry in self.entries if entry.partition == partition)
        return next((entry for entry in of_place if entry.state is CompactionState.READY), None)

    def find_keepers(self, entry: CompactionInfo) -> tuple[str, ...]:
        """The transactions and locks that the Cleaner waits for behind the compaction, by transaction."""
        holders = self._find_holders(entry).items()
        return tuple(text for _, text in sorted(holders, key=lambda holder: holder[0] or 0))

    def find_cause(self, entry: CompactionInfo) -> CleaningCause:
        """Why the Cleaner has yet to come behind a compaction that is done."""
        if not self.services.has_cleaner:
            return CleaningCause.NO_CLEANER
        if entry.error:
            return CleaningCause.FAILED
        return CleaningCause.HELD if self._find_holders(entry) else CleaningCause.NEXT_TURN

    def find_oldest_holder(self, entry: CompactionInfo) -> int | None:
        """The smallest ID of a transaction that the Cleaner waits for behind the compaction; None if there is none."""
        return min(filter(None, self._find_holders(entry)), default=None)

    def _find_holders(self, entry: CompactionInfo) -> dict[int | None, str]:
        holders = {lock.txn_id: describe_owner(lock) for lock in self.locks if self._is_kept_by(lock, entry)}
        if self.services.line.cleans_behind_transactions and not self.waits_for_kept:
            began = (each for each in self.transactions if each.state is TransactionState.OPEN)
            holders |= {each.id: self._describe(each) for each in began if _is_before(each.id, entry)}
        return holders

    def _is_kept_by(self, lock: HeldLock, entry: CompactionInfo) -> bool:
        if self.services.line.cleans_behind_transactions:
            return lock.txn_id is not None and _is_before(lock.txn_id, entry)
        return (lock.partition or "").lower() == (entry.partition or "").lower()  # 3.1 keeps them in lower case

    def _describe(self, info: TransactionInfo) -> str:
        age = f", open for {format_age(self.now_ms - info.started_ms)}" if info.started_ms else ""
        return f"transaction {info.id} of {info.user} on {info.host} ({info.agent}){age}"


def load_cleaning(metastore: Metastore, table: TableName, now_ms: int) -> Cleaning:
    """The cleaning of the table now, as the metastore tells of it. Raises what the metastore raises."""
    return Cleaning(
        load_services(metastore),
        [entry for entry in metastore.compactions() if entry.table == table],
        metastore.transactions(),
        metastore.held_locks(table),
        asks_cleaner(metastore),
        now_ms,
    )


def foresee_cleaning(metastore: Metastore, file_system: FileSystem, name: TableName) -> list[Row]:
    """The rows of the statement for this table as it is now. Raises the error that keeps a folder from being read."""
    table = metastore.table(name)
    names = metastore.partition_names(table.name) if table.is_partitioned else []
    partitions = metastore.partitions(table.name, names) if table.is_partitioned else None
    cleaning = load_cleaning(metastore, table.name, wall_clock_ms())
    view = CompactorView.load(metastore, table)
    return build_cleaning_rows(survey(file_system, find_roots(table, partitions), view), cleaning)


def _is_before(txn_id: int, entry: CompactionInfo) -> bool:
    return entry.next_txn_id is None or txn_id < entry.next_txn_id


def build_cleaning_rows(roots: Iterable[SurveyedRoot], cleaning: Cleaning) -> list[Row]:
    """A row for each file or folder that a compactor which begins now reads no more, as `VacuumDryRun.COLUMNS` has it.

    Raises the error that keeps a root from being read.
    """
    return [row for root in roots for row in _build_rows(root, cleaning)]


def _build_rows(root: SurveyedRoot, cleaning: Cleaning) -> Iterator[Row]:
    if root.error is not None or root.state is None:
        raise root.error or ValueError("a root without a state and an error")
    partition = root.root.partition
    entry = cleaning.find_waiting(partition)
    keepers = cleaning.find_keepers(entry) if entry else ()
    found = [(name, _REPLACED) for name in root.state.obsolete] + [(name, _ABORTED) for name in root.state.aborted]
    for name, reason in sorted(found):
        sizes = _find_sizes(root.listing, name)
        yield (
            partition,
            root.listing.absolute_path(name),
            reason,
            len(sizes),
            sum(sizes),
            entry.id if entry else None,
            keepers,
            _tell_next(entry, keepers, reason, cleaning),
        )


def _find_sizes(listing: Listing, name: str) -> list[int]:
    """The lengths of the files in a folder of this name, or of the file of this name."""
    return [file.length_bytes for file in listing.files if file.relative_path.partition("/")[0] == name]


def _tell_next(entry: CompactionInfo | None, keepers: Sequence[str], reason: str, cleaning: Cleaning) -> str:
    services = cleaning.services
    if not services.has_cleaner:
        return f"no Cleaner runs; {services.cleaner_advice}"
    if entry is None:
        is_by_itself = reason == _ABORTED and services.cleans_aborted
        return "the Cleaner removes it by itself" if is_by_itself else AFTER_COMPACTION
    if keepers:
        return "the Cleaner removes it once they have ended"
    done_ms = entry.committed_ms or entry.ended_ms or entry.started_ms
    if entry.error or (done_ms is not None and is_old(done_ms, cleaning.now_ms, WAITING_MS)):
        return find_cleaning_cure(entry, services)
    return "the Cleaner removes it at its next turn"
