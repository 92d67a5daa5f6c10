"""Tables and databases that are made and dropped in another metastore."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException

import hive_acid
from hive_acid.metastore.types import LockKind, OperationKind
from hive_acid.model.table import TableName
from support.other_metastore import ACID, CATALOG, INSERT_ONLY, Other
from support.polling import eventually
from support.spark_lines import raised_in_tasks, since

from .conftest import Tables, refusal

COLUMNS = (
    "id INT COMMENT 'the key', `Name` STRING, price DECIMAL(12,2), at TIMESTAMP, code CHAR(3), text VARCHAR(9), "
    "tags ARRAY<STRING>, more MAP<STRING, BIGINT>, place STRUCT<x: DOUBLE, y: DOUBLE>, raw BINARY, yes BOOLEAN"
)
TYPES = [
    *["int", "string", "decimal(12,2)", "timestamp", "char(3)", "varchar(9)", "array<string>", "map<string,bigint>"],
    *["struct<x:double,y:double>", "binary", "boolean"],
]


def test_a_table_is_made_as_hive_makes_it(tables: Tables, lake: Other) -> None:
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CREATE TABLE {t} ({COLUMNS}) PARTITIONED BY (day DATE) COMMENT 'prices' {ACID}")
    assert refusal(tables, f"CREATE TABLE {t} (id INT) {ACID}") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    tables.sql(f"CREATE TABLE IF NOT EXISTS {t} (id INT) {ACID}")
    made = lake.client.table(TableName(tables.database, "t"))
    assert [column.type for column in made.columns] == TYPES
    assert [(column.name, column.type) for column in made.partition_columns] == [("day", "date")]
    assert made.parameters["transactional_properties"] == "default"  # the metastore has looked at it
    described = lake.client.described_table(made.name)
    assert described is not None
    assert (described.kind, described.owner) == ("MANAGED_TABLE", lake.sql("SELECT current_user()")[0][0])
    assert (described.columns[0].comment, described.properties["comment"]) == ("the key", "prices")
    tables.sql(f"INSERT INTO {t} (id, name, code, tags, day) VALUES (1, 'a', 'x', array('u'), DATE'2026-01-01')")
    assert lake.sql("SELECT id, name, code, tags[0], CAST(day AS STRING) FROM t") == [
        (1, "a", "x  ", "u", "2026-01-01")
    ]
    lake.sql("DELETE FROM t")
    assert tables.sql(f"SELECT * FROM {t}") == []
    assert tables.sql("SHOW TABLES") == []


def test_a_bucketed_table_is_made_with_hive_s_hash(tables: Tables, lake: Other) -> None:
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CREATE TABLE {t} (id INT, v STRING) CLUSTERED BY (id) INTO 3 BUCKETS {ACID}")
    made = lake.client.table(TableName(tables.database, "t"))
    assert (made.bucket_columns, made.bucket_count) == (("id",), 3)
    assert made.parameters["bucketing_version"] == "2"
    tables.sql(f"INSERT INTO {t} SELECT id, 'v' FROM range(9)")
    assert lake.sql("SELECT count(*), sum(id) FROM t") == [(9, 36)]


@pytest.mark.beyond_the_gate(
    "tables made, dropped, read, inserted, changed, merged and compacted there: the other tests of "
    "`integration/test_catalog_*.py`",
    but=[
        "STORED AS PARQUET TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')",
        "TBLPROPERTIES ('transactional'='true')",
    ],
)
@pytest.mark.parametrize(
    "clauses",
    [
        INSERT_ONLY,
        "USING parquet TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')",
        "TBLPROPERTIES ('transactional'='true')",
        "USING orc TBLPROPERTIES ('transactional'='true')",
    ],
)
def test_the_format_is_orc_unless_it_is_said(tables: Tables, lake: Other, clauses: str) -> None:
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CREATE TABLE {t} (id INT) {clauses}")
    wanted = "Parquet" if "parquet" in clauses.lower() else "Orc"
    assert wanted in str(lake.client.table(TableName(tables.database, "t")).input_format)
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert lake.sql("SELECT * FROM t") == [(1,)]


def test_a_table_in_hive_s_spelling(tables: Tables, lake: Other) -> None:
    tables.sql(f"CREATE TRANSACTIONAL TABLE {tables.in_catalog(CATALOG, 't')} (id INT)")
    assert lake.client.table(TableName(tables.database, "t")).parameters["transactional"] == "true"


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_a_table_lies_where_it_is_said(tables: Tables, lake: Other) -> None:
    lake.sql("CREATE TABLE other (id INT) STORED AS ORC")
    place = f"{lake.client.table(TableName(tables.database, 'other')).location}_elsewhere"
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CREATE TABLE {t} (id INT) STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true')")
    assert lake.client.table(TableName(tables.database, "t")).location == place
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert lake.sql("SELECT * FROM t") == [(1,)]


def test_a_table_is_made_of_a_query(tables: Tables, lake: Other) -> None:
    tables.create("s")
    tables.sql("INSERT INTO s VALUES (1, 'a'), (2, 'b')")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CREATE TABLE {t} PARTITIONED BY (id) {ACID} AS SELECT id, upper(name) AS name FROM s")
    assert lake.sql("SELECT name, id FROM t ORDER BY id") == [("A", 1), ("B", 2)]
    assert [column.name for column in lake.client.table(TableName(tables.database, "t")).partition_columns] == ["id"]
    tables.sql(f"CREATE TABLE IF NOT EXISTS {t} {ACID} AS SELECT 3 AS id")
    assert refusal(tables, f"CREATE TABLE {t} {ACID} AS SELECT 3 AS id") == "TABLE_OR_VIEW_ALREADY_EXISTS"
    made = tables.spark.table("s").writeTo(tables.in_catalog(CATALOG, "u")).tableProperty("transactional", "true")
    made.create()
    assert lake.sql("SELECT * FROM u ORDER BY id") == [(1, "a"), (2, "b")]
    assert lake.sql("SELECT count(*) FROM t") == [(2,)]
    assert eventually(lambda: not lake.open()), lake.open()


def test_a_table_whose_query_fails_is_taken_back(tables: Tables, lake: Other) -> None:
    t = tables.in_catalog(CATALOG, "t")
    failing = f"CREATE TABLE {t} {ACID} AS SELECT int(raise_error('on purpose')) AS id"
    assert refusal(tables, failing) == raised_in_tasks("USER_RAISED_EXCEPTION")
    assert lake.sql("SHOW TABLES") == []
    assert eventually(lambda: not lake.open()), lake.open()


def test_a_table_is_dropped_with_its_files(tables: Tables, lake: Other) -> None:
    t = tables.in_catalog(CATALOG, "t")
    tables.create("t")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    tables.sql(f"DROP TABLE {t}")
    assert lake.sql("SHOW TABLES") == []
    assert refusal(tables, f"DROP TABLE {t}") == "TABLE_OR_VIEW_NOT_FOUND"
    tables.sql(f"DROP TABLE IF EXISTS {t}")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    assert tables.sql(f"SELECT * FROM {t}") == []
    tables.sql(f"DROP TABLE {t} PURGE")
    assert [row[1] for row in tables.sql("SHOW TABLES")] == ["t"]
    assert eventually(lambda: not lake.open()), lake.open()


def test_a_table_that_is_read_is_not_dropped(tables: Tables, lake: Other) -> None:
    t, name = tables.in_catalog(CATALOG, "t"), TableName(tables.database, "t")
    tables.sql(f"CREATE TABLE {t} (id INT) {ACID}")
    with lake.locked(name, LockKind.SHARED_READ, OperationKind.SELECT), tables.short_waits():
        assert refusal(tables, f"DROP TABLE {t}") == "HIVE_ACID_LOCK_TIMEOUT"
        assert refusal(tables, f"DROP DATABASE {CATALOG}.{tables.database} CASCADE") == "HIVE_ACID_LOCK_TIMEOUT"
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert lake.sql("SELECT * FROM t") == [(1,)]


@pytest.fixture
def database(tables: Tables, lake: Other) -> Iterator[str]:
    """The name of one that is not there yet."""
    name = f"{tables.database}_more"
    yield name
    lake.sql(f"DROP DATABASE IF EXISTS {name} CASCADE")


def test_a_database_is_made_and_dropped(tables: Tables, lake: Other, database: str) -> None:
    named = f"{CATALOG}.{database}"
    tables.sql(f"CREATE DATABASE {named} COMMENT 'more' WITH DBPROPERTIES ('a'='b')")
    tables.sql(f"CREATE DATABASE IF NOT EXISTS {named}")
    assert refusal(tables, f"CREATE DATABASE {named}") == "SCHEMA_ALREADY_EXISTS"
    found = lake.client.described_database(database)
    assert found is not None
    assert (found.comment, found.properties["a"]) == ("more", "b")
    tables.sql(f"CREATE TABLE {named}.t (id INT) {ACID}")
    assert refusal(tables, f"DROP DATABASE {named}") == "SCHEMA_NOT_EMPTY"
    tables.sql(f"INSERT INTO {named}.t VALUES (1)")
    tables.sql(f"DROP DATABASE {named} CASCADE")
    assert lake.client.described_database(database) is None
    tables.sql(f"DROP DATABASE IF EXISTS {named}")
    assert refusal(tables, f"DROP DATABASE {named}") == "SCHEMA_NOT_FOUND"
    assert eventually(lambda: not lake.open()), lake.open()


NOT_DONE = "HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG"
REFUSED = {
    "CREATE TABLE {t} (id INT)": "HIVE_ACID_UNSUPPORTED_TABLE.OWN_CATALOG",
    "CREATE TABLE {t} AS SELECT 1 AS id": "HIVE_ACID_UNSUPPORTED_TABLE.OWN_CATALOG",
    "CREATE TABLE {t} (id INT NOT NULL) {acid}": NOT_DONE,
    "CREATE TABLE {t} (s STRUCT<a: INT NOT NULL>) {acid}": NOT_DONE,
    "CREATE TABLE {t} (a ARRAY<STRUCT<m: MAP<INT, STRUCT<b: INT NOT NULL>>>>) {acid}": NOT_DONE,
    "CREATE TABLE {t} (id INT) USING hive OPTIONS (fileFormat 'parquet') {transactional}": NOT_DONE,
    "CREATE TABLE {t} (id INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' {transactional}": (
        "HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT"
    ),
    "CREATE TABLE {t} (id INT) USING delta {insert_only}": "HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_FORMAT",
    "CREATE TABLE {t} (id INT DEFAULT 5) {acid}": NOT_DONE,
    "CREATE TABLE {t} (id INT, next INT GENERATED ALWAYS AS (id + 1)) {acid}": NOT_DONE,
    "CREATE TABLE {t} (id INT, at TIMESTAMP) PARTITIONED BY (years(at)) {acid}": NOT_DONE,
    "CREATE TABLE {t} (s STRUCT<a: INT>, id INT) PARTITIONED BY (s.a) {acid}": NOT_DONE,
    "CREATE TABLE {t} (id INT, p ARRAY<INT>) PARTITIONED BY (p) {acid}": (
        "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_COLUMN_TYPE"
    ),
    "CREATE TABLE {t} (id INT) PARTITIONED BY (id) {acid}": "HIVE_ACID_UNSUPPORTED_TABLE.NO_DATA_COLUMNS",
    "CREATE TABLE {t} {acid}": "HIVE_ACID_UNSUPPORTED_TABLE.NO_DATA_COLUMNS",
    "CREATE TABLE {t} (id INT, at TIMESTAMP_NTZ) {acid}": "HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE",
    "CREATE TABLE {t} (id INT, i STRUCT<a: INTERVAL DAY>) {acid}": "HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE",
    "CREATE TABLE {t} (id INT) CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS {acid}": (
        "HIVE_ACID_UNSUPPORTED_TABLE.SORTED_BY"
    ),
    "CREATE TABLE {t} (id INT) STORED AS PARQUET TBLPROPERTIES ('transactional'='true')": (
        "HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT"
    ),
    "CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('transactional'='true')": (
        "HIVE_ACID_UNSUPPORTED_TABLE.FULL_ACID_FORMAT"
    ),
    "CREATE EXTERNAL TABLE {t} (id INT) {acid} LOCATION '/nowhere'": "HIVE_ACID_UNSUPPORTED_TABLE.EXTERNAL",
    "CREATE TABLE lake.nowhere.t (id INT) {acid}": "SCHEMA_NOT_FOUND",
    "DROP TABLE lake.nowhere.t": "TABLE_OR_VIEW_NOT_FOUND",
}


@since("4.1", "constraints")
@pytest.mark.parametrize("constraint", ["PRIMARY KEY (id)", "CHECK (id > 0)"])
def test_a_constraint_is_refused(tables: Tables, lake: Other, constraint: str) -> None:
    text = f"CREATE TABLE {tables.in_catalog(CATALOG, 't')} (id INT, {constraint}) {ACID}"
    assert refusal(tables, text) == NOT_DONE
    assert lake.sql("SHOW TABLES") == []


def test_what_a_metastore_of_hive_would_not_keep_is_refused(tables: Tables, lake: Other) -> None:
    properties = {"transactional": ACID, "insert_only": INSERT_ONLY}
    clauses = {name: clauses[clauses.index("TBLPROPERTIES") :] for name, clauses in properties.items()}
    names = {"t": tables.in_catalog(CATALOG, "t"), "acid": ACID, **clauses}
    found = {text: refusal(tables, text.format(**names)) for text in REFUSED}
    assert found == REFUSED
    assert lake.sql("SHOW TABLES") == []


@pytest.mark.beyond_the_gate(
    "tables made, dropped, read, inserted, changed, merged and compacted there: the other tests of "
    "`integration/test_catalog_*.py`",
    but=["DROP TABLE {t}"],
)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE {t} (id INT) {acid}",
        "CREATE TABLE {t} {acid} AS SELECT 1 AS id",
        "DROP TABLE {t}",
        "DROP DATABASE {database} CASCADE",
    ],
)
def test_nothing_is_made_or_dropped_in_a_transaction_of_the_session_s_own_metastore(
    tables: Tables, lake: Other, statement: str
) -> None:
    lake.sql(f"CREATE TABLE kept (id INT) {ACID}")
    name = "kept" if statement.startswith("DROP") else "t"
    text = statement.format(t=tables.in_catalog(CATALOG, name), acid=ACID, database=f"{CATALOG}.{tables.database}")
    with pytest.raises(PySparkException) as caught, hive_acid.transaction(tables.spark):
        tables.sql(text)
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION"
    assert [row[1] for row in lake.sql("SHOW TABLES")] == ["kept"]
