"""The Cleaner is not sent to a place with files that are none of the table's, which it would remove."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from support.statements import LOCATION, TABLE
from unit.compaction.worker_shop import FAILED, INSERT_ONLY, ORC, READY, Shop

STRAY = f"{LOCATION}/part-0001.snappy.orc"
KINDS = pytest.mark.parametrize("table", [{}, {"parameters": INSERT_ONLY, "input_format": ORC}], ids=["acid", "flat"])


@KINDS
def test_a_file_beside_a_base_is_refused_and_the_cleaner_is_not_told(table: dict[str, object]) -> None:
    """A base hides it from readers. To Hive's Cleaner it is a file that the base replaces."""
    shop = Shop(table=table)
    shop.request()
    assert shop.worker.run_next(None) is not None
    shop.world.file_system.add_file(STRAY)
    shop.request()
    with pytest.raises(HiveAcidError, match=STRAY) as raised:
        shop.worker.run_next(None)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.STRAY_FILE"
    assert shop.entry().state is FAILED
    assert shop.world.open_transactions() == []


@KINDS
def test_on_3_1_no_base_is_published_beside_it(table: dict[str, object]) -> None:
    shop = Shop(MetastoreLine.HIVE_3, table=table)
    shop.worker.publish_base(TABLE, None)
    shop.world.file_system.add_file(STRAY)
    with pytest.raises(HiveAcidError, match="STRAY_FILE"):
        shop.worker.publish_base(TABLE, None)


def test_originals_of_hives_naming_that_a_base_replaces_are_cleaned() -> None:
    """Rows from before the table was transactional, which the base holds."""
    shop = Shop()
    shop.world.file_system.add_file(f"{LOCATION}/000000_0")
    shop.request()
    assert shop.worker.run_next(None) is not None
    shop.request()
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert not outcome.is_refused
    assert shop.entry().state is READY
