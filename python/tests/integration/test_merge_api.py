"""`AcidTable.merge` and `DataFrame.mergeInto`: MERGE from Python, by the same front."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException, PySparkTypeError, PySparkValueError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid import AcidTable
from integration.conftest import Tables
from support.spark_lines import since


@pytest.fixture
def table(tables: Tables, spark: SparkSession) -> AcidTable:
    """Rows 1, 2, 3 of `id`, `name`."""
    tables.create("t", "id INT, name STRING")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    return AcidTable.forName(spark, "t")


@pytest.fixture
def source(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(2, "B"), (3, "C"), (4, "D")], "id INT, name STRING")


def rows(table: AcidTable) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in table.toDF().collect())


def counts(result: DataFrame) -> tuple[int, ...]:
    """Affected, updated, deleted, inserted."""
    assert result.columns == ["num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows"]
    ((affected, updated, deleted, inserted),) = result.collect()
    return affected, updated, deleted, inserted


def test_an_upsert_by_names_of_columns(table: AcidTable, source: DataFrame) -> None:
    builder = table.alias("t").merge(source.alias("s"), "t.id = s.id")
    assert counts(builder.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()) == (3, 2, 0, 1)
    assert rows(table) == [(1, "a"), (2, "B"), (3, "C"), (4, "D")]


def test_every_clause_with_texts_and_columns(table: AcidTable, source: DataFrame) -> None:
    target, other = table.alias("t"), source.alias("s")
    result = (
        target.merge(other, F.col("t.id") == F.col("s.id"))
        .whenMatchedDelete("s.name = 'B'")
        .whenMatchedUpdate(F.col("t.name").isNull(), {"name": F.lower("s.name")})
        .whenNotMatchedInsert(F.col("s.id") > 4, {"id": "s.id"})
        .whenNotMatchedInsert(values={"id": F.col("s.id") * 10, "name": "concat(s.name, '!')"})
        .whenNotMatchedBySourceUpdate("t.id = 1", {"name": "upper(t.name)"})
        .whenNotMatchedBySourceDelete()
        .execute()
    )
    assert counts(result) == (4, 2, 1, 1)
    assert rows(table) == [(1, "A"), (3, "c"), (40, "D!")]


def test_columns_of_both_frames_and_the_table_as_its_own_source(table: AcidTable) -> None:
    mine = table.toDF()
    older = mine.select((mine.id + 1).alias("next"), mine.name.alias("previous"))
    result = table.merge(older, mine.id == older.next).whenMatchedUpdate(set={"name": older.previous}).execute()
    assert counts(result) == (2, 2, 0, 0)
    assert rows(table) == [(1, "a"), (2, "a"), (3, "b")]


def test_a_source_that_is_not_deterministic_is_read_once(table: AcidTable, spark: SparkSession) -> None:
    source = spark.range(2, 6).selectExpr("int(id) AS id", "uuid() AS name", "rand() AS r")
    result = (
        table.alias("t")
        .merge(source.alias("s"), "t.id = s.id")
        .whenMatchedUpdate("r < 0.5", {"name": "concat('low ', r)"})
        .whenMatchedUpdate("r >= 0.5", {"name": "concat('high ', r)"})
        .whenNotMatchedInsert("r < 0.5", {"id": "id", "name": "concat('low ', r)"})
        .whenNotMatchedInsert("r >= 0.5", {"id": "id", "name": "concat('high ', r)"})
        .execute()
    )
    assert counts(result) == (4, 2, 0, 2)
    merged = [str(name).split() for id_, name in rows(table) if id_ != 1]
    assert all((label == "low") == (float(number) < 0.5) for label, number in merged)


def test_a_builder_does_nothing_before_execute_and_may_be_executed_again(table: AcidTable, source: DataFrame) -> None:
    builder = table.alias("t").merge(source.alias("s"), "t.id = s.id").whenNotMatchedInsertAll()
    assert rows(table) == [(1, "a"), (2, "b"), (3, None)]
    assert [counts(builder.execute()), counts(builder.execute())] == [(1, 0, 0, 1), (0, 0, 0, 0)]


@since("4.0", "mergeInto of DataFrames")
def test_frames_merge_themselves_into_a_table(table: AcidTable, source: DataFrame) -> None:
    merged = source.alias("s").mergeInto("t", F.expr("t.id = s.id"))
    merged.whenMatched(F.col("s.id") == 2).delete().whenMatched().updateAll().whenNotMatched().insertAll().merge()
    assert rows(table) == [(1, "a"), (3, "C"), (4, "D")]


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda t, s: t.merge(s, "t.id = s.id").execute(), id="no clause"),
        pytest.param(lambda t, s: t.merge(s, "t.id = s.id").whenMatchedUpdate(), id="no assignment"),
        pytest.param(lambda t, s: t.merge(s, "t.id = s.id").whenNotMatchedInsert(values={}), id="no value"),
    ],
)
def test_what_is_missing_is_told(
    table: AcidTable, source: DataFrame, use: Callable[[AcidTable, DataFrame], object]
) -> None:
    with pytest.raises(PySparkValueError) as caught:
        use(table.alias("t"), source.alias("s"))
    assert caught.value.getCondition() == "CANNOT_BE_EMPTY"


def test_arguments_of_other_types_are_refused(table: AcidTable, source: DataFrame) -> None:
    with pytest.raises(PySparkTypeError):
        table.merge("source", "t.id = s.id")  # type: ignore[arg-type]
    with pytest.raises(PySparkTypeError):
        table.merge(source, 1)  # type: ignore[arg-type]
    with pytest.raises(PySparkTypeError):
        table.merge(source, "true").whenMatchedUpdate(set={"name": 1})  # type: ignore[dict-item]


def test_what_spark_refuses_in_sql_it_refuses_here(table: AcidTable, source: DataFrame) -> None:
    with pytest.raises(AnalysisException) as caught:
        table.alias("t").merge(source.alias("s"), "t.id = s.nothing").whenMatchedDelete().execute()
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert rows(table) == [(1, "a"), (2, "b"), (3, None)]
