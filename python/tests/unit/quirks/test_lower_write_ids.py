"""The Cleaner may take a base that is not committed only where a compaction of the table is known to the queue."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.model.table import TableName
from hive_acid.quirks.lower_write_ids import can_be_cleaned

SALES = TableName("db", "sales")


@pytest.mark.parametrize(
    ("state", "may_come"),
    [
        (CompactionState.INITIATED, True),
        (CompactionState.READY, True),
        (CompactionState.UNKNOWN, True),
        (CompactionState.SUCCEEDED, False),
    ],
)
def test_the_cleaner_may_come_in_a_state_of_a_later_release(state: CompactionState, may_come: bool) -> None:
    metastore = MemoryMetastore()
    asked = metastore.request_compaction(CompactionRequest(SALES, CompactionKind.MAJOR))
    assert asked.id is not None
    metastore._compactions._change(asked.id, state=state)
    assert can_be_cleaned(metastore, SALES) is may_come
    assert not can_be_cleaned(metastore, TableName("db", "other"))
