"""Whether the answers of a chaos history can be those of some serial order.

What a fault is called:

    wrong        a row whose values are not those of any row: of another column, of two rows, NULL
    doubled      a row is there twice
    dirty        a row of a write that failed, that was not asked for yet, or that went into another table
    lost         a row of a write that had succeeded is missing, and nothing can have removed it
    torn         a row is missing of a write of which others are there, and nothing can have removed it alone
    returned     a row is there although it was certainly removed before
    reappeared   a row that an earlier read had shown to be gone is there again
    displaced    a row is in a partition that nothing can have moved it to
    miscounted   a row shows fewer updates than have succeeded, or more than were asked for
    vanished     the answer was that there is no such table, and there certainly was one
    ghost        an answer from a table although there certainly was none
    unforeseen   an error without a name, or one that says that the fault is ours
    note lost, note returned    the same of properties and columns
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from support.chaos.events import Operation, Reading
from support.chaos.rows import KEYS_PER_WRITE, SeenRow, Slot, keys_of
from support.chaos.tables import Fate, Span, TableHistory, build_tables

SHOWN = 4
"""How many rows a fault shows."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer."""

    kind: str
    operation: Operation
    slot: str
    details: tuple[object, ...]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.details[:SHOWN]))
        shown += f", … ({len(self.details)})" if len(self.details) > SHOWN else ""
        asked = self.operation
        where = f"{asked.client} at {asked.asked_at:.3f} to {asked.ended_at:.3f}"
        return f"{self.kind} in {self.slot}: {shown}\n    operation {asked.number} of {where}: {asked.text}"


def find_faults(history: Sequence[Operation], slots: Sequence[Slot]) -> list[Fault]:
    """All faults, in the order in which the answers came."""
    tables = build_tables(history, slots)
    found: list[Fault] = []
    for operation in sorted(history, key=lambda operation: operation.ended_at):
        if operation.complaint:
            found.append(Fault("unforeseen", operation, "the run", (operation.complaint,)))
        for reading in operation.readings:
            judge = _Judge(operation, reading, tables[reading.slot])
            found += judge.find()
    found += [fault for table in tables.values() for fault in _find_reappeared(history, table)]
    return found


