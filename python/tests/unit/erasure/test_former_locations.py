"""A folder in which a table lay is searched whatever it is called, or the verdict is not that its people are erased."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.run import Outcome, verify_subjects
from support.erasure_disk import Killed
from support.erasure_shop import FULL_ACID, Shop

MOVED = TableName("shop", "moved")


def open_table(shop: Shop, folder: str, *people: str) -> None:
    location = f"/data/{folder}/moved"
    shop.metastore.add_table(
        TableDescription(MOVED, location, (Column("email", "string"),), parameters=dict(FULL_ACID))
    )
    rows = [{"email": each} for each in people or ("jordan", "x")]
    shop.disk.put(f"{location}/delta_0000001_0000001_0000/bucket_00000", *rows)
    shop.plan = {"subjects": ["email"], "tables": {"shop.moved": {"keys": {"email": "email"}}}}
    case = shop.case
    shop.case = lambda kind="erasure", subjects=("jordan",): case(kind, subjects)  # type: ignore[method-assign]


def move(shop: Shop, folder: str = "other") -> None:
    """`ALTER TABLE … SET LOCATION`, after which the files lie where they lay."""
    table = shop.metastore._tables[MOVED]
    shop.metastore._tables[MOVED] = replace(table, location=f"/data/{folder}/moved")


@pytest.mark.parametrize("folder", ["north", "jordan"])
def test_a_folder_that_the_run_has_seen_is_searched_by_its_name(shop: Shop, folder: str) -> None:
    open_table(shop, folder)
    shop.disk.on_commit = lambda: move(shop)
    outcome = shop.erase()
    assert "rows" in shop.kinds(outcome), outcome.verdict


@pytest.mark.parametrize("folder", ["north", "jordan"])
def test_a_folder_that_an_earlier_run_has_seen_is_searched_or_told(shop: Shop, folder: str) -> None:
    open_table(shop, folder)

    def die() -> None:
        raise Killed

    shop.disk.on_commit = die
    with pytest.raises(Killed):
        shop.erase()
    shop.disk.on_commit = lambda: None
    move(shop)
    outcome = shop.erase()
    assert shop.kinds(outcome) == ({"rows"} if folder == "north" else {"changed-table"}), outcome.verdict
    assert folder == "north" or "jordan" not in shop.certificate.read_text()


@pytest.mark.parametrize("folder", ["north", "jordan"])
@pytest.mark.parametrize("is_moved", [False, True])
def test_so_does_a_search_by_a_certificate(shop: Shop, folder: str, is_moved: bool) -> None:
    open_table(shop, folder)
    outcome = shop.erase()
    assert outcome.verdict.places == () or folder == "jordan"
    shop.disk.put(f"/data/{folder}/moved/delta_0000009_0000009_0000/bucket_00000", {"email": "jordan"})
    if is_moved:
        move(shop)
    (found,) = recheck(_of(outcome), shop.certificate, shop.key, shop.world())
    kinds = {place.kind.value for place in found.places}
    assert ("rows" in kinds) == (folder == "north" or not is_moved), found.places
    assert ("changed-table" in kinds) == (folder == "jordan" and is_moved), found.places


@pytest.mark.parametrize("folder", ["south", "jordan"])
def test_a_folder_that_only_a_run_before_a_kill_has_seen_is_searched_or_told(shop: Shop, folder: str) -> None:
    """The table lay there after the find, and before the run that goes on."""
    open_table(shop, "north", "x")
    shop.disk.put(f"/data/{folder}/moved/delta_0000001_0000001_0000/bucket_00000", {"email": "jordan"}, visible=False)

    def die() -> None:
        raise Killed

    shop.disk.on_commit = lambda: move(shop, folder)
    shop.disk.on_search.append(die)
    with pytest.raises(Killed):
        shop.erase()
    shop.disk.on_search.clear()
    shop.disk.on_commit = lambda: None
    move(shop, "west")
    outcome = shop.erase()
    assert shop.kinds(outcome) == ({"rows"} if folder == "south" else {"changed-table"}), outcome.verdict
    assert "jordan" not in shop.certificate.read_text() + shop.ledger.read_text()


@pytest.mark.parametrize("folder", ["south", "jordan"])
@pytest.mark.parametrize("is_erasure", [True, False])
def test_a_certificate_names_the_folders_of_its_moment(shop: Shop, folder: str, is_erasure: bool) -> None:
    """A search by it looks there, too, once the table lies elsewhere."""
    open_table(shop, "north", "x")
    shop.disk.on_search.append(lambda: move(shop, folder))
    outcome = shop.erase() if is_erasure else _certify(shop)
    shop.disk.on_search.clear()
    shop.disk.put(f"/data/{folder}/moved/delta_0000009_0000009_0000/bucket_00000", {"email": "jordan"})
    move(shop, "west")
    (found,) = recheck(_of(outcome), shop.certificate, shop.key, shop.world())
    kinds = {place.kind.value for place in found.places}
    assert kinds == ({"rows"} if folder == "south" else {"changed-table"}), found.places
    assert "jordan" not in shop.certificate.read_text()


def _certify(shop: Shop) -> Outcome:
    return verify_subjects(shop.case("verification"), shop.world(), shop.signer, shop.certificate)


def _of(outcome: Any) -> Any:
    assert outcome.certificate is not None
    return outcome.certificate
