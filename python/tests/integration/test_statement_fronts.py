"""The ways a statement reaches Spark and the sources it may have: one front, so all do the same.

What needs nothing but SQL text is in `sql-tests/inputs/scripts.sql`; here is what Python adds, and what errors show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException, ArithmeticException, NumberFormatException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid.spark_lines import is_before
from integration.conftest import Tables
from support.spark_lines import since

OURS = re.compile(r"__(target|source|change|row_id|from_|e\d)")
"""Names that only the rewritten query has."""


VARIABLES = since("4.0", "variables")
SCRIPTS = since("4.0", "scripts")


@pytest.fixture
def t(tables: Tables) -> Iterator[Tables]:
    """A table `t` with rows 1 to 4, whose names are a to d. Afterwards variables are gone."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    yield tables
    for name in () if is_before("4.0") else ("low", "word", "named"):
        tables.sql(f"DROP TEMPORARY VARIABLE IF EXISTS {name}")


def rows(tables: Tables) -> list[tuple[object, ...]]:
    return tables.sql("SELECT * FROM t ORDER BY id, name")


def test_named_parameters_stand_for_values_wherever_they_may(t: Tables) -> None:
    args = {"id": 2, "name": "it's `x` -- /*", "none": None}
    assert t.sql("UPDATE t SET name = :name WHERE id = :id", args=args) == [(1,)]
    assert t.sql("INSERT INTO t VALUES (:id + 5, :none), (:id + 6, :name)", args=args) == [(2,)]
    delete = "DELETE FROM t WHERE id IN ({}) AND id <> :id"
    if is_before("4.0"):  # no parameter is an array
        assert t.sql(delete.format(":a, :b"), args={"a": 2, "b": 3, "id": 2}) == [(1,)]
    else:
        ids = F.array(*map(F.lit, [2, 3]))
        assert t.sql(delete.format("SELECT explode(:ids)"), args={"ids": ids, "id": 2}) == [(1,)]
    assert rows(t) == [(1, "a"), (2, args["name"]), (4, "d"), (7, None), (8, args["name"])]


@pytest.mark.beyond_the_gate("named ones; `unit/sql`")
def test_positional_parameters_stand_for_values(t: Tables) -> None:
    assert t.sql("UPDATE t SET name = concat(?, name), id = id + ? WHERE id BETWEEN ? AND ?", args=["x", 10, 1, 2]) == [
        (2,)
    ]
    assert t.sql("DELETE FROM t WHERE name = ? OR id = ?", args=["xa", 4]) == [(2,)]
    assert rows(t) == [(3, "c"), (12, "xb")]


@pytest.mark.beyond_the_gate("named ones; `unit/sql`")
def test_a_parameter_names_the_table(t: Tables) -> None:
    args = {"table": f"{t.database}.t", "id": 1}
    assert t.sql("DELETE FROM IDENTIFIER(:table) WHERE id = :id", args=args) == [(1,)]
    assert t.sql("UPDATE IDENTIFIER(:table) AS x SET x.name = 'z' WHERE x.id = :id + 1", args=args) == [(1,)]
    assert t.sql(
        "INSERT INTO IDENTIFIER(:table) SELECT id + 9, name FROM IDENTIFIER(:table) WHERE id = 2", args=args
    ) == [(1,)]
    assert rows(t) == [(2, "z"), (3, "c"), (4, "d"), (11, "z")]


def test_variables_of_sql_are_put_into_every_statement(t: Tables) -> None:
    settings = {"hive.acid.db": t.database, "hive.acid.day": "one"}
    for key, value in settings.items():
        t.sql(f"SET {key} = {value}")
    try:
        t.create("p", "id INT", "PARTITIONED BY (day STRING)")
        t.sql("INSERT INTO p VALUES (1, 'one'), (2, 'two')")
        merge = (
            "MERGE INTO ${hive.acid.db}.t t USING (SELECT 9 AS id) s ON t.id = s.id "
            "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'n')"
        )
        assert t.sql(merge) == [(1, 0, 0, 1)]
        assert t.sql("SHOW LOCKS ${hive.acid.db}.t") == []
        ((database, table, partition, *_),) = t.sql(
            "ALTER TABLE ${hive.acid.db}.p PARTITION (day = '${hive.acid.day}') COMPACT 'major'"
        )
        assert (database, table, partition) == (t.database, "p", "day=one")
    finally:
        for key in settings:
            t.sql(f"RESET {key}")


