"""A deletion that loses against another writer is tried again, for a while."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid_erasure.erase.retrying import ATTEMPTS
from support.erasure_shop import SUBJECTS, Shop

CONFLICT = {"txnId": 7, "table": "shop.sales", "attempts": 1}


class Losing:
    """An engine whose deletions fail as often as there are errors."""

    def __init__(self, inner: Any, *errors: HiveAcidError) -> None:
        self.inner, self.errors = inner, list(errors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def delete(self, *args: Any) -> Any:
        if self.errors:
            raise self.errors.pop()
        return self.inner.delete(*args)


def conflict() -> HiveAcidError:
    return build_error("HIVE_ACID_WRITE_CONFLICT.CHANGED", **CONFLICT)


@pytest.mark.parametrize(
    "error",
    [
        conflict(),
        build_error("HIVE_ACID_TABLE_CHANGED.MADE_ANEW", table="shop.sales"),
        build_error("HIVE_ACID_ERASURE.PARTITIONS_CHANGED", table="shop.sales"),
    ],
)
def test_a_lost_race_is_run_again_and_told(shop: Shop, error: HiveAcidError) -> None:
    shop.engine = Losing(shop.disk, error, error)
    began_ms = shop.clock.now_ms
    outcome = shop.erase()
    assert outcome.verdict.state.value == "erased"
    assert shop.disk.deleted_rows == 3
    told = [text for text in shop.told if "tried again" in text]
    assert len(told) == 2 and error.getCondition() in told[0]
    assert shop.clock.now_ms - began_ms > 3_000, "there are pauses between"
    assert outcome.certificate is not None
    assert all(len(table["deletions"]) == 1 for table in outcome.certificate.payload["tables"])


def test_in_the_end_the_error_is_raised_and_a_later_run_goes_on(shop: Shop) -> None:
    shop.engine = Losing(shop.disk, *(conflict() for _ in range(ATTEMPTS)))
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_WRITE_CONFLICT.CHANGED"
    assert shop.disk.deleted_rows == 0
    assert shop.erase().verdict.state.value == "erased"
    assert not [row for content in shop.disk.contents.values() for row in content.rows if SUBJECTS[0] in row.values()]


def test_other_errors_are_not_tried_again(shop: Shop) -> None:
    error = build_error("HIVE_ACID_TABLE_NOT_FOUND", table="shop.sales")
    shop.engine = engine = Losing(shop.disk, conflict(), error)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert str(caught.value) == str(error) and len(engine.errors) == 1
