"""A certificate speaks of one moment, at which none of its tables held anything of the subjects."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_acid.model.table import Partition
from hive_acid_erasure.certificate.certificate import read_certificate, sign_certificate
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.certificate.page import format_page
from hive_acid_erasure.certificate.summary import summarize
from hive_acid_erasure.run import verify_subjects
from hive_acid_erasure.verify.table_report import TableReport
from hive_acid_erasure.verify.verification import Verification
from support.erasure_shop import NOTES, OTHER, PEOPLE, SALES, SUBJECTS, Shop

ADA = SUBJECTS[0]
LATE = "/warehouse/{}/delta_0000007_0000007_0000/bucket_00000"
TABLES = ("notes", "people", "sales/day=2")


def while_searched(shop: Shop, table: str, act: Callable[[], object], times: int = 1) -> None:
    """What another session does once files of the table have been searched."""
    left = [act] * times

    def check() -> None:
        if left and shop.disk.searched[-1].startswith(f"/warehouse/{table}/"):
            left.pop()()

    shop.disk.on_search.append(check)


def row_of(table: str) -> dict[str, str]:
    return {"account": "a-17"} if table == "notes" else {"email": ADA}


def left(shop: Shop) -> list[str]:
    rows = [str(row) for content in shop.disk.contents.values() for row in content.rows]
    return [row for row in rows if "a-17" in row or any(name in row.lower() for name in SUBJECTS)]


@pytest.mark.parametrize("at", TABLES)
@pytest.mark.parametrize("into", TABLES)
def test_a_row_that_comes_into_one_table_while_another_is_verified_is_erased_too(
    shop: Shop, at: str, into: str
) -> None:
    assert shop.erase().verdict.state.value == "erased"
    while_searched(shop, at, lambda: shop.disk.put(LATE.format(into), row_of(into)))
    assert shop.erase().verdict.state.value == "erased"
    assert left(shop) == []


@pytest.mark.parametrize("at", TABLES)
@pytest.mark.parametrize("into", TABLES)
def test_a_check_of_a_certificate_finds_a_row_that_comes_into_one_table_while_another_is_searched(
    shop: Shop, at: str, into: str
) -> None:
    shop.erase()
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    while_searched(shop, at, lambda: shop.disk.put(LATE.format(into), row_of(into)))
    found = recheck(certificate, shop.certificate, shop.key, shop.world())
    assert {place.kind.value for each in found for place in each.places} == {"rows", "visible-rows"}


@pytest.mark.parametrize("at", TABLES)
@pytest.mark.parametrize("into", TABLES[1:])
def test_a_search_finds_a_row_that_comes_into_one_table_while_another_is_searched(
    shop: Shop, at: str, into: str
) -> None:
    shop.erase()
    while_searched(shop, at, lambda: shop.disk.put(LATE.format(into), row_of(into)))
    assert "rows" in shop.kinds(shop.verify())


def plant_property(shop: Shop) -> None:
    stored = shop.metastore.table(SALES)
    shop.metastore._tables[SALES] = replace(stored, parameters={**stored.parameters, "asked.by": ADA})


def plant_partition(shop: Shop) -> None:
    shop.metastore.add_partition(SALES, Partition(f"day={ADA}", (ADA,), "/elsewhere"))


def plant_upload(shop: Shop) -> None:
    root = "/warehouse/notes/base_0000001"
    shop.files.set_up_output("another", [root])
    shop.files.upload("another", root, "1", f"{root}/bucket_00001")


def plant_in_trash(shop: Shop) -> None:
    shop.disk.put("/homes/ada/.Trash/Current/warehouse/notes/base_0000000/bucket_00000", row_of("notes"), visible=False)


TEXTS: dict[str, tuple[Callable[[Shop], object], str]] = {
    "property": (plant_property, "table-property"),
    "partition": (plant_partition, "partition-name"),
    "upload": (plant_upload, "pending-upload"),
    "trash": (plant_in_trash, "rows"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_what_else_comes_to_a_table_once_it_is_verified_is_found(shop: Shop, kind: str) -> None:
    plant, place = TEXTS[kind]
    shop.erase()
    while_searched(shop, "people", lambda: plant(shop))
    certificate = read_certificate(shop.certificate.read_bytes(), shop.certificate, shop.signer.public_hex)
    found = recheck(certificate, shop.certificate, shop.key, shop.world())
    assert {each.kind.value for table in found for each in table.places} == {place}


def test_tables_that_never_rest_together_leave_the_verdict_open_and_are_named(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more file of others is in sales each time that all tables are looked at once more."""
    shop.erase()
    look, numbers = Verification.is_as_it_was, itertools.count(100)

    def write_and_look(verification: Verification, report: TableReport) -> bool:
        if report.matcher.table == SALES:
            shop.disk.put(f"/warehouse/sales/day=2/delta_{next(numbers)}/bucket_00000", {"email": OTHER})
        return look(verification, report)

    monkeypatch.setattr(Verification, "is_as_it_was", write_and_look)
    outcome = shop.erase()
    assert [(place.kind.value, place.where) for place in outcome.verdict.places] == [("changing-files", "shop.sales")]
    assert outcome.certificate is not None and "as_of" not in outcome.certificate.payload
    assert " as of the last search of each." in summarize(outcome.payload).statement


