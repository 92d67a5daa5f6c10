"""Ctrl-C in a statement that alters a table: the JVM goes on with it, and so its locks are held until it has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockKind, LockState
from hive_acid.model.table import TableName
from support.polling import eventually
from support.session_process import SessionProcess, StatementFailed
from support.thrift_proxy import ThriftProxy

TABLE = TableName("interrupted_alters", "t")
ACID = "STORED AS ORC TBLPROPERTIES ('transactional' = 'true')"
DROP = "drop_partition_with_environment_context"
"""A call of Spark's own client, one for each partition."""
STAYS_S = 1.0


@pytest.fixture
def session(proxy: ThriftProxy, metastore: EmbeddedMetastore, tmp_path: Path) -> Iterator[SessionProcess]:
    with ExitStack() as running:
        session = running.enter_context(SessionProcess(tmp_path / "spark", proxy.uri, metastore.warehouse))
        session.sql(f"CREATE DATABASE {TABLE.database}")
        running.callback(session.sql, f"DROP DATABASE {TABLE.database} CASCADE")
        session.sql(f"CREATE TABLE {TABLE} (id INT) PARTITIONED BY (d INT) {ACID}")
        session.sql(f"INSERT INTO {TABLE} VALUES (1, 1), (2, 2), (3, 3)")
        yield session


def is_locked(client: ThriftMetastore) -> bool:
    locks = client.held_locks(TABLE)
    return any(lock.kind is LockKind.EXCLUSIVE and lock.state is LockState.ACQUIRED for lock in locks)


def test_nobody_writes_into_a_partition_that_is_about_to_be_dropped(
    session: SessionProcess, proxy: ThriftProxy, client: ThriftMetastore
) -> None:
    call = proxy.hold(DROP)
    running = session.submit(f"ALTER TABLE {TABLE} DROP PARTITION (d = 1), PARTITION (d = 2)", thread="main")
    call.wait()
    session.interrupt()
    assert not eventually(lambda: not is_locked(client), STAYS_S)
    call.release()
    with pytest.raises(StatementFailed, match="KeyboardInterrupt"):
        running.result(60)
    assert eventually(lambda: not client.held_locks(TABLE))
    assert client.partition_names(TABLE) == ["d=3"]
    assert session.sql(f"SELECT id FROM {TABLE}") == [(3,)]
