"""A key names whose value it is, and nobody whose value only looks like it; equal values are found in each spelling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.errors import HiveAcidError
from hive_acid_erasure.certificate.signing import HASH_KEY_FILE, SIGNING_KEY_FILE, make_keys
from integration.conftest import Tables
from support.spark_lines import since

ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
Erase = Callable[[str, dict[str, Any]], str]


@pytest.fixture
def erase(spark: SparkSession, tables: Tables, tmp_path: Path) -> Erase:
    """Erases the subject of the column `c` by these tables of the test's database; the verdict."""
    make_keys(tmp_path / "keys")

    def run(subject: str, plan: dict[str, Any]) -> str:
        outcome = hive_acid.erase(
            spark,
            subjects=[subject],
            columns=["c"],
            tables={f"{tables.database}.{name}": entry for name, entry in plan.items()},
            hash_key=bytes.fromhex((tmp_path / "keys" / HASH_KEY_FILE).read_text().strip()),
            signing_key=tmp_path / "keys" / SIGNING_KEY_FILE,
            ledger=tmp_path / "ledger",
            certificate=tmp_path / "certificate.json",
        )
        return outcome.verdict.state.value

    return run


def fill(tables: Tables, columns: str, values: str) -> dict[str, Any]:
    """The table `accounts` of Ann and Bob, the table `events` of both, and the plan's entry of the latter."""
    tables.sql(f"CREATE TABLE accounts (id {columns}, owner STRING) {ACID}")
    tables.sql(f"CREATE TABLE events (account {columns}, what STRING) {ACID}")
    mine, other = values.split(" and ")
    tables.sql(f"INSERT INTO accounts SELECT {mine}, 'Ann' UNION ALL SELECT {other}, 'Bob'")
    tables.sql(f"INSERT INTO events SELECT {mine}, 'of Ann' UNION ALL SELECT {other}, 'of Bob'")
    step = {"table": f"{tables.database}.accounts", "keys": {"c": "owner"}, "link": {"account": "id"}}
    return {"keys": {"account": "account"}, "via": [step]}


@pytest.mark.parametrize(
    ("columns", "values"),
    [("BINARY", "x'FF01' and x'FE01'"), ("STRING", "CAST(x'C35A' AS STRING) and CAST(x'C45A' AS STRING)")],
)
def test_ids_that_are_no_utf_8_and_look_alike_are_told_apart(
    tables: Tables, erase: Erase, columns: str, values: str
) -> None:
    assert erase("Ann", {"events": fill(tables, columns, values)}) == "erased"
    assert tables.sql("SELECT what FROM events") == [("of Bob",)]


def test_a_link_in_which_several_people_s_have_fallen_together_is_refused(tables: Tables, erase: Erase) -> None:
    entry = fill(tables, "STRING", "CAST(x'C35A' AS STRING) and CAST(x'C45A' AS STRING)")
    entry["via"][0]["link"] = {"account": "lower(id)"}
    with pytest.raises(HiveAcidError) as caught:
        erase("Ann", {"events": {**entry, "keys": {"account": "lower(account)"}}})
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.AMBIGUOUS_LINK"
    assert len(tables.sql("SELECT what FROM events")) == 2


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ("STRUCT<a: STRING, b: STRING>", "named_struct('a', 'x, y', 'b', 'z') and named_struct('a', 'x', 'b', 'y, z')"),
        ("MAP<STRING, STRING>", "map('k', 'null') and map('k', NULL)"),
        ("ARRAY<ARRAY<STRING>>", "array(array('x, y')) and array(array('x', 'y'))"),
    ],
)
def test_ids_of_several_values_that_have_one_text_are_refused_as_links(
    tables: Tables, erase: Erase, columns: str, values: str
) -> None:
    with pytest.raises(HiveAcidError) as caught:
        erase("Ann", {"events": fill(tables, columns, values)})
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_LINK_NESTED"
    assert len(tables.sql("SELECT what FROM events")) == 2


