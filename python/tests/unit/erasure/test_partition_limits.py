"""An erasure within some partitions leaves the others, says so first, and is checked within the same later."""

from __future__ import annotations

import pytest

from hive_acid.model.table import Partition, TableName
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.certificate.summary import summarize
from hive_acid_erasure.run import Outcome, erase_subjects
from support.erasure_shop import OTHER, SALES, SUBJECTS, Shop, add_table

ADA = SUBJECTS[0]
CITIES = TableName("shop", "cities")


@pytest.fixture
def second_day(shop: Shop) -> Shop:
    """Ada has a row in the first day, and only the second one is erased."""
    sales = {"keys": {"email": "email"}, "partitions": "day=2"}
    shop.plan = {"subjects": ["email"], "tables": {"shop.sales": sales}}
    return shop


@pytest.fixture
def cities(shop: Shop) -> Shop:
    """Towns are columns of the subjects, so that their names are masked."""
    add_table(shop.metastore, CITIES, "city")
    shop.plan = {"subjects": ["email", "city"], "tables": {"shop.cities": {"keys": {"email": "email"}}}}
    return shop


def add_city(shop: Shop, city: str, *emails: str) -> None:
    where = f"/warehouse/cities/city={city}"
    shop.metastore.add_partition(CITIES, Partition(f"city={city}", (city,), where))
    rows = [{"email": email} for email in emails]
    shop.disk.put(f"{where}/delta_0000001_0000001_0000/bucket_00000", *rows)


def erase_ada(shop: Shop, *more: str) -> Outcome:
    case = shop.case("erasure", [(ADA, *more)])
    return erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate)


def find_again(shop: Shop, outcome: Outcome) -> list[tuple[str, str | None]]:
    assert outcome.certificate is not None
    found = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    return [(place.kind.value, place.partition) for each in found for place in each.places]


def test_the_first_line_and_the_page_speak_of_the_partitions_alone(second_day: Shop) -> None:
    outcome = erase_ada(second_day)
    page = second_day.certificate.with_suffix(".html").read_text(encoding="utf-8")
    assert "found in the partitions that the plan chooses of 1 table as of" in summarize(outcome.payload).statement
    assert '<h1 class="erased">Erased and verified in the partitions that the plan chooses</h1>' in page
    assert "day=2; 1 others were left out" in page
    second_day.plan["tables"]["shop.notes"] = {"keys": {"email": "email"}}
    second_day.ledger.unlink()
    assert "2 tables (of 1 only the partitions that" in summarize(erase_ada(second_day).payload).statement


def test_rows_outside_of_the_partitions_are_no_finds_of_a_later_search(second_day: Shop) -> None:
    outcome = erase_ada(second_day)
    assert outcome.payload["tables"][0]["partitions"] == {"within": ["day=2"], "outside": ["day=1"]}
    assert find_again(second_day, outcome) == []
    second_day.disk.put("/warehouse/sales/day=2/000007_0", {"email": ADA}, visible=False)
    assert find_again(second_day, outcome) == [("rows", "day=2")]


def test_a_condition_that_chooses_other_partitions_later_leaves_those_of_the_erasure(
    second_day: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of the last thirty days does. It decides on partitions that came since."""
    outcome = erase_ada(second_day)
    for day in ("day=3", "day=4"):
        second_day.metastore.add_partition(SALES, Partition(day, (day[4:],), f"/warehouse/sales/{day}"))
    for day in ("day=2", "day=3", "day=4"):
        second_day.disk.put(f"/warehouse/sales/{day}/000007_0", {"email": ADA}, visible=False)
    monkeypatch.setattr(second_day.disk, "choose_partitions", lambda *_: frozenset({"day=1", "day=4"}))
    assert sorted(find_again(second_day, outcome)) == [("rows", "day=2"), ("rows", "day=4")]


def test_a_file_in_no_partition_has_no_values_for_the_condition_and_counts(second_day: Shop) -> None:
    second_day.disk.put("/warehouse/sales/000007_0", {"email": ADA}, visible=False)
    outcome = erase_ada(second_day)
    assert "rows" in second_day.kinds(outcome) and ("rows", "") in find_again(second_day, outcome)


def test_a_partition_is_not_taken_for_another_spelling_of_its_name(cities: Shop) -> None:
    """One lies outside of the limit. The other one, within it, comes while rows are deleted."""
    cities.plan["tables"]["shop.cities"]["partitions"] = "city=Bonn"
    add_city(cities, "BONN", OTHER)
    cities.disk.on_commit = lambda: add_city(cities, "Bonn", ADA)
    assert erase_ada(cities, "Bonn").verdict.state.value == "pending"


def test_each_spelling_of_a_name_is_compacted(cities: Shop) -> None:
    for city in ("Bonn", "BONN"):
        add_city(cities, city, ADA, OTHER)
    erase_ada(cities, "Bonn")
    assert {partition for _, partition in cities.disk.compactions} == {"city=Bonn", "city=BONN"}


def test_a_folder_with_a_value_that_names_nobody_by_itself_is_no_place(cities: Shop) -> None:
    add_city(cities, "Bonn", ADA, "eve@example.org")
    outcome = erase_ada(cities, "Bonn")
    assert outcome.verdict.state.value == "erased"
    assert "city=Bonn" not in repr(outcome.payload)


def test_a_file_that_was_written_is_compared_though_its_path_was_masked(cities: Shop) -> None:
    """A search by the certificate alone does not know the value, and finds the file by its mask."""
    add_city(cities, "Bonn", ADA, "eve@example.org")
    outcome = erase_ada(cities, "Bonn")
    assert outcome.certificate is not None

    def compare() -> tuple[int, int, int]:
        assert outcome.certificate is not None
        (table,) = recheck(outcome.certificate, cities.certificate, cities.key, cities.world())
        return table.rewritten.unchanged, table.rewritten.gone, len(table.rewritten.changed)

    assert compare() == (1, 0, 0)
    (base,) = (path for path in cities.disk.contents if "/cities/" in path)
    cities.disk.put(base, {"email": OTHER})
    assert compare() == (0, 0, 1)
    cities.disk.remove(base)
    assert compare() == (0, 1, 0)


def test_a_partition_of_a_masked_name_stays_within_though_the_condition_chooses_it_no_more(
    cities: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    cities.plan["tables"]["shop.cities"]["partitions"] = "those of the last days"
    monkeypatch.setattr(cities.disk, "choose_partitions", lambda _table, _condition, names: frozenset(names))
    add_city(cities, "Bonn", "eve@example.org")
    outcome = erase_ada(cities, "Bonn")
    assert outcome.verdict.state.value == "erased"
    assert "Bonn" not in repr(outcome.payload["tables"][0]["partitions"])
    cities.disk.put("/warehouse/cities/city=Bonn/000007_0", {"email": ADA}, visible=False)
    monkeypatch.setattr(cities.disk, "choose_partitions", lambda *_: frozenset())
    assert find_again(cities, outcome) == [("rows", "city=Bonn")]


def test_a_list_by_which_nobody_was_found_is_told(shop: Shop) -> None:
    shop.plan = {"subjects": ["email"], "tables": {"shop.sales": {"keys": {"email": "email"}}}}
    said = "No query showed a row of theirs at the beginning"
    case = shop.case("erasure", ["nobody@example.org"])
    assert (
        said
        in summarize(erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate).payload).statement
    )
    shop.ledger.unlink()
    assert said not in summarize(erase_ada(shop).payload).statement
