"""The report of a dry run, as a value and as facts to read."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.metastore.types import HeldLock, LockComponent
from hive_acid.model.table import TableName
from hive_acid.transactions.blockers import describe_owner
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import RowCounts

_ON_A_SCREEN = 30


@dataclass(frozen=True, repr=False)
class DryRun:
    """The effects that a statement would have if it ran now. It was not run.

    `rows` are counted on one snapshot, not estimated: the rows that the statement would insert, update and delete, and
    those that an overwrite or TRUNCATE would replace. `files` and `bytes` are the whole data files of the table that
    its scans would read, without delete deltas. `partitions` are the partitions that would be written, none for a table
    without partitions, and `buckets` are the bucket numbers of the files.

    `locks` are the locks that the statement would request together. `blockers` are the locks of others that this
    request would wait for: granted locks, and locks that wait before it.
    """

    kind: StatementKind
    table: TableName
    rows: RowCounts
    files: int
    bytes: int
    partitions: tuple[str, ...]
    buckets: tuple[int, ...]
    locks: tuple[LockComponent, ...]
    blockers: tuple[HeldLock, ...]

    def facts(self) -> list[tuple[str, str]]:
        """The report as pairs of item and value."""
        facts = [
            ("statement", self.kind.title),
            ("table", str(self.table)),
            ("rows inserted", str(self.rows.inserted)),
            ("rows updated", str(self.rows.updated)),
            ("rows deleted", str(self.rows.deleted)),
            ("rows replaced", str(self.rows.replaced)),
            ("files read", str(self.files)),
            ("bytes read", str(self.bytes)),
            *(("partition written", partition) for partition in self.partitions),
            ("buckets written", ", ".join(map(str, self.buckets)) or "none"),
            *(("lock", _describe_lock(lock)) for lock in self.locks),
        ]
        blockers = [("blocked by", _describe_blocker(lock)) for lock in self.blockers]
        return facts + (blockers or [("blocked by", "nobody")])

    def __str__(self) -> str:
        """The facts, one per line."""
        facts = self.facts()
        width = max(len(item) for item, _ in facts)
        return "\n".join(f"{item:<{width}}  {value}" for item, value in facts)

    def __repr__(self) -> str:
        """The first facts, as many as a screen has lines."""
        lines = str(self).splitlines()
        more = [f"… and {len(lines) - _ON_A_SCREEN} more"] if len(lines) > _ON_A_SCREEN else []
        return "\n".join([*lines[:_ON_A_SCREEN], *more])


def _describe_lock(lock: LockComponent) -> str:
    later = ", partitions as they become known" if lock.is_dynamic_partition_write else ""
    return f"{lock.kind.name} for {lock.operation.name} on {_place(lock.table, lock.partition)}{later}"


def _describe_blocker(lock: HeldLock) -> str:
    return f"{describe_owner(lock)} on {_place(lock.table or lock.database, lock.partition)}, {lock.state.value}"


def _place(table: TableName | str, partition: str | None) -> str:
    return f"{table} {partition}" if partition else str(table)