@pytest.mark.parametrize("empty", ["''", "'  '"])
def test_an_empty_link_is_refused_for_rows_of_others_without_an_account_have_it_too(
    tables: Tables, erase: Erase, empty: str
) -> None:
    entry = fill(tables, "STRING", f"{empty} and 'b-1'")
    with pytest.raises(HiveAcidError) as caught:
        erase("Ann", {"events": entry})
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.AMBIGUOUS_LINK"
    assert len(tables.sql("SELECT what FROM events")) == 2


def test_both_zeros_are_one_key(tables: Tables, erase: Erase) -> None:
    tables.sql(f"CREATE TABLE t (k DOUBLE, many ARRAY<FLOAT>, what STRING) {ACID}")
    tables.sql(
        "INSERT INTO t VALUES (-0.0D, array(float('-0.0'), 2F), 'a'), (0.0D, array(), 'b'), (1.0D, array(), 'c')"
    )
    assert tables.sql("SELECT what FROM t WHERE k = 0") == [("a",), ("b",)]
    assert erase("0", {"t": {"keys": {"c": "k"}}}) == "erased"
    assert tables.sql("SELECT what FROM t") == [("c",)]


def test_both_zeros_of_an_array_are_one_key(tables: Tables, erase: Erase) -> None:
    tables.sql(f"CREATE TABLE t (many ARRAY<FLOAT>, what STRING) {ACID}")
    tables.sql("INSERT INTO t VALUES (array(2F, float('-0.0')), 'a'), (array(0F), 'b'), (array(1F), 'c'), (NULL, 'd')")
    assert erase("0", {"t": {"keys": {"c": "many"}}}) == "erased"
    assert sorted(tables.sql("SELECT what FROM t")) == [("c",), ("d",)]


@pytest.mark.parametrize("subject", ["2024-10-27 02:30:00+02:00", "2024-10-27 02:30:00"])
def test_a_moment_of_the_hour_that_clocks_show_twice_is_refused(
    spark: SparkSession, tables: Tables, erase: Erase, subject: str
) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        tables.sql(f"CREATE TABLE t (k TIMESTAMP, what STRING) {ACID}")
        tables.sql(
            "INSERT INTO t VALUES (timestamp'2024-10-27 02:30:00+02:00', 'a'), "
            "(timestamp'2024-10-27 02:30:00+01:00', 'b')"
        )
        with pytest.raises(HiveAcidError) as caught:
            erase(subject, {"t": {"keys": {"c": "k"}}})
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.SUBJECT_TYPE"
    assert len(tables.sql("SELECT what FROM t")) == 2


def test_moments_link_tables_only_where_no_clock_is_set_back(spark: SparkSession, tables: Tables, erase: Erase) -> None:
    entry = fill(tables, "TIMESTAMP", "timestamp'2024-10-27 00:30:00Z' and timestamp'2024-10-27 01:30:00Z'")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        with pytest.raises(HiveAcidError) as caught:
            erase("Ann", {"events": entry})
        assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_LINK_MOMENT"
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        assert erase("Ann", {"events": entry}) == "erased"
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
    assert tables.sql("SELECT what FROM events") == [("of Bob",)]


def test_a_subject_with_the_sign_of_lost_bytes_is_refused(tables: Tables, erase: Erase) -> None:
    tables.sql(f"CREATE TABLE t (k STRING) {ACID}")
    with pytest.raises(HiveAcidError) as caught:
        erase("x\ufffd", {"t": {"keys": {"c": "k"}}})
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.NOT_UNICODE"


@since("4.0", "collations")
@pytest.mark.parametrize("key", ["k COLLATE UTF8_LCASE", "lower(k COLLATE UNICODE_CI)", "array(k COLLATE UTF8_LCASE)"])
def test_a_key_by_whose_collation_other_texts_are_equal_is_refused(tables: Tables, erase: Erase, key: str) -> None:
    tables.sql(f"CREATE TABLE t (k STRING) {ACID}")
    tables.sql("INSERT INTO t VALUES ('ADA')")
    with pytest.raises(HiveAcidError) as caught:
        erase("ada", {"t": {"keys": {"c": key}}})
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.PLAN_COLLATION"
    assert erase("ada", {"t": {"keys": {"c": "lower(k)"}}}) == "erased"