def test_a_transaction_whose_files_came_and_went_between_two_listings_is_not_overlooked(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its write ID tells: there was a moment at which its rows were shown."""
    moments = list[int]()

    def write_and_remove() -> None:
        txn_id = shop.metastore.open_transaction("eve", "host", "hive")
        shop.metastore.allocate_write_id(txn_id, NOTES)
        shop.disk.put(LATE.format("notes"), row_of("notes"))
        shop.metastore.commit(txn_id)
        shop.disk.remove(LATE.format("notes"))
        moments.append(shop.clock.now_ms)

    while_searched(shop, "sales", write_and_remove)
    outcome = shop.erase()
    assert outcome.certificate is not None
    payload = outcome.certificate.payload
    (notes,) = (table for table in payload["tables"] if table["table"] == "shop.notes")
    assert payload["verdict"]["state"] == "erased" and moments
    assert notes["snapshot"]["high_write_id"] == 1


def test_each_table_tells_the_snapshot_that_its_certificate_speaks_of(shop: Shop) -> None:
    txn_id = shop.metastore.open_transaction("eve", "host", "hive")
    for table in (SALES, PEOPLE, NOTES):
        shop.metastore.allocate_write_id(txn_id, table)
    shop.metastore.commit(txn_id)
    outcome = shop.erase()
    assert outcome.certificate is not None
    payload = outcome.certificate.payload
    assert [table["snapshot"]["high_write_id"] for table in payload["tables"]] == [1, 1, 1]
    for table in payload["tables"]:
        snapshot = table["snapshot"]
        assert snapshot["listed_at"] < snapshot["counted_at"] < payload["as_of"] < payload["issued_at"]


def test_the_first_line_says_of_which_moment_it_speaks(shop: Shop) -> None:
    outcome = shop.erase()
    said = (
        "erased: after an erasure, nothing of 2 subjects was found in 3 tables as of 2023-11-14 22:13:20 UTC. "
        "What came later is not part of this."
    )
    assert summarize(outcome.payload).lines()[0].startswith(said)
    page = shop.certificate.with_suffix(".html").read_text(encoding="utf-8")
    assert page.index(said) < page.index("<table>")
    stated = summarize(shop.verify().payload).statement
    assert stated.startswith(said.replace("after an erasure", "without an erasure"))


def test_certificates_without_a_moment_speak_of_each_table_when_it_was_searched(shop: Shop, tmp_path: Path) -> None:
    """As earlier releases have signed them."""
    shop.erase()
    payload = json.loads(shop.certificate.read_bytes())["payload"]
    del payload["as_of"]
    for table in payload["tables"]:
        del table["snapshot"]
    certificate = read_certificate(
        sign_certificate(payload, shop.signer), tmp_path / "old.json", shop.signer.public_hex
    )
    assert certificate.is_erased
    statement = summarize(certificate.payload).statement
    assert "3 tables as of the last search of each. That was before 2023-11-14 22:13:20 UTC." in statement
    assert "the last search of each table" in format_page(certificate, b"")
    assert not [
        place for each in recheck(certificate, shop.certificate, shop.key, shop.world()) for place in each.places
    ]


def test_files_that_are_as_they_were_are_read_once(shop: Shop) -> None:
    shop.erase()
    while_searched(shop, "sales", lambda: shop.disk.put("/warehouse/notes/000000_0", {"account": "a-18"}))
    shop.disk.searched.clear()
    assert shop.verify().verdict.state.value == "erased"
    of_notes = [path for path in shop.disk.searched if "/notes/" in path]
    assert len(of_notes) == len(set(of_notes)) == 2


def test_plain_tables_have_no_write_id_and_are_looked_at_once_more_too(shop: Shop, tmp_path: Path) -> None:
    shop.erase()
    stored = shop.metastore.table(SALES)
    shop.metastore._tables[SALES] = replace(stored, parameters={})
    certificate = tmp_path / "found.json"
    verify_subjects(shop.case("verification"), shop.world(), shop.signer, certificate)
    tables = json.loads(certificate.read_bytes())["payload"]["tables"]
    assert {table["table"]: table["snapshot"]["high_write_id"] for table in tables}["shop.sales"] is None
    assert "none, a plain table" in certificate.with_suffix(".html").read_text(encoding="utf-8")
    while_searched(shop, "people", lambda: shop.disk.put("/warehouse/sales/day=2/000000_0", {"email": ADA}))
    assert "rows" in shop.kinds(shop.verify())
