"""Metastores whose Cleaner waits for no transaction are not worked with."""

from __future__ import annotations

import pytest

from hive_acid.config import Settings
from hive_acid.errors import ConfigurationError
from hive_acid.metastore.memory import MemoryMetastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from support.faults import Clock


def build(line: MetastoreLine, settings: dict[str, str]) -> TransactionManager:
    metastore, clock = MemoryMetastore(line, settings=settings), Clock()
    return TransactionManager(metastore, Identity("user", "host", "agent"), Settings({}), clock, clock.pause_ms)


@pytest.mark.parametrize("name", ["metastore.txn.use.minhistorywriteid", "hive.txn.use.minhistorywriteid"])
def test_a_cleaner_that_waits_for_announced_write_ids_alone_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        build(MetastoreLine.HIVE_4, {name: "TRUE"})
    assert raised.value.getCondition() == "HIVE_ACID_CONFIGURATION.MIN_HISTORY_WRITE_ID"
    build(MetastoreLine.HIVE_4, {name: "false"})
    build(MetastoreLine.HIVE_3, {name: "true"})
