"""Whatever fails, and wherever: a statement is visible wholly or not at all, and leaves nothing open.

Real Spark drivers and a real metastore whose transactions time out after seconds; a proxy between them loses or holds
calls, drivers and the metastore are killed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from support.drivers import LIMIT_SECONDS, Drivers, Table, start_drivers, wait_until
from support.session_process import StatementFailed
from support.thrift_proxy import Lost

UNAVAILABLE = "HIVE_ACID_METASTORE_UNAVAILABLE"
INSERT_CALLS = (
    "get_table",  # Spark's own client
    "get_table_req",
    "open_txns",
    "get_open_txns",
    "get_valid_write_ids",
    "allocate_table_write_ids",
    "lock",
    "allocate_table_write_ids",  # is it still the same table
    "get_table_req",
    "get_open_txns",  # what was committed between the snapshot and the lock
    "get_valid_write_ids",
    "get_table_req",  # the statistics
    "alter_table_req",
    "commit_txn",
)
DELETE_CALLS = (*INSERT_CALLS[:9], "get_latest_txnid_in_conflict", *INSERT_CALLS[9:])
ANY_TIME = {"heartbeat", "set_ugi"}
SENT_ONCE = {"open_txns", "lock", "alter_table_req"}
"""Calls that are never repeated: nobody knows whether they happened. commit_txn is the one that is asked after."""


def every_call(methods: tuple[str, ...]) -> list[object]:
    """Each call of a statement (`method-2`: the second of this name), once with the request lost, once the answer."""
    cases = []
    for position, method in enumerate(methods):
        nth = methods[: position + 1].count(method)
        name = method if nth == 1 else f"{method}-{nth}"
        cases += [pytest.param(method, nth, lost, id=f"{name}-{lost.value}") for lost in Lost]
    return cases


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    with start_drivers(tmp_path_factory.mktemp("faults")) as started:
        yield started


@pytest.fixture(autouse=True)
def healed(drivers: Drivers) -> Iterator[None]:
    """No test leaves a fault behind, or anything open."""
    yield
    drivers.proxy.heal()
    wait_until(lambda: not drivers.open_transactions(), "all transactions have ended")


@pytest.fixture(scope="module")
def inserted(drivers: Drivers) -> Table:
    """For the INSERTs of all cases."""
    return drivers.create("inserted", "SELECT 0")


@pytest.fixture(scope="module")
def deleted(drivers: Drivers) -> Table:
    """For the DELETEs of all cases, which take one row each."""
    return drivers.create("deleted", "SELECT int(id) FROM range(100)")


@pytest.fixture
def table(drivers: Drivers, request: pytest.FixtureRequest) -> Table:
    """A table of the test's own with the rows 0 to 99."""
    return drivers.create(f"t{next(drivers.numbers)}", "SELECT int(id) FROM range(100)")


ALL = list(range(100))


def test_the_cases_below_are_all_calls_of_a_statement(drivers: Drivers, inserted: Table, deleted: Table) -> None:
    for table, statement, expected in (
        (inserted, "INSERT INTO inserted VALUES (1)", INSERT_CALLS),
        (deleted, "DELETE FROM deleted WHERE id = 99", DELETE_CALLS),
    ):
        drivers.session.sql(statement.replace("(1)", "(2)").replace("99", "98"))  # connections are open afterwards
        drivers.proxy.calls.clear()
        assert drivers.attempt(statement) == 1
        assert tuple(call for call in drivers.proxy.calls if call not in ANY_TIME) == expected
        assert table.staging() == []


def run_with_a_lost_call(table: Table, statement: str, method: str, nth: int, lost: Lost) -> bool:
    """Runs a statement that changes one row, checks what it reports, and returns whether it succeeded."""
    drivers = table.drivers
    wait_until(lambda: not drivers.open_transactions(), "reads have ended")
    folders = table.folders()
    loss = drivers.proxy.lose(method, lost, nth=nth)
    result = drivers.attempt(statement)
    assert loss.seen >= nth
    assert table.staging() == []
    if method not in SENT_ONCE:
        assert result == 1
        return True
    assert isinstance(result, StatementFailed)
    assert (result.condition, result.state) == (UNAVAILABLE, "08006")
    assert table.folders() == folders
    if (method, lost) != ("open_txns", Lost.ANSWER):  # a transaction nobody knows the ID of times out
        assert drivers.open_transactions() == []
    table.wait_for_timeout()
    return False


@pytest.mark.parametrize(("method", "nth", "lost"), every_call(INSERT_CALLS))
def test_an_insert_reports_what_happened_although_this_is_lost(
    inserted: Table, method: str, nth: int, lost: Lost
) -> None:
    before = inserted.ids()
    row = max(before) + 1
    succeeded = run_with_a_lost_call(inserted, f"INSERT INTO inserted VALUES ({row})", method, nth, lost)
    assert inserted.ids() == before + [row] * succeeded


