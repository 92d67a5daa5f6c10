"""Checks of new values that hold whatever Spark's settings leave out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

from integration.conftest import Tables, refusal
from support.spark_lines import FAILED_JOB

TOO_LONG = {"HIVE_ACID_UNWRITABLE_VALUE.TEXT_TOO_LONG", "EXCEED_LIMIT_LENGTH"}
INSERT_ONLY = ", 'transactional_properties'='insert_only'"
COLUMNS = "id INT, c CHAR(3), v VARCHAR(3), s STRUCT<v: VARCHAR(3)>, l ARRAY<CHAR(3)>, m MAP<VARCHAR(3), VARCHAR(3)>"
FITTING = {
    "id": "1",
    "c": "'abc  '",
    "v": "'äöü   '",
    "s": "named_struct('v', 'x')",
    "l": "array('y')",
    "m": "map('k', 'z')",
    "p": "'one'",
    "q": "'on'",
}
TOO_LONG_VALUES = {
    "c": "'abcdef'",
    "v": "'äöüä'",
    "s": "named_struct('v', 'abcd')",
    "l": "array('a', 'abcd')",
    "m": "map('abcd', 'z')",
    "p": "'abcdef'",
    "q": "'abcdef'",
}


@pytest.fixture(params=["spark.sql.legacy.charVarcharAsString=true", "spark.sql.preserveCharVarcharTypeInfo=true"])
def without_lengths(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    key, value = request.param.split("=")
    spark.conf.set(key, value)
    yield
    spark.conf.unset(key)


def row(**values: str) -> str:
    return ", ".join((FITTING | values).values())


def rows(spark: SparkSession, **values: str) -> DataFrame:
    return spark.sql("SELECT " + ", ".join(f"{value} AS {name}" for name, value in (FITTING | values).items()))


@pytest.mark.beyond_the_gate(
    "one table of each writer of files", cells=["*-ORC-, 'transactional_properties'='insert_only'"]
)
@pytest.mark.parametrize(("form", "kind"), [("ORC", ""), ("ORC", INSERT_ONLY), ("PARQUET", INSERT_ONLY)])
@pytest.mark.usefixtures("without_lengths")
def test_a_text_that_is_too_long_is_refused_wherever_it_stands(
    tables: Tables, spark: SparkSession, form: str, kind: str
) -> None:
    properties = f"TBLPROPERTIES ('transactional'='true'{kind})"
    tables.sql(f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (p VARCHAR(3), q CHAR(3)) STORED AS {form} {properties}")
    tables.sql(f"INSERT INTO t SELECT {row()}")
    shown = "SELECT id, rtrim(c), rtrim(v), s.v, rtrim(l[0]), m['k'], p, rtrim(q) FROM t"
    expected = [(1, "abc", "äöü", "x", "y", "z", "one", "on")]
    for column, value in TOO_LONG_VALUES.items():
        assert refusal(tables, f"INSERT INTO t SELECT {row(**{column: value})}") in {*TOO_LONG, None}, column
        with pytest.raises(FAILED_JOB):
            rows(spark, **{column: value}).write.insertInto("t")
        with pytest.raises(FAILED_JOB):
            rows(spark, **{column: value}).writeTo("t").append()
        with pytest.raises(FAILED_JOB):
            rows(spark, **{column: value}).write.insertInto("t", overwrite=True)
        if not kind:
            assert refusal(tables, f"UPDATE t SET {column} = {value}") in {*TOO_LONG, None}
            merge = (
                f"MERGE INTO t USING (SELECT 1 AS one) ON t.id = one WHEN MATCHED THEN UPDATE SET {column} = {value}"
            )
            assert refusal(tables, merge) in {*TOO_LONG, None}
            names, values = ", ".join(FITTING), row(**{column: value})
            merge = f"MERGE INTO t USING (SELECT 2 AS two) ON t.id = two WHEN NOT MATCHED THEN INSERT ({names}) VALUES "
            assert refusal(tables, f"{merge} ({values})") in {*TOO_LONG, None}
        assert tables.sql(shown) == expected
    assert len(tables.sql("SHOW PARTITIONS t")) == 1


LEGACY = "spark.sql.storeAssignmentPolicy"


def test_the_policy_that_stores_other_values_is_refused(tables: Tables, spark: SparkSession) -> None:
    tables.sql("CREATE TABLE t (id TINYINT, n INT NOT NULL) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql("INSERT INTO t VALUES (1, 1)")
    spark.conf.set(LEGACY, "LEGACY")
    try:
        for statement in (
            "INSERT INTO t VALUES (300, 1)",
            "INSERT OVERWRITE t VALUES (2, NULL)",
            "INSERT INTO t REPLACE WHERE id > 0 VALUES (2, NULL)",
            "UPDATE t SET id = 300",
            "UPDATE t SET n = NULL",
            "MERGE INTO t USING (SELECT 2 AS two) ON t.id = two WHEN NOT MATCHED THEN INSERT (id, n) VALUES (300, 1)",
            "MERGE INTO t USING (SELECT 1 AS one) ON t.id = one WHEN MATCHED THEN UPDATE SET n = NULL",
        ):
            assert refusal(tables, statement) == "HIVE_ACID_UNSUPPORTED_STATEMENT.LEGACY_ASSIGNMENT", statement
        assert tables.sql("SELECT * FROM t") == [(1, 1)]
        assert tables.sql("DELETE FROM t WHERE id = 1") == [(1,)]
    finally:
        spark.conf.unset(LEGACY)


def test_without_ansi_values_of_another_type_are_refused_all_the_same(tables: Tables, spark: SparkSession) -> None:
    tables.sql("CREATE TABLE t (id TINYINT, d DECIMAL(3, 1)) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql("INSERT INTO t VALUES (1, 1)")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        for value in ("id = 300", "id = 'x'", "d = 1000"):
            column, new = value.split(" = ")
            other = {"id": f"{new}, 1", "d": f"1, {new}"}[column]
            for statement in (f"INSERT INTO t VALUES ({other})", f"UPDATE t SET {value}"):
                with pytest.raises(FAILED_JOB):
                    tables.sql(statement)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert tables.sql("SELECT * FROM t") == [(1, 1)]
