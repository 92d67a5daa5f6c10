"""Several writers at once: no row comes back, none is lost, and a reader sees only states that were committed.

One writer is the session of the tests, the other a process of its own behind a proxy that holds its calls, so that the
statements meet where the test wants them to.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow.orc
import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import LockState
from hive_acid.model.table import TableName
from support.drivers import open_transactions, wait_until
from support.session_process import SessionProcess, StatementFailed
from support.thrift_proxy import ThriftProxy

BEFORE_THE_LOCK = ("open_txns", "get_open_txns", "get_valid_write_ids", "allocate_table_write_ids", "lock")
UNDER_THE_LOCK = ("get_latest_txnid_in_conflict", "update_table_column_statistics_req", "commit_txn")


@dataclass(frozen=True)
class Other:
    """The second writer, which tries a statement once."""

    session: SessionProcess
    proxy: ThriftProxy

    @contextmanager
    def held_at(self, method: str, statement: str) -> Iterator[Future[list[tuple[Any, ...]]]]:
        """Starts the statement; within the block it waits before the call, after it goes on."""
        held = self.proxy.hold(method)
        running = self.session.submit(statement)
        held.wait()
        try:
            yield running
        finally:
            held.release()


@pytest.fixture(scope="module")
def other(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Other]:
    folder, once = tmp_path_factory.mktemp("other"), {"spark.hiveacid.statement.maxAttempts": "1"}
    with (
        ThriftProxy(metastore.uri) as proxy,
        SessionProcess(folder, proxy.uri, metastore.warehouse, once) as session,
    ):
        session.wait_started()
        yield Other(session, proxy)


@pytest.fixture
def numbers(tables: Any) -> TableName:
    """A table with the rows 0 to 99."""
    name: TableName = tables.create("numbers", "id INT")
    tables.sql("INSERT INTO numbers SELECT int(id) FROM range(100)")
    return name


def ids(tables: Any) -> list[int]:
    return [row[0] for row in tables.sql("SELECT id FROM numbers ORDER BY id")]


def delete_events(tables: Any) -> list[tuple[int, int, int]]:
    """The row IDs in all delete deltas, as the files hold them."""
    found = []
    for path in tables.location("numbers").glob("delete_delta_*/bucket_*"):
        rows = pyarrow.orc.read_table(path, columns=["originalTransaction", "bucket", "rowId"]).to_pylist()
        found += [(row["originalTransaction"], row["bucket"], row["rowId"]) for row in rows]
    return found


def assert_deleted_once(tables: Any, expected: list[int]) -> None:
    """These rows are left, and no victim was deleted twice: repeated events bring rows back in Hive."""
    assert ids(tables) == expected
    events = delete_events(tables)
    assert len(events) == len(set(events))
    wait_until(lambda: not open_transactions(tables.client), "writes and reads have ended")
    assert tables.client.held_locks(TableName(tables.database, "numbers")) == []


@pytest.mark.beyond_the_gate("`unit/execution/test_conflicts.py`; one call of each kind", but=["lock"])
@pytest.mark.parametrize("method", BEFORE_THE_LOCK)
def test_of_two_deletes_of_a_row_the_one_that_locks_later_loses(
    tables: Any, other: Other, numbers: TableName, method: str
) -> None:
    with other.held_at(method, f"DELETE FROM {numbers} WHERE id IN (7, 8)") as running:
        assert tables.sql(f"DELETE FROM {numbers} WHERE id IN (7, 9)") == [(2,)]
    if method == "open_txns":  # it began after the other had ended
        assert running.result() == [(1,)]
        left = {7, 8, 9}
    else:
        with pytest.raises(StatementFailed) as raised:
            running.result()
        assert (raised.value.condition, raised.value.state) == ("HIVE_ACID_WRITE_CONFLICT.CHANGED_BY", "40001")
        left = {7, 9}
    assert_deleted_once(tables, sorted(set(range(100)) - left))


@pytest.mark.beyond_the_gate("`unit/execution/test_conflicts.py`; one call of each kind", but=["commit_txn"])
@pytest.mark.parametrize("method", UNDER_THE_LOCK)
def test_a_delete_waits_for_the_lock_of_another_and_then_runs_again(
    tables: Any, other: Other, numbers: TableName, method: str
) -> None:
    with ThreadPoolExecutor(1) as pool:
        with other.held_at(method, f"DELETE FROM {numbers} WHERE id IN (7, 8)") as running:
            own = pool.submit(tables.spark.sql, f"DELETE FROM {numbers} WHERE id IN (7, 9)")
            locks = tables.client.held_locks
            wait_until(lambda: LockState.WAITING in {lock.state for lock in locks(numbers)}, "the second waits")
        assert running.result() == [(2,)]
        assert own.result().collect()[0][0] == 1
    assert_deleted_once(tables, sorted(set(range(100)) - {7, 8, 9}))


def test_of_two_deletes_in_threads_of_one_session_one_loses(tables: Any, other: Other, numbers: TableName) -> None:
    statement = f"DELETE FROM {numbers} WHERE id < 10"
    with other.held_at("lock", statement) as running:
        assert other.session.submit(statement).result() == [(10,)]
    with pytest.raises(StatementFailed, match="HIVE_ACID_WRITE_CONFLICT"):
        running.result()
    assert_deleted_once(tables, list(range(10, 100)))


def test_deletes_that_overlap_take_every_row_once(tables: Any, numbers: TableName) -> None:
    """Four threads of one session that run as they come; those that lose run again."""
    conditions = ("id % 2 = 0", "id % 3 = 0", "id % 5 = 0", "id % 2 = 0 OR id % 3 = 0")
    with ThreadPoolExecutor(len(conditions)) as pool:
        statements = [f"DELETE FROM {numbers} WHERE {condition}" for condition in conditions]
        affected = [row[0][0] for row in pool.map(lambda text: tables.spark.sql(text).collect(), statements)]
    left = [number for number in range(100) if number % 2 and number % 3 and number % 5]
    assert sum(affected) == 100 - len(left)
    assert_deleted_once(tables, left)
    assert len(delete_events(tables)) == 100 - len(left)


@pytest.mark.beyond_the_gate("`unit/execution/test_conflicts.py`; one call of each kind", but=["lock"])
@pytest.mark.parametrize("method", ["get_valid_write_ids", "allocate_table_write_ids", "lock", "commit_txn"])
def test_a_delete_does_not_touch_what_is_inserted_meanwhile(
    tables: Any, other: Other, numbers: TableName, method: str
) -> None:
    with other.held_at(method, f"DELETE FROM {numbers} WHERE id >= 50") as running:
        assert tables.sql(f"INSERT INTO {numbers} VALUES (50), (100)") == [(2,)]
    assert running.result() == [(50,)]
    assert ids(tables) == [*range(50), 50, 100]


@pytest.mark.beyond_the_gate("`unit/execution/test_conflicts.py`; one call of each kind", but=["lock"])
@pytest.mark.parametrize("method", ["get_valid_write_ids", "lock", "commit_txn"])
def test_an_insert_reads_its_snapshot_whatever_is_deleted_meanwhile(
    tables: Any, other: Other, numbers: TableName, method: str
) -> None:
    """The insert's write ID is the lower one when it commits after the delete."""
    with other.held_at(method, f"INSERT INTO {numbers} SELECT id + 100 FROM {numbers} WHERE id < 10") as running:
        assert tables.sql(f"DELETE FROM {numbers} WHERE id < 5 OR id >= 100") == [(5,)]
    assert running.result() == [(10,)]
    assert ids(tables) == list(range(5, 110))


