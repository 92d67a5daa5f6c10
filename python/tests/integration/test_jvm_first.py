"""Programs of Spark's that no Python sets up: the Thrift server with JDBC, and `spark-sql`, by settings alone."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from support.drivers import open_transactions, wait_until
from support.jdbc import Connection, JdbcClient, Refused, jdbc_client
from support.other_user import NOBODY, act_as, call_back, find_answers, read
from support.processes import find_listening, measure
from support.spark_programs import Program, program_settings, started, started_thrift_server

POOLS = ("shuffle-exchang", "broadcast-excha", "block-manager", "ResultQueryStag", "HiveServer2")
"""Spark's own, which grow up to a bound."""
SPARE = 12
"""Threads and files that come and go."""
TRANSACTIONAL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@pytest.fixture(scope="module")
def served(
    metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Program, JdbcClient]]:
    """A Thrift server and its client."""
    folder = tmp_path_factory.mktemp("server")
    with started_thrift_server(metastore, folder) as (server, port), jdbc_client(port) as client:
        yield server, client


@pytest.fixture
def server(served: tuple[Program, JdbcClient]) -> Program:
    return served[0]


@pytest.fixture
def jdbc(served: tuple[Program, JdbcClient]) -> JdbcClient:
    return served[1]


@pytest.fixture
def table() -> TableName:
    return TableName("default", f"jvm_{uuid.uuid4().hex[:10]}")


def fill(session: Connection, table: TableName) -> None:
    session.sql(f"CREATE TABLE {table} (id INT, v INT) {TRANSACTIONAL}")
    session.sql(f"INSERT INTO {table} SELECT int(id), 0 FROM range(10)")


@contextmanager
def locked(client: ThriftMetastore, table: TableName) -> Iterator[None]:
    """Another client holds the lock of a change."""
    who = ("somebody", "elsewhere", "their tool")
    txn_id = client.open_transaction(*who)
    client.allocate_write_id(txn_id, table)
    client.lock(txn_id, [LockComponent(table, LockKind.EXCL_WRITE, OperationKind.UPDATE, None)], *who)
    try:
        yield
    finally:
        client.abort(txn_id)


def is_waited_for(client: ThriftMetastore, table: TableName) -> bool:
    return any(lock.state is LockState.WAITING for lock in client.held_locks(table))


def is_to_be_dropped(client: ThriftMetastore, table: TableName) -> bool:
    """Not the INSERT's lock, which is waiting for a moment, too, before the metastore grants it."""
    waiting = [lock for lock in client.held_locks(table) if lock.state is LockState.WAITING]
    return any(lock.kind is LockKind.EXCLUSIVE for lock in waiting)


def test_statements_by_jdbc(server: Program, jdbc: JdbcClient, table: TableName, client: ThriftMetastore) -> None:
    with jdbc.connect() as session:
        fill(session, table)
        assert session.sql(f"UPDATE {table} SET v = 1 WHERE id < 3") == [(3,)]
        assert session.sql(f"DELETE FROM {table} WHERE id = 9") == [(1,)]
        merge = f"MERGE INTO {table} t USING (SELECT 8 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 5"
        assert session.sql(merge)[0][0] == 1
        assert session.sql(f"SELECT count(*), sum(v), min(ROW__ID.rowid) FROM {table}") == [(9, 8, 0)]
        wait_until(
            lambda: session.sql("SHOW TRANSACTIONS") == [], "no transaction is shown"
        )  # a reader ends behind its rows
    assert len(server.sidecars()) == 1
    wait_until(lambda: not open_transactions(client), "no transaction is left")


