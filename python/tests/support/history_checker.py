"""Whether a history of concurrent clients can be that of a database whose transactions are atomic and isolated.

Rows are only ever added, whole writes at a time, and every row tells which write it came from; so each read can be
judged by itself against the writes, and reads against each other. What a fault is called:

    lost         rows of a write that had succeeded before the read was asked for are missing
    doubled      a row is there twice
    dirty        a row of a write that failed, or that never wrote it
    torn         some rows of a write are there and others are not
    backwards    a row that an earlier read had found is missing
    forked       two reads, each of which found a row that the other did not
    repeated     a key that two writes have, though each makes sure that it is new
    refused      a key that was refused as being there, and is not
    sum, balance an account, or all of them, do not hold what the transfers seen make them hold
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from support.client_history import Operation, Outcome, Reading, Row, Workload, Write

SHOWN = 5
"""How many rows a fault shows."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a read."""

    kind: str
    read: Operation
    rows: tuple[object, ...]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:SHOWN])) + (", …" if len(self.rows) > SHOWN else "")
        read = self.read
        return f"{self.kind}: {read.workload.value} read of {read.client} at {read.asked_at:.3f}: {shown}"


def find_faults(history: Sequence[Operation], opening: Mapping[int, int]) -> list[Fault]:
    """All faults of all workloads; `opening` are the balances of the bank's accounts at the beginning."""
    found: list[Fault] = []
    for workload in Workload:
        operations = [operation for operation in history if operation.workload is workload]
        writes = _Writes(operations)
        reads = [(operation, operation.reading) for operation in operations if operation.reading is not None]
        for read, reading in reads:
            found += _judge(read, reading, writes)
            if workload is Workload.BANK:
                found += _judge_balances(read, reading, writes, opening)
            if workload is Workload.UNIQUE:
                found += _judge_keys(read, reading, writes)
        found += _find_backwards(reads)
        found += _find_forks(reads)
    return found


class _Writes:
    """The writes of one table, by token and by what became of them."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.by_token: dict[str, Write] = {}
        self.certain: list[tuple[float, Write]] = []
        self.refused: list[tuple[float, Write]] = []
        self._visible_from: dict[Row, float] = {}
        for operation in operations:
            write = operation.write
            if write is None:
                continue
            assert write.token not in self.by_token, f"the token {write.token} was used twice"
            self.by_token[write.token] = write
            if operation.outcome in (Outcome.OK, Outcome.UNKNOWN):
                self._visible_from |= dict.fromkeys(write.rows, operation.asked_at)
            if operation.outcome is Outcome.OK:
                self.certain.append((operation.ended_at, write))
            if operation.outcome is Outcome.NOTHING:
                self.refused.append((operation.ended_at, write))

    def may_see(self, row: Row, until: float) -> bool:
        """True if the row can be there at this time."""
        return self._visible_from.get(row, math.inf) <= until


def _judge(read: Operation, reading: Reading, writes: _Writes) -> Iterator[Fault]:
    rows = Counter(reading.rows)
    yield from _fault("doubled", read, (row for row, times in rows.items() if times > 1))
    yield from _fault("dirty", read, (row for row in rows if not writes.may_see(row, read.ended_at)))
    before = (write for ended_at, write in writes.certain if ended_at < read.asked_at)
    yield from _fault("lost", read, (row for write in before for row in write.rows if row not in rows))
    seen = (writes.by_token[token] for token in sorted({row[1] for row in rows} & writes.by_token.keys()))
    yield from _fault("torn", read, (row for write in seen for row in write.rows if row not in rows))


def _judge_balances(read: Operation, reading: Reading, writes: _Writes, opening: Mapping[int, int]) -> Iterator[Fault]:
    if sorted(account for account, _ in reading.balances) != sorted(opening):
        yield from _fault("sum", read, ["accounts", *reading.balances])
    total = sum(balance for _, balance in reading.balances)
    if total != sum(opening.values()):
        yield from _fault("sum", read, [f"{total} instead of {sum(opening.values())}"])
    expected = dict(opening)
    for account, token, part in reading.rows:
        amount = writes.by_token[token].amount if token in writes.by_token else 0
        expected[account] = expected.get(account, 0) + (amount if part else -amount)
    wrong = ((account, balance, expected.get(account)) for account, balance in reading.balances)
    yield from _fault("balance", read, (line for line in wrong if line[1] != line[2]))


def _judge_keys(read: Operation, reading: Reading, writes: _Writes) -> Iterator[Fault]:
    tokens: dict[int, set[str]] = defaultdict(set)
    for key, token, _ in reading.rows:
        tokens[key].add(token)
    yield from _fault("repeated", read, ((key, *sorted(found)) for key, found in tokens.items() if len(found) > 1))
    before = (write for ended_at, write in writes.refused if ended_at < read.asked_at)
    yield from _fault("refused", read, (write.rows[0] for write in before if write.rows[0][0] not in tokens))


def _find_backwards(reads: Sequence[tuple[Operation, Reading]]) -> Iterator[Fault]:
    known: set[Row] = set()
    ends = sorted(reads, key=lambda pair: pair[0].ended_at, reverse=True)
    for read, reading in sorted(reads, key=lambda pair: pair[0].asked_at):
        while ends and ends[-1][0].ended_at < read.asked_at:
            known |= set(ends.pop()[1].rows)
        yield from _fault("backwards", read, known - set(reading.rows))


def _find_forks(reads: Sequence[tuple[Operation, Reading]]) -> Iterator[Fault]:
    """Snapshots of one table can be put in an order in which each holds all rows of those before it."""
    by_size = sorted(reads, key=lambda pair: len(set(pair[1].rows)))
    for (_, smaller), (read, larger) in pairwise(by_size):
        yield from _fault("forked", read, set(smaller.rows) - set(larger.rows))


def _fault(kind: str, read: Operation, rows: Iterable[object]) -> Iterator[Fault]:
    if found := tuple(rows):
        yield Fault(kind, read, found)
