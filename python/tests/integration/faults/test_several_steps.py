"""Statements of several steps, INSERT into several tables and CREATE TABLE … AS SELECT, struck between the steps."""

from __future__ import annotations

import pytest

from hive_acid.model.table import TableName
from support.drivers import LIMIT_SECONDS, Drivers, Table, wait_until
from support.session_process import StatementFailed
from support.spark_lines import raised_in_tasks
from support.thrift_proxy import Lost

ALL = list(range(100))
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@pytest.fixture
def other(drivers: Drivers) -> Table:
    """A second table, with the row 0."""
    return drivers.create(f"other{next(drivers.numbers)}", "SELECT 0")


def multi_insert(table: Table, other: Table, expression: str = "id") -> str:
    """Adds the row 100 to the one and the row 200 to the other; `expression` stands for the ID in the second."""
    source = "FROM (SELECT 100 AS id)"
    return f"{source} INSERT INTO {table.name} SELECT id INSERT INTO {other.name} SELECT {expression} + 100"


def is_at_rest(drivers: Drivers, *tables: Table) -> bool:
    return not drivers.open_transactions() and not any(table.locks() or table.staging() for table in tables)


def test_an_error_in_the_second_undoes_the_first(drivers: Drivers, table: Table, other: Table) -> None:
    failure = drivers.attempt(multi_insert(table, other, "int(raise_error(string(id)))"))
    assert isinstance(failure, StatementFailed) and failure.condition == raised_in_tasks("USER_RAISED_EXCEPTION")
    assert (table.ids(), other.ids()) == (ALL, [0])
    assert (len(table.files()), len(other.files())) == (1, 1)
    wait_until(lambda: is_at_rest(drivers, table, other), "all has ended")


@pytest.mark.beyond_the_gate("in memory, at every step of each statement; an error in the second in the same file")
def test_a_driver_that_is_killed_between_them_shows_neither(drivers: Drivers, table: Table, other: Table) -> None:
    """The first has been written, and is in place."""
    gate = drivers.gate()
    with drivers.another_session() as (victim, _):
        victim.submit(multi_insert(table, other, f"gate('{gate}', id)"))
        gate.wait()
        victim.kill()
    assert (table.ids(), other.ids()) == (ALL, [0])
    wait_until(lambda: not drivers.open_transactions(), "the transaction has timed out")
    assert table.locks() == other.locks() == []
    assert drivers.attempt(multi_insert(table, other)) == 2
    assert (table.ids(), other.ids()) == ([*ALL, 100], [0, 200])


@pytest.mark.beyond_the_gate("`unit/execution/test_together.py`; an error in the second")
def test_a_commit_of_both_whose_answers_never_come_is_unknown_and_is_both(
    drivers: Drivers, table: Table, other: Table
) -> None:
    drivers.proxy.lose("commit_txn", Lost.ANSWER, forever=True)
    failure = drivers.attempt(multi_insert(table, other))
    assert isinstance(failure, StatementFailed) and failure.condition == "HIVE_ACID_COMMIT_STATE_UNKNOWN"
    drivers.proxy.heal()
    table.wait_for_timeout()
    assert (table.ids(), other.ids()) == ([*ALL, 100], [0, 200])


@pytest.mark.beyond_the_gate("one statement", cells=["transaction"])
@pytest.mark.parametrize("steps", ["one", "transaction"])
def test_a_cache_shows_rows_whose_commit_nobody_has_told_of(drivers: Drivers, table: Table, steps: str) -> None:
    session, insert = drivers.session, f"INSERT INTO {table.name} VALUES (100)"
    session.sql(f"CACHE TABLE {table.name}")
    assert session.sql(f"SELECT count(*) FROM {table.name}") == [(100,)]
    drivers.proxy.lose("commit_txn", Lost.ANSWER, forever=True)
    with pytest.raises(StatementFailed) as failed:
        if steps == "transaction":
            session.submit_for("main", [insert], together=True).result(LIMIT_SECONDS)
        else:
            session.sql(insert)
    assert failed.value.condition == "HIVE_ACID_COMMIT_STATE_UNKNOWN"
    drivers.proxy.heal()
    assert session.sql(f"SELECT count(*) FROM {table.name}") == [(101,)]
    session.sql(f"UNCACHE TABLE {table.name}")


@pytest.mark.beyond_the_gate("`unit/execution/test_together.py`; an error in the second")
def test_a_new_table_is_kept_if_nobody_knows_whether_its_rows_were_committed(drivers: Drivers) -> None:
    name = f"created{next(drivers.numbers)}"
    drivers.proxy.lose("commit_txn", Lost.REQUEST, forever=True)
    with pytest.raises(StatementFailed) as failed:
        drivers.session.sql(f"CREATE TABLE {name} {ACID} AS SELECT 1 AS id")
    assert failed.value.condition == "HIVE_ACID_COMMIT_STATE_UNKNOWN"
    drivers.proxy.heal()
    created = Table(drivers, TableName("default", name))
    created.wait_for_timeout()
    assert created.ids() == []


@pytest.mark.slow
def test_a_driver_that_is_killed_while_it_fills_a_new_table_leaves_it_empty(drivers: Drivers) -> None:
    gate, name = drivers.gate(), f"created{next(drivers.numbers)}"
    with drivers.another_session() as (victim, _):
        victim.submit(f"CREATE TABLE {name} {ACID} AS SELECT gate('{gate}', 1) AS id")
        gate.wait()
        victim.kill()
    created = Table(drivers, TableName("default", name))
    assert created.ids() == []
    wait_until(lambda: not drivers.open_transactions(), "the transaction has timed out")
    assert created.locks() == []
    assert drivers.attempt(f"INSERT INTO {name} VALUES (2)") == 1
    assert created.ids() == [2]


@pytest.mark.beyond_the_gate("`unit/execution/test_together.py`; an error in the second")
def test_a_query_that_fails_leaves_no_new_table(drivers: Drivers) -> None:
    name = f"created{next(drivers.numbers)}"
    with pytest.raises(StatementFailed) as failed:
        drivers.session.sql(f"CREATE TABLE {name} {ACID} AS SELECT int(raise_error('no')) AS id")
    assert failed.value.condition == "USER_RAISED_EXCEPTION"
    assert drivers.reader.sql(f"SHOW TABLES LIKE '{name}'") == []
    wait_until(lambda: not drivers.open_transactions(), "all has ended")
