"""A link that comes while an erasure runs is in none of its files, also where its name was written down before."""

from __future__ import annotations

from typing import Any

from hive_acid.model.table import Partition, TableName
from support.erasure_shop import SUBJECTS, Shop, add_table

LATE = "a-99"
LOGS = TableName("shop", "logs")


def add_logs(shop: Shop) -> None:
    """A table whose partitions are named by accounts; in that of the late one are rows of another account."""
    part = f"part={LATE}"
    location = f"{add_table(shop.metastore, LOGS, 'part')}/{part}"
    shop.metastore.add_partition(LOGS, Partition(part, (LATE,), location))
    shop.disk.put(f"{location}/delta_0000001_0000001_0000/bucket_00000", {"account": "a-17"}, {"account": "a-18"})
    shop.plan["tables"]["shop.logs"] = shop.plan["tables"]["shop.notes"]


def come_before(shop: Shop, number: int) -> list[int]:
    """The link comes before links are asked for the time of this number. Returns the count of these times."""
    links, calls = shop.disk.links, [0]

    def asked(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] == number:
            row = {"email": SUBJECTS[0], "account": LATE}
            shop.disk.put("/warehouse/people/delta_0000009_0000009_0000/bucket_00000", row)
        return links(*arguments)

    shop.disk.links = asked  # type: ignore[method-assign]
    return calls


def test_whenever_it_comes(make_shop: Any) -> None:
    known, number = 0, 0
    while True:
        number += 1
        shop = make_shop()
        add_logs(shop)
        calls = come_before(shop, number)
        outcome = shop.erase()
        if calls[0] < number:
            break
        files = {path.name: path.read_text() for path in shop.folder.rglob("*") if path.is_file()}
        if shop.key.hash_parts((LATE,)).hex() in files["ledger"]:
            known += 1
            assert {name for name, text in files.items() if LATE in text} == set(), number
            assert LATE not in repr(outcome), number
        shop.disk.links = lambda *_: {}  # type: ignore[method-assign]
    assert known > 5
