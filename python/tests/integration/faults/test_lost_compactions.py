"""Whatever is lost of a compaction, a call, an answer or the session, the queue is nobody's obstacle afterwards."""

from __future__ import annotations

import pytest

from hive_acid.compaction.queue.requests import NOT_NEEDED
from support.drivers import Drivers, Table, wait_until
from support.session_process import SessionProcess, StatementFailed
from support.thrift_proxy import Lost

PROMPT_SECONDS = 60.0
"""Far from the hour that a statement may wait, for a machine that is busy."""
DONE = ("ready for cleaning", "succeeded", "refused")
"""Refused by the worker, not by the queue: there was nothing left to compact."""


def build_table(drivers: Drivers) -> Table:
    """A table with a delta of two transactions."""
    table = drivers.create(f"compacted_{next(drivers.numbers)}", "SELECT int(id) FROM range(2)")
    drivers.reader.sql(f"INSERT INTO {table.name} VALUES (2)")
    return table


def compact(session: SessionProcess, table: Table, clauses: str = "AND WAIT") -> tuple[bool, str]:
    """Whether it was accepted, and its state; fails if that is not told promptly."""
    statement = f"ALTER TABLE {table.name} COMPACT 'major' {clauses}"
    ((*_, state, accepted, _),) = session.submit(statement).result(PROMPT_SECONDS)
    return accepted, state


def assert_compacted(session: SessionProcess, table: Table) -> None:
    """It is done at once, whoever has asked for it before."""
    accepted, state = compact(session, table)
    assert is_compacted(accepted, state), state
    assert_is_compacted(table)


def is_compacted(accepted: bool, state: str) -> bool:
    """True for what was done, and where an answer that was lost had been that all was done."""
    return state == NOT_NEEDED or (accepted and state in DONE)


def assert_is_compacted(table: Table) -> None:
    """Its rows lie in a base."""
    assert any(name.startswith("base_0000002_v") for name in table.folders())
    assert table.ids() == [0, 1, 2]


@pytest.mark.beyond_the_gate(
    "`unit/compaction/test_worker_failures.py`; the other one", but=["mark_compacted-Lost.REQUEST"]
)
@pytest.mark.parametrize(
    ("call", "lost"), [("find_next_compact2", Lost.ANSWER), ("mark_compacted", Lost.REQUEST)], ids=str
)
def test_after_a_lost_call_the_same_and_another_table_are_compacted_at_once(
    drivers: Drivers, call: str, lost: Lost
) -> None:
    table, other = build_table(drivers), build_table(drivers)
    loss = drivers.proxy.lose(call, lost)
    is_done = False
    try:
        accepted, state = compact(drivers.session, table)
        is_done = is_compacted(accepted, state)
    except StatementFailed as failure:
        assert failure.condition == "HIVE_ACID_METASTORE_UNAVAILABLE"
        assert drivers.open_transactions() == []
    assert loss.seen
    drivers.proxy.heal()
    assert_compacted(drivers.session, other)
    if is_done:  # until it is cleaned, the metastore refuses another one
        assert_is_compacted(table)
    else:
        assert_compacted(drivers.session, table)
    assert not any(info.state.is_pending for info in drivers.client.compactions())


@pytest.mark.beyond_the_gate("`unit/compaction/test_worker_failures.py`; one of the cells")
def test_after_a_killed_session_the_same_and_another_table_are_compacted_at_once(drivers: Drivers) -> None:
    table, other = build_table(drivers), build_table(drivers)
    with drivers.another_session() as (victim, proxy):
        held = proxy.hold("find_next_compact2", answered=True)
        victim.submit(f"ALTER TABLE {table.name} COMPACT 'major'")
        held.wait()
        victim.kill()
        held.drop()
    assert_compacted(drivers.session, other)
    assert not compact(drivers.session, table)[0], "it may be alive as long as its transaction is"
    wait_until(lambda: not drivers.open_transactions(), "the transaction of the dead has timed out")
    assert_compacted(drivers.session, table)
