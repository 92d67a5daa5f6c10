"""What Spark or its Hive client would refuse in words of theirs has a name of ours, and names the table."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

from hive_acid.model.table import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from integration.conftest import Tables
from support.spark_lines import since

PROPERTIES = "TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
ORC = f"STORED AS ORC {PROPERTIES}"
TABLE = "HIVE_ACID_UNSUPPORTED_TABLE"


def fill(tables: Tables) -> None:
    tables.create("t", "id INT, amount INT, s STRUCT<a: INT>")
    tables.sql("INSERT INTO t VALUES (1, 1, named_struct('a', 1))")
    for name, form in (("orc", "STORED AS ORC"), ("text", "STORED AS TEXTFILE"), ("parquet", "USING parquet")):
        tables.sql(f"CREATE TABLE plain_{name} (id INT, v INT) {form}")
    tables.create("p", "id BIGINT", "PARTITIONED BY (k STRING)")
    tables.sql("CREATE TABLE plain_odd (id INT, row__id INT) STORED AS ORC")
    tables.sql("CREATE VIEW plain_view AS SELECT * FROM plain_orc")


def told(tables: Tables, statement: str) -> tuple[str | None, dict[str, Any]]:
    """Condition and parameters."""
    with pytest.raises(PySparkException) as caught:
        tables.sql(statement)
    return caught.value.getCondition(), caught.value.getMessageParameters() or {}


@pytest.mark.parametrize("name", ["plain_orc", "plain_text", "plain_parquet", "plain_view"])
@pytest.mark.parametrize(
    ("operation", "statement"),
    [
        ("DELETE", "DELETE FROM {} WHERE id = 1"),
        ("UPDATE", "UPDATE {} AS x SET v = 2"),
        ("MERGE", "MERGE INTO {} USING t ON {}.id = t.id WHEN MATCHED THEN DELETE"),
    ],
)
def test_row_changes_of_a_plain_table_tell_how_to_make_it_transactional(
    filled: Tables, name: str, operation: str, statement: str
) -> None:
    with pytest.raises(AnalysisException, match=r"TBLPROPERTIES \('transactional'='true'\) AS SELECT") as caught:
        filled.sql(statement.format(name, name))
    assert caught.value.getCondition() == f"{TABLE}.NOT_TRANSACTIONAL"
    table = "plain_orc" if name == "plain_view" else name
    assert caught.value.getMessageParameters() == {"operation": operation, "table": f"{filled.database}.{table}"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE t SET amount = 'abc'",
        "UPDATE t SET s.a = 'abc'",
        "MERGE INTO t USING plain_orc p ON t.id = p.id WHEN MATCHED THEN UPDATE SET amount = 'abc'",
        "MERGE INTO t USING plain_orc p ON t.id = p.id WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (1, 'abc')",
    ],
)
def test_a_value_of_another_type_is_refused_with_the_tables_name(filled: Tables, statement: str) -> None:
    condition, parameters = told(filled, statement)
    assert condition == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
    assert parameters["tableName"] == f"`spark_catalog`.`{filled.database}`.`t`"


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        (f"CREATE TABLE n (id INT, x TIMESTAMP_NTZ) {ORC}", "COLUMN_TYPE"),
        (f"CREATE TABLE n (id INT, x MAP<STRING, STRUCT<y: TIMESTAMP_NTZ>>) {ORC}", "COLUMN_TYPE"),
        (f"CREATE TABLE n (id INT, x TIMESTAMP_NTZ) PARTITIONED BY (x) {ORC}", "COLUMN_TYPE"),
        (f"CREATE TABLE n {ORC} AS SELECT TIMESTAMP_NTZ '2020-01-01 00:00:00' AS x", "COLUMN_TYPE"),
        (f"CREATE TABLE n {ORC} AS SELECT NULL AS x", "COLUMN_TYPE"),
        pytest.param(
            f"CREATE TABLE n (id INT, x VARIANT) {ORC}", "COLUMN_TYPE", marks=since("4.0", "the type VARIANT")
        ),
        ("ALTER TABLE t ADD COLUMNS (x TIMESTAMP_NTZ)", "COLUMN_TYPE"),
        (f"CREATE TABLE n (id INT, x STRUCT<`a-b`: INT>) {ORC}", "FIELD_NAME"),
        (f"CREATE TABLE n (id INT, x ARRAY<STRUCT<`a``b`: INT>>) {ORC}", "FIELD_NAME"),
        ("ALTER TABLE t ADD COLUMNS (x STRUCT<`a:b`: INT>)", "FIELD_NAME"),
        (f"CREATE TABLE n (id INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' {ORC}", "ROW_FORMAT_OF_ORC"),
        ("CREATE TRANSACTIONAL TABLE n (id INT) ROW FORMAT DELIMITED STORED AS ORC", "ROW_FORMAT_OF_ORC"),
        ("CREATE TABLE n (id INT) STORED AS ORC TBLPROPERTIES ('EXTERNAL'='TRUE', 'transactional'='true')", "EXTERNAL"),
        ("ALTER TABLE t SET TBLPROPERTIES ('EXTERNAL'='TRUE')", "EXTERNAL"),
        (f"CREATE TABLE __n (id INT) {ORC}", "HIDDEN_LOCATION"),
        (f"CREATE TABLE IF NOT EXISTS _n {ORC} AS SELECT 1 AS id", "HIDDEN_LOCATION"),
        ("CREATE TABLE __n LIKE t TBLPROPERTIES ('transactional'='true')", "HIDDEN_LOCATION"),
        (
            f"CREATE TABLE n (id INT) STORED AS ORC LOCATION 'file:/tmp/_n/n' {PROPERTIES}",
            "HIDDEN_LOCATION",
        ),
        ("ALTER TABLE t RENAME TO __n", "HIDDEN_LOCATION"),
        (f"CREATE TABLE n (id INT, ROW__ID INT) {ORC}", "VIRTUAL_COLUMN"),
        (f"CREATE TABLE n (id INT, row__is__deleted BOOLEAN) {ORC}", "VIRTUAL_COLUMN"),
        (f"CREATE TABLE n (id INT) PARTITIONED BY (Input__File__Name STRING) {ORC}", "VIRTUAL_COLUMN"),
        (f"CREATE TABLE n {ORC} AS SELECT 1 AS block__offset__inside__file", "VIRTUAL_COLUMN"),
        ("CREATE TABLE n LIKE plain_odd TBLPROPERTIES ('transactional'='true')", "VIRTUAL_COLUMN"),
        (f"CREATE TABLE n (id INT, row__id INT) STORED AS PARQUET {INSERT_ONLY}", "VIRTUAL_COLUMN"),
        ("ALTER TABLE t ADD COLUMNS (row__id INT)", "VIRTUAL_COLUMN"),
        ("ALTER TABLE plain_odd SET TBLPROPERTIES ('transactional'='true')", "VIRTUAL_COLUMN"),
        (f"CREATE TABLE n (id INT, `a``b` INT) {ORC}", "BACKTICK_COLUMN"),
        (f"CREATE TABLE n {ORC} AS SELECT 1 AS `a``b`", "BACKTICK_COLUMN"),
        (f"CREATE TABLE n (`a``b` INT) STORED AS ORC {INSERT_ONLY}", "BACKTICK_COLUMN"),
        ("ALTER TABLE t ADD COLUMNS (`a``b` INT)", "BACKTICK_COLUMN"),
        ("ALTER TABLE t RENAME COLUMN s TO `a``b`", "BACKTICK_COLUMN"),
    ],
)
def test_a_table_that_could_not_be_used_is_refused_when_it_is_made(
    filled: Tables, statement: str, condition: str
) -> None:
    tables = filled.sql("SHOW TABLES")
    found, parameters = told(filled, statement)
    assert found == f"{TABLE}.{condition}"
    assert parameters["table"].rpartition(".")[2] in ("t", "n", "_n", "__n", "plain_odd")
    assert filled.sql("SHOW TABLES") == tables
    assert filled.spark.table("t").columns == ["id", "amount", "s"]


def test_a_table_of_a_hidden_name_is_made_where_every_engine_sees_it(tables: Tables) -> None:
    tables.create("near")
    place = tables.location("near").parent.as_uri() + "/seen"
    tables.sql(f"CREATE TABLE __n (id INT) STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true')")
    tables.sql("INSERT INTO __n VALUES (1)")
    assert tables.sql("SELECT * FROM __n") == [(1,)]


@pytest.mark.parametrize(("name", "condition"), [("row__id", "ROW_ID_COLUMN"), ("a`b", "BACKTICK_COLUMN")])
def test_a_table_of_somebody_elses_with_a_column_that_cannot_be_read_is_refused(
    tables: Tables, name: str, condition: str
) -> None:
    tables.create("t", "id INT, x INT")
    with closing(CatalogMetastore(tables.client.uri)) as client:
        described = client.described_table(TableName(tables.database, "t"))
        assert described
        columns = (described.columns[0], replace(described.columns[1], name=name))
        client.create_table(
            replace(described, table=TableName(tables.database, "theirs"), columns=columns, location=None)
        )
    for statement in ("SELECT * FROM theirs", "INSERT INTO theirs VALUES (1, 2)"):
        assert told(tables, statement)[0] == f"{TABLE}.{condition}"


PARTITION_CLAUSES = (
    "INSERT INTO p PARTITION ({}) VALUES (1)",
    "INSERT OVERWRITE p PARTITION ({}) VALUES (1)",
    "ALTER TABLE p ADD PARTITION ({})",
    "ALTER TABLE p DROP PARTITION ({})",
    "ALTER TABLE p PARTITION (k = 'a') RENAME TO PARTITION ({})",
    "TRUNCATE TABLE p PARTITION ({})",
    "ALTER TABLE p PARTITION ({}) COMPACT 'major'",
    "SHOW LOCKS p PARTITION ({})",
    "SHOW COMPACTIONS p PARTITION ({})",
)


def test_bytes_that_are_no_utf_8_name_no_partition(tables: Tables) -> None:
    tables.create("p", "id INT", "PARTITIONED BY (k STRING)")
    tables.sql("INSERT INTO p VALUES (1, 'a'), (2, 'A'), (3, '\ufffd')")
    rows = sorted(tables.sql("SELECT * FROM p"))
    for statement in PARTITION_CLAUSES:
        condition, parameters = told(tables, statement.format("k = X'FF'"))
        assert (condition, parameters) == (
            "HIVE_ACID_PARTITION_VALUE",
            {"table": f"{tables.database}.p", "column": "k"},
        )
    assert sorted(tables.sql("SELECT * FROM p")) == rows


def test_bytes_name_the_partition_of_the_text_that_they_spell(tables: Tables) -> None:
    tables.create("p", "id INT", "PARTITIONED BY (k STRING)")
    for statement in PARTITION_CLAUSES[:2]:
        tables.sql(statement.format("k = X'41'"))
    assert tables.sql("SELECT * FROM p WHERE k = 'A'") == [(1, "A")]
    assert tables.sql("ALTER TABLE p PARTITION (k = X'41') COMPACT 'major'")[0][2] == "k=A"
    tables.sql("ALTER TABLE p DROP PARTITION (k = X'41')")
    assert tables.sql("SHOW PARTITIONS p") == []


@pytest.mark.parametrize("field", ["row__id", "INPUT__FILE__NAME"])
def test_a_field_may_be_called_like_a_column_of_hives(tables: Tables, field: str) -> None:
    tables.create("t", f"id INT, s STRUCT<{field}: INT>")
    tables.sql("INSERT INTO t VALUES (1, struct(7))")
    assert tables.sql(f"SELECT s.{field}, ROW__ID.rowid FROM t") == [(7, 0)]


@pytest.mark.parametrize("column", ["INPUT__FILE__NAME", "t._metadata.file_path", "_file"])
def test_a_column_that_other_engines_add_is_named_with_what_there_is(tables: Tables, column: str) -> None:
    tables.create("t")
    with pytest.raises(AnalysisException, match=r"input_file_name\(\)") as caught:
        tables.sql(f"SELECT {column} FROM t")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.VIRTUAL_COLUMN"


def test_an_alias_or_a_column_of_the_query_around_may_have_such_a_name(tables: Tables) -> None:
    tables.create("t", "id INT")
    tables.sql("INSERT INTO t VALUES (1), (2)")
    assert tables.sql("SELECT id AS _pos, _pos + 1 FROM t ORDER BY _pos") == [(1, 2), (2, 3)]
    assert tables.sql("SELECT id AS _file, count(*) FROM t GROUP BY _file ORDER BY _file") == [(1, 1), (2, 1)]
    around = "SELECT _pos FROM (VALUES (2), (5)) AS p (_pos) WHERE EXISTS (SELECT 1 FROM t WHERE id = _pos)"
    assert tables.sql(around) == [(2,)]


@pytest.mark.parametrize("field", ["a b", "A.b", "a$b", " a "])
def test_a_field_may_have_any_name_that_hive_reads(tables: Tables, field: str) -> None:
    tables.create("t", f"id INT, s STRUCT<`{field}`: INT, z: INT>, m MAP<STRING, ARRAY<STRUCT<`{field}`: INT>>>")
    value = f"named_struct('{field}', 5, 'z', 6), map('k', array(named_struct('{field}', 7)))"
    tables.sql(f"INSERT INTO t SELECT 1, {value} UNION ALL SELECT 2, NULL, NULL")
    assert tables.sql(f"SELECT s.`{field}`, s.z, m['k'][0].`{field}` FROM t WHERE s.`{field}` = 5") == [(5, 6, 7)]
    tables.sql(f"UPDATE t SET s.`{field}` = 8 WHERE s.z = 6")
    tables.sql("ALTER TABLE t COMPACT 'major' AND WAIT")
    assert sorted(tables.sql(f"SELECT id, s.`{field}`, s.z FROM t")) == [(1, 8, 6), (2, None, None)]


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        (
            "MERGE INTO t USING (SELECT * FROM t UNION ALL SELECT * FROM t) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET amount = 2",
            "MERGE_CARDINALITY_VIOLATION",
        ),
        (
            "INSERT INTO p SELECT id, CAST(if(id = 1, unhex('FF'), unhex('41')) AS STRING) FROM range(3)",
            "HIVE_ACID_UNWRITABLE_VALUE.NOT_UTF_8",
        ),
        ("SELECT amount / (id - 1) FROM t", "DIVIDE_BY_ZERO"),
    ],
)
def test_what_a_job_fails_by_reaches_python_by_its_name(filled: Tables, statement: str, condition: str) -> None:
    """Spark 3.5 itself raises a Py4JJavaError without a condition."""
    assert told(filled, statement)[0] == condition
