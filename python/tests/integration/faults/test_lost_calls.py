"""Calls of the metastore that are lost on their way, in real processes, and what only a real metastore does.

A proxy between the driver and a metastore whose transactions time out after seconds loses or holds calls.
"""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hive_acid.commands.shared import DONE
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid_ops.commands.txn import ABORTED, OPEN
from support.drivers import LIMIT_SECONDS, Drivers, Table, wait_until
from support.mutations import MUTATIONS, Mutation
from support.session_process import StatementFailed
from support.thrift_proxy import Lost

UNAVAILABLE = "HIVE_ACID_METASTORE_UNAVAILABLE"
ANY_TIME = {"heartbeat", "set_ugi"}
SENT_ONCE = {
    "open_txns",
    "lock",
    "add_partitions_req",
    "add_dynamic_partitions",
    "alter_table_req",
    "update_table_column_statistics_req",
    "alter_partitions_req",
}
"""Calls that are never repeated: nobody knows whether they happened. commit_txn is the one that is asked after."""
ALL = list(range(100))


def find_calls(drivers: Drivers, mutation: Mutation) -> list[tuple[str, int]]:
    """The calls of a statement in order, each with its number (from 1) among those of its method."""
    for _ in range(2):  # connections are open afterwards
        trial = drivers.trial(mutation)
        drivers.proxy.calls.clear()
        trial.assert_done(drivers.attempt(trial.text()))
    methods = [method for method in drivers.proxy.calls if method not in ANY_TIME]
    order = ["open_txns", "get_valid_write_ids", "allocate_table_write_ids", "lock", "commit_txn"]
    assert sorted(order, key=methods.index) == order
    return [(method, methods[: position + 1].count(method)) for position, method in enumerate(methods)]


def find_command(message: str) -> list[str]:
    """The command that the message tells to run, as a shell splits it."""
    found = re.search("`(.*)`", message)
    assert found is not None, message
    return shlex.split(found[1])


def ask(command: list[str]) -> tuple[int, str]:
    """Its exit code, and the state it tells."""
    program = Path(sys.executable).with_name(command[0])
    told = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    found = re.match(r"transaction \d+: (\w+)", told.stdout)
    assert found is not None, told
    return told.returncode, found[1]


INSERT, OVERWRITE = (next(m for m in MUTATIONS if m.name == name) for name in ("insert-flat", "overwrite-partitions"))


@pytest.mark.beyond_the_gate("in memory, of each statement: `unit/execution/test_fault_matrix.py`")
@pytest.mark.parametrize(
    ("mutation", "losts"),
    [(INSERT, (Lost.REQUEST,)), (INSERT, (Lost.ANSWER,)), (OVERWRITE, tuple(Lost))],
    ids=["insert-request", "insert-answer", "overwrite-partitions-in-turn"],
)
def test_a_statement_reports_what_happened_whichever_call_is_lost(
    drivers: Drivers, mutation: Mutation, losts: tuple[Lost, ...]
) -> None:
    for (method, nth), lost in zip(find_calls(drivers, mutation), itertools.cycle(losts), strict=False):
        trial = drivers.trial(mutation)
        loss = drivers.proxy.lose(method, lost, nth=nth)
        result = drivers.attempt(trial.text())
        assert loss.seen >= nth, method
        drivers.proxy.heal()
        if method not in SENT_ONCE:
            trial.assert_done(result)
            continue
        assert isinstance(result, StatementFailed)
        assert (result.condition, result.state) == (UNAVAILABLE, "08006")
        if (method, lost) == ("open_txns", Lost.ANSWER):  # a transaction nobody knows the ID of times out
            assert trial.table.files() == trial.files
            trial.table.wait_for_timeout()
        trial.assert_undone(result, UNAVAILABLE)


@pytest.mark.beyond_the_gate(
    "`unit/spark/test_client_errors.py`; our own lost calls (`integration/faults/test_lost_calls.py`)"
)
def test_a_table_that_spark_cannot_look_up_is_an_unavailable_metastore(drivers: Drivers, table: Table) -> None:
    drivers.proxy.lose(None, Lost.REQUEST, forever=True)
    for statement in (f"SELECT * FROM {table.name}", f"DELETE FROM {table.name} WHERE id = 1"):
        result = drivers.attempt(statement)
        assert isinstance(result, StatementFailed)
        assert (result.condition, result.state) == (UNAVAILABLE, "08006")
        assert "Spark's own client: TTransportException" in result.text
        assert StatementOutcome.NOTHING_CHANGED.text in result.text
    drivers.proxy.heal()
    assert len(table.ids()) == 100


@pytest.mark.beyond_the_gate(
    "in memory: `unit/execution/test_fault_matrix.py`, `unit/execution/test_outcomes.py`; "
    "an interrupt while the answer is awaited"
)
@pytest.mark.parametrize("lost", Lost)
def test_a_commit_whose_answers_never_come_is_reported_as_unknown(drivers: Drivers, table: Table, lost: Lost) -> None:
    drivers.proxy.lose("commit_txn", lost, forever=True)
    result = drivers.attempt(f"INSERT INTO {table.name} VALUES (100)")
    assert isinstance(result, StatementFailed)
    assert (result.condition, result.state) == ("HIVE_ACID_COMMIT_STATE_UNKNOWN", "40003")
    assert len(table.files()) == 2  # kept, for it may count
    drivers.proxy.heal()
    command = find_command(result.text)
    if lost is Lost.REQUEST:
        assert ask(command) == (OPEN, "open")
    table.wait_for_timeout()
    assert ask(command) == ((ABORTED, "aborted") if lost is Lost.REQUEST else (DONE, "committed"))
    assert table.ids() == (ALL if lost is Lost.REQUEST else [*ALL, 100])
    assert ask(command) == ((ABORTED, "aborted") if lost is Lost.REQUEST else (DONE, "committed"))


