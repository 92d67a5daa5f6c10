"""The locks of each statement and its checks under the lock, per metastore line: one table of rules.

The order of a write is snapshot, write ID, lock, check: a delete under write ID W never hides a row inserted under a
greater one, so every write ID the snapshot sees must lie below W, and whatever was committed between the snapshot and
the lock must be looked at again. Rows of the table were tried on metastores 3.1.3 and 4.0.0.

A statement that finds under its lock that its snapshot no longer serves keeps the lock: it aborts that transaction
last, and works in a younger one, whose snapshot cannot grow old while the lock keeps other writers out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.wire.statement_kinds import StatementKind

_LOCKABLE = re.compile(r"[a-z0-9_]+=[a-z0-9_.-]+(/[a-z0-9_]+=[a-z0-9_.-]+)*")

_STRENGTH = (LockKind.SHARED_READ, LockKind.SHARED_WRITE, LockKind.EXCL_WRITE, LockKind.EXCLUSIVE)


class SnapshotCheck(Enum):
    """A check once the lock is held; if it fails, the statement runs again in a new transaction."""

    NO_CONFLICT = "the metastore knows of no update, delete or rebalance since the transaction began"
    SAME_PARTITIONS = "no write ID has become visible since the snapshot, if partitions were listed before the lock"
    UNCHANGED = "no write ID has become visible since the snapshot"
    NO_NEWER_BASE = "no base newer than the own write ID, which would hide the rows, has been committed"
    NO_LATER_WRITE = "no write ID above the own one, whose rows would stay, has become visible"
    SAME_BASES = "no base has become visible since the snapshot"


@dataclass(frozen=True)
class Rule:
    """Lock type, operation registered with the metastore, and the checks under the lock."""

    lock: LockKind
    operation: OperationKind
    checks: tuple[SnapshotCheck, ...]

    def reading_target(self) -> Rule:
        """The rule for replacing rows that were read before: rows that came since would be lost."""
        return replace(self, checks=(SnapshotCheck.UNCHANGED,))

    def keeping_out_others(self, line: MetastoreLine) -> Rule:
        """The rule of an INSERT beside which no other one may write: the second waits for the end of the first."""
        return replace(self, lock=LockKind.EXCL_WRITE if line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE)

    @property
    def locks_what_is_read(self) -> bool:
        """True if the target's rows are changed where they are read, so that the locks of the change are enough."""
        return self.operation.is_conflicting and self.lock is not LockKind.EXCLUSIVE

    @property
    def can_be_kept(self) -> bool:
        """True if a younger transaction of the same statement can work while this lock is held.

        It admits the younger one's SHARED_READ, and keeps every other writer of the same rows out.
        """
        return self.lock in (LockKind.EXCL_WRITE, LockKind.SHARED_WRITE)

    @property
    def admits_unlocked_writers(self) -> bool:
        """True if rows are changed under a lock that lets in who asks for SHARED_READ; see `unlocked_writers`."""
        return self.locks_what_is_read

    def behind_kept_lock(self) -> Rule:
        """The rule of the younger transaction: a shared lock, registered as the change it is.

        Write IDs are not compared any more: the list moves with every INSERT, which is no conflict. A writer that
        changes rows without asking for the kept lock meets the metastore's own check at commit, and nobody drops or
        renames a partition that the kept lock is on.
        """
        kept = (check for check in self.checks if check is not SnapshotCheck.SAME_PARTITIONS)
        younger = tuple(SnapshotCheck.SAME_BASES if check is SnapshotCheck.UNCHANGED else check for check in kept)
        return replace(self, lock=LockKind.SHARED_READ, checks=younger)


_OVERWRITE = Rule(LockKind.EXCLUSIVE, OperationKind.UPDATE, (SnapshotCheck.NO_LATER_WRITE,))
"""A base hides all rows up to its write ID, also those committed before it by others: as if they had come before.

EXCLUSIVE, for an open base must not be met by readers: 3.1 fails (Not enough history), 4.x may read it
(AcidUtils.isValidBase takes every base up to the lowest open write ID).
"""

_INSERT = Rule(LockKind.SHARED_READ, OperationKind.INSERT, (SnapshotCheck.NO_NEWER_BASE,))
_CHANGE_OF_3 = Rule(LockKind.SHARED_WRITE, OperationKind.UPDATE, (SnapshotCheck.UNCHANGED,))
"""3.1 sees no conflict between two deletes, so a delete registers as UPDATE. It has no call that finds conflicts."""
_CHECKS_OF_4 = (SnapshotCheck.NO_CONFLICT, SnapshotCheck.SAME_PARTITIONS)
"""An INSERT since the snapshot is no conflict. Yet one can move rows to another partition, before a DROP and an ADD
PARTITION leave the names as they were; our DROP and RENAME leave a write ID."""
_MERGE_OF_4 = Rule(LockKind.EXCL_WRITE, OperationKind.UPDATE, (SnapshotCheck.NO_CONFLICT, SnapshotCheck.UNCHANGED))
"""It may insert rows for want of such as another one inserts at the same time, so it is always an UPDATE. A rebalance,
which gives rows new IDs, has no write ID."""

