"""A script is parsed before it runs: `MERGE … INSERT VALUES` without columns is of the table that it finds then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException

from integration.conftest import Tables
from support.spark_lines import since

pytestmark = since("4.0", "SQL scripts")
TRANSACTIONAL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
SOURCE = "(SELECT 1 AS x, 2 AS y) s"
MERGE = f"MERGE INTO t USING {SOURCE} ON false WHEN NOT MATCHED THEN INSERT VALUES (s.x, s.y)"


@pytest.fixture
def elsewhere(tables: Tables) -> Iterator[str]:
    """Another database, with a table `t (b, a)`; the test's own has `t (a, b)`."""
    name = f"{tables.database}_elsewhere"
    tables.create("t", "a INT, b INT")
    tables.sql(f"CREATE DATABASE {name}")
    tables.create(f"{name}.t", "b INT, a INT")
    yield name
    tables.sql(f"USE {tables.database}")
    tables.sql(f"DROP DATABASE {name} CASCADE")


def test_values_are_those_of_the_columns_of_the_schema_in_use_then(tables: Tables, elsewhere: str) -> None:
    tables.sql(f"BEGIN USE {elsewhere}; {MERGE}; END")
    assert tables.sql(f"SELECT b, a FROM {elsewhere}.t") == [(1, 2)]
    assert tables.sql(f"SELECT * FROM {tables.database}.t") == []


def test_values_are_those_of_the_columns_of_a_table_made_anew(tables: Tables, elsewhere: str) -> None:
    again = f"DROP TABLE t; CREATE TABLE t (b INT, a INT) {TRANSACTIONAL}"
    tables.sql(f"BEGIN {again}; {MERGE}; END")
    assert tables.sql("SELECT b, a FROM t") == [(1, 2)]


def test_each_merge_of_a_script_has_the_columns_of_its_own_table(tables: Tables, elsewhere: str) -> None:
    listed = MERGE.replace("INSERT VALUES", "AND false THEN INSERT (a, b) VALUES").replace("THEN AND", "AND")
    both = f"{listed} WHEN NOT MATCHED THEN INSERT VALUES (s.x, s.y)"
    from_definition = MERGE.replace(SOURCE, "w s")
    tables.sql(
        f"BEGIN {MERGE}; USE {elsewhere}; IF true THEN {both}; END IF; "
        f"EXECUTE IMMEDIATE '{MERGE}'; WITH w AS (SELECT 3 AS x, 4 AS y) {from_definition}; END"
    )
    assert tables.sql(f"SELECT a, b FROM {tables.database}.t") == [(1, 2)]
    assert sorted(tables.sql(f"SELECT b, a FROM {elsewhere}.t")) == [(1, 2), (1, 2), (3, 4)]


@pytest.mark.parametrize("columns", ["a INT", "b INT, a INT, c INT"])
def test_a_table_with_another_number_of_columns_by_then_is_refused(
    tables: Tables, elsewhere: str, columns: str
) -> None:
    again = f"DROP TABLE t; CREATE TABLE t ({columns}) {TRANSACTIONAL}"
    with pytest.raises(AnalysisException) as caught:
        tables.sql(f"BEGIN {again}; {MERGE}; END")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.UNLISTED_COLUMNS"
    assert tables.sql("SELECT * FROM t") == []


def test_a_table_that_is_not_transactional_by_then_is_refused(tables: Tables, elsewhere: str) -> None:
    with pytest.raises(AnalysisException):
        tables.sql(f"BEGIN DROP TABLE t; CREATE TABLE t (a INT, b INT) STORED AS ORC; {MERGE}; END")
    assert tables.sql("SELECT * FROM t") == []
