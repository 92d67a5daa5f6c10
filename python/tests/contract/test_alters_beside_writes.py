"""Withdrawing statistics reverts nothing that other clients, which ask for no lock, alter at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from hive_acid.errors import MetastoreRefused
from hive_acid.metastore.client import statistics_calls
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.transports.patience import Waits
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from support.metastore_setup import ACCURATE, TRANSACTIONAL, ThriftSetup, thrift_setup
from support.thrift_proxy import ThriftProxy

COUNTED = {"COLUMN_STATS_ACCURATE": ACCURATE, "numRows": "7", "spark.sql.statistics.numRows": "7"}
LONG_AGO = {"transient_lastDdlTime": "1000000000"}
ALTERS = 20


@pytest.fixture
def real(real_uri: str) -> Iterator[ThriftSetup]:
    with thrift_setup(real_uri) as setup:
        yield setup


def withdraw(metastore: ThriftMetastore, table: TableName) -> int:
    """What a write does, in a transaction of its own: its write ID."""
    txn_id = metastore.open_transaction("tester", "testhost", "contract")
    write_id = metastore.allocate_write_id(txn_id, table)
    write_ids = metastore.valid_write_ids([table], metastore.valid_transactions(txn_id))[table]
    metastore.drop_statistics(metastore.table(table), write_id, write_ids)
    metastore.commit(txn_id)
    return write_id


def judge(real: ThriftSetup, table: TableName) -> None:
    """Their alter is there, and no statistics are."""
    found = real.metastore.table(table)
    assert found.parameters["theirs"] == "kept"
    assert [column.name for column in found.columns] == ["id", "v", "added"]
    assert not set(found.parameters) & set(COUNTED)


@pytest.mark.beyond_the_gate(
    "on 4.0.0; an ALTER in the second of the last one, and first writers, on 3.1.3 too", cells=["3.1.3"]
)
def test_an_alter_between_reading_and_writing_stays(real: ThriftSetup) -> None:
    if real.metastore.line is MetastoreLine.HIVE_3:
        return  # which cannot compare: see the next tests
    table = real.create_table("flat", parameters={**TRANSACTIONAL, **LONG_AGO, **COUNTED})
    with ThriftProxy(real.metastore.uri) as proxy, closing(ThriftMetastore(proxy.uri)) as writer:
        hold = proxy.hold("alter_table_req")
        with ThreadPoolExecutor() as threads:
            writing = threads.submit(withdraw, writer, table)
            hold.wait()
            real.alter_beside(table, {"theirs": "kept"}, ["added"])
            hold.release()
            write_id = writing.result()
        assert proxy.calls.count("alter_table_req") == 2
    judge(real, table)
    assert real.stored_write_id(table) == write_id


def test_an_alter_in_the_second_of_the_last_one_stays(real: ThriftSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    table = real.create_table("flat", parameters={**TRANSACTIONAL, **COUNTED})
    stored = real.metastore.table(table).parameters["transient_lastDdlTime"]
    paused: list[int] = []

    def alter_instead(duration_ms: int) -> None:
        paused.append(duration_ms)
        real.alter_beside(table, {"theirs": "kept", "transient_lastDdlTime": stored}, ["added"])

    if real.metastore.line is MetastoreLine.HIVE_3:
        alter_instead(0)
    monkeypatch.setattr(statistics_calls.time, "time", lambda: float(stored))
    with closing(ThriftMetastore(real.metastore.uri, waits=Waits(alter_instead))) as writer:
        withdraw(writer, table)
    judge(real, table)
    assert len(paused) == 1


@pytest.mark.parametrize("real_uri", [pytest.param("4.0.1", marks=pytest.mark.slow)], indirect=True)
@pytest.mark.parametrize("partition_columns", [[], ["d"]], ids=["flat", "partitioned"])
def test_where_values_cannot_be_compared_a_counted_table_stays_as_it_was(
    real: ThriftSetup, partition_columns: list[str]
) -> None:
    """Refused by name, as an unchecked write could take an alter of another client back."""
    counted = {**TRANSACTIONAL, **LONG_AGO, **COUNTED}
    table = real.create_table("counted", partition_columns=partition_columns, parameters=counted)
    before = real.metastore.table(table)
    with pytest.raises(MetastoreRefused, match=r"alter_table"):
        withdraw(real.metastore, table)
    assert real.metastore.table(table) == before


def test_where_there_is_nothing_to_withdraw_no_description_is_written(real: ThriftSetup) -> None:
    table = real.create_table("flat")
    parts = real.create_table("parts", partition_columns=["d"])
    with ThriftProxy(real.metastore.uri) as proxy, closing(ThriftMetastore(proxy.uri)) as writer:
        write_id = withdraw(writer, table)
        withdraw(writer, parts)
        assert [call for call in proxy.calls if "alter" in call] == []
    if real.metastore.line is MetastoreLine.HIVE_4:
        assert real.stored_write_id(table) == write_id
    assert not set(real.metastore.table(table).parameters) & set(COUNTED)


@pytest.mark.beyond_the_gate(
    "on 4.0.0; an ALTER in the second of the last one, and first writers, on 3.1.3 too", cells=["3.1.3-nothing counted"]
)
@pytest.mark.parametrize("counted", [{}, COUNTED], ids=["nothing counted", "counted"])
def test_no_alter_is_lost_beside_three_writers(real: ThriftSetup, counted: dict[str, str]) -> None:
    if counted and real.metastore.line is MetastoreLine.HIVE_3:
        return  # which cannot compare
    table = real.create_table("flat", parameters={**TRANSACTIONAL, **LONG_AGO, **counted})
    has_ended = threading.Event()

    def write() -> int:
        written = 0
        with closing(ThriftMetastore(real.metastore.uri)) as writer:
            # a statement takes longer than this; without any pause a server tries an alter again for more than a minute
            while not has_ended.wait(0.05):
                withdraw(writer, table)
                written += 1
        return written

    with ThreadPoolExecutor() as threads:
        writers = [threads.submit(write) for _ in range(3)]
        try:
            for number in range(ALTERS):
                real.alter_beside(table, {f"theirs.{number}": "kept"})
        finally:
            has_ended.set()
        assert min(writer.result() for writer in writers) > 0
    stored = real.metastore.table(table).parameters
    assert [number for number in range(ALTERS) if f"theirs.{number}" not in stored] == []


def test_all_first_writers_of_a_flat_table_are_done(real: ThriftSetup) -> None:
    """On 4.x each moves the write ID of the table for the first time, by which two collide in the server."""
    writers = 4
    for number in range(5):
        table, at_once = real.create_table(f"fresh{number}"), threading.Barrier(writers)

        def write(table: TableName = table, at_once: threading.Barrier = at_once) -> int:
            with closing(ThriftMetastore(real.metastore.uri)) as writer:
                at_once.wait()
                return withdraw(writer, table)

        with ThreadPoolExecutor(writers) as threads:
            written = [threads.submit(write) for _ in range(writers)]
        assert sorted(one.result() for one in written) == list(range(1, writers + 1))
