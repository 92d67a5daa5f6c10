"""Drivers that stand still for longer than their transactions live, and such that only seem to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from support.drivers import LIMIT_SECONDS, TXN_TIMEOUT_SECONDS, Drivers, wait_until
from support.mutations import MUTATIONS, Mutation
from support.processes import find_below

BUSY = "while True: pass"
POINTS = {"update-partitions": "writing", "overwrite-flat": "renaming", "insert-flat": "commit"}
"""Where a statement is when its driver stands still."""
CASES = [pytest.param(POINTS[m.name], m, id=f"{POINTS[m.name]}-{m}") for m in MUTATIONS if m.name in POINTS]


@contextmanager
def standing_still(process_ids: Sequence[int]) -> Iterator[None]:
    """The processes do nothing until the block ends."""
    for pid in process_ids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in process_ids:
            os.kill(pid, signal.SIGCONT)


def wait_until_passed(moment: float) -> None:
    """By `time.monotonic`: the metastore's own clock decides on time-outs, and cannot be set."""
    wait_until(lambda: time.monotonic() > moment, "time passes", 7.0 * TXN_TIMEOUT_SECONDS)


@pytest.mark.beyond_the_gate("in memory, at every step of each statement: `unit/execution/test_fault_matrix.py`")
@pytest.mark.parametrize(("point", "mutation"), CASES)
def test_a_driver_that_stood_still_for_longer_than_the_timeout_never_shows_a_row(
    drivers: Drivers, point: str, mutation: Mutation
) -> None:
    trial, gate = drivers.trial(mutation), drivers.gate()
    hold = {"method": "rename", "nth": 1, "gate": str(gate)} if point == "renaming" else None
    held = drivers.proxy.hold("commit_txn") if point == "commit" else None
    text = trial.text(f"gate('{gate}', id)") if point == "writing" else trial.text()
    running = drivers.session.submit(text, hold=hold)
    if held:
        held.wait()
    else:
        gate.wait()
    with standing_still(drivers.session.process_ids):
        trial.table.wait_for_timeout()
        if held:
            held.release()
        gate.open()
    trial.assert_undone(running.exception(LIMIT_SECONDS), "HIVE_ACID_TRANSACTION_ABORTED")
    again = drivers.trial(mutation)
    again.assert_done(drivers.attempt(again.text()))


@pytest.mark.slow
def test_a_healthy_statement_outlives_six_timeouts_whatever_keeps_its_heart_busy(drivers: Drivers) -> None:
    """The JVM stands still as in a collection of all its memory; then every core has more to do than it can."""
    mutation = next(m for m in MUTATIONS if m.name == "update-partitions")
    trial, gate = drivers.trial(mutation), drivers.gate()
    until = time.monotonic() + 6 * TXN_TIMEOUT_SECONDS
    running = drivers.session.submit(trial.text(f"gate('{gate}', id)"))
    gate.wait()
    jvm_pid, _ = drivers.session.process_ids
    with standing_still([jvm_pid, *find_below(jvm_pid, "pyspark")]):
        wait_until_passed(time.monotonic() + 2.5 * TXN_TIMEOUT_SECONDS)
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        wait_until_passed(until)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    gate.open()
    ((affected, *_),) = running.result()
    trial.assert_done(affected)
