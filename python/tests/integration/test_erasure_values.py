"""Values that a cache or the metastore shows are those of the table's files and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import Key, KeyedHashes, MatchCount, Matcher
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from hive_acid_erasure.spark.erasure_queries import ErasureQueries
from integration.conftest import Tables
from support.erasure_searches import matcher, matches, search

SERDES = "org.apache.hadoop.hive.serde2"
SECRET = b"a secret that is nowhere to be seen"


@pytest.fixture
def engine(spark: SparkSession) -> SparkErasureEngine:
    return SparkErasureEngine(spark, SECRET)


def add_rows(tables: Tables, *names: str) -> None:
    """Rows of table t that another engine writes."""
    numbers = pyarrow.array(range(2, 2 + len(names)), pyarrow.int32())
    rows = pyarrow.table({"id": numbers, "name": list(names)})
    orc.write_table(rows, str(tables.location("t") / "part-of-another-engine"))


def test_the_files_of_a_cached_table_are_searched(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'ada'), (2, 'bob')")
    tables.sql("CACHE TABLE t")
    try:
        assert matches(search(engine, tables, matcher(engine, table, "ada")), "delta") == [(2, 1)]
        assert engine.judge_values(matcher(engine, table, "ada"), [{"name": "ada"}, {"name": "bob"}]) == (True, False)
    finally:
        tables.sql("UNCACHE TABLE t")


def test_links_are_those_that_a_table_has_now(tables: Tables, engine: SparkErasureEngine) -> None:
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC")
    tables.sql("INSERT INTO t VALUES (1, 'bob')")
    asked, link = matcher(engine, TableName(tables.database, "t"), "ada"), Key(("id",))
    assert engine.links(asked, link) == {}
    add_rows(tables, "ada")
    (links,) = engine.links(asked, link).values()
    assert len(links) == 1
    tables.sql("CACHE TABLE t")
    try:
        with pytest.raises(HiveAcidError, match="UNCACHE TABLE"):
            engine.links(asked, link)
    finally:
        tables.sql("UNCACHE TABLE t")


@pytest.mark.parametrize(("link", "count"), [("id", 2), ("array(id, id + 10)", 4)])
def test_links_that_rows_of_others_give_too_are_counted(
    tables: Tables, engine: SparkErasureEngine, link: str, count: int
) -> None:
    table = tables.create("t")
    tables.sql(
        "INSERT INTO t VALUES (1, 'ada'), (1, 'bob'), (2, 'ada'), (3, 'bob'), (4, 'ada'), (4, NULL), (NULL, 'bob')"
    )
    asked = matcher(engine, table, "ada")
    (links,) = engine.links(asked, Key((link,))).values()
    assert engine.count_shared(asked, Key((link,)), links) == count


def test_the_rows_by_which_a_limit_is_judged_are_counted_in_no_cache(
    tables: Tables, engine: SparkErasureEngine
) -> None:
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC")
    tables.sql("INSERT INTO t VALUES (1, 'ada')")
    asked = matcher(engine, TableName(tables.database, "t"), "ada")
    counted = tables.spark.table(f"{tables.database}.t").groupBy().count().cache()
    try:
        assert counted.collect() == [(1,)]
        add_rows(tables, "bob")
        assert engine.count(asked, None) == MatchCount(2, {"": 1})
        tables.sql("CACHE TABLE t")
        with pytest.raises(HiveAcidError, match="UNCACHE TABLE"):
            engine.count(asked, None)
    finally:
        counted.unpersist()
        tables.sql("UNCACHE TABLE t")


def test_the_logs_of_a_serde_tell_no_row(tables: Tables, engine: SparkErasureEngine) -> None:
    serde = f"{SERDES}.RegexSerDe"
    given = "ROW FORMAT SERDE '{}' WITH SERDEPROPERTIES ('input.regex' = '([0-9]+) ([a-z]+)')"
    tables.sql(f"CREATE TABLE t (id STRING, name STRING) {given.format(serde)} STORED AS TEXTFILE")
    (tables.location("t") / "lines").write_text("1 ada\nADA LOVELACE\n")
    with logged(tables.spark) as read_log:
        assert engine.count(matcher(engine, TableName(tables.database, "t"), "ada"), None) == MatchCount(2, {"": 1})
        assert "LOVELACE" not in read_log()
        assert len(tables.sql("SELECT * FROM t")) == 2
        assert "LOVELACE" in read_log(), "other queries are not kept quiet"


@contextmanager
def logged(spark: SparkSession) -> Iterator[Callable[[], str]]:
    """What SerDes of Hive log at WARN meanwhile, which is Spark's default and not that of tests."""
    jvm: Any = spark._jvm
    log4j, written = jvm.org.apache.logging.log4j, jvm.java.io.StringWriter()
    appender = log4j.core.appender.WriterAppender.createAppender(None, None, written, "test", False, False)
    appender.start()
    root = log4j.LogManager.getContext(False).getConfiguration().getRootLogger()
    root.addAppender(appender, log4j.Level.WARN, None)
    log4j.core.config.Configurator.setLevel(SERDES, log4j.Level.WARN)
    try:
        yield lambda: str(written.toString())
    finally:
        log4j.core.config.Configurator.setLevel(SERDES, root.getLevel())
        root.removeAppender("test")


