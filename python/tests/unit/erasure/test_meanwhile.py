"""What others do while an erasure or its verification runs is found, and told rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hive_acid.erasure.engine import Matcher
from hive_acid.model.table import Partition
from support.erasure_shop import OTHER, PEOPLE, SALES, SUBJECTS, Shop

ADA = SUBJECTS[0]
ROW = {"email": ADA}


def test_a_file_that_another_writes_while_verification_runs_is_searched_too(shop: Shop) -> None:
    shop.erase()
    path = "/warehouse/sales/day=2/delta_0000008_0000008_0000/bucket_00000"

    def write_once() -> None:
        shop.disk.on_search.clear()
        shop.disk.put(path, ROW, visible=False)

    shop.disk.on_search.append(write_once)
    assert "rows" in shop.kinds(shop.verify())


def test_files_that_never_rest_leave_the_verdict_open(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.disk.put("/warehouse/sales/day=2/000000_0", {"email": OTHER}))
    assert "changing-files" in shop.kinds(shop.verify())


def test_a_table_that_is_exchanged_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.metastore.add_table(shop.metastore.table(SALES)))
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_table_that_is_moved_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()

    def move() -> None:
        shop.metastore._tables[SALES] = replace(shop.metastore.table(SALES), location="/warehouse/elsewhere")

    shop.disk.on_search.append(move)
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_table_that_goes_while_it_is_searched_is_told(shop: Shop) -> None:
    shop.erase()
    shop.disk.on_search.append(lambda: shop.metastore._tables.pop(SALES, None))
    assert "changed-table" in shop.kinds(shop.verify())


def test_a_partition_that_comes_while_files_are_searched_is_searched_and_no_change(shop: Shop) -> None:
    shop.erase()

    def add(name: str) -> None:
        shop.metastore.add_partition(SALES, Partition(f"day={name}", (name,), f"/elsewhere/{name}"))

    shop.disk.on_search.append(lambda: add("3"))
    assert shop.verify().verdict.state.value == "erased"
    shop.disk.on_search = [lambda: add(ADA)]
    assert "partition-name" in shop.kinds(shop.verify())
    shop.metastore.remove_partition(SALES, f"day={ADA}")
    shop.disk.on_search = [
        lambda: (add("4"), "/elsewhere/4/x" in shop.disk.contents or shop.disk.put("/elsewhere/4/x", ROW))
    ]
    assert "rows" in shop.kinds(shop.verify())


def test_a_table_that_was_made_anew_since_the_erasure_began_is_told(shop: Shop) -> None:
    shop.erase()
    shop.metastore.add_table(shop.metastore.table(PEOPLE))
    assert "changed-table" in shop.kinds(shop.erase())


def test_a_table_that_is_gone_is_told(shop: Shop) -> None:
    shop.erase()
    del shop.metastore._tables[PEOPLE]
    assert "changed-table" in shop.kinds(shop.erase())


def lose_partition(shop: Shop) -> None:
    """As an exchange with another table does."""
    shop.metastore.remove_partition(SALES, "day=1")
    for path in [path for path in shop.disk.contents if "/sales/day=1/" in path]:
        shop.disk.remove(path)


def test_a_partition_that_goes_before_its_files_are_free_is_told_until_it_is_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition = shop.metastore.partitions(SALES, ["day=1"])[0]
    delete = shop.disk.delete

    def delete_and_lose(matchers: Sequence[Matcher], limits: Any) -> Any:
        answer = delete(matchers, limits)
        if matchers[0].table == SALES:
            lose_partition(shop)
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(shop.disk, "delete", delete_and_lose)
        assert "day=1" in " ".join(p.where for p in shop.erase().verdict.places if p.kind.value == "changed-table")
    assert "changed-table" in shop.kinds(shop.erase())
    shop.metastore.add_partition(SALES, partition)
    assert shop.erase().verdict.state.value == "erased"


def test_a_partition_whose_files_were_free_may_go(shop: Shop) -> None:
    shop.disk.put(f"/warehouse/sales/day=2/{ADA}.orc", {"email": OTHER})
    assert shop.kinds(shop.erase()) == {"path"}
    lose_partition(shop)
    shop.disk.remove(f"/warehouse/sales/day=2/{ADA}.orc")
    assert shop.erase().verdict.state.value == "erased"
