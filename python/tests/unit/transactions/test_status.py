"""What `hive-acid txn status` says, of every state a transaction can be in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.cli import main
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.table import TableName
from hive_acid_ops.transaction_status import find_status, format_json, format_text
from support.fake_metastore_server import FakeMetastoreServer, no_transactions
from support.metastore_setup import MemorySetup

UPDATE = OperationKind.UPDATE


@pytest.fixture
def metastore() -> MemoryMetastore:
    return MemoryMetastore(MetastoreLine.HIVE_4)


@pytest.fixture
def table(metastore: MemoryMetastore) -> TableName:
    return MemorySetup(metastore).create_table("flat")


def begin(metastore: MemoryMetastore, table: TableName, kind: LockKind = LockKind.EXCL_WRITE) -> int:
    txn_id = metastore.open_transaction("ada", "engine", "a test")
    metastore.allocate_write_id(txn_id, table)
    metastore.lock(txn_id, [LockComponent(table, kind, UPDATE)], "ada", "engine", "a test")
    return txn_id


def test_of_an_open_transaction_it_is_said_who_has_it_and_what_it_locks(
    metastore: MemoryMetastore, table: TableName
) -> None:
    first, second = begin(metastore, table), begin(metastore, table)
    status = find_status(metastore, second)
    assert status.state is TransactionState.OPEN
    assert [lock.txn_id for lock in status.locks] == [second]
    text = format_text(status)
    assert text.startswith(f"transaction {second}: open\n")
    for fact in ("ada", "engine", "a test", f"EXCL_WRITE on {table}, waiting for lock", "hive.txn.timeout"):
        assert fact in text
    assert f"EXCL_WRITE on {table}\n" in format_text(find_status(metastore, first))


def test_an_aborted_transaction_is_told_with_who_had_it(metastore: MemoryMetastore, table: TableName) -> None:
    txn_id = begin(metastore, table)
    metastore.abort(txn_id)
    text = format_text(find_status(metastore, txn_id))
    assert text.startswith(f"transaction {txn_id}: aborted\n")
    assert "ada" in text
    assert "run its statement again" in text


def test_a_committed_transaction_is_told(metastore: MemoryMetastore, table: TableName) -> None:
    txn_id = begin(metastore, table)
    metastore.commit(txn_id)
    text = format_text(find_status(metastore, txn_id))
    assert text.startswith(f"transaction {txn_id}: committed\n")
    assert "do not run its statement again" in text


def test_an_id_that_was_not_given_out_yet_is_told_from_one_that_was_forgotten(metastore: MemoryMetastore) -> None:
    status = find_status(metastore, 7)
    assert (status.state, status.has_begun) == (None, False)
    assert "not given out the ID yet" in format_text(status)


def test_the_object_has_the_times_and_locks(metastore: MemoryMetastore, table: TableName) -> None:
    txn_id = begin(metastore, table)
    answer = json.loads(format_json(find_status(metastore, txn_id)))
    (lock,) = answer.pop("locks")
    assert lock == {
        "id": lock["id"],
        "database": table.database,
        "table": table.table,
        "partition": None,
        "kind": "EXCL_WRITE",
        "state": "acquired",
        "blockedBy": None,
    }
    started = metastore.transactions()[0].started_ms
    assert answer == {
        "id": txn_id,
        "state": "open",
        "hasBegun": True,
        "user": "ada",
        "host": "engine",
        "agent": "a test",
        "startedMs": started,
        "lastHeartbeatMs": metastore.transactions()[0].last_heartbeat_ms,
    }


@pytest.fixture
def server() -> Iterator[FakeMetastoreServer]:
    """Transaction 5 of 9 is not listed; what became of it, a test says."""
    with FakeMetastoreServer() as server:
        server.answers["get_open_txns"] = [lambda: no_transactions(9)]
        server.answers["get_open_txns_info"] = [lambda: ttypes.GetOpenTxnsInfoResponse(9, [])]
        server.answers["show_locks"] = [lambda _: ttypes.ShowLocksResponse([])]
        server.answers["heartbeat"] = [no_such]
        server.answers["commit_txn"] = [no_such]
        yield server


def no_such(*_: object) -> None:
    raise ttypes.NoSuchTxnException("no such transaction")


def aborted(*_: object) -> None:
    raise ttypes.TxnAbortedException("already aborted")


def done(*_: object) -> None:
    """Whatever was asked has been done."""


@pytest.mark.parametrize(
    ("method", "answer", "code", "state"),
    [
        ("commit_txn", done, 0, "committed"),
        ("heartbeat", aborted, 3, "aborted"),
        ("heartbeat", done, 4, "open"),
        ("commit_txn", no_such, 5, "unknown"),
    ],
)
def test_the_exit_code_tells_the_state(
    server: FakeMetastoreServer, capsys: pytest.CaptureFixture[str], method: str, answer: object, code: int, state: str
) -> None:
    server.answers[method] = [answer]
    assert main(["txn", "status", "5", "--json", "--metastore", server.uri]) == code
    assert json.loads(capsys.readouterr().out)["state"] == state
    main(["txn", "status", "5", "--metastore", server.uri])
    said = capsys.readouterr().out
    assert said.startswith(f"transaction 5: {'cannot be told' if state == 'unknown' else state}\n")


def test_hive_site_names_the_metastore(
    server: FakeMetastoreServer, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("conf")
    entry = f"<property><name>hive.metastore.uris</name><value>{server.uri}</value></property>"
    (folder / "hive-site.xml").write_text(f"<configuration>{entry}</configuration>")
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.setenv("HIVE_CONF_DIR", str(folder))
    assert main(["txn", "status", "5"]) == 5


def test_without_a_metastore_the_reason_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # in which no metastore was left running
    for name in ("SPARK_CONF_DIR", "HIVE_CONF_DIR", "HADOOP_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["txn", "status", "5"]) == 2
    assert "--metastore thrift://host:port" in capsys.readouterr().err


def test_a_hive_site_that_is_no_xml_is_named(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("conf")
    (folder / "hive-site.xml").write_text("<configuration>")
    monkeypatch.setenv("SPARK_CONF_DIR", str(folder))
    assert main(["txn", "status", "5"]) == 2
    assert f"{folder / 'hive-site.xml'} cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0", "-1", "five"])
def test_what_is_no_id_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["txn", "status", "--", text])
    assert raised.value.code == 2
    assert "N" in capsys.readouterr().err