@pytest.mark.parametrize("setting", ["textinputformat.record.delimiter", "ignoreCorruptFiles"])
def test_no_link_is_taken_from_lines_that_a_setting_leaves_out(
    tables: Tables, engine: SparkErasureEngine, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    tables.sql("CREATE TABLE t (id INT, name STRING) STORED AS TEXTFILE")
    if setting == "ignoreCorruptFiles":  # only who starts the application sets it
        monkeypatch.setattr(ErasureQueries, "_skips_files", lambda _: True)
    else:
        engine._session.conf.set(setting, ";")
    with pytest.raises(HiveAcidError, match=setting):
        engine.links(matcher(engine, TableName(tables.database, "t"), "ada"), Key(("id",)))


@pytest.mark.beyond_the_gate(
    "`unit/erasure`; DOUBLE and CHAR",
    but=["False-DOUBLE-c-12345678-12345678.0-12345679.0", "False-CHAR(5)-c-Ada-Ada-Bob"],
)
@pytest.mark.parametrize(
    ("kind", "key", "subject", "stored", "other"),
    [
        ("DOUBLE", "c", "12345678", "12345678.0", "12345679.0"),
        ("FLOAT", "c", "0.1", "0.10000000149011612", "0.5"),
        ("DECIMAL(10,2)", "c", "100", "100", "100.01"),
        ("INT", "concat('C-', c)", "C-4711", "4711", "4712"),
        ("TIMESTAMP", "c", "2024-02-29 12:00:00", "2024-02-29 12:00:00", "2024-02-29 12:00:01"),
        ("CHAR(5)", "c", "Ada", "Ada", "Bob"),
    ],
)
@pytest.mark.parametrize("is_partition", [False, True])
def test_texts_of_the_metastore_are_judged_as_values_of_the_column(
    tables: Tables,
    engine: SparkErasureEngine,
    kind: str,
    key: str,
    subject: str,
    stored: str,
    other: str,
    *,
    is_partition: bool,
) -> None:
    columns = f"(id INT) PARTITIONED BY (c {kind})" if is_partition else f"(id INT, c {kind})"
    tables.sql(f"CREATE TABLE t {columns} STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    found = matcher(engine, TableName(tables.database, "t"), subject, key=Key((key,)))
    rows = [{"c": stored}, {"c": other}, {"id": stored}, {"C": stored, "id": "1"}, {}]
    assert engine.judge_values(found, rows) == (True, False, False, True, False)


def test_values_that_cannot_be_judged_are_told(tables: Tables, engine: SparkErasureEngine) -> None:
    table = tables.create("t", "id INT, name STRING")
    number = matcher(engine, table, "7", key=Key(("id",)))
    assert engine.judge_values(number, [{"id": "Ada"}, {"name": "Ada"}, {"id": "007"}]) == (None, False, True)
    both = Matcher(table, (KeyedHashes(Key(("id", "name")), engine.spell(table, Key(("id", "name")), [("7", "Ada")])),))
    assert engine.judge_values(both, [{"id": "7"}, {"id": "7", "name": "Ada"}]) == (False, True)
