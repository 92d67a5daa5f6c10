"""Whom a statement waits for is told on a terminal, after two seconds and not before."""

from __future__ import annotations

import io
import sys

import pytest

from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.waiting_line import WaitingLine, find_listener
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


def test_nothing_is_told_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert find_listener() is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert find_listener() is not None
