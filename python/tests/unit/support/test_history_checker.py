"""The history checker finds what broken databases do, and nothing where there is nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from support.client_history import HistoryFile, Operation, Outcome, Reading, Row, Workload, Write, read_history
from support.history_checker import Fault, find_faults
from support.workloads import OPENING, Client, Failed, Unknown

ROUNDS = 120
NTH = 17
"""Every so many writes meet what the target does wrong; others fail, or are not known to have succeeded."""
BEFORE_THE_WRITE, AFTER_THE_WRITE = 5, 7


class RightDatabase:
    """Rows in memory. Every fifth write fails and the one two later is not known; reads never do."""

    def __init__(self) -> None:
        self.rows: dict[Workload, list[Row]] = {workload: [] for workload in Workload}
        self.balances = dict(OPENING)
        self.numbers = itertools.count(1)
        self.failing = False

    def append(self, write: Write) -> None:
        self.change(Workload.APPEND, write)

    def transfer(self, write: Write, in_two: bool) -> None:
        self.change(Workload.BANK, write)

    def insert_unique(self, write: Write) -> bool:
        if any(row[0] == write.rows[0][0] for row in self.rows[Workload.UNIQUE]):
            return False
        self.change(Workload.UNIQUE, write)
        return True

    def read(self, workload: Workload) -> Reading:
        balances = tuple(self.balances.items()) if workload is Workload.BANK else ()
        return Reading(tuple(self.rows[workload]), balances)

    def change(self, workload: Workload, write: Write) -> None:
        number = next(self.numbers)
        if number % NTH == BEFORE_THE_WRITE:
            self.fail(workload, write)
            raise Failed("the fifth")
        if number % NTH == 0:
            self.go_wrong(workload, write)
        else:
            self.apply(workload, write, write.rows)
        if number % NTH == AFTER_THE_WRITE:
            raise Unknown("the answer is lost")

    def apply(self, workload: Workload, write: Write, rows: tuple[Row, ...]) -> None:
        self.rows[workload] += rows
        if workload is Workload.BANK:
            for account, _, part in rows:
                self.balances[account] += write.amount if part else -write.amount

    def fail(self, workload: Workload, write: Write) -> None:
        """What a write does that fails."""

    def go_wrong(self, workload: Workload, write: Write) -> None:
        """What every NTH write does that succeeds."""
        self.apply(workload, write, write.rows)


class Loses(RightDatabase):
    """Says that a write has succeeded, and has not done it."""

    def go_wrong(self, workload: Workload, write: Write) -> None:
        pass


class ShowsFailed(RightDatabase):
    """Shows the rows of writes that failed."""

    def fail(self, workload: Workload, write: Write) -> None:
        self.apply(workload, write, write.rows)


class ShowsHalf(RightDatabase):
    """Shows one row of a write."""

    def go_wrong(self, workload: Workload, write: Write) -> None:
        self.apply(workload, write, write.rows[:1])


class Doubles(RightDatabase):
    """Writes twice, as whoever runs a write again whose answer was lost."""

    def go_wrong(self, workload: Workload, write: Write) -> None:
        self.apply(workload, write, write.rows)
        self.apply(workload, write, write.rows)


class Overwrites(RightDatabase):
    """Two transfers at once: the journals have both, and a balance only the second."""

    def go_wrong(self, workload: Workload, write: Write) -> None:
        before = dict(self.balances)
        self.apply(workload, write, write.rows)
        if workload is Workload.BANK:
            self.balances[write.rows[0][0]] = before[write.rows[0][0]]


class InsertsBlindly(RightDatabase):
    """Does not look whether a key is there."""

    def insert_unique(self, write: Write) -> bool:
        self.change(Workload.UNIQUE, write)
        return True


class RefusesNew(RightDatabase):
    """Says of keys that they are there."""

    def insert_unique(self, write: Write) -> bool:
        return False


class Flickers(RightDatabase):
    """Every third read sees the snapshot of the last but one."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[Workload, list[Reading]] = {workload: [] for workload in Workload}

    def read(self, workload: Workload) -> Reading:
        answers = self.answers[workload]
        answers.append(answers[-2] if len(answers) % 3 == 2 else super().read(workload))
        return answers[-1]


