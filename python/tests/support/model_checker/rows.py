"""Rows as values in the files of the in-memory file system, with Hive's row IDs, and what a scan plan shows of them.

A file's text is a list of records. Delete events count by the rules of all readers: by the whole row ID within their
partition, and never for a row of a greater write ID (OrcRawRecordMerger.ReaderKey).
"""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.scan_plan import PartitionScan

ReadText = Callable[[str], str]


class Row(NamedTuple):
    """A row of `db.t (id, v)`, in the partition `d`, which is `id % 2`, also where the table is flat."""

    id: int
    v: int

    @property
    def d(self) -> int:
        return self.id % 2


Rows = tuple[Row, ...]
"""In order; one that is there twice is there twice."""


class RowId(NamedTuple):
    """Hive's ROW__ID."""

    write_id: int
    bucket: int
    row: int


class Record(NamedTuple):
    """A row of a file, or the event that deletes it, written under `write_id` as statement `statement_id`."""

    row_id: RowId
    write_id: int
    statement_id: int
    row: Row


class Violation(Exception):
    """A promise that does not hold."""


class LateRow(Violation):
    """A row is deleted under a lower write ID than its own: Hive 4 shows it, Trino and we do not."""


@dataclass(frozen=True)
class StoredRow:
    """A visible row, with its partition's name (empty in a flat table)."""

    partition: str
    record: Record


def format_records(records: Iterable[Record]) -> str:
    """The text of a file."""
    return repr([(tuple(one.row_id), one.write_id, one.statement_id, tuple(one.row)) for one in records])


@cache
def parse_records(text: str) -> tuple[Record, ...]:
    """The records of a file."""
    return tuple(
        Record(RowId(*row_id), write_id, statement_id, Row(*row))
        for row_id, write_id, statement_id, row in literal_eval(text)
    )


def read_rows(plan: ScanPlan, read_text: ReadText, *, as_hive: bool = True) -> list[StoredRow]:
    """The visible rows of the plan, in the order of their IDs.

    Raises Violation if readers would not agree on them, Hive's among them unless `as_hive` is False.
    """
    return [
        StoredRow(partition.name, record)
        for partition in plan.partitions
        for record in _read_partition(plan, partition, read_text, as_hive=as_hive)
    ]


def _read_partition(plan: ScanPlan, partition: PartitionScan, read_text: ReadText, *, as_hive: bool) -> list[Record]:
    events = _read_events(plan, partition, read_text)
    found = [
        record
        for folder in partition.folders
        for file in folder.files
        for record in parse_records(read_text(f"{folder.path}/{file.path}"))
        if not folder.check or plan.write_ids.is_valid(record.write_id)
    ]
    twice = [row_id for row_id, count in Counter(record.row_id for record in found).items() if count > 1]
    if twice:
        raise Violation(f"{twice[0]} is the ID of two rows")
    return sorted(record for record in found if not _is_deleted(record, events.get(record.row_id), as_hive=as_hive))


def _read_events(plan: ScanPlan, partition: PartitionScan, read_text: ReadText) -> dict[RowId, Record]:
    events: dict[RowId, Record] = {}
    for deletes in partition.deletes.folders:
        for file in deletes.files:
            for event in parse_records(read_text(f"{deletes.path}/{file.path}")):
                if deletes.check and not plan.write_ids.is_valid(event.write_id):
                    continue
                if event.row_id in events:
                    raise Violation(f"{event.row_id} is deleted twice, under {events[event.row_id].write_id} too")
                events[event.row_id] = event
    return events


def _is_deleted(record: Record, event: Record | None, *, as_hive: bool) -> bool:
    if event is None:
        return False
    if as_hive and (event.write_id, event.statement_id) < (record.write_id, record.statement_id):
        raise LateRow(f"{record.row} of write ID {record.write_id} is deleted under {event.write_id}")
    return True


def show(rows: Iterable[StoredRow]) -> Rows:
    """As a user sees them."""
    return tuple(sorted(stored.record.row for stored in rows))
