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
    """The effects that a statement would have if it ran now; nothing of it has been done.

    The rows are counted, not estimated, on one snapshot: those that it inserts, updates and deletes, and those that an
    overwrite or TRUNCATE `replaced`. `files` and `bytes` are the data files of the table that its scans read, whole;
    delete deltas do not count. `partitions` are those that would be written, none in a flat table, and `buckets` the
    numbers of the files.

    `locks` are what it would ask for, in one request. `blockers` are the locks of others that this request would wait
    for, granted ones and those that wait before it.
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
        """Item and value, one fact each."""
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
        """The facts, one a line."""
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
