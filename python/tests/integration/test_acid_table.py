"""`AcidTable`: what `spark.sql` does, from Python, by the same front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkTypeError, PySparkValueError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

import hive_acid
from hive_acid import AcidTable
from hive_acid.errors import ConfigurationError
from hive_acid.spark_lines import is_before
from integration.conftest import Tables
from support.polling import eventually

ROWS = "(1, 'a', named_struct('x', 1, 'y', 1)), (2, 'b', named_struct('x', 2, 'y', 2)), (3, NULL, NULL)"


def fill(tables: Tables) -> None:
    """Makes `t` with rows 1, 2, 3 of `id`, `name`, a struct `s`."""
    tables.create("t", "id INT, name STRING, s STRUCT<x: INT, y: INT>")
    tables.sql(f"INSERT INTO t VALUES {ROWS}")


@pytest.fixture
def table(tables: Tables, spark: SparkSession) -> AcidTable:
    fill(tables)
    return AcidTable.forName(spark, "t")


@pytest.fixture
def unchanged(filled: Tables) -> Iterator[AcidTable]:
    """One table for all calls that are refused; its files are the same afterwards."""
    files = filled.files("t")
    yield AcidTable.forName(filled.spark, "t")
    assert filled.files("t") == files
    assert eventually(lambda: filled.open_transactions() == [])


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.select("id", "name").collect())


def affected(result: DataFrame) -> int:
    assert result.columns == ["num_affected_rows"]
    ((count,),) = result.collect()
    return int(count)


def test_rows_are_deleted_where_a_text_is_true_and_not_where_it_is_null(table: AcidTable) -> None:
    assert affected(table.delete("name <> 'a'")) == 1
    assert rows(table.toDF()) == [(1, "a"), (3, None)]


def test_rows_are_deleted_where_a_column_of_the_tables_frame_is_true(table: AcidTable) -> None:
    frame = table.toDF()
    assert affected(table.delete((frame.id > 1) & frame["name"].isNotNull())) == 1
    assert affected(table.delete(frame.id == 3)) == 1
    assert rows(table.toDF()) == [(1, "a")]


def test_without_a_condition_all_rows_are_deleted(table: AcidTable) -> None:
    assert affected(table.delete()) == 3
    assert rows(table.toDF()) == []


def test_rows_are_updated_with_texts_and_columns(table: AcidTable) -> None:
    values = {"id": F.col("id") + 10, "name": "concat(coalesce(name, '?'), id)"}
    assert affected(table.update("id >= 2", values)) == 2
    assert rows(table.toDF()) == [(1, "a"), (12, "b2"), (13, "?3")]


def test_without_a_condition_all_rows_are_updated_once(table: AcidTable) -> None:
    assert affected(table.update(set={"id": table.toDF().id * 2})) == 3
    assert rows(table.toDF()) == [(2, "a"), (4, "b"), (6, None)]


def test_a_nested_field_is_updated(table: AcidTable) -> None:
    assert affected(table.update("s.x = 2", {"s.y": "s.y + 5", "`name`": F.lit("n")})) == 1
    found = table.toDF().where("id = 2").selectExpr("s.x", "s.y", "name").collect()
    assert [tuple(row) for row in found] == [(2, 7, "n")]


def test_an_alias_qualifies_columns_and_hides_the_tables_name(table: AcidTable, tables: Tables) -> None:
    aliased = table.alias("x")
    assert affected(aliased.update("x.id = 1", {"x.name": "concat(x.name, '!')"})) == 1
    assert affected(aliased.delete(F.col("x.id") == 2)) == 1
    assert rows(aliased.toDF().where("x.id < 3")) == [(1, "a!")]
    with pytest.raises(AnalysisException) as caught:
        aliased.delete("t.id = 1")
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert affected(table.delete(f"t.id = 1 AND {tables.database}.t.id = 1")) == 1


def test_texts_may_hold_subqueries_also_of_the_table_itself(table: AcidTable, spark: SparkSession) -> None:
    spark.range(2, 3).createOrReplaceTempView("wanted")
    assert affected(table.update("id IN (SELECT id FROM wanted)", {"name": "(SELECT max(name) FROM t)"})) == 1
    assert affected(table.alias("o").delete("EXISTS (SELECT 1 FROM t i WHERE i.id = o.id + 1 AND i.id = 2)")) == 1
    assert rows(table.toDF()) == [(2, "b"), (3, None)]


def test_columns_of_python_are_used_with_functions_and_literals(table: AcidTable) -> None:
    condition: Column = F.expr("id") == F.lit(2)
    assert affected(table.delete(F.lit(False))) == 0
    assert affected(table.delete(condition | F.col("name").isNull())) == 2
    assert rows(table.toDF()) == [(1, "a")]


def test_the_hidden_row_id_is_used_by_name(table: AcidTable) -> None:
    assert affected(table.delete("ROW__ID.rowid = 0")) == 1
    assert affected(table.update(F.col("ROW__ID.rowid") == 2, {"name": "string(ROW__ID.rowid)"})) == 1
    assert rows(table.toDF()) == [(2, "b"), (3, "2")]


def test_each_frame_reads_what_is_there_when_it_runs(table: AcidTable, tables: Tables) -> None:
    first = table.toDF()
    assert first.count() == 3
    tables.sql("INSERT INTO t (id) VALUES (4)")
    assert affected(table.delete(first.id == 3)) == 1
    assert rows(table.toDF()) == [(1, "a"), (2, "b"), (4, None)]


def test_a_table_that_was_altered_is_used_as_it_is_now(table: AcidTable, tables: Tables) -> None:
    frame = table.toDF()
    tables.sql("ALTER TABLE t ADD COLUMNS (more INT)")
    assert affected(table.update(frame.id == 1, {"more": frame.id + 1})) == 1
    assert tables.sql("SELECT more FROM t ORDER BY id") == [(2,), (None,), (None,)]


def test_another_current_database_or_a_temporary_view_does_not_move_the_table(
    table: AcidTable, tables: Tables, spark: SparkSession
) -> None:
    spark.range(1).createOrReplaceTempView("t")
    spark.sql("USE default")
    try:
        assert affected(table.delete("id = 1")) == 1
    finally:
        spark.catalog.dropTempView("t")
    assert tables.sql(f"SELECT count(*) FROM {tables.database}.t") == [(2,)]


def test_one_statement_is_one_transaction_of_the_metastore(table: AcidTable, tables: Tables) -> None:
    before = tables.client.open_transaction("test", "here", "test")
    table.update("id = 1", {"name": "'z'"})
    after = tables.client.open_transaction("test", "here", "test")
    for txn_id in (before, after):
        tables.client.abort(txn_id)
    assert after - before == 2
    assert eventually(lambda: tables.open_transactions() == [])


def test_names_are_quoted_as_in_sql(tables: Tables, spark: SparkSession) -> None:
    tables.create("named", "`a.b` INT, `x y` STRING")
    tables.sql("INSERT INTO named VALUES (1, 'x')")
    table = AcidTable.forName(spark, f"spark_catalog.`{tables.database}`.NAMED")
    assert affected(table.update("`a.b` = 1", {"`x y`": "concat(`x y`, '!')"})) == 1
    assert tables.sql("SELECT `x y` FROM named") == [("x!",)]
    with pytest.raises(ParseException):
        AcidTable.forName(spark, "not a name")


WRONG: dict[str, Callable[[AcidTable], object]] = {
    "DELETE FROM t WHERE nme = 1": lambda t: t.delete("nme = 1"),
    "DELETE FROM t WHERE id + 1": lambda t: t.delete("id + 1"),
    "DELETE FROM t WHERE max(id) = 1": lambda t: t.delete(F.max("id") == 1),
    "DELETE FROM t WHERE row_number() OVER (ORDER BY id) = 1": lambda t: t.delete(
        "row_number() OVER (ORDER BY id) = 1"
    ),
    "DELETE FROM t WHERE id IN (SELECT * FROM missing)": lambda t: t.delete("id IN (SELECT * FROM missing)"),
    "UPDATE t SET nme = '1'": lambda t: t.update(set={"nme": "'1'"}),
    "UPDATE t SET id = 'x'": lambda t: t.update(set={"id": F.lit("x")}),
    "UPDATE t SET id = sum(id)": lambda t: t.update(set={"id": F.sum("id")}),
    "UPDATE t SET id = 1, ID = 2": lambda t: t.update(set={"id": "1", "ID": "2"}),
    "UPDATE t SET s.z = 1": lambda t: t.update(set={"s.z": "1"}),
    "UPDATE t SET id = 1 WHERE name": lambda t: t.update(F.col("name"), {"id": "1"}),
}


@pytest.mark.beyond_the_gate(
    "four refusals",
    but=[
        "DELETE FROM t WHERE nme = 1",
        "DELETE FROM t WHERE max(id) = 1",
        "UPDATE t SET id = 'x'",
        "UPDATE t SET id = 1, ID = 2",
    ],
)
@pytest.mark.parametrize("statement", WRONG)
def test_what_spark_refuses_in_sql_it_refuses_here(unchanged: AcidTable, spark: SparkSession, statement: str) -> None:
    with pytest.raises(AnalysisException) as of_sql:
        spark.sql(statement)
    with pytest.raises(AnalysisException) as caught:
        WRONG[statement](unchanged)
    assert caught.value.getCondition() == of_sql.value.getCondition()
    assert caught.value.getMessageParameters() == of_sql.value.getMessageParameters()


@pytest.mark.skipif(is_before("4.0"), reason="errors show no text before 4.0")
def test_an_error_in_a_text_shows_the_text(unchanged: AcidTable) -> None:
    with pytest.raises(AnalysisException) as caught:
        unchanged.update("id = 1", {"name": "concat(nme, 'x')"})
    (context,) = caught.value.getQueryContext()
    assert (context.fragment(), context.startIndex()) == ("nme", 7)


def test_a_text_that_is_no_expression_is_refused_by_the_parser(unchanged: AcidTable) -> None:
    for call in (lambda: unchanged.delete("id ="), lambda: unchanged.update(set={"id +": "1"})):
        with pytest.raises(ParseException):
            call()


def test_a_value_that_is_neither_text_nor_column_is_refused(unchanged: AcidTable) -> None:
    wrong: Any = 5
    with pytest.raises(PySparkTypeError, match="`condition` should be a Column or a str, got int"):
        unchanged.delete(wrong)
    with pytest.raises(PySparkTypeError, match="`set` should be a Column or a str, got int"):
        unchanged.update(set={"id": wrong})
    for nothing in (None, {}):
        with pytest.raises(PySparkValueError):
            unchanged.update("id = 1", nothing)


def test_what_is_no_transactional_table_is_refused_by_name(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    tables.sql("CREATE TABLE hive (id INT) STORED AS ORC")
    tables.sql("CREATE TABLE source (id INT) USING parquet")
    tables.sql("CREATE VIEW v AS SELECT * FROM t")
    spark.table("t").createOrReplaceTempView("temporary")
    subs = {"hive": "NOT_TRANSACTIONAL", "source": "NOT_TRANSACTIONAL", "v": "VIEW", "temporary": "VIEW"}
    for name, sub in subs.items():
        with pytest.raises(AnalysisException) as caught:
            AcidTable.forName(spark, name)
        assert caught.value.getCondition() == f"HIVE_ACID_UNSUPPORTED_TABLE.{sub}", name
        assert caught.value.getSqlState() == "42809"


def test_a_table_that_is_missing_from_the_start_or_by_now_is_sparks_error(table: AcidTable, tables: Tables) -> None:
    with pytest.raises(AnalysisException) as caught:
        AcidTable.forName(tables.spark, "missing")
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("TABLE_OR_VIEW_NOT_FOUND", "42P01")
    tables.sql("DROP TABLE t")
    for call in (table.toDF, table.delete, lambda: table.update(set={"id": "1"})):
        with pytest.raises(AnalysisException) as caught:
            call()
        assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"


def test_a_table_that_is_no_longer_transactional_is_not_changed(table: AcidTable, tables: Tables) -> None:
    tables.sql("DROP TABLE t")
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC")
    with pytest.raises(AnalysisException) as caught:
        table.delete("id = 1")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"


def test_a_configuration_that_is_refused_leaves_the_running_session_as_it_is(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    other = SparkSession.builder.config("spark.sql.session.timeZone", "Asia/Kolkata")
    with pytest.raises(ConfigurationError) as caught:
        hive_acid.configure(other, metastore="thrift://127.0.0.1:1").getOrCreate()
    assert caught.value.getCondition() == "HIVE_ACID_CONFIGURATION.SPARK_ON_OTHER_METASTORE"
    assert spark.conf.get("spark.sql.session.timeZone") == before


def test_a_session_that_was_not_configured_is_told_so() -> None:
    unconfigured: Any = SimpleNamespace(conf={"spark.sql.extensions": "com.example.Other"})
    with pytest.raises(ConfigurationError) as caught:
        AcidTable.forName(unconfigured, "t")
    assert caught.value.getCondition() == "HIVE_ACID_NO_PLANNER"


@pytest.fixture
def padded(tables: Tables, spark: SparkSession) -> AcidTable:
    """A table with a column that Spark pads where it is read, and rows 1 and 2."""
    tables.create("t", "id INT, name CHAR(4)")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    return AcidTable.forName(spark, "t")


def test_a_table_with_a_column_of_type_char_is_read_and_changed(padded: AcidTable, spark: SparkSession) -> None:
    assert rows(padded.toDF()) == [(1, "a   "), (2, "b   ")]
    assert affected(padded.delete("name = 'a'")) == 1
    frame = padded.toDF()
    assert affected(padded.update(frame["name"] == "b   ", {"name": F.lit("c")})) == 1
    source = spark.createDataFrame([(2, "x"), (3, "y")], "id INT, name STRING")
    merge = padded.alias("t").merge(source.alias("s"), "t.id = s.id AND t.name = 'c'")
    merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    assert rows(padded.toDF()) == [(2, "x   "), (3, "y   ")]
    assert rows(padded.alias("u").toDF().where("u.name = 'x'")) == [(2, "x   ")]
    assert padded.detail().collect()[0]["name"].endswith(".t")


def test_a_table_with_a_column_of_type_char_is_merged_with_itself(padded: AcidTable) -> None:
    source = padded.toDF().where("name = 'a'").alias("s")
    padded.alias("t").merge(source, "t.id = s.id AND t.name = s.name").whenMatchedDelete().execute()
    assert rows(padded.toDF()) == [(2, "b   ")]