@pytest.mark.beyond_the_gate("`unit/execution/test_conflicts.py`; one call of each kind")
def test_four_writers_in_two_processes_insert_every_row_once(tables: Any, other: Other, numbers: TableName) -> None:
    rounds, rows = 3, 50

    def insert(writer: int, turn: int) -> str:
        first = 1000 + (writer * rounds + turn) * rows
        return f"INSERT INTO {numbers} SELECT int(id) FROM range({first}, {first + rows})"

    def write(writer: int) -> list[int]:
        run = tables.sql if writer % 2 else lambda text: other.session.submit(text).result()
        return [run(insert(writer, turn))[0][0] for turn in range(rounds)]

    with ThreadPoolExecutor(4) as pool:
        affected = list(pool.map(write, range(4)))
    assert affected == [[rows] * rounds] * 4
    assert ids(tables) == [*range(100), *range(1000, 1000 + 4 * rounds * rows)]
    row_ids = tables.sql(f"SELECT count(DISTINCT ROW__ID) FROM {numbers}")
    assert row_ids == [(100 + 4 * rounds * rows,)]


def test_a_reader_sees_every_statement_wholly_or_not_at_all(tables: Any, other: Other, numbers: TableName) -> None:
    """Every statement changes rows in several files; the states it leads through are known."""
    blocks = range(1, 5)
    statements, states = [], [(100, sum(range(100)))]
    for block in blocks:
        first, last = block * 100_000, block * 100_000 + 12_000
        statements.append(f"INSERT INTO {numbers} SELECT int(id) FROM range({first}, {last}, 1, 3)")
        states.append((states[-1][0] + 12_000, states[-1][1] + sum(range(first, last))))
        statements.append(f"DELETE FROM {numbers} WHERE id >= {first} AND id % 2 = 0")
        states.append((states[-1][0] - 6_000, states[-1][1] - sum(range(first, last, 2))))

    def write() -> list[int]:
        return [other.session.submit(text).result()[0][0] for text in statements]

    seen = []
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            seen += tables.sql(f"SELECT count(*), sum(id) FROM {numbers}")
        assert writing.result() == [12_000, 6_000] * len(blocks)
    seen += tables.sql(f"SELECT count(*), sum(id) FROM {numbers}")
    assert set(seen) <= set(states)
    order = [states.index(state) for state in seen]
    assert all(earlier <= later for earlier, later in pairwise(order))
    assert order[-1] == len(statements)
    assert len(set(order)) >= 3  # it did read in between
