"""ABORT COMPACTIONS takes out of the queue what nobody has begun, and tells what became of each."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid_ops.statements.abort_compactions import abort_compactions


def request(memory: MemoryMetastore, table: str, pool: str | None = None) -> int:
    made = memory.request_compaction(CompactionRequest(TableName("db", table), CompactionKind.MAJOR, pool=pool))
    assert made.id is not None
    return made.id


def test_one_that_nobody_has_begun_is_aborted_and_another_is_told_of() -> None:
    memory = MemoryMetastore(MetastoreLine.HIVE_4)
    waiting, begun = request(memory, "t"), request(memory, "u", pool="p")
    memory.next_compaction("worker", "test", "p")
    rows = abort_compactions(memory, [begun, 99, waiting])
    assert [row[:2] for row in rows] == [(begun, "Error"), (99, "Error"), (waiting, "Success")]
    states = {info.id: info.state for info in memory.compactions()}
    assert states == {waiting: CompactionState.ABORTED, begun: CompactionState.WORKING}


def test_hive_3_has_no_such_call() -> None:
    memory = MemoryMetastore(MetastoreLine.HIVE_3)
    waiting = request(memory, "t")
    with pytest.raises(UnsupportedOperation) as raised:
        abort_compactions(memory, [waiting])
    assert raised.value.getCondition() == "HIVE_ACID_COMPACTIONS_NOT_ABORTED"
    assert [info.state for info in memory.compactions()] == [CompactionState.INITIATED]