@pytest.mark.parametrize(("method", "nth", "lost"), every_call(DELETE_CALLS))
def test_a_delete_reports_what_happened_although_this_is_lost(
    deleted: Table, method: str, nth: int, lost: Lost
) -> None:
    before = deleted.ids()
    succeeded = run_with_a_lost_call(deleted, f"DELETE FROM deleted WHERE id = {before[0]}", method, nth, lost)
    assert deleted.ids() == before[succeeded:]


@pytest.mark.parametrize("lost", Lost)
def test_a_commit_whose_answers_never_come_is_reported_as_unknown(drivers: Drivers, table: Table, lost: Lost) -> None:
    drivers.proxy.lose("commit_txn", lost, forever=True)
    result = drivers.attempt(f"INSERT INTO {table.name} VALUES (100)")
    assert isinstance(result, StatementFailed)
    assert (result.condition, result.state) == ("HIVE_ACID_COMMIT_STATE_UNKNOWN", "40003")
    assert len(table.files()) == 2  # kept, for it may count
    drivers.proxy.heal()
    table.wait_for_timeout()
    assert table.ids() == (ALL if lost is Lost.REQUEST else [*ALL, 100])


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


def test_a_transaction_that_cannot_be_aborted_times_out_and_the_error_says_so(drivers: Drivers, table: Table) -> None:
    drivers.proxy.lose("abort_txn", Lost.REQUEST, forever=True)
    result = drivers.attempt(f"INSERT INTO {table.name} SELECT int(raise_error('on purpose'))")
    assert isinstance(result, StatementFailed)
    assert result.condition == "USER_RAISED_EXCEPTION"
    assert len(drivers.open_transactions()) == 1
    assert table.staging() == []
    table.wait_for_timeout()
    assert table.ids() == ALL


def test_a_connection_that_cannot_be_opened_again_fails_by_name(drivers: Drivers, table: Table) -> None:
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id = 0") == 1  # connections are open afterwards
    folders = table.folders()
    drivers.proxy.lose("get_valid_write_ids", Lost.REQUEST)
    drivers.proxy.lose("set_ugi", Lost.REQUEST)
    result = drivers.attempt(f"DELETE FROM {table.name} WHERE id = 1")
    assert isinstance(result, StatementFailed)
    assert result.condition == UNAVAILABLE
    table.assert_untouched(ALL[1:], folders)


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


def test_a_lost_heartbeat_does_no_harm(drivers: Drivers, table: Table) -> None:
    gate = drivers.gate()
    loss = drivers.proxy.lose("heartbeat", Lost.REQUEST)
    running = drivers.session.submit(f"INSERT INTO {table.name} SELECT gate('{gate}', 100)")
    wait_until(lambda: loss.seen > 1, "the heart beats again")
    gate.open()
    assert running.result() == [(1,)]
    assert table.ids() == [*ALL, 100]


def test_a_transaction_that_timed_out_unnoticed_is_not_committed(drivers: Drivers, table: Table) -> None:
    gate, folders = drivers.gate(), table.folders()
    drivers.proxy.lose("heartbeat", Lost.REQUEST, forever=True)
    running = drivers.session.submit(f"INSERT INTO {table.name} SELECT gate('{gate}', 100)")
    gate.wait()
    table.wait_for_timeout()
    drivers.proxy.heal()
    gate.open()
    with pytest.raises(StatementFailed) as raised:
        running.result()
    assert (raised.value.condition, raised.value.state) == ("HIVE_ACID_TRANSACTION_ABORTED", "40000")
    table.assert_untouched(ALL, folders)


# the metastore ends and comes back


def test_a_commit_under_way_while_the_metastore_starts_again_is_resolved(drivers: Drivers, table: Table) -> None:
    held = drivers.proxy.hold("commit_txn")
    running = drivers.session.submit(f"DELETE FROM {table.name} WHERE id >= 10")
    held.wait()
    drivers.metastore.restart()
    held.release()
    assert running.result() == [(90,)]
    assert table.ids() == ALL[:10]


def test_a_metastore_that_starts_again_during_the_write_job_costs_nothing_but_time(
    drivers: Drivers, table: Table
) -> None:
    gate = drivers.gate()
    running = drivers.session.submit(f"INSERT INTO {table.name} SELECT gate('{gate}', 100)")
    gate.wait()
    drivers.metastore.restart()
    gate.open()
    assert running.result() == [(1,)]
    assert table.ids() == [*ALL, 100]