def test_casts_that_are_spelled_as_functions_are_the_statements_own(t: Tables) -> None:
    t.create("n", "id INT, n INT, d DATE")
    t.sql("INSERT INTO n VALUES (1, 1, NULL), (2, 2, NULL)")
    assert t.sql("UPDATE n SET n = int('7'), d = date('2026-01-01') WHERE id = int('1')") == [(1,)]
    merge = (
        "MERGE INTO n USING (SELECT id, string(id + 10) AS txt FROM VALUES (2), (3) AS s(id)) s ON n.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = int(s.txt) WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, int(s.txt))"
    )
    assert t.sql(merge) == [(2, 1, 0, 1)]
    assert t.sql("SELECT id, n, string(d) FROM n ORDER BY id") == [(1, 7, "2026-01-01"), (2, 12, None), (3, 13, None)]
    for value in ("'7'", "s.txt"):
        with pytest.raises(AnalysisException) as caught:
            source = "(SELECT 1 AS id, 'x' AS txt) s"
            t.sql(f"MERGE INTO n USING {source} ON n.id = s.id WHEN MATCHED THEN UPDATE SET n = {value}")
        assert caught.value.getCondition() == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"


def test_a_dataframe_is_a_source_by_name(t: Tables, spark: SparkSession) -> None:
    frame = spark.createDataFrame([(2, "new"), (4, "newer")], "id int, word string")
    assert [
        tuple(r)
        for r in spark.sql(
            "UPDATE t SET name = (SELECT max(word) FROM {f} f WHERE f.id = t.id) WHERE id IN (SELECT id FROM {f})",
            f=frame,
        ).collect()
    ] == [(2,)]
    assert [tuple(r) for r in spark.sql("INSERT INTO t SELECT id + 10, word FROM {f}", f=frame).collect()] == [(2,)]
    assert [
        tuple(r)
        for r in spark.sql(
            "DELETE FROM t WHERE EXISTS (SELECT 1 FROM {f} f WHERE f.word = t.name AND t.id < 10)", f=frame
        ).collect()
    ] == [(2,)]
    assert rows(t) == [(1, "a"), (3, "c"), (12, "new"), (14, "newer")]


def test_a_temporary_view_is_a_source_and_reads_the_snapshot_of_the_statement(t: Tables, spark: SparkSession) -> None:
    spark.range(3, 9).createOrReplaceTempView("wanted")
    spark.table("t").where("id > 1").createOrReplaceTempView("view_of_t")
    assert t.sql("DELETE FROM t WHERE id IN (SELECT id FROM wanted) AND id < (SELECT max(id) FROM view_of_t)") == [(1,)]
    assert t.sql("INSERT INTO t SELECT id + 1, upper(name) FROM view_of_t") == [(2,)]
    assert t.sql("INSERT INTO t SELECT max(id) + 100, 'all' FROM view_of_t") == [(1,)]
    assert t.sql("UPDATE t SET name = (SELECT count(*) FROM view_of_t) WHERE id = 1") == [(1,)]
    assert rows(t) == [(1, "5"), (2, "b"), (3, "B"), (4, "d"), (5, "D"), (105, "all")]


def test_a_frame_of_the_table_is_inserted_into_the_table(t: Tables, spark: SparkSession) -> None:
    frame = spark.table("t")
    frame.where("id > 3").select((F.col("id") + 1).alias("id"), "name").write.insertInto("t")
    spark.table("t").where("id = 5").select("id", F.lit("again")).write.insertInto("t")
    assert rows(t) == [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "again"), (5, "d")]


