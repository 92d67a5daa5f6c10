"""Values that the metastore keeps as texts name a subject in every spelling that the column's type allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.statistics.extremes import find_extremes
from hive_acid.model.names import NULL_PARTITION
from hive_acid.model.table import Column, Partition
from hive_acid_erasure.certificate.certifying import recheck
from hive_acid_erasure.run import erase_subjects, verify_subjects
from hive_acid_erasure.verify.places import PlaceKind
from support.erasure_shop import NOTES, SALES, SUBJECTS, Shop

ADA = SUBJECTS[0]

DOUBLE = ttypes.ColumnStatisticsData(doubleStats=ttypes.DoubleColumnStatsData(12345678.0, 12345678.0))
DECIMAL = ttypes.ColumnStatisticsData(
    decimalStats=ttypes.DecimalColumnStatsData(ttypes.Decimal((100).to_bytes(2, "big"), 0), None)
)
CURE = "ANALYZE TABLE"


def use_key(shop: Shop, column: str) -> None:
    shop.plan = {"subjects": ["id"], "tables": {"shop.sales": {"keys": {"id": column}}}}


def found(shop: Shop, subject: str) -> set[tuple[str, str]]:
    outcome = verify_subjects(shop.case("verification", [subject]), shop.world())
    return {(place.kind.value, place.detail) for place in outcome.verdict.places}


@pytest.mark.parametrize(("data", "text"), [(DOUBLE, "1.2345678E7"), (DECIMAL, "100.00")])
def test_statistics_of_numbers_are_found_though_sql_spells_them_otherwise(shop: Shop, data: Any, text: str) -> None:
    use_key(shop, "email")
    extremes = find_extremes(ttypes.ColumnStatisticsObj("email", "some", data))
    assert text not in extremes
    shop.disk.spellings["email"] = lambda given: text if given in extremes else given
    shop.metastore.extremes[SALES] = {("day=1", "email"): extremes}
    ((kind, detail),) = found(shop, text)
    assert kind == "column-statistics"
    assert CURE in detail
    shop.metastore.extremes.clear()
    assert found(shop, text) == set()


def test_a_recheck_finds_them_too(shop: Shop) -> None:
    use_key(shop, "email")
    case = shop.case("erasure", ["100.00"])
    certificate = erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate).certificate
    assert certificate is not None
    shop.disk.spellings["email"] = lambda given: "100.00" if given == "100" else given
    shop.metastore.extremes[SALES] = {("", "email"): ("100",)}
    (table,) = recheck(certificate, shop.certificate, shop.key, shop.world())
    assert [place.kind.value for place in table.places] == ["column-statistics"]


def test_statistics_that_cannot_be_compared_are_told_with_their_cure(shop: Shop) -> None:
    use_key(shop, "email")
    shop.disk.spellings["email"] = lambda given: "" if given == "broken" else given
    shop.metastore.extremes[SALES] = {("", "email"): ("broken",)}
    ((kind, detail),) = found(shop, "4711")
    assert kind == "column-statistics"
    assert "cannot be compared" in detail
    assert CURE in detail


@pytest.mark.parametrize("name", ["email.max", "email.min", "EMAIL.max"])
def test_statistics_that_spark_keeps_in_properties_are_compared_as_values(shop: Shop, name: str) -> None:
    """A number of few digits is nobody's in another property."""
    use_key(shop, "email")
    table = shop.metastore.table(SALES)
    kept = {
        f"spark.sql.statistics.colStats.{name}": "4711",
        "spark.sql.statistics.colStats.email.distinctCount": "4712",
    }
    shop.metastore.add_table(replace(table, parameters={**table.parameters, **kept}))
    assert {kind for kind, _ in found(shop, "4711")} == {"column-statistics"}
    assert found(shop, "4712") == set()


def test_moments_that_spark_keeps_are_those_of_utc(shop: Shop) -> None:
    use_key(shop, "email")
    table = shop.metastore.table(SALES)
    columns = (replace(table.columns[0], type="timestamp"), *table.columns[1:])
    kept = {"spark.sql.statistics.colStats.email.max": "1984-01-31 11:30:00.000000"}
    shop.metastore.add_table(replace(table, columns=columns, parameters={**table.parameters, **kept}))
    zoned = {"1984-01-31 11:30:00.000000+00:00": "1984-01-31 12:30:00"}
    shop.disk.spellings["email"] = lambda given: zoned.get(given, given)
    assert {kind for kind, _ in found(shop, "1984-01-31 12:30:00")} == {"column-statistics"}


@pytest.mark.parametrize("text", ["4711", "'4711'", "CAST('4711' AS INT)"])
def test_default_values_are_compared_as_values(shop: Shop, text: str) -> None:
    use_key(shop, "email")
    shop.disk.spellings["email"] = lambda given: given if given.isdecimal() else ""
    shop.metastore.defaults[SALES] = {"email": text}
    assert {kind for kind, _ in found(shop, "4711")} == {"default-value"}
    assert found(shop, "4712") == set()


def test_a_default_value_that_cannot_be_compared_is_told(shop: Shop) -> None:
    use_key(shop, "email")
    shop.disk.spellings["email"] = lambda given: ""
    shop.metastore.defaults[SALES] = {"email": "CURRENT_DATE"}
    ((kind, detail),) = found(shop, "4711")
    assert kind == "default-value" and "cannot be compared" in detail
    for nothing in ("NULL", "CAST(null AS DATE)"):
        shop.metastore.defaults[SALES] = {"email": nothing}
        assert found(shop, "4711") == set()