RULES: Mapping[tuple[StatementKind, MetastoreLine], Rule] = {
    (StatementKind.INSERT, MetastoreLine.HIVE_4): _INSERT,
    (StatementKind.INSERT, MetastoreLine.HIVE_3): _INSERT,
    (StatementKind.UPDATE, MetastoreLine.HIVE_4): Rule(LockKind.EXCL_WRITE, OperationKind.UPDATE, _CHECKS_OF_4),
    (StatementKind.UPDATE, MetastoreLine.HIVE_3): _CHANGE_OF_3,
    (StatementKind.DELETE, MetastoreLine.HIVE_4): Rule(LockKind.EXCL_WRITE, OperationKind.DELETE, _CHECKS_OF_4),
    (StatementKind.DELETE, MetastoreLine.HIVE_3): _CHANGE_OF_3,
    (StatementKind.MERGE, MetastoreLine.HIVE_4): _MERGE_OF_4,
    (StatementKind.MERGE, MetastoreLine.HIVE_3): _CHANGE_OF_3,
    # a row that came since the snapshot and satisfies the condition is to be replaced too
    (StatementKind.REPLACE, MetastoreLine.HIVE_4): _MERGE_OF_4,
    (StatementKind.REPLACE, MetastoreLine.HIVE_3): _CHANGE_OF_3,
    (StatementKind.OVERWRITE, MetastoreLine.HIVE_4): _OVERWRITE,
    (StatementKind.OVERWRITE, MetastoreLine.HIVE_3): _OVERWRITE,
    (StatementKind.TRUNCATE, MetastoreLine.HIVE_4): _OVERWRITE,
    (StatementKind.TRUNCATE, MetastoreLine.HIVE_3): _OVERWRITE,
}


def find_rule(kind: StatementKind, line: MetastoreLine, reads_target: bool, is_immutable: bool = False) -> Rule:
    """The row of the table for a statement; `reads_target`: what is to be replaced has been read.

    `is_immutable`: the target takes one INSERT INTO of each place.
    """
    rule = RULES[kind, line]
    if is_immutable and kind is StatementKind.INSERT:
        return rule.keeping_out_others(line)
    return rule.reading_target() if kind.replaces and reads_target else rule


def build_lock_components(
    rule: Rule,
    target: TableName,
    sources: Sequence[TableName],
    is_partitioned: bool = False,
    partitions: Sequence[str] | None = None,
) -> tuple[LockComponent, ...]:
    """The target by the rule, every other table read as SHARED_READ.

    In a partitioned target, `partitions` are locked if they are all that can be touched and their names can stand in a
    lock request; else the whole table, with the partitions to be told before the commit. An INSERT or an overwrite may
    read other partitions of its target than it writes to, so it locks the target as a table that it reads, too.
    """
    reads = set(sources)
    if partitions and all(is_lockable(name) for name in partitions):
        writes = [LockComponent(target, rule.lock, rule.operation, name) for name in sorted(set(partitions))]
        reads -= {target} if rule.locks_what_is_read else set()
    else:
        writes = [LockComponent(target, rule.lock, rule.operation, is_dynamic_partition_write=is_partitioned)]
        reads -= {target}
    return (*writes, *(build_read_lock(source) for source in sorted(reads)))


def is_lockable(partition: str) -> bool:
    """True if the metastore registers a lock on this partition under its own name.

    3.1 turns the name of a lock request into lower case, 4.x escapes it once more (TxnHandler.lock;
    TxnUtils.normalizePartitionCase), so that compaction and conflict checks would look for another partition.
    """
    return _LOCKABLE.fullmatch(partition) is not None


def build_read_lock(table: TableName, partition: str | None = None) -> LockComponent:
    """The locks that a reader holds, so that nobody drops, truncates or cleans the table (or partition) under it."""
    return LockComponent(table, LockKind.SHARED_READ, OperationKind.SELECT, partition)


def is_covered(wanted: LockComponent, held: Iterable[LockComponent]) -> bool:
    """True if a transaction with these locks has no need to ask for the wanted one.

    It must not: requests queue in the order they came, and one for what is held would wait for those who wait for the
    transaction. A statement that changes rows is registered once; the metastore tells conflicts of UPDATEs and DELETEs
    alike on the 4.x line, and on 3.1 all are UPDATEs.
    """
    if wanted.operation is OperationKind.SELECT:
        return any(lock.table == wanted.table and lock.partition in (None, wanted.partition) for lock in held)
    place = (wanted.table, wanted.partition, wanted.is_dynamic_partition_write)
    return any(
        place == (lock.table, lock.partition, lock.is_dynamic_partition_write)
        and _STRENGTH.index(lock.kind) >= _STRENGTH.index(wanted.kind)
        and (lock.operation is wanted.operation or lock.operation.is_conflicting)
        for lock in held
    )


def is_unchanged(before: ValidWriteIdList, now: ValidWriteIdList, own_write_id: int) -> bool:
    """True if no write ID but the own one is visible in `now` that was not visible in `before`."""
    return not find_new_write_ids(before, now, own_write_id)


def find_new_write_ids(before: ValidWriteIdList, now: ValidWriteIdList, own_write_id: int) -> frozenset[int]:
    """The write IDs, without the own one, that are visible in `now` and were open or not yet given out in `before`.

    One that was aborted becomes visible if the metastore forgets it, once its files are gone: it has changed nothing.
    """
    open_before = {*before.open, *range(before.high_water_mark + 1, now.high_water_mark + 1)}
    return frozenset(write_id for write_id in open_before - before.aborted - {own_write_id} if now.is_valid(write_id))