def test_common_table_expressions_are_sources(t: Tables) -> None:
    assert t.sql("WITH w AS (SELECT 1 AS id UNION ALL SELECT 2) DELETE FROM t WHERE id IN (SELECT id FROM w)") == [(2,)]
    assert t.sql(
        "WITH w AS (SELECT max(id) AS top FROM t) UPDATE t SET name = 'top' WHERE id = (SELECT top FROM w)"
    ) == [(1,)]
    assert t.sql("WITH w AS (SELECT * FROM t) INSERT INTO t SELECT id + 5, name FROM w WHERE id = 3") == [(1,)]
    assert t.sql(
        "INSERT INTO t WITH w AS (SELECT * FROM t) SELECT a.id + 10, b.name FROM w a JOIN w b USING (id) WHERE id = 4"
    ) == [(1,)]
    assert rows(t) == [(3, "c"), (4, "top"), (8, "c"), (14, "top")]


@VARIABLES
def test_variables_are_values_of_an_update_but_columns_come_first(t: Tables) -> None:
    t.sql("DECLARE VARIABLE low INT DEFAULT 2")
    t.sql("DECLARE VARIABLE word STRING DEFAULT 'w'")
    t.sql("DECLARE OR REPLACE VARIABLE name STRING DEFAULT 'not this'")
    assert t.sql(
        "UPDATE t SET id = low * 10, name = concat(name, session.word, system.session.word) WHERE id = low"
    ) == [(1,)]
    assert t.sql("UPDATE t AS x SET name = DEFAULT, id = x.id + low WHERE id = low + 1") == [(1,)]
    assert rows(t) == [(1, "a"), (4, "d"), (5, None), (20, "bww")]
    with pytest.raises(AnalysisException) as caught:
        t.sql("UPDATE t SET id = lw")
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    t.sql("DROP TEMPORARY VARIABLE name")


@pytest.mark.beyond_the_gate("named ones; `unit/sql`")
@SCRIPTS
def test_a_script_of_python_works_with_parameters_local_variables_and_handlers(t: Tables) -> None:
    script = """
    BEGIN
      DECLARE n INT DEFAULT :start;
      DECLARE refused STRING DEFAULT 'no';
      WHILE n < 13 DO
        INSERT INTO t VALUES (n, 'of a loop');
        UPDATE t SET name = concat('number ', n), id = n * 10 WHERE id = n;
        SET n = n + 1;
      END WHILE;
      BEGIN
        DECLARE EXIT HANDLER FOR SQLSTATE '0A000' SET refused = 'yes';
        ALTER TABLE t SET LOCATION 'elsewhere';
      END;
      DELETE FROM t WHERE id < n AND refused = 'yes';
      SELECT refused, count(*) FROM t;
    END"""
    assert t.sql(script, args={"start": 11}) == [("yes", 2)]
    assert rows(t) == [(110, "number 11"), (120, "number 12")]


@SCRIPTS
def test_an_immediate_statement_of_a_script_is_given_values_and_a_table(t: Tables) -> None:
    script = """
    BEGIN
      DECLARE target STRING DEFAULT 't';
      DECLARE low INT DEFAULT 2;
      EXECUTE IMMEDIATE 'DELETE FROM IDENTIFIER(?) WHERE id > ?' USING target, low;
      EXECUTE IMMEDIATE 'UPDATE IDENTIFIER(:t) SET name = :n' USING target AS t, concat('im', low) AS n;
    END"""
    t.sql(script)
    assert rows(t) == [(1, "im2"), (2, "im2")]


