"""The report of a dry run, as a value, as facts to read, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from hive_acid.transactions.blockers import describe_owner
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import RowCounts


@dataclass(frozen=True)
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


def _describe_lock(lock: LockComponent) -> str:
    later = ", partitions as they become known" if lock.is_dynamic_partition_write else ""
    return f"{lock.kind.name} for {lock.operation.name} on {_place(lock.table, lock.partition)}{later}"


def _describe_blocker(lock: HeldLock) -> str:
    return f"{describe_owner(lock)} on {_place(lock.table or lock.database, lock.partition)}, {lock.state.value}"


def _place(table: TableName | str, partition: str | None) -> str:
    return f"{table} {partition}" if partition else str(table)


def format_json(dry_run: DryRun) -> str:
    """One object with the fields of the value; enumerations by their values."""
    return json.dumps(asdict(dry_run), default=_enumerated)


def _enumerated(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"not for JSON: {value!r}")


def parse_json(text: str) -> DryRun:
    """From `format_json`. Raises KeyError or ValueError for another form."""
    fields = json.loads(text)
    return DryRun(
        kind=StatementKind(fields["kind"]),
        table=TableName(**fields["table"]),
        rows=RowCounts(**fields["rows"]),
        files=fields["files"],
        bytes=fields["bytes"],
        partitions=tuple(fields["partitions"]),
        buckets=tuple(fields["buckets"]),
        locks=tuple(_parse_lock(lock) for lock in fields["locks"]),
        blockers=tuple(_parse_blocker(lock) for lock in fields["blockers"]),
    )


def _parse_lock(fields: Mapping[str, Any]) -> LockComponent:
    kind, operation = LockKind(fields["kind"]), OperationKind(fields["operation"])
    return LockComponent(**{**fields, "table": TableName(**fields["table"]), "kind": kind, "operation": operation})


def _parse_blocker(fields: Mapping[str, Any]) -> HeldLock:
    table = TableName(**fields["table"]) if fields["table"] else None
    return HeldLock(**{**fields, "table": table, "kind": LockKind(fields["kind"]), "state": LockState(fields["state"])})
