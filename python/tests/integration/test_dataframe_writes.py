"""What DataFrames write by the names of columns: `writeTo` and `saveAsTable`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid.model.table import TableName
from hive_acid.spark_lines import LINES, find_line
from integration.conftest import Tables
from support.polling import eventually

MODES = "spark.sql.sources.partitionOverwriteMode"


def fill(tables: Tables) -> None:
    """Makes `flat (id, name, d)` and `parts (id, name) by d`, with the rows `OLD`."""
    tables.create("flat", "id INT, name STRING, d INT")
    tables.create("parts", "id INT, name STRING", "PARTITIONED BY (d INT)")
    for name in ("flat", "parts"):
        tables.sql(f"INSERT INTO {name} VALUES (1, 'one', 1), (2, 'two', 2)")


def new_rows(spark: SparkSession) -> DataFrame:
    """Two rows for both tables, columns in another order."""
    return spark.createDataFrame([(1, "eleven", 11), (3, "twelve", 12)], "d INT, name STRING, id INT")


@pytest.fixture
def frame(tables: Tables, spark: SparkSession) -> DataFrame:
    fill(tables)
    return new_rows(spark)


@pytest.fixture
def unchanged(filled: Tables) -> Iterator[Tables]:
    """One pair of tables for all writes that change nothing; rows and files are the same afterwards."""
    files = filled.files("flat"), filled.files("parts")
    yield filled
    assert (rows(filled, "flat"), rows(filled, "parts")) == (OLD, OLD)
    assert (filled.files("flat"), filled.files("parts")) == files


def rows(tables: Tables, name: str) -> list[tuple[object, ...]]:
    return sorted(tables.sql(f"SELECT id, name, d FROM {name}"))


OLD = [(1, "one", 1), (2, "two", 2)]
NEW = [(11, "eleven", 1), (12, "twelve", 3)]
APPENDS: dict[str, Callable[[DataFrame, str], object]] = {
    "writeTo": lambda frame, name: frame.writeTo(name).append(),
    "saveAsTable": lambda frame, name: frame.write.mode("append").saveAsTable(name),
    "saveAsTable, hive": lambda frame, name: frame.write.format("hive").mode("append").saveAsTable(name),
}
SAVES: dict[str, Callable[[DataFrame, str], object]] = {
    "saveAsTable": lambda frame, name: frame.write.mode("overwrite").saveAsTable(name),
    "saveAsTable, orc": lambda frame, name: frame.write.format("orc").mode("overwrite").saveAsTable(name),
}
DROPS_FIRST = find_line() in LINES[: LINES.index("4.1")]
"""Spark itself drops the table before it plans such a write."""
REPLACEMENTS: dict[str, Callable[[DataFrame, str], object]] = {
    "writeTo": lambda frame, name: frame.writeTo(name).overwrite(F.lit(True)),
    **({} if DROPS_FIRST else SAVES),
}


@pytest.mark.beyond_the_gate("one cell of each way and mode", but=["writeTo-parts"])
@pytest.mark.parametrize("name", ["flat", "parts"])
@pytest.mark.parametrize("append", APPENDS.values(), ids=APPENDS)
def test_rows_are_added_by_the_names_of_columns(
    tables: Tables, frame: DataFrame, append: Callable[[DataFrame, str], object], name: str
) -> None:
    append(frame, name)
    assert rows(tables, name) == [*OLD, *NEW]
    assert len(tables.files(name)) > 0
    assert eventually(lambda: tables.open_transactions() == [])


@pytest.mark.beyond_the_gate("one cell of each way and mode", but=["saveAsTable-flat-None"])
@pytest.mark.parametrize("mode", ["static", pytest.param("dynamic", marks=pytest.mark.slow), None])
@pytest.mark.parametrize("name", ["flat", "parts"])
@pytest.mark.parametrize("replace", REPLACEMENTS.values(), ids=REPLACEMENTS)
def test_all_rows_are_replaced_whatever_the_setting(
    tables: Tables,
    spark: SparkSession,
    frame: DataFrame,
    replace: Callable[[DataFrame, str], object],
    name: str,
    mode: str | None,
) -> None:
    before = tables.client.table(TableName(tables.database, name))
    if mode:
        spark.conf.set(MODES, mode)
    try:
        replace(frame, name)
    finally:
        spark.conf.unset(MODES)
    assert rows(tables, name) == NEW
    after = tables.client.table(TableName(tables.database, name))
    assert (after.location, after.columns, after.partition_columns) == (
        before.location,
        before.columns,
        before.partition_columns,
    ), "the table was not made anew"


@pytest.mark.beyond_the_gate("one cell of each way and mode", but=["dynamic"])
@pytest.mark.parametrize("mode", ["static", "dynamic", None])
def test_only_partitions_with_rows_are_replaced_whatever_the_setting(
    tables: Tables, spark: SparkSession, frame: DataFrame, mode: str | None
) -> None:
    if mode:
        spark.conf.set(MODES, mode)
    try:
        frame.writeTo("parts").overwritePartitions()
        frame.writeTo("flat").overwritePartitions()
    finally:
        spark.conf.unset(MODES)
    assert (rows(tables, "parts"), rows(tables, "flat")) == ([(2, "two", 2), *NEW], NEW)


@pytest.mark.beyond_the_gate("one table of each layout; the other tests of the file", cells=["flat"])
@pytest.mark.parametrize("name", ["flat", "parts"])
def test_rows_are_replaced_by_a_condition_and_matched_by_the_names_of_columns(
    tables: Tables, frame: DataFrame, name: str
) -> None:
    frame.writeTo(name).overwrite((F.col("id") > 10) | (F.col("d") == 1))
    assert rows(tables, name) == [(2, "two", 2), *NEW]
    assert eventually(lambda: tables.open_transactions() == [])


def test_the_error_of_a_row_that_does_not_satisfy_the_condition_has_it_in_words(
    unchanged: Tables, spark: SparkSession
) -> None:
    frame = new_rows(spark)
    for condition, words in ((F.expr("id > 11"), "id > 11"), (F.col("id") > 11, "(id > 11)")):
        with pytest.raises(AnalysisException) as caught:
            frame.writeTo("flat").overwrite(condition)
        assert caught.value.getSqlState() == "44000"
        assert caught.value.getMessageParameters() == {"table": f"{unchanged.database}.flat", "predicate": words}


@pytest.mark.beyond_the_gate(
    "one table of each layout; the other tests of the file", cells=["flat-saveAsTable, orc", "parts-saveAsTable"]
)
@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("name", ["flat", "parts"])
def test_a_table_is_not_dropped_to_be_replaced(
    tables: Tables, frame: DataFrame, save: Callable[[DataFrame, str], object], name: str
) -> None:
    description = tables.client.table(TableName(tables.database, name))
    if DROPS_FIRST:
        files = tables.files(name)
        with pytest.raises(AnalysisException) as caught:
            save(frame, name)
        assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.DROPS_TABLE"
        assert (rows(tables, name), tables.files(name)) == (OLD, files)
    else:
        save(frame, name)
        assert rows(tables, name) == NEW
    assert tables.client.table(TableName(tables.database, name)) == description


@pytest.mark.beyond_the_gate(
    "a column of the table, and one by which it is partitioned", but=["id INT, name CHAR(4), d INT-saveAsTable"]
)
@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("columns", ["id INT, name CHAR(4), d INT", "id INT, s STRUCT<c: CHAR(3)>"])
def test_a_table_with_columns_of_type_char_is_not_dropped_to_be_replaced(
    tables: Tables, spark: SparkSession, save: Callable[[DataFrame, str], object], columns: str
) -> None:
    tables.create("padded", columns)
    tables.create("by_text", "id INT", "PARTITIONED BY (name CHAR(4))")
    for name in ("padded", "by_text"):
        tables.sql(f"INSERT INTO {name} (id) VALUES (1)")
        description = tables.client.table(TableName(tables.database, name))
        frame = spark.table(name).where("id > 0")
        if DROPS_FIRST:
            with pytest.raises(AnalysisException) as caught:
                save(frame, name)
            assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.DROPS_TABLE"
        else:
            save(frame, name)
        assert tables.sql(f"SELECT id FROM {name}") == [(1,)]
        assert tables.client.table(TableName(tables.database, name)) == description


@pytest.mark.beyond_the_gate("one table of each layout; the other tests of the file", cells=["append"])
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_save_as_table_does_not_mean_a_temporary_view_of_the_name(
    tables: Tables, spark: SparkSession, frame: DataFrame, mode: str
) -> None:
    name = f"{tables.database}.flat"
    spark.table("flat").where("id = 1").createOrReplaceTempView("flat")
    try:
        if DROPS_FIRST and mode == "overwrite":
            with pytest.raises(AnalysisException):
                frame.write.mode(mode).saveAsTable("flat")
            assert rows(tables, name) == OLD
        else:
            frame.write.mode(mode).saveAsTable("flat")
            assert rows(tables, name) == ([*OLD, *NEW] if mode == "append" else NEW)
        tables.sql(f"CREATE DATABASE {tables.database}_empty")
        tables.sql(f"DROP DATABASE {tables.database}_empty")  # the view is in none
    finally:
        spark.catalog.dropTempView("flat")


def test_a_table_is_overwritten_from_itself(tables: Tables, spark: SparkSession, frame: DataFrame) -> None:
    changed = spark.table("parts").where("id > 1").withColumn("name", F.upper("name"))
    if DROPS_FIRST:
        changed.writeTo("parts").overwrite(F.lit(True))
    else:
        changed.write.mode("overwrite").saveAsTable("parts")
    assert rows(tables, "parts") == [(2, "TWO", 2)]


@pytest.mark.usefixtures("unchanged")
def test_a_table_that_is_there_is_left_or_is_an_error(spark: SparkSession) -> None:
    new_rows(spark).write.mode("ignore").saveAsTable("flat")
    with pytest.raises(AnalysisException) as caught:
        new_rows(spark).write.mode("error").saveAsTable("flat")
    assert caught.value.getCondition() == "TABLE_OR_VIEW_ALREADY_EXISTS"


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        (lambda f: f.writeTo("flat").overwrite(F.col("id") == 11), "HIVE_ACID_REPLACE_WHERE_MISMATCH"),
        (
            lambda f: f.writeTo("flat").overwrite(F.rand() < 2),
            "HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_NOT_DETERMINISTIC",
        ),
        (
            lambda f: f.writeTo("flat").overwrite(F.col("ROW__ID.rowid") == 0),
            "HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_HIDDEN_COLUMN",
        ),
        (lambda f: f.writeTo("flat").overwrite(F.col("nothing") == 1), "UNRESOLVED_COLUMN"),
        (lambda f: f.writeTo("flat").overwrite(F.col("name")), "DATATYPE_MISMATCH"),
        (lambda f: f.withColumn("more", F.lit(1)).writeTo("flat").overwrite("id > 1"), "INSERT_COLUMN_ARITY_MISMATCH"),
        (
            lambda f: f.write.partitionBy("name").mode("append").saveAsTable("parts"),
            "HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_LAYOUT",
        ),
        (
            lambda f: f.write.bucketBy(2, "id").mode("append").saveAsTable("flat"),
            "HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_LAYOUT",
        ),
        (lambda f: f.withColumn("more", F.lit(1)).writeTo("flat").append(), "INSERT_COLUMN_ARITY_MISMATCH"),
        (lambda f: f.withColumnRenamed("id", "other").writeTo("flat").append(), "INCOMPATIBLE_DATA_FOR_TABLE"),
        (lambda f: f.withColumn("id", F.lit("x")).write.mode("append").saveAsTable("flat"), "INCOMPATIBLE_DATA"),
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_what_does_not_fit_is_refused_and_changes_nothing(
    spark: SparkSession, write: Callable[[DataFrame], object], condition: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        write(new_rows(spark))
    assert str(caught.value.getCondition()).startswith(condition)
