"""Whether there is anything to compact, before it is asked for."""

from __future__ import annotations

import pytest

from hive_acid.errors import StatementCancelled, build_error
from hive_acid.metastore.compaction_types import CompactionRequest
from support.statements import LOCATION, TABLE
from unit.compaction.worker_shop import MAJOR, Shop


def test_there_is_work_as_long_as_files_are_to_be_folded_or_removed() -> None:
    shop = Shop()
    request = CompactionRequest(TABLE, MAJOR)
    assert shop.worker.has_work(request)
    shop.request()
    shop.worker.run_next(None)
    assert shop.worker.has_work(request), "what the result replaces is there"
    for folder in shop.before:
        shop.world.file_system.delete_tree(f"{LOCATION}/{folder}")
    assert not shop.worker.has_work(request)
    assert shop.world.open_transactions() == []


def test_whether_there_is_work_is_not_told_to_who_is_cancelled() -> None:
    shop = Shop()

    def cancel() -> None:
        raise build_error("HIVE_ACID_CANCELLED", reason="enough")

    shop.world.metastore.before["table"] = cancel
    with pytest.raises(StatementCancelled):
        shop.worker.has_work(CompactionRequest(TABLE, MAJOR))
    assert shop.world.open_transactions() == []