def test_an_extreme_that_python_has_no_value_for_is_none_that_is_not_there() -> None:
    day = ttypes.Date(daysSinceEpoch=4_000_000)
    data = ttypes.ColumnStatisticsData(dateStats=ttypes.DateColumnStatsData(None, day))
    (text,) = find_extremes(ttypes.ColumnStatisticsObj("day", "date", data))
    assert text and not text[0].isdigit()


def test_values_of_partitions_are_found_in_another_spelling(shop: Shop) -> None:
    use_key(shop, "day")
    shop.disk.spellings["day"] = lambda given: {"1.5": "1.50"}.get(given, given)
    shop.metastore.add_partition(SALES, Partition("day=1.5", ("1.5",), "/warehouse/sales/day=1.5"))
    assert {kind for kind, _ in found(shop, "1.50")} == {"partition-name"}
    shop.metastore.remove_partition(SALES, "day=1.5")
    assert found(shop, "1.50") == set()


@pytest.mark.parametrize("value", ["note of {}", "{}, mon", "for%20{}"])
@pytest.mark.parametrize("where", ["/elsewhere/3", "/warehouse/sales/day={}"])
def test_names_within_a_value_of_a_partition_are_found_though_no_folder_tells_them(
    shop: Shop, value: str, where: str
) -> None:
    use_key(shop, "email")
    zed = "zed@example.org"
    value = value.format(zed)
    shop.metastore.add_partition(SALES, Partition(f"day={value}", (value,), where.format(value)))
    assert {kind for kind, _ in found(shop, zed)} == {"partition-name"}
    assert found(shop, "nobody@example.org") == set()


def test_values_of_a_person_are_found_among_others_of_a_partition(shop: Shop) -> None:
    shop.plan = {
        "subjects": ["first", "last"],
        "tables": {"shop.sales": {"keys": {"first": "email", "last": "account"}}},
    }
    columns = tuple(Column(name, "string") for name in ("day", "first", "last"))
    shop.metastore.add_table(replace(shop.metastore.table(SALES), partition_columns=columns))
    for day in ("day=1", "day=2"):
        shop.metastore.remove_partition(SALES, day)
    for first in ("Ann", "Bo"):
        name = f"day=3/first={first}/last=Lee"
        shop.metastore.add_partition(SALES, Partition(name, ("3", first, "Lee"), f"/elsewhere/{first[0]}"))
    outcome = verify_subjects(shop.case("verification", [("Ann", "Lee")]), shop.world())
    (place,) = outcome.verdict.places
    assert place.kind is PlaceKind.PARTITION_NAME
    assert "day=3" in place.where and "Ann" not in place.where


def test_a_partition_of_null_is_none_that_cannot_be_compared(shop: Shop) -> None:
    use_key(shop, "day")
    shop.disk.spellings["day"] = lambda given: "" if given == NULL_PARTITION else given
    null = Partition(f"day={NULL_PARTITION}", (NULL_PARTITION,), f"/warehouse/sales/day={NULL_PARTITION}")
    shop.metastore.add_partition(SALES, null)
    assert found(shop, "4711") == set()


@pytest.mark.parametrize("name", ["writeId", "numFiles", "spark.sql.create.version", "last_modified_time"])
@pytest.mark.parametrize(
    ("value", "is_found"), [(ADA, True), ("4.0.1-SNAPSHOT", False), ("-1", False), ("12345678", False)]
)
def test_a_property_of_the_server_names_nobody_only_where_its_value_is_a_number(
    shop: Shop, name: str, value: str, is_found: bool
) -> None:
    table = shop.metastore.table(NOTES)
    shop.metastore.add_table(replace(table, parameters={**table.parameters, name: value}))
    shop.plan = {"subjects": ["email"], "tables": {"shop.notes": {"keys": {"email": "email"}}}}
    outcome = verify_subjects(shop.case("verification", [ADA, "12345678"]), shop.world())
    assert shop.kinds(outcome) == ({"table-property"} if is_found else set())


def test_a_text_that_spark_has_cut_into_properties_is_searched_as_one(shop: Shop) -> None:
    """As that of a wide table's columns, in which their default values stand (CatalogTable.splitLargeTableProp)."""
    table, name = shop.metastore.table(NOTES), "spark.sql.sources.schema"
    text = "x" * 10 + f'{{"CURRENT_DEFAULT":"{ADA}"}}'
    parts = {f"{name}.part.{at}": text[4 * at : 4 * at + 4] for at in range(len(text) // 4 + 1)}
    shop.metastore.add_table(replace(table, parameters={**table.parameters, f"{name}.numParts": "20", **parts}))
    shop.plan = {"subjects": ["email"], "tables": {"shop.notes": {"keys": {"email": "email"}}}}
    (place,) = shop.verify().verdict.places
    assert (place.kind.value, place.detail) == ("table-property", f"{name}.part names a subject")


def test_a_default_value_that_is_not_in_force_is_searched(shop: Shop) -> None:
    shop.metastore.disabled_defaults[NOTES] = {"email": f"'{ADA}'"}
    assert shop.kinds(shop.erase()) == {"default-value"}


def test_a_folder_of_several_partitions_leaves_the_verdict_open(shop: Shop) -> None:
    """Its files are searched with the values of one of them."""
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), "/warehouse/sales/day=2/"))
    outcome = shop.erase()
    (place,) = outcome.verdict.places
    assert place.kind.value == "unsearched" and "day=2, day=3" in place.detail
