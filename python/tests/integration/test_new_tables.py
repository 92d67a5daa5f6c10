"""New transactional tables by every way in, and clauses that Spark would leave out without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrameWriter, SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType

from hive_acid.model.table import FileFormat, TableKind, TableName
from hive_acid.spark_lines import LINES, find_line
from integration.conftest import Tables, refusal

LINE = LINES.index(find_line())
SINCE_4_0 = pytest.mark.skipif(LINES.index("4.0") > LINE, reason="Spark's statement since 4.0")
KIND = "TBLPROPERTIES ('transactional'='true')"
ACID = f"STORED AS ORC {KIND}"
SCHEMA = StructType([StructField("id", IntegerType())])


def frame_writer(spark: SparkSession) -> DataFrameWriter:
    return spark.range(3).selectExpr("CAST(id AS INT) AS id").write.option("transactional", "true")


CREATIONS: dict[str, Callable[[SparkSession], object]] = {
    "SQL": lambda spark: spark.sql(f"CREATE TABLE made (id INT) {KIND}"),
    "SQL, if it is not there": lambda spark: spark.sql(f"CREATE TABLE IF NOT EXISTS made (id INT) {KIND}"),
    "SQL, by a name that is computed": lambda spark: spark.sql(
        f"CREATE TABLE IDENTIFIER('ma' || 'de') (id INT) {KIND}"
    ),
    "AS SELECT": lambda spark: spark.sql(f"CREATE TABLE made {KIND} AS SELECT 0 AS id"),
    "writeTo": lambda spark: (
        spark.range(3)
        .selectExpr("CAST(id AS INT) AS id")
        .writeTo("made")
        .tableProperty("transactional", "true")
        .create()
    ),
    "saveAsTable": lambda spark: frame_writer(spark).saveAsTable("made"),
    "saveAsTable, orc": lambda spark: frame_writer(spark).format("orc").saveAsTable("made"),
    "saveAsTable, hive": lambda spark: frame_writer(spark).format("hive").saveAsTable("made"),
    "saveAsTable that overwrites": lambda spark: frame_writer(spark).mode("overwrite").saveAsTable("made"),
    "saveAsTable that appends": lambda spark: frame_writer(spark).mode("append").saveAsTable("made"),
    "saveAsTable that ignores": lambda spark: frame_writer(spark).mode("ignore").saveAsTable("made"),
    "createTable": lambda spark: spark.catalog.createTable("made", schema=SCHEMA, transactional="true"),
    "createTable, orc": lambda spark: spark.catalog.createTable(
        "made", source="orc", schema=SCHEMA, Transactional="TRUE"
    ),
}


@pytest.mark.parametrize("create", CREATIONS.values(), ids=CREATIONS)
def test_a_table_that_is_to_be_transactional_is_one_of_orc(
    tables: Tables, spark: SparkSession, create: Callable[[SparkSession], object]
) -> None:
    create(spark)
    made = tables.client.table(TableName(tables.database, "made"))
    assert (made.kind, made.file_format) == (TableKind.FULL_ACID, FileFormat.ORC)
    before = tables.sql("SELECT count(*) FROM made")[0][0]
    tables.sql("INSERT INTO made VALUES (7)")
    assert tables.sql("DELETE FROM made WHERE id = 7") == [(1,)]
    assert tables.sql("SELECT count(*) FROM made") == [(before,)]


def test_what_else_is_said_of_a_new_table_holds(tables: Tables, spark: SparkSession) -> None:
    frame = spark.range(4).selectExpr("CAST(id AS INT) AS id", "CAST(id % 2 AS INT) AS p")
    writer = frame.write.option("transactional", "true").option("transactional_properties", "insert_only")
    writer.partitionBy("p").bucketBy(2, "id").saveAsTable("made")
    made = tables.client.table(TableName(tables.database, "made"))
    assert (made.kind, made.bucket_count, [c.name for c in made.partition_columns]) == (TableKind.INSERT_ONLY, 2, ["p"])
    assert tables.sql("SELECT id, p FROM made ORDER BY id") == [(0, 0), (1, 1), (2, 0), (3, 1)]
    tables.sql(f"CREATE TABLE parts (id INT) PARTITIONED BY (p INT) {KIND}")
    tables.sql(f"CREATE TABLE buckets (id INT) CLUSTERED BY (id) INTO 2 BUCKETS {KIND}")
    frame.writeTo("by_p").partitionedBy("p").tableProperty("transactional", "true").create()  # type: ignore[arg-type]
    assert tables.client.table(TableName(tables.database, "by_p")).is_partitioned


@pytest.mark.parametrize(
    ("create", "condition"),
    [
        (
            lambda spark: frame_writer(spark).format("csv").saveAsTable("made"),
            "HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT",
        ),
        (
            lambda spark: spark.range(1).writeTo("made").using("orc").tableProperty("transactional", "true").create(),
            "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE",
        ),
        (
            lambda spark: spark.sql(f"CREATE TABLE made USING orc {KIND} AS SELECT 1 AS id"),
            "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE",
        ),
        (
            lambda spark: spark.sql(f"CREATE TABLE IDENTIFIER('ma' || 'de') {KIND} AS SELECT 1 AS id"),
            "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE",
        ),
        (
            lambda spark: spark.sql(
                "CREATE TABLE IDENTIFIER('ma' || 'de') USING orc OPTIONS ('transactional'='true') AS SELECT 1 AS id"
            ),
            "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE",
        ),
        (
            lambda spark: frame_writer(spark).option("mergeSchema", "true").saveAsTable("made"),
            "HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION",
        ),
        (
            lambda spark: spark.sql(f"CREATE TABLE made STORED AS TEXTFILE {KIND} AS SELECT 1 AS id"),
            "HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT",
        ),
    ],
)
def test_a_table_that_cannot_be_one_is_refused_by_the_right_name(
    tables: Tables, spark: SparkSession, create: Callable[[SparkSession], object], condition: str
) -> None:
    with pytest.raises(AnalysisException) as caught:
        create(spark)
    assert caught.value.getCondition() == condition
    assert tables.sql("SHOW TABLES LIKE 'made'") == []


def test_a_plain_table_does_not_become_one_by_an_option(tables: Tables, spark: SparkSession) -> None:
    tables.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    with pytest.raises(AnalysisException) as caught:
        frame_writer(spark).mode("append").saveAsTable("plain")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION"
    assert tables.sql("SELECT * FROM plain") == []


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("ALTER TABLE t ADD COLUMN c INT AFTER x", "STATEMENT.COLUMN_POSITION"),
        ("ALTER TABLE t ADD COLUMNS (c INT, d INT FIRST)", "STATEMENT.COLUMN_POSITION"),
        ("ALTER TABLE IDENTIFIER('t' || '') ADD COLUMN c INT FIRST", "STATEMENT.COLUMN_POSITION"),
        pytest.param("ALTER TABLE t CLUSTER BY (id)", "STATEMENT.CLUSTER_BY", marks=SINCE_4_0),
        pytest.param("ALTER TABLE t CLUSTER BY NONE", "STATEMENT.CLUSTER_BY", marks=SINCE_4_0),
        pytest.param(f"CREATE TABLE n (id INT) CLUSTER BY (id) {KIND}", "TABLE.LOST_CLAUSE", marks=SINCE_4_0),
        pytest.param(f"CREATE TABLE n CLUSTER BY (id) {ACID} AS SELECT 1 AS id", "TABLE.LOST_CLAUSE", marks=SINCE_4_0),
        pytest.param(
            f"CREATE TABLE n (id BIGINT GENERATED ALWAYS AS IDENTITY, x INT) {ACID}",
            "TABLE.LOST_CLAUSE",
            marks=SINCE_4_0,
        ),
        pytest.param(
            "CREATE TRANSACTIONAL TABLE n (id BIGINT GENERATED BY DEFAULT AS IDENTITY (START WITH 5), x INT)",
            "TABLE.LOST_CLAUSE",
            marks=SINCE_4_0,
        ),
        (f"CREATE TABLE n (id BIGINT, y BIGINT GENERATED ALWAYS AS (id + 1)) {ACID}", "TABLE.LOST_CLAUSE"),
    ],
)
def test_clauses_that_would_do_nothing_are_refused(tables: Tables, statement: str, condition: str) -> None:
    tables.create("t", "id INT, x INT")
    assert refusal(tables, statement) == f"HIVE_ACID_UNSUPPORTED_{condition}"
    assert tables.spark.table("t").columns == ["id", "x"]
    assert tables.sql("SHOW TABLES LIKE 'n'") == []


@pytest.mark.skipif(LINES.index("4.0") > LINE, reason="Spark's method since 4.0")
def test_a_dataframe_is_not_clustered(tables: Tables, spark: SparkSession) -> None:
    tables.create("t", "id BIGINT")
    with pytest.raises(AnalysisException) as caught:
        spark.range(1).write.clusterBy("id").mode("append").saveAsTable("t")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_LAYOUT"


def test_a_column_of_a_plain_table_is_added_as_without_the_extension(tables: Tables) -> None:
    tables.sql("CREATE TABLE plain (id INT, x INT) STORED AS ORC")
    tables.sql("ALTER TABLE plain ADD COLUMN c INT AFTER id")
    tables.create("t", "id INT, x INT")
    tables.sql("ALTER TABLE t ADD COLUMNS (c INT COMMENT 'last')")
    assert tables.spark.table("t").columns == ["id", "x", "c"]


@contextmanager
def warnings_of(spark: SparkSession, logger: str) -> Iterator[Callable[[], str]]:
    """What a logger of the JVM says meanwhile."""
    jvm = spark._jvm
    assert jvm is not None
    writer = jvm.java.io.StringWriter()
    log4j = jvm.org.apache.logging.log4j
    appender = log4j.core.appender.WriterAppender.createAppender(None, None, writer, "test", False, False)
    appender.start()
    found = log4j.LogManager.getLogger(logger)
    before = found.getLevel()
    found.addAppender(appender)
    found.setLevel(log4j.Level.WARN)
    try:
        yield writer.toString
    finally:
        found.removeAppender(appender)
        found.setLevel(before)


def test_a_table_like_a_transactional_one_is_plain_and_says_so(tables: Tables, spark: SparkSession) -> None:
    tables.create("t", "id INT, x INT")
    with warnings_of(spark, "hiveacid.analysis.ReplaceCreationsLike") as warnings:
        tables.sql(f"CREATE TABLE kept LIKE t {KIND}")
        assert warnings() == ""
        tables.sql("CREATE TABLE copy LIKE t")
        said = warnings()
    statement = said[said.index("CREATE TABLE") :].strip()
    assert tables.client.table(TableName(tables.database, "copy")).kind is TableKind.PLAIN
    tables.sql("DROP TABLE copy")
    tables.sql(statement)
    assert tables.client.table(TableName(tables.database, "copy")).kind is TableKind.FULL_ACID