def test_a_session_has_its_own_settings_and_an_error_its_condition_and_state(
    jdbc: JdbcClient, table: TableName
) -> None:
    with jdbc.connect() as strict, jdbc.connect() as other:
        fill(strict, table)
        strict.sql("SET spark.hiveacid.guard.maxRows=1")
        with pytest.raises(Refused) as caught:
            strict.sql(f"DELETE FROM {table} WHERE id < 2")
        assert "[HIVE_ACID_TOO_MANY_ROWS]" in caught.value.message
        assert caught.value.sql_state == "54000"
        assert other.sql(f"DELETE FROM {table} WHERE id < 2") == [(2,)]


def test_statements_between_start_and_commit_are_one_transaction_of_their_connection(
    jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    with jdbc.connect() as session, jdbc.connect() as other:
        fill(session, table)
        session.sql("START TRANSACTION")
        assert session.sql(f"DELETE FROM {table} WHERE id < 3") == [(3,)]
        assert session.sql(f"INSERT INTO {table} VALUES (20, 1)") == [(1,)]
        assert session.sql(f"SELECT count(*) FROM {table}") == [(8,)]
        assert other.sql(f"SELECT count(*) FROM {table}") == [(10,)], "nobody else sees any of it"
        with pytest.raises(Refused) as caught:
            other.sql("COMMIT")
        assert "[HIVE_ACID_TRANSACTION_STATE.NONE]" in caught.value.message
        assert caught.value.sql_state == "25000"
        session.sql("COMMIT")
        assert other.sql(f"SELECT count(*) FROM {table}") == [(8,)]
        session.sql("START TRANSACTION")
        session.sql(f"UPDATE {table} SET v = 7")
        session.sql("ROLLBACK")
        with jdbc.connect() as later:
            assert later.sql(f"SELECT sum(v) FROM {table}") == [(1,)]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@pytest.mark.beyond_the_gate("the cell of a transaction by JDBC; `unit/operators/test_session_transactions.py`")
def test_a_connection_that_closes_undoes_its_transaction_and_no_other_one(
    jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    with jdbc.connect() as staying:
        fill(staying, table)
        with jdbc.connect() as closing:
            closing.sql("START TRANSACTION")
            closing.sql(f"INSERT INTO {table} VALUES (30, 1)")
            staying.sql("START TRANSACTION")
            staying.sql(f"INSERT INTO {table} VALUES (40, 1)")
            assert len(open_transactions(client)) == 2
        wait_until(lambda: len(open_transactions(client)) == 1, "one is undone")
        staying.sql("COMMIT")
        assert staying.sql(f"SELECT max(id) FROM {table}") == [(40,)]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@pytest.mark.beyond_the_gate("the cell of a transaction by JDBC; `unit/operators/test_session_transactions.py`")
def test_a_transaction_of_a_side_car_that_was_killed_cannot_be_committed(
    server: Program, jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    with jdbc.connect() as session:
        fill(session, table)
        session.sql("START TRANSACTION")
        session.sql(f"DELETE FROM {table}")
        killed = server.sidecar()
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{killed}").exists(), "the side-car has ended")
        with pytest.raises(Refused) as caught:
            session.sql("COMMIT")
        assert "[HIVE_ACID_TRANSACTION_STATE.ENDED]" in caught.value.message
        assert session.sql(f"SELECT count(*) FROM {table}") == [(10,)]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")
def test_a_side_car_and_the_gateway_that_it_calls_answer_nobody_else(server: Program, jdbc: JdbcClient) -> None:
    with jdbc.connect() as session:
        session.sql("SHOW TRANSACTIONS")
    sidecar = server.sidecar()
    assert find_answers(find_listening(sidecar)) == ""
    environment = Path(f"/proc/{sidecar}/environ")
    told = dict(word.partition("=")[::2] for word in environment.read_text().split("\0"))
    assert act_as(NOBODY, read, str(environment)) == ""
    port = told["PYSPARK_GATEWAY_PORT"]
    answers = act_as(NOBODY, call_back, port).splitlines()
    assert set(answers) <= {f"{port} !xsAuthentication error: unexpected command."}  # or the reset was faster


@pytest.mark.beyond_the_gate("statements by JDBC; the suites of `hiveacid.sidecar`")
def test_statements_of_many_sessions_run_at_once_through_one_side_car(
    server: Program, jdbc: JdbcClient, table: TableName
) -> None:
    def insert(number: int) -> None:
        with jdbc.connect() as session:
            session.sql(f"INSERT INTO {table} VALUES ({number}, {number})")
            session.sql(f"UPDATE {table} SET v = v + 1 WHERE id = {number}")

    with jdbc.connect() as session, ThreadPoolExecutor(4) as threads:
        session.sql(f"CREATE TABLE {table} (id INT, v INT) {TRANSACTIONAL}")
        list(threads.map(insert, range(8)))
        assert session.sql(f"SELECT count(*), sum(v) FROM {table}") == [(8, 36)]
    assert len(server.sidecars()) == 1


@pytest.mark.slow
def test_many_statements_and_sessions_leave_no_thread_and_no_file(
    server: Program, jdbc: JdbcClient, table: TableName
) -> None:
    def change(number: int) -> None:
        with jdbc.connect() as session:
            session.sql(f"INSERT INTO {table} VALUES ({number}, 0)")
            session.sql(f"DELETE FROM {table} WHERE id = {number}")
            session.sql(f"SELECT count(*) FROM {table} a JOIN {table} b ON a.id = b.id")

    with jdbc.connect() as session:
        session.sql(f"CREATE TABLE {table} (id INT, v INT) {TRANSACTIONAL}")
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(change, range(15)))
        processes = (server.process.pid, server.sidecar())
        before = [measure(process) for process in processes]
        list(threads.map(change, range(40)))
        after = [measure(process) for process in processes]
    for early, late in zip(before, after, strict=True):
        more = late.threads - early.threads
        assert late.files <= early.files + SPARE, more
        assert late.count_threads(but=POOLS) <= early.count_threads(but=POOLS) + SPARE, more


def test_a_statement_that_is_cancelled_while_it_waits_leaves_nothing(
    jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    with jdbc.connect() as session, ThreadPoolExecutor(1) as threads:
        fill(session, table)
        with locked(client, table):
            waiting = threads.submit(session.sql, f"UPDATE {table} SET v = 7")
            wait_until(lambda: is_waited_for(client, table), "it waits")
            session.cancel()
            with pytest.raises(Refused):
                waiting.result(30)
            wait_until(lambda: not is_waited_for(client, table), "it waits no longer")
        assert session.sql(f"SELECT sum(v) FROM {table}") == [(0,)]
    wait_until(lambda: not open_transactions(client), "no transaction is left")


def test_a_side_car_that_is_killed_is_named_and_the_next_statement_has_another(
    server: Program, jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    with jdbc.connect() as session, ThreadPoolExecutor(1) as threads:
        fill(session, table)
        killed = server.sidecar()
        with locked(client, table):
            waiting = threads.submit(session.sql, f"UPDATE {table} SET v = 7")
            wait_until(lambda: is_waited_for(client, table), "it waits")
            os.kill(killed, signal.SIGKILL)
            with pytest.raises(Refused) as caught:
                waiting.result(30)
        assert "[HIVE_ACID_PYTHON_ENDED]" in caught.value.message
        assert "Nothing was committed" in caught.value.message
        assert caught.value.sql_state == "58000"
        assert session.sql(f"SELECT sum(v) FROM {table}") == [(0,)]
        assert server.sidecar() != killed
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@pytest.mark.slow
def test_a_side_car_that_is_killed_while_a_created_table_is_taken_back_says_that_it_stays(
    server: Program, jdbc: JdbcClient, table: TableName, client: ThriftMetastore
) -> None:
    made = TableName(table.database, f"{table.table}_made")
    query = "SELECT int(raise_error(concat('on purpose', java_method('java.lang.Thread', 'sleep', 8000L)))) AS id"
    with jdbc.connect() as session, ThreadPoolExecutor(1) as threads:
        creating = threads.submit(session.sql, f"CREATE TABLE {made} {TRANSACTIONAL} AS {query}")
        wait_until(lambda: made in client.table_names(), "the table is made")
        with locked(client, made):
            wait_until(lambda: is_to_be_dropped(client, made), "it waits for the table that it is to drop")
            os.kill(server.sidecar(), signal.SIGKILL)
            with pytest.raises(Refused) as caught:
                creating.result(30)
        assert "[HIVE_ACID_PYTHON_ENDED]" in caught.value.message
        assert "The table was created, without rows." in caught.value.message
        assert session.sql(f"SELECT count(*) FROM {made}") == [(0,)]
        session.sql(f"DROP TABLE {made}")
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@pytest.mark.beyond_the_gate(
    "cancelled statements in `integration/faults/test_matrix.py`; the suites of `hiveacid.sidecar`; "
    "the other tests of `integration/test_jvm_first.py`"
)
def test_spark_sql_hears_ctrl_c_and_leaves_nothing_when_it_is_killed(
    metastore: EmbeddedMetastore, client: ThriftMetastore, table: TableName, tmp_path: Path
) -> None:
    with started(["spark-sql"], program_settings(metastore, tmp_path), tmp_path) as shell:
        shell.say(f"CREATE TABLE {table} (id INT, v INT) {TRANSACTIONAL};\n")
        shell.say(f"INSERT INTO {table} VALUES (1, 10), (2, 20);\nDELETE FROM {table} WHERE id = 1;\n")
        shell.say(f"SELECT concat('SUM ', sum(v)) FROM {table};\n")
        shell.wait_for("SUM 20")
        sidecar = shell.sidecar()
        with locked(client, table):
            shell.say(f"UPDATE {table} SET v = 7;\n")
            wait_until(lambda: is_waited_for(client, table), "it waits")
            os.killpg(shell.process.pid, signal.SIGINT)  # as a terminal does
            shell.wait_for("[HIVE_ACID_CANCELLED]", in_log=True)
            shell.say(f"DELETE FROM {table} WHERE id = 2;\n")
            wait_until(lambda: is_waited_for(client, table), "the next one waits")
            assert shell.sidecar() == sidecar
            shell.process.kill()
            wait_until(lambda: not Path(f"/proc/{sidecar}").exists(), "the side-car has ended")
            wait_until(lambda: not is_waited_for(client, table), "its statement has ended")


@pytest.mark.beyond_the_gate("the cell of a transaction by JDBC; `unit/operators/test_session_transactions.py`")
def test_spark_sql_undoes_what_is_open_when_it_ends(
    metastore: EmbeddedMetastore, client: ThriftMetastore, table: TableName, tmp_path: Path
) -> None:
    with started(["spark-sql"], program_settings(metastore, tmp_path), tmp_path) as shell:
        shell.say(f"CREATE TABLE {table} (id INT) {TRANSACTIONAL};\nINSERT INTO {table} VALUES (1), (2);\n")
        shell.say(f"START TRANSACTION;\nINSERT INTO {table} VALUES (3);\nCOMMIT;\n")
        shell.say(f"START TRANSACTION;\nDELETE FROM {table};\nSELECT concat('ROWS ', count(*)) FROM {table};\n")
        shell.wait_for("ROWS 0")
        shell.say(f"ROLLBACK;\nSELECT concat('ROWS ', count(*)) FROM {table};\n")
        shell.wait_for("ROWS 3")
        shell.say(f"START TRANSACTION;\nDELETE FROM {table};\nSELECT concat('NONE OF ', count(*)) FROM {table};\n")
        shell.wait_for("NONE OF 0")
        assert open_transactions(client)
        shell.say("exit;\n")
        wait_until(lambda: not open_transactions(client), "no transaction is left")
