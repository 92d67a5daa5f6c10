"""Every kind of fault in real processes: a statement is wholly done, or wholly undone with a named error.

Each statement at each of its steps is `unit/execution/test_fault_matrix.py`; here the engine, the storage and the
metastore are real. What ends the driver itself is in test_killed_driver.py, what ends an executor in test_cluster.py.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from support.drivers import LIMIT_SECONDS, Drivers, wait_until
from support.mutations import Mutation, named
from support.session_process import StatementFailed
from support.spark_lines import raised_in_tasks
from support.thrift_proxy import Lost


@named("delete-flat")
def test_an_exception_in_the_query_undoes_it(drivers: Drivers, mutation: Mutation) -> None:
    trial = drivers.trial(mutation)
    fails = f"int(if(id = {trial.numbers[1]}, raise_error('on purpose'), id))"
    trial.assert_undone(drivers.attempt(trial.text(fails)), raised_in_tasks("USER_RAISED_EXCEPTION"))


@pytest.mark.beyond_the_gate("an INSERT and a DELETE in `integration/faults/test_tasks.py`")
@named("update-partitions", "merge-moves", "insert-buckets")
def test_a_task_that_is_tried_again_writes_every_row_once(drivers: Drivers, mutation: Mutation) -> None:
    trial, marker = drivers.trial(mutation), drivers.marker()
    affected = drivers.attempt(trial.text(f"fail_once('{marker}', id, {trial.numbers[1]})"))
    assert marker.exists()
    trial.assert_done(affected)


@contextmanager
def limited_file_size(pid: int, limit_bytes: int) -> Iterator[None]:
    """Every file that the process writes can be as long as this; longer ones fail, as they do on a full disk."""
    unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit_bytes, unlimited[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)


needs_limits = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="this system cannot limit the files of another process"
)


@pytest.mark.beyond_the_gate("an UPDATE in the same test", but=["update-partitions"])
@needs_limits
@named("update-partitions", "merge-moves")
def test_a_full_disk_under_the_tasks_undoes_it(drivers: Drivers, mutation: Mutation) -> None:
    """What the shuffle writes is shorter than any ORC file, but for that of a MERGE's join, which is Spark's own."""
    trial = drivers.trial(mutation)
    with limited_file_size(drivers.session.wait_started(), 400):
        failure = drivers.attempt(trial.text())
    if mutation.kind is StatementKind.MERGE and isinstance(failure, StatementFailed):
        assert "File too large" in failure.text or failure.condition == "HIVE_ACID_STORAGE"
        trial.assert_undone(failure, failure.type)
    else:
        trial.assert_undone(failure, "HIVE_ACID_STORAGE")


@pytest.mark.beyond_the_gate(
    "in memory, at every step: `unit/execution/test_fault_matrix.py`; one cell of each kind in a real process"
)
@needs_limits
@named("update-partitions")
def test_a_full_disk_under_the_driver_undoes_it(drivers: Drivers, mutation: Mutation) -> None:
    """When the second folder is moved into place; the first one is there already."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    running = drivers.session.submit(trial.text(), hold={"method": "write_text", "nth": 2, "gate": str(gate)})
    gate.wait()
    with limited_file_size(drivers.session.wait_started(), 0):
        gate.open()
        failure = running.exception(LIMIT_SECONDS)
    trial.assert_undone(failure, "HIVE_ACID_STORAGE")


@pytest.mark.beyond_the_gate(
    "in memory, at every step: `unit/execution/test_fault_matrix.py`; the other one in the same test",
    but=["request-insert-partitions"],
)
@named("insert-partitions")
@pytest.mark.parametrize("lost", Lost, ids=lambda lost: lost.value)
def test_a_lost_commit_is_found_out_about(drivers: Drivers, mutation: Mutation, lost: Lost) -> None:
    trial = drivers.trial(mutation)
    loss = drivers.proxy.lose("commit_txn", lost)
    affected = drivers.attempt(trial.text())
    assert loss.seen > 0
    trial.assert_done(affected)


