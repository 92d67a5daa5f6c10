"""Options of DataFrames' writers and readers, and of WITH in SQL: honoured, ignored as no row is meant, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid.spark_lines import LINES, find_line
from integration.conftest import Tables, refusal

LINE = LINES.index(find_line())
DROPS_FIRST = LINES.index("4.1") > LINE
"""Spark itself drops the table before it plans a `saveAsTable` that overwrites, which is therefore refused."""
needs_with = pytest.mark.skipif(LINES.index("4.0") > LINE, reason="SQL has no WITH of options before Spark 4.0")

OLD = [(1, "one", 1), (2, "two", 2), (3, "three", 2)]
NEW = [(2, "TWO", 2)]
UNSUPPORTED = "HIVE_ACID_UNSUPPORTED_STATEMENT"


@pytest.fixture
def parts(tables: Tables) -> Tables:
    """`parts (id, name) by d` with the rows `OLD`."""
    tables.create("parts", "id INT, name STRING", "PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO parts VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 2)")
    return tables


@pytest.fixture
def unchanged(parts: Tables) -> Iterator[Tables]:
    """The same for writes that are refused: rows and files are the same afterwards."""
    files = parts.files("parts")
    yield parts
    assert (rows(parts), parts.files("parts")) == (OLD, files)


def rows(tables: Tables) -> list[tuple[object, ...]]:
    return sorted(tables.sql("SELECT id, name, d FROM parts"))


def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(NEW, "id INT, name STRING, d INT")


def insert(spark: SparkSession, **options: str) -> None:
    frame(spark).write.options(**options).insertInto("parts", overwrite=True)


def save(spark: SparkSession, **options: str) -> None:
    frame(spark).write.options(**options).mode("overwrite").saveAsTable("parts")


def insert_by_text(spark: SparkSession, **options: str) -> None:
    written = ", ".join(f"'{key}' = \"{value}\"" for key, value in options.items())
    frame(spark).createOrReplaceTempView("news")
    spark.sql(f"INSERT OVERWRITE parts WITH ({written}) SELECT * FROM news")


OVERWRITES = [
    insert,
    pytest.param(save, marks=pytest.mark.skipif(DROPS_FIRST, reason="refused before Spark 4.1")),
    pytest.param(insert_by_text, marks=needs_with),
]


@pytest.mark.parametrize("overwrite", OVERWRITES)
def test_only_rows_that_satisfy_the_condition_of_an_option_are_replaced(
    parts: Tables, spark: SparkSession, overwrite: Callable[..., None]
) -> None:
    overwrite(spark, replaceWhere="name < 'two' OR id = 2")
    assert rows(parts) == [(2, "TWO", 2)], "all of them but the new row satisfy it"
    overwrite(spark, REPLACEWHERE="id = 2 AND d = 2", partitionOverwriteMode="static")
    assert rows(parts) == [(2, "TWO", 2)]


@pytest.mark.parametrize("overwrite", OVERWRITES)
def test_rows_beside_the_condition_stay(parts: Tables, spark: SparkSession, overwrite: Callable[..., None]) -> None:
    overwrite(spark, replaceWhere="id = 2")
    assert rows(parts) == [OLD[0], *NEW, OLD[2]]


@pytest.mark.parametrize("overwrite", OVERWRITES)
def test_an_option_says_whether_partitions_without_new_rows_are_kept(
    parts: Tables, spark: SparkSession, overwrite: Callable[..., None]
) -> None:
    overwrite(spark, partitionOverwriteMode="Dynamic")
    assert rows(parts) == [OLD[0], *NEW]
    overwrite(spark, partitionOverwriteMode="static")
    assert rows(parts) == NEW


def test_an_option_counts_more_than_the_setting(parts: Tables, spark: SparkSession) -> None:
    setting = "spark.sql.sources.partitionOverwriteMode"
    for of_setting, of_option, expected in (("static", "dynamic", [OLD[0], *NEW]), ("dynamic", "static", NEW)):
        spark.conf.set(setting, of_setting)
        try:
            insert(spark, partitionOverwriteMode=of_option)
        finally:
            spark.conf.unset(setting)
        assert rows(parts) == expected


def test_writes_without_options_replace_what_they_did(parts: Tables, spark: SparkSession) -> None:
    insert(spark)
    assert rows(parts) == [OLD[0], *NEW], "a table of Hive is overwritten partition by partition"
    frame(spark).write.insertInto("parts")
    assert rows(parts) == [OLD[0], *NEW, *NEW]


def test_a_view_and_a_plain_table_are_inserted_into_as_without_the_extension(
    parts: Tables, spark: SparkSession
) -> None:
    parts.sql("CREATE TABLE plain (id INT, name STRING, d INT) STORED AS ORC")
    frame(spark).write.option("anything", "1").insertInto("plain", overwrite=True)
    assert parts.sql("SELECT * FROM plain") == NEW
    spark.table("plain").createOrReplaceTempView("parts")
    try:
        frame(spark).write.insertInto("parts")
    finally:
        spark.catalog.dropTempView("parts")
    assert (parts.sql("SELECT * FROM plain"), rows(parts)) == ([*NEW, *NEW], OLD), "the table behind the view"


def test_options_that_say_nothing_of_rows_are_accepted(parts: Tables, spark: SparkSession) -> None:
    insert(spark, compression="zlib", partitionOverwriteMode="static")
    frame(spark).write.option("compression", "zlib").mode("append").saveAsTable("parts")
    frame(spark).writeTo("parts").option("partitionOverwriteMode", "dynamic").overwritePartitions()
    frame(spark).writeTo("parts").option("partitionOverwriteMode", "static").append()
    assert rows(parts) == [*NEW, *NEW]


FOREIGN = [
    *("txnAppId", "txnVersion", "mergeSchema", "overwriteSchema", "transactional", "branch", "snapshot-property.x"),
    *("replaceWere", "isolation-level"),
]


@pytest.mark.parametrize("option", FOREIGN)
def test_an_option_that_is_not_honoured_refuses_every_write(
    unchanged: Tables, spark: SparkSession, option: str
) -> None:
    writes: list[Callable[[], object]] = [
        lambda: insert(spark, **{option: "1"}),
        lambda: frame(spark).write.option(option, "1").insertInto("parts"),
        lambda: frame(spark).write.option(option, "1").insertInto(f"spark_catalog.{unchanged.database}.parts"),
        lambda: frame(spark).write.option(option, "1").mode("append").saveAsTable("parts"),
        lambda: frame(spark).writeTo("parts").option(option, "1").append(),
        lambda: frame(spark).writeTo("parts").option(option, "1").overwritePartitions(),
        lambda: frame(spark).writeTo("parts").option(option, "1").overwrite(F.col("id") == 2),
    ]
    if not DROPS_FIRST:
        writes.append(lambda: save(spark, **{option: "1"}))
    if LINES.index("4.0") <= LINE:
        writes.append(lambda: spark.sql(f"INSERT INTO parts WITH ('{option}' = 1) VALUES (9, 'nine', 9)"))
    for write in writes:
        with pytest.raises(AnalysisException) as caught:
            write()
        assert caught.value.getCondition() == f"{UNSUPPORTED}.OPTION"
        assert str(caught.value.getMessageParameters()["option"]).lower() == option.lower()


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        (lambda w: w.option("replaceWhere", "id = 2").insertInto("parts"), "OPTION_OF_OVERWRITES"),
        (lambda w: w.option("replaceWhere", "id = 2").mode("append").saveAsTable("parts"), "OPTION_OF_OVERWRITES"),
        (lambda w: w.option("partitionOverwriteMode", "none").insertInto("parts"), "OPTION_VALUE"),
        (
            lambda w: w.options(replaceWhere="id = 2", partitionOverwriteMode="dynamic").insertInto("parts", True),
            "OPTION_CONTRADICTS",
        ),
    ],
)
def test_options_that_contradict_a_write_refuse_it(
    unchanged: Tables, spark: SparkSession, write: Callable[[DataFrameWriter], object], condition: str
) -> None:
    with pytest.raises(AnalysisException) as caught:
        write(frame(spark).write)
    assert caught.value.getCondition() == f"{UNSUPPORTED}.{condition}"


@pytest.mark.usefixtures("unchanged")
def test_options_do_not_change_what_a_write_by_names_has_said(spark: SparkSession) -> None:
    writes = [
        lambda w: w.option("replaceWhere", "id = 2").append(),
        lambda w: w.option("replaceWhere", "id = 2").overwritePartitions(),
        lambda w: w.option("replaceWhere", "id = 2").overwrite(F.col("id") == 2),
        lambda w: w.option("partitionOverwriteMode", "static").overwritePartitions(),
        lambda w: w.option("partitionOverwriteMode", "dynamic").overwrite(F.col("id") == 2),
    ]
    for write in writes:
        with pytest.raises(AnalysisException) as caught:
            write(frame(spark).writeTo("parts"))
        assert str(caught.value.getCondition()).startswith(f"{UNSUPPORTED}.OPTION_")


@pytest.mark.usefixtures("unchanged")
def test_a_new_row_must_satisfy_the_condition_of_an_option(spark: SparkSession) -> None:
    for condition, expected in (("id = 3", "HIVE_ACID_REPLACE_WHERE_MISMATCH"), ("id ==", "PARSE_SYNTAX_ERROR")):
        with pytest.raises(AnalysisException) as caught:
            insert(spark, replaceWhere=condition)
        assert caught.value.getCondition() == expected


@pytest.mark.parametrize("option", ["readChangeFeed", "startingVersion", "mergeSchema", "branch", "ignoreMissingFiles"])
def test_an_option_that_is_not_honoured_refuses_a_read(parts: Tables, spark: SparkSession, option: str) -> None:
    reads = [lambda: spark.read.option(option, "1").table("parts").collect()]
    if LINES.index("4.0") <= LINE:
        reads.append(lambda: spark.sql(f"SELECT * FROM parts WITH ('{option}' = 1)").collect())
        reads.append(lambda: spark.sql(f"SELECT (SELECT max(id) FROM parts WITH ('{option}' = 1))").collect())
    for read in reads:
        with pytest.raises(AnalysisException) as caught:
            read()
        assert caught.value.getCondition() == f"{UNSUPPORTED}.OPTION"
    assert len(spark.read.option("split-size", "1000").table("parts").collect()) == len(OLD)


@needs_with
def test_replace_where_takes_no_second_condition(unchanged: Tables) -> None:
    statement = "INSERT INTO parts WITH ('replaceWhere' = 'id = 1') REPLACE WHERE id = 2 VALUES (2, 'TWO', 2)"
    assert refusal(unchanged, statement) == f"{UNSUPPORTED}.OPTION_CONTRADICTS"


def test_an_immutable_table_takes_one_insert_of_each_partition(tables: Tables, spark: SparkSession) -> None:
    kind = "STORED AS ORC TBLPROPERTIES ('transactional'='true', 'immutable'='true')"
    tables.sql(f"CREATE TABLE once (id INT) PARTITIONED BY (d INT) {kind}")
    tables.sql("INSERT INTO once PARTITION (d = 1) VALUES (1), (2)")
    tables.sql("INSERT INTO once VALUES (3, 2)")
    for statement in ("INSERT INTO once PARTITION (d = 1) VALUES (4)", "INSERT INTO once VALUES (4, 3), (5, 2)"):
        assert refusal(tables, statement) == "HIVE_ACID_IMMUTABLE_TABLE"
    with pytest.raises(AnalysisException):
        spark.table("once").write.insertInto("once")
    tables.sql("INSERT OVERWRITE once PARTITION (d = 1) VALUES (6)")
    assert tables.sql("SELECT id, d FROM once ORDER BY id") == [(3, 2), (6, 1)]
    tables.sql(f"CREATE TABLE made {kind} AS SELECT 1 AS id")
    assert refusal(tables, "INSERT INTO made VALUES (2)") == "HIVE_ACID_IMMUTABLE_TABLE"
