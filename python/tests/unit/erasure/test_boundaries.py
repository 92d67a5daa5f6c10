"""Whatever a second session does between any two calls of an erasure: the certificate is never better than the truth.

The truth is that of all bytes there are, at the moment that the certificate names.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from doubles.memory_metastore import MemoryMetastore
from support.erasure_boundaries import (
    PLANTINGS,
    REMOVED_BY_AN_ERASURE,
    beside,
    count_others,
    find_bytes,
    find_lie,
    watch,
)
from support.erasure_shop import NOTES, Shop

EVERY = [pytest.param(23, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)]
"""Of so many boundaries one; others of each planting."""
MAKE = Callable[[], Shop]


@pytest.fixture(autouse=True)
def no_power_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def count_calls(make_shop: MAKE) -> int:
    shop = make_shop()
    with beside(shop, {}) as boundaries:
        shop.erase()
    return boundaries.calls


def erase_beside(shop: Shop, planting: str, at: int) -> None:
    """Erases, with the planting before that call, and once more without; both certificates are true."""
    clock, others = watch(shop), count_others(shop)

    def plant() -> None:
        before = count_others(shop)
        PLANTINGS[planting](shop)
        others.update(count_others(shop) - before)

    with beside(shop, {at: plant}):
        outcomes = [shop.erase()]
    outcomes.append(shop.erase())
    for outcome in outcomes:
        assert outcome.certificate is not None
        assert find_lie(outcome.certificate, clock) == "", (planting, at, outcome.verdict)
    assert count_others(shop) == others, (planting, at)
    if planting in REMOVED_BY_AN_ERASURE:
        assert outcomes[1].verdict.state.value == "erased", (planting, at, outcomes[1].verdict)
        assert find_bytes(shop) == [], (planting, at)


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("stay", [1, 9, 40])
def test_no_certificate_is_better_than_the_truth_whenever_a_transaction_comes_and_goes(
    make_shop: MAKE, stay: int, every: int
) -> None:
    """Its files are there for so many calls, as those of rows that a compaction and the Cleaner remove at once."""
    calls = count_calls(make_shop)
    for at in range(1 + stay % every, calls + 1, every):
        shop = make_shop()
        clock, metastore = watch(shop), shop.metastore
        path = "/warehouse/notes/delta_0000078_0000078_0000/bucket_00000"

        def come(shop: Shop = shop, metastore: MemoryMetastore = metastore, path: str = path) -> None:
            txn_id = metastore.open_transaction("eve", "host", "hive")
            metastore.allocate_write_id(txn_id, NOTES)
            shop.disk.put(path, {"account": "a-17"})
            metastore.commit(txn_id)

        def go(shop: Shop = shop, path: str = path) -> None:
            shop.disk.remove(path)

        with beside(shop, {at: come, at + stay: go}):
            outcome = shop.erase()
        assert outcome.certificate is not None
        assert find_lie(outcome.certificate, clock) == "", (at, stay)


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("planting", PLANTINGS)
def test_no_certificate_is_better_than_the_truth_whenever_something_is_planted(
    make_shop: MAKE, planting: str, every: int
) -> None:
    calls = count_calls(make_shop)
    assert calls > 200
    first = 1 + list(PLANTINGS).index(planting) * 7 % every
    for at in range(first, calls + 1, every):
        erase_beside(make_shop(), planting, at)