def run(database: RightDatabase, path: Path) -> list[Operation]:
    """Nine clients, in turn."""
    with HistoryFile(path, clock=map(float, itertools.count()).__next__) as history:
        clients = [
            Client(f"{workload.value}-{number}", workload, database, history)
            for workload in Workload
            for number in range(3)
        ]
        for _ in range(ROUNDS):
            for client in clients:
                client.step()
    return read_history(path)


def kinds(faults: list[Fault]) -> set[tuple[Workload, str]]:
    return {(fault.read.workload, fault.kind) for fault in faults}


def of_each(*names: str) -> set[tuple[Workload, str]]:
    return {(workload, name) for workload in Workload for name in names}


def test_nothing_is_found_in_a_right_database(tmp_path: Path) -> None:
    history = run(RightDatabase(), tmp_path / "history")
    assert {operation.outcome for operation in history} == set(Outcome)
    assert find_faults(history, OPENING) == []


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (Loses, of_each("lost")),
        (ShowsFailed, of_each("dirty")),
        (ShowsHalf, of_each("torn", "lost") | {(Workload.BANK, "sum")}),
        (Doubles, of_each("doubled")),
        (Overwrites, {(Workload.BANK, "sum"), (Workload.BANK, "balance")}),
        (InsertsBlindly, {(Workload.UNIQUE, "repeated")}),
        (RefusesNew, {(Workload.UNIQUE, "refused")}),
        (Flickers, of_each("lost", "backwards") | {(Workload.UNIQUE, "refused")}),
    ],
)
def test_a_broken_database_is_found_out(
    broken: Callable[[], RightDatabase], expected: set[tuple[Workload, str]], tmp_path: Path
) -> None:
    assert kinds(find_faults(run(broken(), tmp_path / "history"), OPENING)) == expected


def write(token: str, asked_at: float, ended_at: float) -> Operation:
    return Operation(Workload.APPEND, "w", asked_at, ended_at, Outcome.OK, Write(token, ((0, token, 0),)))


def read(asked_at: float, ended_at: float, *tokens: str) -> Operation:
    found = Reading(tuple((0, token, 0) for token in tokens))
    return Operation(Workload.APPEND, "r", asked_at, ended_at, Outcome.OK, reading=found)


def test_what_overlaps_may_come_in_either_order() -> None:
    assert find_faults([write("a", 1, 5), read(2, 3), read(2, 4, "a"), read(3, 6), read(6, 7, "a")], OPENING) == []


def test_a_row_that_is_seen_before_it_was_asked_for_is_dirty() -> None:
    assert kinds(find_faults([write("a", 3, 4), read(1, 2, "a")], OPENING)) == {(Workload.APPEND, "dirty")}


def test_reads_that_overlap_cannot_contradict_each_other() -> None:
    writes = [write("a", 1, 9), write("b", 1, 9)]
    assert find_faults([*writes, read(2, 8, "a"), read(2, 8, "a", "b")], OPENING) == []
    assert kinds(find_faults([*writes, read(2, 8, "a"), read(2, 8, "b")], OPENING)) == {(Workload.APPEND, "forked")}


def test_a_row_that_was_read_once_stays() -> None:
    lasting = write("a", 1, 9)
    assert find_faults([lasting, read(2, 3), read(4, 5, "a")], OPENING) == []
    assert kinds(find_faults([lasting, read(2, 3, "a"), read(4, 5)], OPENING)) == {(Workload.APPEND, "backwards")}


def test_what_was_asked_for_and_never_answered_may_have_happened_or_not(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with HistoryFile(path) as history:
        history.ask(Workload.APPEND, "killed", Write("a", ((0, "a", 0), (0, "a", 1))))
        for rows in ((), ((0, "a", 0), (0, "a", 1))):
            history.end(history.ask(Workload.APPEND, "reader", None), Outcome.OK, Reading(rows))
    with path.open("a") as file:
        file.write('{"number": 1, "at": 0.')  # it was killed while it wrote
    operations = read_history(path)
    assert [operation.outcome for operation in operations] == [Outcome.UNKNOWN, Outcome.OK, Outcome.OK]
    assert find_faults(operations, OPENING) == []
