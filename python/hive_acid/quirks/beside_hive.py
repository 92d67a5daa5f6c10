"""Hive's own compactions of the 3.1 line, beside which a base of ours is published.

Hive 3.1's Worker holds no lock, and does not look for newer bases before it renames its result
(CompactorOutputCommitter.commitJob, 3.1.3). A base of the writes up to 10 beside a delta of the writes 5 to 12 shows
rows twice, and the Cleaner has removed the inputs by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableName
from hive_acid.quirks.fault import Fault
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.conflicts import Conflict

FAULT = Fault(
    title="A compaction holds no lock, and does not look for newer bases before its result is put in place",
    releases="Hive 3.1.3",
    lines=(MetastoreLine.HIVE_3,),
    harm="Rows appear twice if a base is published meanwhile and the Cleaner has removed the files they came from",
    until="the 3.1 line is not supported any more",
    called_by="Compactions, at the rename (`Compactor.fold`) and before (`BasePublisher`): they have no steps",
)


def find_in_the_way(
    entries: Iterable[CompactionInfo], table: TableName, partition: str | None
) -> CompactionInfo | None:
    """The entry of the place, if any, whose result may meet in part what is folded now.

    Not a major one that no Worker has begun: it folds the base too, and waits where no Worker runs.
    """
    for entry in entries:
        may_begin = entry.state is CompactionState.INITIATED and entry.kind is not CompactionKind.MAJOR
        is_of_place = (entry.table, entry.partition) == (table, partition)
        if is_of_place and (may_begin or entry.state is CompactionState.WORKING):
            return entry
    return None


def find_newcomer(names: Iterable[str], known: Iterable[str], last: int) -> str | None:
    """A folder that was not `known` and that a base of the write IDs up to `last` may not stand beside; None if none.

    It is one with write IDs on both sides, or a base that holds what the other one does.
    """
    for path in sorted(set(names).difference(known)):
        name = FolderName.parse(path)
        if name is None:
            continue
        is_greater_base = name.kind is FolderKind.BASE and name.max_write_id >= last
        if is_greater_base or name.min_write_id <= last < name.max_write_id:
            return path
    return None


@dataclass(frozen=True)
class WatchedPlace:
    """The place of a base that is to be published, as the owner of its publication.

    Right before the rename it is looked at once more. `known` are the names of the folders there when it was listed
    for the compaction; `last` is the write ID of the base.
    """

    transaction: Transaction
    metastore: Metastore
    file_system: FileSystem
    table: TableName
    partition: str | None
    location: str
    known: frozenset[str]
    last: int

    @property
    def txn_id(self) -> int:
        """That of the transaction."""
        return self.transaction.txn_id

    def ensure_active(self) -> None:
        self.transaction.ensure_active()

    def confirm(self) -> None:
        """See `Transaction`. Raises Conflict if Hive is at the place, or has put something there that meets the base.

        The queue is looked at first: what it has no longer is in place.
        """
        self.transaction.confirm()
        entry = find_in_the_way(self.metastore.compactions(), self.table, self.partition)
        if entry is not None:
            told = {"compactionId": entry.id, "kind": entry.kind.value, "state": entry.state.value}
            raise Conflict(self.txn_id, "HIVE_ACID_WRITE_CONFLICT.HIVE_COMPACTS", **told)
        (listing,) = self.file_system.list_trees([self.location])
        newcomer = find_newcomer(listing.folders, self.known, self.last)
        if newcomer is not None:
            raise Conflict(self.txn_id, "HIVE_ACID_WRITE_CONFLICT.HIVE_PUBLISHED", folder=newcomer)
