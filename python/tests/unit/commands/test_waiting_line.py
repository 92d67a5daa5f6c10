"""What a statement waits for is told on a terminal, after two seconds and not before."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hive_acid.execution.watch import Phase
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.waiting_line import LongPhases, WaitingLine, find_listener
from support.statements import TABLE, World


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_holder_is_told_until_the_lock_is_there() -> None:
    world = World()
    told: list[tuple[int, str | None]] = []
    world.transactions.tell_waiting = lambda text: told.append((world.clock(), text))
    blocker = world.memory.open_transaction("ann", "there", "agent")
    wanted = [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN)]
    world.memory.lock(blocker, wanted, "ann", "there", "agent")
    began = world.clock()

    def end_blocker() -> None:
        if world.clock() - began > 5_000 and blocker in world.open_transactions():
            world.memory.abort(blocker)

    world.clock.after_pause = end_blocker
    world.run(StatementKind.INSERT)
    (first_ms, first), *_ = [(now, text) for now, text in told if text]
    assert first_ms - began >= 2_000
    assert (first or "").startswith(
        f"db.t: waiting {(first_ms - began) // 1000} s for transaction {blocker} of ann on there"
    )
    assert told[-1][1] is None


def test_the_line_is_rewritten_and_taken_away() -> None:
    stream = Terminal()
    line = WaitingLine(stream)
    line(None)
    assert stream.getvalue() == ""
    line("db.t: waiting 10 s\x1b[2J")
    line("short")
    line(None)
    assert stream.getvalue().split("\r") == ["", "db.t: waiting 10 s [2J", "short" + " " * 17, "     ", ""]


@pytest.mark.parametrize(("phase", "text"), [(Phase.PUBLISH, "putting files in place"), (Phase.COMMIT, "to commit")])
def test_a_long_phase_is_told_until_it_ends(phase: Phase, text: str) -> None:
    told: list[str | None] = []
    is_told = threading.Event()

    def line(shown: str | None) -> None:
        told.append(shown)
        is_told.set()

    with pytest.raises(KeyError), LongPhases(line, long_after_s=0)(phase):
        assert is_told.wait(60)
        raise KeyError
    shown, gone = told
    assert text in (shown or "")
    assert gone is None


@pytest.mark.parametrize("phase", Phase)
def test_a_short_phase_shows_nothing(phase: Phase) -> None:
    told: list[str | None] = []
    with LongPhases(told.append)(phase):
        pass
    assert not any(told)


def test_a_program_without_another_thread_commits_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    world = World()
    world.executor.follow = LongPhases(lambda _: None)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert world.run(StatementKind.INSERT) == 3


def test_a_statement_runs_its_phases_within_what_follows_them() -> None:
    world, phases = World(), list[Phase]()

    @contextmanager
    def follow(phase: Phase) -> Iterator[None]:
        phases.append(phase)
        yield

    world.executor.follow = follow
    world.run(StatementKind.INSERT)
    assert phases == [Phase.SNAPSHOT, Phase.LOCK_WAIT, Phase.SNAPSHOT, Phase.WRITE, Phase.PUBLISH, Phase.COMMIT]


def test_nothing_is_told_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert find_listener() is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert find_listener() is not None