class _Judge:
    """One reading against the history of its table.

    `start` and `end` are the times between which the read saw the table: a row that is there moves the start, a write
    that is not there the end.
    """

    def __init__(self, operation: Operation, reading: Reading, table: TableHistory) -> None:
        self._operation = operation
        self._reading = reading
        self._table = table
        self.start, self.end = operation.asked_at, operation.ended_at
        self._seen: dict[int, list[SeenRow]] = {}
        for row in reading.rows or ():
            self._seen.setdefault(row.key, []).append(row)
        fates = (table.rows.get(key) for key in self._seen)
        self.start = max((self.start, *(fate.added.asked_at for fate in fates if fate)))

    def find(self) -> Iterator[Fault]:
        if self._reading.is_missing:
            if not self._table.may_be_missing(self._operation.asked_at, self._operation.ended_at):
                yield self._fault("vanished", ["no such table"])
            return
        if self._table.must_be_missing(self._operation.asked_at, self._operation.ended_at) and not self._excused():
            yield self._fault("ghost", [f"{len(self._seen)} rows"])
        if self._reading.notes is not None:
            yield from self._judge_notes(set(self._reading.notes))
        if self._reading.rows is not None:
            yield from self._judge_rows()

    def _judge_rows(self) -> Iterator[Fault]:
        rows = [row for rows in self._seen.values() for row in rows]
        yield from self._faults("wrong", self._reading.wrong)
        yield from self._faults("doubled", (rows for rows in self._seen.values() if len(rows) > 1))
        yield from self._faults("dirty", (row for row in rows if self._is_dirty(row)))
        if self._reading.wrong:
            return  # what else there is of these rows cannot be told
        lost = self._find_lost()
        yield from self._faults("lost", sorted(lost))
        yield from self._faults("torn", (key for key in self._find_partial() if key not in lost))
        known = [(row, self._table.rows[row.key]) for row in rows if row.key in self._table.rows]
        yield from self._faults("displaced", (row for row, fate in known if self._is_displaced(row, fate)))
        yield from self._faults("returned", (row for row, fate in known if self._is_returned(row, fate)))
        yield from self._faults("miscounted", (row for row, fate in known if self._is_miscounted(row, fate)))

    def _find_lost(self) -> set[int]:
        """Keys; and moves the end before all writes that are not seen, which may make others lost."""
        while True:
            # what the read is not judged by stands among the removals: then each row is looked at
            keys = list(self._table.rows) if self._excused() else self._table.keys_lasting_to(self.end)
            missing = {key: self._table.rows[key] for key in keys if self._is_missing(key, self._table.rows[key])}
            lost = {key for key, fate in missing.items() if fate.added.ended_at < self.start}
            end = min((self.end, *(fate.added.ended_at for key, fate in missing.items() if key not in lost)))
            if end == self.end:
                return lost
            self.end = end

    def _judge_notes(self, seen: set[str]) -> Iterator[Fault]:
        for note, fate in self._table.notes.items():
            removals = [span for span in fate.removals if span.number not in self._operation.excuses]
            gone_from = min((span.asked_at for span in removals), default=math.inf)
            gone_by = min((span.ended_at for span in removals if span.surely_follows(fate.added)), default=math.inf)
            is_certain = fate.added.is_certain and fate.added.ended_at < self.start
            if note not in seen and is_certain and gone_from > self.end:
                yield self._fault("note lost", [note])
            if note in seen and gone_by < self.start:
                yield self._fault("note returned", [note])

    def _is_dirty(self, row: SeenRow) -> bool:
        fate = self._table.rows.get(row.key)
        return fate is None or (fate.added.asked_at > self.end and not self._is_own(fate.added))

    def _is_missing(self, key: int, fate: Fate) -> bool:
        """True if it is not seen, was certainly added, and nothing explains that but a read before the write."""
        if key in self._seen or not fate.added.is_certain or self._is_own(fate.added):
            return False
        return not any(self._may_precede(span) for span in fate.removals)

    def _find_partial(self) -> Iterator[int]:
        """Keys that are missing of writes that are seen in part."""
        for write in {key // KEYS_PER_WRITE for key in self._seen}:
            rows = [row for key in keys_of(write) for row in self._seen.get(key, ())]
            for key in keys_of(write):
                fate = self._table.rows.get(key)
                if key in self._seen or fate is None:
                    continue
                removals = (span for span in fate.removals if self._may_precede(span))
                if all(any(span.region.covers(row.key, row.place) for row in rows) for span in removals):
                    yield key

    def _is_displaced(self, row: SeenRow, fate: Fate) -> bool:
        if row.place == self._table.slot.place_of(row.key):
            return False
        return not any(
            span.target == row.place[0] and row.place[1] == self._table.slot.place_of(row.key)[1]
            for span in fate.moves
            if self._may_precede(span)
        )

    def _is_returned(self, row: SeenRow, fate: Fate) -> bool:
        first = self._table.slot.place_of(row.key)
        after = fate.added
        if row.place == first:
            gone = [*fate.removals, *fate.moves]
        else:
            gone = [span for span in fate.removals if span.region.covers(row.key, row.place)]
            moves = [span for span in fate.moves if span.target == row.place[0]]
            before = (span for span in fate.removals if span.surely_follows(after))
            if moves and any(moves[0].surely_follows(span) for span in before if span.region.covers(row.key, first)):
                return True
        return any(
            span.surely_follows(after) and span.region.covers(row.key, row.place) and span.ended_at < self.start
            for span in gone
            if not self._is_own(span)
        )

    def _is_miscounted(self, row: SeenRow, fate: Fate) -> bool:
        certain = sum(
            span.surely_follows(fate.added) and span.ended_at < self.start and not self._is_own(span)
            for span in fate.increases
        )
        return not certain <= row.updates <= sum(self._may_precede(span) for span in fate.increases)

    def _may_precede(self, span: Span) -> bool:
        return (span.asked_at < self.end or self._is_own(span)) and span.number not in self._operation.excuses

    def _is_own(self, span: Span) -> bool:
        return span.number == self._operation.number or span.number in self._operation.excuses

    def _excused(self) -> bool:
        return bool(self._operation.excuses)

    def _faults(self, kind: str, details: Iterable[object]) -> Iterator[Fault]:
        if found := list(details):
            yield self._fault(kind, found)

    def _fault(self, kind: str, details: Sequence[object]) -> Fault:
        return Fault(kind, self._operation, self._reading.slot, tuple(details))


def _find_reappeared(history: Sequence[Operation], table: TableHistory) -> Iterator[Fault]:
    """Rows that were gone in one read and are there in a later one: none is added twice."""
    reads = [
        (operation, {row.key for row in reading.rows})
        for operation in history
        for reading in operation.readings
        if reading.slot == table.slot.name and reading.rows is not None and not (reading.wrong or operation.excuses)
    ]
    ends = sorted(reads, key=lambda pair: pair[0].ended_at, reverse=True)
    there = {key: fate for key, fate in table.rows.items() if fate.added.is_certain}
    gone: set[int] = set()
    for operation, seen in sorted(reads, key=lambda pair: pair[0].asked_at):
        while ends and ends[-1][0].ended_at < operation.asked_at:
            earlier, shown = ends.pop()
            absent = {key for key, fate in there.items() if fate.added.ended_at < earlier.asked_at and key not in shown}
            gone |= absent
            for key in absent:
                del there[key]
        if back := sorted(seen & gone):
            yield Fault("reappeared", operation, table.slot.name, tuple(back))


def count_faults(faults: Iterable[Fault]) -> Counter[str]:
    """By kind."""
    return Counter(fault.kind for fault in faults)
