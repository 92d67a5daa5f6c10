"""Drivers that die, and answers that are lost, while a table is altered: it is as before or as afterwards."""

from __future__ import annotations

import pytest

from hive_acid.model.table import TableName
from support.drivers import Drivers, Table, wait_until
from support.session_process import StatementFailed
from support.thrift_proxy import Lost

ODD = list(range(1, 10, 2))


@pytest.fixture
def parts(drivers: Drivers) -> Table:
    """The rows 0 to 9 in partitions 0 and 1."""
    name = f"parts{next(drivers.numbers)}"
    transactional = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
    drivers.reader.sql(f"CREATE TABLE {name} (id INT) PARTITIONED BY (d INT) {transactional}")
    drivers.reader.sql(f"INSERT INTO {name} SELECT int(id), int(id % 2) FROM range(10)")
    return Table(drivers, TableName("default", name))


@pytest.mark.slow
def test_a_driver_that_is_killed_after_the_change_leaves_the_table_altered(drivers: Drivers, parts: Table) -> None:
    with drivers.another_session() as (victim, proxy):
        held = proxy.hold("commit_txn")
        victim.submit(f"ALTER TABLE {parts.name} DROP PARTITION (d = 0)")
        held.wait()
        victim.kill()
        held.drop()
    parts.wait_for_timeout()
    assert parts.ids() == ODD
    assert drivers.attempt(f"DELETE FROM {parts.name} WHERE id > 7") == 1
    assert parts.ids() == [number for number in ODD if number <= 7]
    wait_until(lambda: not drivers.open_transactions() and not parts.locks(), "all has ended")


@pytest.mark.slow
def test_an_end_that_nobody_confirms_is_reported_with_what_was_done(drivers: Drivers, parts: Table) -> None:
    drivers.proxy.lose("commit_txn", Lost.ANSWER, forever=True)
    with pytest.raises(StatementFailed) as raised:
        drivers.session.sql(f"ALTER TABLE {parts.name} DROP PARTITION (d = 0)")
    drivers.proxy.heal()
    assert raised.value.condition == "HIVE_ACID_COMMIT_STATE_UNKNOWN"
    assert "DROP PARTITION itself was carried out" in raised.value.text
    parts.wait_for_timeout()
    assert parts.ids() == ODD
