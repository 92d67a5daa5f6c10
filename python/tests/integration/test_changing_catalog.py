"""What was analysed on a table is never run on what took its name since: a named error, or the rows of some order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import hive_acid
from hive_acid.errors import InvalidStatement
from hive_acid.session.session import attach

PROPERTIES = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
SHAPES = {
    "columns in another order": ("a INT, b INT", "", "b INT, a INT", ""),
    "a column more": ("a INT, b INT", "", "a INT, c INT, b INT", ""),
    "another type": ("a INT, b INT", "", "a INT, b STRING", ""),
    "a longer text": ("a INT, b VARCHAR(3)", "", "a INT, b VARCHAR(9)", ""),
    "partition columns swapped": ("a INT", "PARTITIONED BY (b INT, d INT)", "a INT", "PARTITIONED BY (d INT, b INT)"),
    "partitioned now": ("a INT, b INT", "", "a INT", "PARTITIONED BY (b INT)"),
    "another nested field": ("a INT, b STRUCT<x: INT, y: INT>", "", "a INT, b STRUCT<y: INT, x: INT>", ""),
}


@pytest.fixture
def outside(spark: SparkSession, tables: Any) -> SparkSession:
    """Another session of the same application, in the same database."""
    session = spark.newSession()
    session.sql(f"USE {tables.database}")
    return session


def make_anew(tables: Any, outside: SparkSession, columns: str, more: str = "") -> None:
    """Another session drops the table `t` and makes it again, with one row."""
    outside.sql("DROP TABLE t")
    outside.sql(f"CREATE TABLE t ({columns}) {more} {PROPERTIES}")
    names = outside.table("t").columns
    values = {"a": "1", "b": "2", "c": "3", "d": "4"}
    selected = ", ".join(f"{values[name]} AS {name}" for name in names)
    if "STRUCT" in columns:
        selected = "1 AS a, named_struct('y', 5, 'x', 6) AS b"
    outside.sql(f"INSERT INTO t SELECT {selected}")


def condition_of(action: Callable[[], object]) -> str | None:
    with pytest.raises(PySparkException) as caught:
        action()
    return caught.value.getCondition()


@pytest.mark.beyond_the_gate(
    "`unit/model/test_analysed_table.py`; another order of columns", but=["columns in another order"]
)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_dataframe_is_not_read_of_a_table_that_was_made_anew(
    tables: Any, outside: SparkSession, shape: tuple[str, str, str, str]
) -> None:
    columns, more, columns_now, more_now = shape
    tables.create("t", columns, more)
    stale = tables.spark.table("t")
    stale.createOrReplaceTempView("stale")
    made_of_it = stale.filter("a = 1").select("a")
    make_anew(tables, outside, columns_now, more_now)
    tables.create("target", "a INT")
    tables.sql("INSERT INTO target VALUES (7)")  # an empty one would leave the others unread
    actions: dict[str, Callable[[], object]] = {
        "collect": stale.collect,
        "filter": made_of_it.collect,
        "count": stale.count,
        "rdd": lambda: stale.rdd.collect(),
        "view": lambda: tables.sql("SELECT a FROM stale WHERE a = 2"),
        "insert": lambda: tables.sql("INSERT INTO target SELECT a FROM stale"),
        "subquery": lambda: tables.sql("DELETE FROM target WHERE a IN (SELECT a FROM stale)"),
        "merge": lambda: tables.sql(
            "MERGE INTO target USING stale ON target.a = stale.a WHEN NOT MATCHED THEN INSERT (a) VALUES (stale.a)"
        ),
        "save": lambda: made_of_it.write.insertInto("target"),
    }
    assert {name: condition_of(action).partition(".")[0] for name, action in actions.items()} == dict.fromkeys(
        actions, "HIVE_ACID_TABLE_CHANGED"
    )
    assert tables.sql("SELECT * FROM target") == [(7,)]
    assert len(tables.sql("SELECT * FROM t")) == 1, "what is analysed now reads the table that is there now"


def test_a_write_that_was_analysed_before_an_alteration_of_a_type_is_refused(
    tables: Any, outside: SparkSession
) -> None:
    tables.create("t", "a INT, b INT")
    tables.sql("INSERT INTO t VALUES (1, 2)")
    held = _holding(tables, "lock", lambda: outside.sql("ALTER TABLE t ADD COLUMNS (c INT)"))
    assert condition_of(lambda: held("UPDATE t SET b = 3")) == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    assert tables.sql("SELECT * FROM t") == [(1, 2, None)]


@pytest.mark.beyond_the_gate("a partitioned table", cells=["flat"])
@pytest.mark.parametrize("more", ["", "PARTITIONED BY (d INT)"], ids=["flat", "partitioned"])
def test_a_source_that_is_made_anew_before_the_lock_is_not_read_as_empty(
    tables: Any, outside: SparkSession, more: str
) -> None:
    columns = "a INT" if more else "a INT, d INT"
    tables.create("t", columns, more)
    tables.create("target", "a INT, d INT")
    tables.sql("INSERT INTO t VALUES (1, 7), (2, 8)")

    def make() -> None:
        outside.sql("DROP TABLE t")
        outside.sql(f"CREATE TABLE t ({columns}) {more} {PROPERTIES}")
        outside.sql("INSERT INTO t VALUES (5, 7)")

    held = _holding(tables, "lock", make)
    try:
        held("INSERT INTO target SELECT a, d FROM t")
    except PySparkException as error:
        assert error.getCondition() == "HIVE_ACID_TABLE_CHANGED.MADE_ANEW"
        assert tables.sql("SELECT * FROM target") == []
    else:
        assert tables.sql("SELECT * FROM target") == [(5, 7)]


def test_rows_that_move_out_of_a_partition_that_is_dropped_are_read_in_one_of_the_two(
    tables: Any, outside: SparkSession
) -> None:
    tables.create("t", "a INT", "PARTITIONED BY (d INT)")
    tables.create("target", "total BIGINT")
    tables.sql("INSERT INTO t VALUES (1, 1), (2, 2)")

    def move() -> None:
        outside.sql("UPDATE t SET d = 2 WHERE d = 1")
        outside.sql("ALTER TABLE t DROP PARTITION (d = 1)")

    for text in ("SELECT sum(a) FROM t", "INSERT INTO target SELECT sum(a) FROM t"):
        held = _holding(tables, "lock", move)
        held(text)
        outside.sql("UPDATE t SET d = 1 WHERE a = 1")
    assert tables.sql("SELECT total FROM target") == [(3,)]


def test_a_transaction_reads_what_is_there_at_its_first_statement(tables: Any, outside: SparkSession) -> None:
    tables.create("t", "a INT", "PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    with hive_acid.transaction(tables.spark):
        outside.sql("UPDATE t SET d = 2 WHERE d = 1")
        outside.sql("ALTER TABLE t DROP PARTITION (d = 1)")
        assert tables.sql("SELECT sum(a) FROM t") == [(3,)]
        outside.sql("INSERT INTO t VALUES (4, 2)")
        assert tables.sql("SELECT sum(a) FROM t") == [(3,)], "one snapshot from then on"


@pytest.mark.beyond_the_gate("a flat table", cells=["partitioned"])
@pytest.mark.parametrize("more", ["", "PARTITIONED BY (d INT)"], ids=["flat", "partitioned"])
def test_a_table_that_a_transaction_uses_later_and_that_was_made_anew_is_refused(
    tables: Any, outside: SparkSession, more: str
) -> None:
    columns = "a INT" if more else "a INT, d INT"
    for name in ("t", "first"):
        tables.create(name, columns, more)
        tables.sql(f"INSERT INTO {name} VALUES (1, 1)")
    with pytest.raises(InvalidStatement, match="a statement in it has failed"), hive_acid.transaction(tables.spark):
        assert tables.sql("SELECT sum(a) FROM first") == [(1,)]
        outside.sql("DROP TABLE t")
        outside.sql(f"CREATE TABLE t ({columns}) {more} {PROPERTIES}")
        outside.sql("INSERT INTO t VALUES (5, 5)")
        since = "WRITTEN_SINCE" if more else "MADE_SINCE"
        assert condition_of(lambda: tables.sql("SELECT sum(a) FROM t")) == f"HIVE_ACID_TABLE_CHANGED.{since}"
        text = "INSERT INTO first SELECT a, d FROM t"
        assert condition_of(lambda: tables.sql(text)) == f"HIVE_ACID_TABLE_CHANGED.{since}"
        assert (
            condition_of(lambda: tables.sql("SELECT sum(a) FROM first"))
            == "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
        )
    assert tables.sql("SELECT sum(a) FROM first") == [(1,)]


def test_a_partition_that_was_dropped_before_a_transaction_uses_its_table_is_missed(
    tables: Any, outside: SparkSession
) -> None:
    tables.create("first", "a INT")
    tables.create("t", "a INT", "PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    with hive_acid.transaction(tables.spark):
        assert tables.sql("SELECT count(*) FROM first") == [(0,)]
        outside.sql("ALTER TABLE t DROP PARTITION (d = 1)")
        assert condition_of(lambda: tables.sql("SELECT sum(a) FROM t")) == "HIVE_ACID_TABLE_CHANGED.WRITTEN_SINCE"


def test_what_a_transaction_has_read_is_not_given_back_after_it(tables: Any) -> None:
    tables.create("t", "a INT")
    tables.sql("INSERT INTO t VALUES (1)")
    counts = "SELECT a, count(*) FROM t GROUP BY a"
    made_before, collected_before, within = (tables.spark.sql(counts) for _ in range(3))
    joined = tables.spark.sql("SELECT * FROM t WHERE a > (SELECT min(a) FROM t)")
    as_pandas = tables.spark.sql(counts)
    assert collected_before.collect() == [(1, 1)]
    with pytest.raises(ZeroDivisionError), hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO t VALUES (2)")
        assert sorted(made_before.collect()) == sorted(within.collect()) == [(1, 1), (2, 1)]
        assert within.take(5) and list(within.toLocalIterator()), "again and in another way"
        assert joined.collect() == [(2,)]
        assert len(as_pandas.toPandas()) == 2
        assert condition_of(collected_before.collect) == "HIVE_ACID_SNAPSHOT_UNAVAILABLE"
        raise ZeroDivisionError
    for frame in (made_before, within, joined):
        assert condition_of(frame.collect) == "HIVE_ACID_SNAPSHOT_UNAVAILABLE"
        with pytest.raises((PySparkException, Py4JJavaError), match="HIVE_ACID_SNAPSHOT_UNAVAILABLE"):
            list(frame.toLocalIterator())
    with pytest.raises(PySparkException, match="HIVE_ACID_SNAPSHOT_UNAVAILABLE"):
        as_pandas.toPandas()
    assert within.filter("true").collect() == [(1, 1)], "what is derived of it is a query of its own"
    assert tables.spark.sql(counts).collect() == [(1, 1)]


def _holding(tables: Any, method: str, meanwhile: Callable[[], object]) -> Callable[[str], DataFrame]:
    """Runs a statement of the session, before whose first call of `method` on the metastore something else happens."""
    attachment = attach(tables.spark)
    metastore = attachment.metastore
    real = getattr(type(metastore), method)

    def call(*args: Any, **kwargs: Any) -> Any:
        delattr(metastore, method)
        with ThreadPoolExecutor(1) as another:  # this one runs the statement, and what it runs would be part of that
            another.submit(meanwhile).result()
        return real(metastore, *args, **kwargs)

    def run(text: str) -> DataFrame:
        setattr(metastore, method, call)
        frame = tables.spark.sql(text)
        frame.collect()
        return frame

    return run