# the query, its tasks


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("INSERT INTO {t} SELECT int(raise_error('on purpose'))", id="source"),
        pytest.param("DELETE FROM {t} WHERE id < 50 AND isnull(raise_error('on purpose'))", id="condition"),
        pytest.param(
            "DELETE FROM {t} WHERE id IN (SELECT int(raise_error('on purpose')) FROM {t})", id="subquery of a condition"
        ),
    ],
)
def test_a_query_that_fails_keeps_its_error_and_changes_nothing(drivers: Drivers, table: Table, statement: str) -> None:
    folders = table.folders()
    result = drivers.attempt(statement.format(t=table.name))
    assert isinstance(result, StatementFailed)
    assert (result.condition, result.state) == ("USER_RAISED_EXCEPTION", "P0001")
    table.assert_untouched(ALL, folders)


def test_a_task_that_fails_after_others_have_written_takes_their_files_with_it(drivers: Drivers, table: Table) -> None:
    """Two tasks run at a time, so the third begins when another has written its file."""
    folders = table.folders()
    source = "SELECT int(if(id < 35000, id, raise_error('on purpose'))) FROM range(0, 40000, 1, 4)"
    result = drivers.attempt(f"INSERT INTO {table.name} {source}")
    assert isinstance(result, StatementFailed)
    assert result.condition == "USER_RAISED_EXCEPTION"
    table.assert_untouched(ALL, folders)


def test_a_task_tried_again_leaves_every_row_once_and_one_file_per_bucket(drivers: Drivers, table: Table) -> None:
    marker, before = drivers.marker(), table.files()
    numbers = "SELECT int(id) AS id FROM range(1000, 81000, 1, 4)"
    source = f"SELECT fail_once('{marker}', id, 80999) FROM ({numbers})"  # the last row of the last task
    assert drivers.attempt(f"INSERT INTO {table.name} {source}") == 80000
    assert marker.exists()
    assert table.totals() == (80100, 80100, sum(ALL) + sum(range(1000, 81000)))
    new = [path.split("/") for path in table.files() if path not in before]
    assert [name for _, name in new] == [f"bucket_{bucket:05d}" for bucket in range(4)]
    assert len({folder for folder, _ in new}) == 1
    marker = drivers.marker()
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE fail_once('{marker}', id, 80999) >= 1000") == 80000
    assert marker.exists()
    assert table.ids() == ALL
    assert table.staging() == []


# the driver


def test_a_driver_killed_between_publication_and_commit_leaves_nothing_visible(drivers: Drivers, table: Table) -> None:
    before = table.files()
    with drivers.another_session() as (victim, proxy):
        held = proxy.hold("commit_txn")
        victim.submit(f"INSERT INTO {table.name} VALUES (100)")
        held.wait()
        victim.kill()
        held.drop()
    assert len(table.files()) == len(before) + 1  # published, and hidden by its write ID
    assert table.staging() == []
    assert [lock.state for lock in table.locks()] == [LockState.ACQUIRED]
    table.wait_for_timeout()
    assert table.ids() == ALL
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id >= 50") == 50
    assert table.ids() == ALL[:50]


def test_a_driver_killed_during_the_write_job_leaves_nothing_but_hidden_files(drivers: Drivers, table: Table) -> None:
    gate, before = drivers.gate(), table.files()
    with drivers.another_session() as (victim, _):
        numbers = "SELECT int(id) AS id FROM range(100, 20100, 1, 2)"
        victim.submit(f"INSERT INTO {table.name} SELECT gate('{gate}', id, 11000) FROM ({numbers})")
        gate.wait()
        wait_until(lambda: len(table.files()) > len(before), "a task has written a file")
        victim.kill()
        gate.open()
    left = table.staging()
    assert len(left) == 1
    assert table.files() == [*sorted(path for path in table.files() if path.startswith(left[0])), *before]
    table.wait_for_timeout()
    assert table.ids() == ALL
    assert drivers.attempt(f"INSERT INTO {table.name} VALUES (100)") == 1
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id < 50") == 50
    assert table.ids() == list(range(50, 101))


@pytest.mark.parametrize("way", ["cancelJobGroup", "Ctrl-C"])
def test_a_delete_that_is_cancelled_ends_at_once_and_the_session_goes_on(
    drivers: Drivers, table: Table, way: str
) -> None:
    """The tasks are cancelled too: the gate stays closed until the end."""
    gate, folders = drivers.gate(), table.folders()
    statement = f"DELETE FROM {table.name} WHERE gate('{gate}', id) >= 0"
    running = drivers.session.submit(statement, thread="main", group="mine")
    gate.wait()
    if way == "cancelJobGroup":
        drivers.session.cancel("mine")
    else:
        drivers.session.interrupt()
    with pytest.raises(StatementFailed) as raised:
        running.result(LIMIT_SECONDS)
    if way == "cancelJobGroup":
        assert "SPARK_JOB_CANCELLED" in raised.value.text
    else:
        assert raised.value.type == "KeyboardInterrupt", raised.value
    table.assert_untouched(ALL, folders)
    assert drivers.attempt(f"DELETE FROM {table.name} WHERE id >= 10") == 90
    assert table.ids() == ALL[:10]
    gate.open()


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