TELLS_CONTEXT = pytest.mark.skipif(is_before("4.0"), reason="no errors of PySpark do before 4.0")
SHOWN = {
    "DELETE FROM t WHERE nme = 'a'": "nme",
    "DELETE FROM t AS x WHERE x.id = 1 AND t.id = 1": "t.id",
    "DELETE FROM t WHERE id = no_such_function(id)": "no_such_function(id)",
    "DELETE FROM t WHERE id IN (SELECT id FROM missing)": "missing",
    "DELETE FROM t WHERE id IN (SELECT id, name FROM t)": "IN (SELECT id, name FROM t)",
    "DELETE FROM t WHERE array(1) = id": "array(1) = id",
    "UPDATE t SET nme = 'a' WHERE id = 1": "nme = 'a'",
    "UPDATE t SET name = upper(nme) WHERE id = 1": "nme",
    "UPDATE t SET name = 'a' WHERE nme = 1": "nme",
    "UPDATE t SET id = id + array(1)": "id + array(1)",
    "INSERT INTO t SELECT id, nme FROM t": "nme",
    "INSERT INTO t SELECT id + map(1, 2), name FROM t": "id + map(1, 2)",
}


@pytest.mark.beyond_the_gate(
    "four statements",
    but=["DELETE FROM t WHERE nme = 'a'", "DELETE FROM t WHERE array(1) = id", "UPDATE t SET id = id + array(1)"],
)
@pytest.mark.parametrize("statement", SHOWN)
@TELLS_CONTEXT
def test_an_error_shows_the_users_own_text_and_position(t: Tables, statement: str) -> None:
    text = f"/* a comment\n of two lines */ {statement}"
    with pytest.raises(AnalysisException) as caught:
        t.sql(text)
    (context,) = caught.value.getQueryContext()
    assert context.fragment() == SHOWN[statement]
    assert text[context.startIndex() : context.stopIndex() + 1] == SHOWN[statement]
    assert not OURS.search(str(caught.value))


FAILING = {
    "DELETE FROM t WHERE 1 / (id - 1) > 0": (ArithmeticException, "1 / (id - 1)"),
    "UPDATE t SET name = id / (id - 2) WHERE id > 1": (ArithmeticException, "id / (id - 2)"),
    "UPDATE t SET id = CAST(name AS INT)": (NumberFormatException, "CAST(name AS INT)"),
    "INSERT INTO t SELECT id, 1 / (id - 3) FROM t": (ArithmeticException, "1 / (id - 3)"),
}


@pytest.mark.beyond_the_gate(
    "a DELETE and an UPDATE",
    but=["DELETE FROM t WHERE 1 / (id - 1) > 0", "UPDATE t SET name = id / (id - 2) WHERE id > 1"],
)
@pytest.mark.parametrize("statement", FAILING)
@TELLS_CONTEXT
def test_an_error_of_a_value_shows_the_users_own_text_and_position(t: Tables, statement: str) -> None:
    kind, fragment = FAILING[statement]
    before = rows(t)
    with pytest.raises(kind) as caught:
        t.sql(f"\n  {statement}")
    (context,) = caught.value.getQueryContext()
    assert context.fragment() == fragment
    assert f"\n  {statement}"[context.startIndex() : context.stopIndex() + 1] == fragment
    assert rows(t) == before


MISMATCHES = {
    "UPDATE t SET id = name": "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
    "INSERT INTO t SELECT name, name FROM t": "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
    "INSERT INTO t VALUES (1)": "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
    "INSERT INTO t (id, nme) VALUES (1, 'a')": "UNRESOLVED_COLUMN.WITH_SUGGESTION",
    "DELETE FROM t WHERE name": "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
    "DELETE FROM missing": "TABLE_OR_VIEW_NOT_FOUND",
}


@pytest.mark.beyond_the_gate("four statements", but=["UPDATE t SET id = name"])
@pytest.mark.parametrize("statement", MISMATCHES)
def test_a_mismatch_is_sparks_error_in_the_users_names(t: Tables, statement: str) -> None:
    with pytest.raises(AnalysisException) as caught:
        t.sql(statement)
    assert caught.value.getCondition() == MISMATCHES[statement]
    assert not OURS.search(str(caught.value))
    assert len(rows(t)) == 4
