"""A metastore that starts again while a statement is on its way costs time alone, however long it takes to start.

A start that takes longer than transactions live ends them, rightly; here they live for minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.drivers import Drivers, start_drivers
from support.mutations import Mutation, named

pytestmark = pytest.mark.beyond_the_gate(
    "a client whose server vanishes (`contract/test_vanishing_server.py`); "
    "lost calls (`integration/faults/test_lost_calls.py`)"
)

PATIENT = {"metastore.txn.timeout": "600s"}


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    with start_drivers(tmp_path_factory.mktemp("restarts"), PATIENT) as started:
        yield started


@named("update-partitions")
def test_a_metastore_that_starts_again_during_the_write_job_costs_only_time(
    drivers: Drivers, mutation: Mutation
) -> None:
    trial, gate = drivers.trial(mutation), drivers.gate()
    running = drivers.session.submit(trial.text(f"gate('{gate}', id)"))
    gate.wait()
    drivers.metastore.restart()
    gate.open()
    ((affected, *_),) = running.result()
    trial.assert_done(affected)


@named("insert-flat", "overwrite-partitions")
def test_a_commit_under_way_while_the_metastore_starts_again_is_resolved(drivers: Drivers, mutation: Mutation) -> None:
    trial = drivers.trial(mutation)
    held = drivers.proxy.hold("commit_txn")
    running = drivers.session.submit(trial.text())
    held.wait()
    drivers.metastore.restart()
    held.release()
    ((affected, *_),) = running.result()
    trial.assert_done(affected)
