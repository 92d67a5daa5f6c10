"""Entries of the queue that only Hive's workers can do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from support.statements import TABLE, build_table
from unit.compaction.worker_shop import FAILED, MAJOR, READY, Shop

KINDS = pytest.mark.parametrize("kind", [CompactionKind.SMART_OPTIMIZE, CompactionKind.OTHER])


@KINDS
def test_an_entry_of_another_engine_waits_for_its_own_worker(kind: CompactionKind) -> None:
    shop = Shop()
    shop.request(kind)
    assert shop.worker.run_next(None) is None
    assert shop.entry().state is CompactionState.INITIATED


@KINDS
def test_an_entry_of_another_engine_that_the_queue_gives_out_is_given_up(kind: CompactionKind) -> None:
    shop = Shop()
    other = replace(TABLE, table="iceberg")
    shop.world.memory.add_table(build_table(name=other, location="/warehouse/iceberg"))
    shop.world.memory.request_compaction(CompactionRequest(other, kind))
    shop.request(MAJOR)
    with pytest.raises(UnsupportedOperation, match="only Hive's workers do compactions of this kind"):
        shop.worker.run_next(None)
    assert [info.state for info in shop.world.memory.compactions()] == [CompactionState.INITIATED, FAILED]
    assert shop.world.open_transactions() == []
    assert shop.worker.run_next(None) is not None
    assert shop.entry().state is READY
