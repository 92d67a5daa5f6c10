"""A Cleaner that does not wait for open transactions is asked to leave files alone, before the snapshot is taken."""

from __future__ import annotations

import threading

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, TransactionAborted, build_error
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from support.faults import Clock
from support.statements import keep_still

ONE, OTHER = TableName("db", "one"), TableName("db", "other")
SETTING = "metastore.txn.use.minhistorywriteid"


def build(line: MetastoreLine, settings: dict[str, str]) -> TransactionManager:
    metastore, clock = MemoryMetastore(line, settings=settings), Clock()
    who = Identity("user", "host", "agent")
    return keep_still(TransactionManager(metastore, who, Settings({}), clock.timing))


@pytest.mark.parametrize(
    ("line", "settings", "asked"),
    [
        (MetastoreLine.HIVE_4, {SETTING: "TRUE"}, True),
        (MetastoreLine.HIVE_4, {"hive.txn.use.minhistorywriteid": "true"}, True),
        (MetastoreLine.HIVE_4, {SETTING: "false", "hive.txn.use.minhistorywriteid": "true"}, False),
        (MetastoreLine.HIVE_4, {}, False),
        (MetastoreLine.HIVE_3, {SETTING: "true"}, False),
    ],
)
def test_the_metastores_setting_says_whether_it_has_to_be_asked(
    line: MetastoreLine, settings: dict[str, str], asked: bool
) -> None:
    manager = build(line, settings)
    metastore = manager.metastore
    assert isinstance(metastore, MemoryMetastore)
    manager.begin("db.one").keep_files([ONE])
    assert bool(metastore.kept) == asked


@pytest.fixture
def manager() -> TransactionManager:
    return build(MetastoreLine.HIVE_4, {SETTING: "true"})


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_transaction_that_the_metastore_has_ended_is_not_said_to_time_out(
    manager: TransactionManager, monkeypatch: pytest.MonkeyPatch, is_forgotten: bool
) -> None:
    transaction = manager.begin("db.one")

    def refuse(txn_id: int) -> None:
        raise build_error("HIVE_ACID_METASTORE_REFUSED", method="abort_txn", reason=f"No such transaction {txn_id}")

    monkeypatch.setattr(manager.metastore, "abort", refuse)
    if is_forgotten:
        monkeypatch.setattr(manager.metastore, "transaction_state", lambda txn_id: None)
    error = RuntimeError("the job failed")
    assert transaction.abort_because(error)
    notes = getattr(error, "__notes__", [])
    assert bool(notes) != is_forgotten
    assert not notes or "will time out" in notes[0]


def told(manager: TransactionManager) -> dict[int, set[TableName]]:
    assert isinstance(manager.metastore, MemoryMetastore)
    return manager.metastore.kept


def test_it_is_asked_once_for_each_table(manager: TransactionManager, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[TableName]] = []
    monkeypatch.setattr(manager.metastore, "keep_files", lambda _, tables: calls.append(list(tables)))
    transaction = manager.begin("db.one")
    for tables in ([], [ONE], [OTHER, ONE], [ONE, OTHER]):
        transaction.keep_files(tables)
    assert calls == [[ONE], [OTHER]]


@pytest.mark.parametrize("end", ["commit", "abort", "end_read"])
def test_nothing_is_told_of_a_transaction_that_has_ended(manager: TransactionManager, end: str) -> None:
    """The metastore would keep it for ever, and the Cleaner off the table."""
    transaction = manager.begin("db.one")
    getattr(transaction, end)()
    with pytest.raises(HiveAcidError):
        transaction.keep_files([ONE])
    assert told(manager) == {}


def test_nothing_more_is_told_of_one_that_somebody_has_aborted(manager: TransactionManager) -> None:
    transaction = manager.begin("db.one")
    transaction.keep_files([ONE])
    manager.metastore.abort(transaction.txn_id)
    with pytest.raises(TransactionAborted):
        transaction.keep_files([OTHER])
    assert told(manager) == {transaction.txn_id: {ONE}}


def test_the_end_waits_for_what_is_on_its_way(manager: TransactionManager, monkeypatch: pytest.MonkeyPatch) -> None:
    transaction, sent, goes_on = manager.begin("db.one"), threading.Event(), threading.Event()
    order: list[str] = []

    def keep(*_: object) -> None:
        sent.set()
        assert goes_on.wait(30)
        order.append("told")

    monkeypatch.setattr(manager.metastore, "keep_files", keep)
    monkeypatch.setattr(manager.metastore, "commit", lambda _: order.append("ended"))
    telling = threading.Thread(target=transaction.keep_files, args=([ONE],))
    telling.start()
    assert sent.wait(30)
    ending = threading.Thread(target=transaction.end_read)
    ending.start()
    goes_on.set()
    telling.join(30)
    ending.join(30)
    assert order == ["told", "ended"]


def test_its_own_snapshot_tells_whether_there_are_younger_ones(manager: TransactionManager) -> None:
    older, transaction = manager.begin("db.one"), manager.begin("db.one")
    assert transaction.own_snapshot() == manager.metastore.valid_transactions(transaction.txn_id)
    assert not transaction.has_younger
    assert older.own_snapshot() == manager.metastore.valid_transactions(older.txn_id)
    assert older.has_younger
