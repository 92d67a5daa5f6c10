"""A driver that is killed, wherever its statements are: they are visible only if they were committed."""

from __future__ import annotations

import itertools

import pytest

from hive_acid.metastore.types import LockState
from support.drivers import Drivers, Trial, wait_until
from support.mutations import MUTATIONS
from support.session_process import SessionProcess
from support.thrift_proxy import Hold, ThriftProxy

pytestmark = pytest.mark.beyond_the_gate(
    "in memory, at every step of each statement: `unit/execution/test_fault_matrix.py`; "
    "`integration/faults/test_random_kills.py` kills at random moments"
)

POINTS = ("committed", "renamed", "staged", "renaming", "commit", "writing")
"""Where a statement is when its driver is killed; `writing` last, for it keeps the cores."""

ONE_FOLDER = ("insert-flat", "delete-flat", "overwrite-flat")


def stop_at(point: str, trial: Trial, session: SessionProcess, proxy: ThriftProxy) -> Hold | None:
    """Starts the statement and returns once it is there, for good."""
    drivers, hold = trial.table.drivers, None
    gate, expression, held = drivers.gate(), "id", None
    if point == "writing":
        expression = f"gate('{gate}', id, {trial.numbers[1]})"
    elif point in ("commit", "committed"):
        held = proxy.hold("commit_txn", answered=point == "committed")
    else:
        method, nth = {"staged": ("write_text", 1), "renaming": ("rename", 2), "renamed": ("delete_tree", 1)}[point]
        hold = {"method": method, "nth": nth, "gate": str(gate)}
    session.submit(trial.text(expression), hold=hold)
    if held is None:
        gate.wait()
    else:
        held.wait()
    return held


def test_what_was_not_committed_is_never_seen(drivers: Drivers) -> None:
    """One driver with a statement of every other kind, each at another point: all would outlast a transaction."""
    mutations = MUTATIONS[::2]
    points = dict(zip(mutations, itertools.cycle(POINTS), strict=False))
    names = {mutation: f"killed_{mutation.name.replace('-', '_')}" for mutation in mutations}
    trials = {mutation: drivers.trial(mutation, names[mutation]) for mutation in mutations}
    helds = []
    with drivers.another_session() as (victim, proxy):
        for mutation in sorted(mutations, key=lambda mutation: POINTS.index(points[mutation])):
            point = points[mutation]
            if point == "renaming" and mutation.name in ONE_FOLDER:
                point = "staged"  # there is no second folder
            helds.append(stop_at(point, trials[mutation], victim, proxy))
        victim.kill()
        for held in filter(None, helds):
            held.drop()
    after = {
        mutation: mutation.effect(trial.before, trial.numbers) if points[mutation] == "committed" else trial.before
        for mutation, trial in trials.items()
    }
    for mutation, trial in trials.items():
        locks = {lock.state for lock in trial.table.locks()}
        assert locks <= (set() if points[mutation] == "committed" else {LockState.ACQUIRED}), (
            mutation
        )  # until it times out
    for mutation, trial in trials.items():
        trial.assert_rows(after[mutation])
        assert set(trial.files) <= set(trial.table.files())
    wait_until(lambda: not drivers.open_transactions(), "all transactions have timed out")
    for mutation, trial in trials.items():
        assert trial.table.locks() == []
        again = drivers.trial(mutation, names[mutation])
        assert again.before == after[mutation]
        assert drivers.attempt(again.text()) == 2
        again.assert_rows(mutation.effect(again.before, again.numbers))