@pytest.mark.slow
def test_a_metastore_that_is_gone_from_the_commit_on_is_reported_as_unknown(drivers: Drivers, table: Table) -> None:
    held = drivers.proxy.hold("commit_txn")
    running = drivers.session.submit(f"DELETE FROM {table.name} WHERE id < 50")
    held.wait()
    drivers.proxy.lose(None, Lost.REQUEST, forever=True)
    held.drop()
    with pytest.raises(StatementFailed, match="HIVE_ACID_COMMIT_STATE_UNKNOWN"):
        running.result()
    drivers.proxy.heal()
    table.wait_for_timeout()
    assert table.ids() == ALL


@pytest.mark.slow
def test_a_transaction_that_cannot_be_aborted_times_out_and_the_error_says_so(drivers: Drivers, table: Table) -> None:
    drivers.proxy.lose("abort_txn", Lost.REQUEST, forever=True)
    result = drivers.attempt(f"INSERT INTO {table.name} SELECT int(raise_error('on purpose'))")
    assert isinstance(result, StatementFailed)
    assert result.condition == "USER_RAISED_EXCEPTION"
    assert len(drivers.open_transactions()) == 1
    assert table.staging() == []
    table.wait_for_timeout()
    assert table.ids() == ALL


def test_a_connection_that_is_opened_at_the_second_try_serves(drivers: Drivers, table: Table) -> None:
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id = 0") == 1  # connections are open afterwards
    drivers.proxy.lose("get_valid_write_ids", Lost.REQUEST)
    drivers.proxy.lose("set_ugi", Lost.REQUEST)
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id = 1") == 1
    assert table.ids() == ALL[2:]


@pytest.mark.beyond_the_gate(
    "`unit/metastore/test_reconnecting.py`; one that is opened at the second try, in the same file"
)
def test_a_connection_that_cannot_be_opened_again_fails_by_name(drivers: Drivers, table: Table) -> None:
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id = 0") == 1
    drivers.proxy.lose("get_valid_write_ids", Lost.REQUEST)
    drivers.proxy.lose("set_ugi", Lost.REQUEST, forever=True)
    result = drivers.attempt(f"DELETE FROM {table.name} WHERE id = 1")
    drivers.proxy.heal()
    assert isinstance(result, StatementFailed)
    assert result.condition == UNAVAILABLE
    table.wait_for_timeout()
    assert table.ids() == ALL[1:]


@pytest.mark.beyond_the_gate("`unit/execution/test_together.py`; an error in the second")
@pytest.mark.parametrize("lost", Lost)
def test_a_lost_look_at_a_waiting_lock_is_repeated(drivers: Drivers, table: Table, lost: Lost) -> None:
    txn_id = drivers.client.open_transaction("other", "host", "test")
    drivers.client.allocate_write_id(txn_id, table.name)
    component = LockComponent(table.name, LockKind.EXCL_WRITE, OperationKind.DELETE)
    assert drivers.client.lock(txn_id, [component], "other", "host", "test")[1] is LockState.ACQUIRED
    loss = drivers.proxy.lose("check_lock", lost)
    running = drivers.session.submit(f"DELETE FROM {table.name} WHERE id = 1")
    wait_until(lambda: loss.seen > 1, "the lock is looked at again")
    drivers.client.abort(txn_id)
    assert running.result() == [(1,)]
    assert table.ids() == [0, *ALL[2:]]


@pytest.mark.beyond_the_gate("`unit/execution/test_together.py`; an error in the second")
def test_a_lost_heartbeat_does_no_harm(drivers: Drivers, table: Table) -> None:
    gate = drivers.gate()
    loss = drivers.proxy.lose("heartbeat", Lost.REQUEST)
    running = drivers.session.submit(f"INSERT INTO {table.name} SELECT gate('{gate}', 100)")
    wait_until(lambda: loss.seen > 1, "the heart beats again")
    gate.open()
    assert running.result() == [(1,)]
    assert table.ids() == [*ALL, 100]


def test_ctrl_c_while_the_answer_to_commit_is_awaited_keeps_what_was_committed(drivers: Drivers, table: Table) -> None:
    held = drivers.proxy.hold("commit_txn", answered=True)
    running = drivers.session.submit(f"INSERT INTO {table.name} VALUES (100)", thread="main")
    held.wait()
    drivers.session.interrupt()
    with pytest.raises(StatementFailed) as raised:
        running.result(LIMIT_SECONDS)
    held.drop()
    assert raised.value.type == "KeyboardInterrupt", raised.value
    assert table.ids() == [*ALL, 100]
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id >= 50") == 51
    assert table.ids() == ALL[:50]
