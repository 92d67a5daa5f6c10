"""A metastore that is away from any call on, or a disk that is full, leaves an erasure that ends right later."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import Compaction
from hive_acid_erasure.run import Outcome
from support.erasure_boundaries import beside, count_others, find_bytes, find_lie, watch
from support.erasure_shop import Shop

EVERY = [pytest.param(13, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)]


OF_WORKERS = {"request_compaction", "next_compaction", "mark_compacted", "mark_failed"}
"""`integration/faults/test_lost_compactions.py` loses these."""


@dataclass
class Outage:
    """What fails from its beginning on."""

    metastore: bool = False
    disk: bool = False
    struck: set[str] = field(default_factory=set)

    def strike(self, is_out: bool, name: str, error: BaseException) -> None:
        """Raises the error if that is out."""
        if is_out:
            self.struck.add(name)
            raise error

    def metastore_behind(self, inner: Any) -> Any:
        """A metastore that does not answer while it is out."""
        outage = self

        class Metastore:
            def __getattr__(self, name: str) -> Any:
                found = getattr(inner, name)
                if not callable(found) or name.startswith("_") or name in OF_WORKERS:
                    return found

                def call(*arguments: Any, **more: Any) -> Any:
                    lost = build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="u", method=name, reason="it is down")
                    outage.strike(outage.metastore, name, lost)
                    return found(*arguments, **more)

                return call

        return Metastore()

    def fill_disk(self, shop: Shop, patched: pytest.MonkeyPatch) -> None:
        """The shop whose engine and files of its own write nothing while the disk is full."""
        delete, compact = shop.disk.delete, shop.disk.compact

        def try_delete(*arguments: Any) -> Any:
            full = build_error("HIVE_ACID_STORAGE_QUOTA", path="/warehouse", action="writing", reason="it is full")
            self.strike(self.disk, "delete", full)
            return delete(*arguments)

        def try_compact(table: TableName, partitions: Sequence[str]) -> Iterator[Compaction]:
            if self.disk:
                self.struck.add("compact")
                yield from (Compaction(partition, None, "it is full") for partition in partitions)
            else:
                yield from compact(table, partitions)

        patched.setattr(shop.disk, "delete", try_delete)
        patched.setattr(shop.disk, "compact", try_compact)
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        patched.setattr(os, "fsync", lambda _: self.strike(self.disk, "fsync", full))


def count_calls(make_shop: Callable[[], Shop]) -> int:
    shop = make_shop()
    with beside(shop, {}) as boundaries:
        shop.erase()
    return boundaries.calls


def erase_in(shop: Shop, outage: Outage, at: int, begin: Callable[[], None], patched: pytest.MonkeyPatch) -> Any:
    """The outcome, or the error that ends it."""
    outage.fill_disk(shop, patched)
    metastore = shop.metastore
    shop.metastore = outage.metastore_behind(metastore)
    try:
        with beside(shop, {at: begin}):
            try:
                return shop.erase()
            except (HiveAcidError, OSError) as error:
                return error
    finally:
        shop.metastore = metastore
        shop.disk.metastore = metastore


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("part", ["metastore", "disk"])
def test_an_erasure_that_meets_an_outage_at_any_call_ends_right_when_it_is_called_again(
    make_shop: Callable[[], Shop], monkeypatch: pytest.MonkeyPatch, part: str, every: int
) -> None:
    struck = set[str]()
    for at in range(1, count_calls(make_shop) + 1, every):
        shop, outage = make_shop(), Outage()
        clock, others = watch(shop), count_others(shop)
        with monkeypatch.context() as patched:
            met = erase_in(shop, outage, at, lambda outage=outage: setattr(outage, part, True), patched)
        struck |= outage.struck
        if isinstance(met, Outcome) and met.certificate is not None:
            assert find_lie(met.certificate, clock) == "", at
        assert count_others(shop) == others, at
        again = shop.erase()
        assert again.certificate is not None
        assert (again.verdict.state.value, find_bytes(shop)) == ("erased", []), (at, again.verdict)
        assert find_lie(again.certificate, clock) == "", at
        assert count_others(shop) == others, at
    assert len(struck) >= (5 if part == "metastore" else 2), struck
