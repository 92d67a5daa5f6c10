"""A Cleaner that does not wait for open transactions is asked to leave files alone, before the snapshot is taken."""

from __future__ import annotations

import pytest

from hive_acid.config import Settings
from hive_acid.metastore.memory import MemoryMetastore
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
    return keep_still(TransactionManager(metastore, who, Settings({}), clock, clock.pause_ms))


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
    assert bool(build(line, settings).begin("db.one").keep_files([ONE])) == asked


def test_it_is_asked_once_for_each_table() -> None:
    manager = build(MetastoreLine.HIVE_4, {SETTING: "true"})
    metastore = manager.metastore
    assert isinstance(metastore, MemoryMetastore)
    transaction = manager.begin("db.one")
    assert transaction.keep_files([]) == frozenset()
    assert transaction.keep_files([ONE]) == {ONE}
    assert transaction.keep_files([OTHER, ONE]) == {OTHER}
    assert transaction.keep_files([ONE, OTHER]) == frozenset()
    assert metastore.kept == {transaction.txn_id: {ONE, OTHER}}


def test_it_is_not_asked_where_it_waits_for_transactions() -> None:
    manager = build(MetastoreLine.HIVE_4, {})
    metastore = manager.metastore
    assert isinstance(metastore, MemoryMetastore)
    assert manager.begin("db.one").keep_files([ONE]) == frozenset()
    assert metastore.kept == {}