@pytest.mark.beyond_the_gate(
    "a statement of another thread in the same file; the other way in the same test",
    but=["cancelJobGroup-update-partitions"],
)
@named("update-partitions")
@pytest.mark.parametrize("way", ["cancelJobGroup", "Ctrl-C"])
def test_a_cancelled_statement_is_undone_at_once(drivers: Drivers, mutation: Mutation, way: str) -> None:
    """The tasks are cancelled too: the gate is closed until then, and who comes out of it afterwards writes nothing."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    running = drivers.session.submit(trial.text(f"gate('{gate}', id)"), thread="main", group="mine")
    gate.wait()
    if way == "cancelJobGroup":
        drivers.session.cancel("mine")
    else:
        drivers.session.interrupt()
    failure = running.exception(LIMIT_SECONDS)
    if way == "cancelJobGroup":
        assert isinstance(failure, StatementFailed)
        assert re.search(r"Job \d+ cancelled", failure.text)
        trial.assert_undone(failure, failure.type)
    else:
        trial.assert_undone(failure, "KeyboardInterrupt")
    gate.open()
    trial.assert_done(drivers.attempt(trial.text()))


@named("delete-flat")
def test_ctrl_c_leaves_the_statements_of_other_threads_alone(drivers: Drivers, mutation: Mutation) -> None:
    """py4j would close the connections of all threads, and send again what they wait for."""
    trial, gate, its_gate = drivers.trial(mutation), drivers.gate(), drivers.gate()
    other = drivers.create(f"interrupted_{next(drivers.numbers)}")
    running = drivers.session.submit(trial.text(f"gate('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    interrupted = drivers.session.submit(f"INSERT INTO {other.name} SELECT gate('{its_gate}', 1)", thread="main")
    its_gate.wait()
    drivers.session.interrupt()
    failure = interrupted.exception(LIMIT_SECONDS)
    assert isinstance(failure, StatementFailed)
    assert failure.type == "KeyboardInterrupt"
    its_gate.open()
    gate.open()
    ((affected, *_),) = running.result(LIMIT_SECONDS)
    trial.assert_done(affected)
    assert other.ids() == []


@named("update-partitions")
def test_ctrl_c_while_a_lock_is_awaited_undoes_the_statement(drivers: Drivers, mutation: Mutation) -> None:
    trial, client = drivers.trial(mutation), drivers.client
    txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
    component = LockComponent(trial.table.name, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
    client.lock(txn_id, [component], "somebody", "elsewhere", "their tool")
    drivers.session.sql("SET spark.hiveacid.lock.timeoutMs = 120000")
    running = drivers.session.submit(trial.text(), thread="main")
    wait_until(lambda: LockState.WAITING in {lock.state for lock in trial.table.locks()}, "the statement waits")
    drivers.session.interrupt()
    failure = running.exception(LIMIT_SECONDS)
    drivers.session.sql("RESET spark.hiveacid.lock.timeoutMs")
    assert [info.id for info in drivers.open_transactions()] == [txn_id]
    client.abort(txn_id)
    trial.assert_undone(failure, "KeyboardInterrupt")


@pytest.mark.beyond_the_gate(
    "in memory, at every step: `unit/execution/test_fault_matrix.py`; one cell of each kind in a real process"
)
@named("update-partitions")
def test_a_lock_that_another_keeps_is_not_waited_for_for_ever(drivers: Drivers, mutation: Mutation) -> None:
    trial, client = drivers.trial(mutation), drivers.client
    wait_until(lambda: not trial.table.locks(), "nobody reads any more")
    txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
    component = LockComponent(trial.table.name, LockKind.EXCLUSIVE, OperationKind.NO_TXN)
    assert client.lock(txn_id, [component], "somebody", "elsewhere", "their tool")[1] is LockState.ACQUIRED
    failure = drivers.attempt(trial.text())
    assert isinstance(failure, StatementFailed)
    assert "somebody on elsewhere" in failure.text
    assert [info.id for info in drivers.open_transactions()] == [txn_id]
    client.abort(txn_id)
    trial.assert_undone(failure, "HIVE_ACID_LOCK_TIMEOUT")


@pytest.mark.beyond_the_gate("a DELETE in the same test", but=["delete-flat"])
@named("delete-flat", "update-named")
def test_a_statement_that_lost_a_race_runs_again(drivers: Drivers, mutation: Mutation) -> None:
    """Another session changes the same rows between the snapshot and the lock."""
    trial = drivers.trial(mutation)
    held = drivers.proxy.hold("lock")
    running = drivers.session.submit(trial.text())
    held.wait()
    where = f"id >= {trial.numbers.start} AND id < {trial.numbers.stop}"
    assert drivers.reader.sql(f"UPDATE {trial.table.name} SET v = v + 10 WHERE {where}") == [(2,)]
    drivers.proxy.calls.clear()
    held.release()
    assert running.result() == [(2,)]
    assert "open_txns" in drivers.proxy.calls
    changed = [(id_, v + 10 * (id_ in trial.numbers), d) for id_, v, d in trial.before]
    trial.assert_rows(mutation.effect(changed, trial.numbers))


@pytest.mark.beyond_the_gate("`unit/execution/test_fault_matrix.py`")
@named("update-partitions")
def test_a_transaction_that_timed_out_unnoticed_is_not_committed(drivers: Drivers, mutation: Mutation) -> None:
    trial, gate = drivers.trial(mutation), drivers.gate()
    drivers.proxy.lose("heartbeat", Lost.REQUEST, forever=True)
    running = drivers.session.submit(trial.text(f"gate('{gate}', id)"))
    gate.wait()
    trial.table.wait_for_timeout()
    drivers.proxy.heal()
    gate.open()
    trial.assert_undone(running.exception(LIMIT_SECONDS), "HIVE_ACID_TRANSACTION_ABORTED")
