"""Files of insert-only tables are read as Hive reads them, whatever their names, depth, format and age."""

from __future__ import annotations

import gzip
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.insert_only_tables import WRITTEN, create, refusal


def test_what_aborted_and_unfinished_writers_left_is_not_seen(tables: Tables) -> None:
    create(tables, "t", "PARQUET")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (data,) = tables.location("t").rglob("000000_0")
    with pytest.raises(Exception, match="ARITHMETIC_OVERFLOW"):
        tables.sql("INSERT INTO t SELECT CAST(id + 2147483647 AS INT), 'x' FROM t")
    assert [path.name for path in tables.location("t").iterdir()] == [data.parent.name]
    for folder in ("delta_0000002_0000002_0000", "delta_9_9", "base_9"):
        (tables.location("t") / folder).mkdir()
        (tables.location("t") / folder / "000000_0").write_bytes(data.read_bytes())
    assert tables.sql("SELECT * FROM t") == [(1, "a")]


def test_files_of_any_name_and_depth_are_read_and_strays_are_passed_over_as_hive_does(tables: Tables) -> None:
    create(tables, "t", "PARQUET")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (data,) = tables.location("t").rglob("000000_0")
    nested = data.parent / "HIVE_UNION_SUBDIR_1"
    nested.mkdir()
    (nested / "5a4_data.0.parq").write_bytes(data.read_bytes())
    (data.parent / "empty").touch()
    assert tables.sql("SELECT * FROM t") == [(1, "a")] * 2
    (tables.location("t") / "000000_0").write_bytes(data.read_bytes())
    assert tables.sql("SELECT * FROM t") == [(1, "a")] * 2
    tables.sql("INSERT INTO t VALUES (2, 'b')")
    assert sorted(tables.sql("SELECT * FROM t")) == [(1, "a"), (1, "a"), (2, "b")]
    with pytest.raises(Exception, match="belongs to no base or delta"):
        tables.sql("ALTER TABLE t COMPACT 'major' AND WAIT")
    tables.sql("INSERT OVERWRITE t VALUES (3, 'c')")
    assert tables.sql("SELECT * FROM t") == [(3, "c")]


@pytest.mark.parametrize("form", WRITTEN)
def test_both_zeros_of_floating_point_numbers_are_found(tables: Tables, form: str) -> None:
    create(tables, "t", form, "d DOUBLE, f FLOAT")
    tables.sql("INSERT INTO t SELECT -0.0D, float(-0.0D) FROM range(1000)")
    for where in ("d = 0.0D", "d >= 0.0D", "d IN (0.0D, 1.0D)", "f = float(0)", "NOT d < 0.0D", "f >= float(0)"):
        assert tables.sql(f"SELECT count(*) FROM t WHERE {where}") == [(1000,)], where


NESTED = "c {0}, s STRUCT<x: {0}, y: INT>, l ARRAY<{0}>, m MAP<STRING, STRUCT<z: {0}>>"


def put_older_file(tables: Tables, form: str, source: str, now: str, *values: str) -> None:
    """Makes a table `now` whose columns are of one type, with the file of a table whose columns are of another one."""
    row = "SELECT {0}, named_struct('x', {0}, 'y', 1), array({0}, {0}), map('k', named_struct('z', {0}))"
    for name, kind, literals in (("older", source, values), ("now", now, ("NULL",))):
        create(tables, name, form, NESTED.format(kind))
        tables.sql(f"INSERT INTO {name} " + " UNION ALL ".join(row.format(value) for value in literals))
    (older,), (file,) = (tables.location(name).rglob("000000_0") for name in ("older", "now"))
    file.write_bytes(older.read_bytes())
    (file.parent / f".{file.name}.crc").write_bytes((older.parent / f".{older.name}.crc").read_bytes())


@pytest.mark.beyond_the_gate("one cell of each", but=["ORC-VARCHAR(3)-gr\\xfc", "PARQUET-CHAR(8)-gr\\xfcn ab "])
@pytest.mark.parametrize(("kind", "shown"), [("VARCHAR(3)", "grü"), ("CHAR(3)", "grü"), ("CHAR(8)", "grün ab ")])
@pytest.mark.parametrize("form", WRITTEN)
def test_texts_of_older_files_are_cut_to_the_length_that_the_column_has_now(
    tables: Tables, form: str, kind: str, shown: str
) -> None:
    put_older_file(tables, form, "STRING", kind, "'grün ab'")
    assert tables.sql("SELECT c, s.x, l, m['k'].z FROM now") == [(shown, shown, [shown, shown], shown)]
    assert tables.sql("SELECT s.y FROM now") == [(1,)]
    assert tables.sql(f"SELECT count(*) FROM now WHERE c = '{shown}' AND s.x = '{shown}'") == [(1,)]
    assert tables.sql("SELECT count(*) FROM now WHERE c = 'grün ab' AND length(c) = 7") == [(0,)]


@pytest.mark.beyond_the_gate("one cell of each", but=["INT-TINYINT--128-128"])
@pytest.mark.parametrize(
    ("source", "now", "fits", "wide"),
    [("INT", "TINYINT", -128, 128), ("SMALLINT", "TINYINT", 127, -129), ("INT", "SMALLINT", 32767, -32769)],
)
def test_integers_of_older_parquet_files_that_do_not_fit_are_refused_instead_of_cut(
    tables: Tables, source: str, now: str, fits: int, wide: int
) -> None:
    """Hive shows NULL for them."""
    put_older_file(tables, "PARQUET", source, now, f"CAST({fits} AS {source})", f"CAST(NULL AS {source})")
    assert tables.sql("SELECT c, s.x, l, m['k'].z FROM now WHERE c IS NOT NULL") == [(fits, fits, [fits, fits], fits)]
    for name in ("older", "now"):
        tables.sql(f"DROP TABLE {name}")
    put_older_file(tables, "PARQUET", source, now, f"CAST({wide} AS {source})")
    for query in ("SELECT c FROM now", "SELECT s.x FROM now", "SELECT l FROM now", "SELECT m FROM now"):
        with pytest.raises(Exception, match=r"HIVE_ACID_UNSUPPORTED_LAYOUT.* would have to be read as (8|16) bits"):
            tables.sql(query)
    assert tables.sql("SELECT s.y FROM now") == [(1,)]


@pytest.mark.parametrize(
    "form", ["TEXTFILE", *(pytest.param(form, marks=pytest.mark.slow) for form in ("AVRO", "SEQUENCEFILE", "RCFILE"))]
)
@pytest.mark.parametrize("is_partitioned", [pytest.param(False, marks=pytest.mark.slow), True])
def test_files_of_other_formats_are_read_as_far_as_the_snapshot_sees_them(
    tables: Tables, form: str, is_partitioned: bool
) -> None:
    more, part = ("PARTITIONED BY (d STRING)", "PARTITION (d = 'a b')") if is_partitioned else ("", "")
    columns = "id INT, name STRING, de DECIMAL(10,2), day DATE, ar ARRAY<INT>"
    create(tables, "t", form, columns, more)
    tables.sql(f"CREATE TABLE plain ({columns}) STORED AS {form}")
    if is_partitioned:
        tables.sql("ALTER TABLE t ADD PARTITION (d = 'a b') PARTITION (d = 'c')")
    root = tables.location("t") / "d=a b" if is_partitioned else tables.location("t")
    for write_id, name in enumerate(("one", "two", "open"), 1):
        tables.sql(f"INSERT OVERWRITE plain SELECT {write_id}, '{name}', 1.25, DATE'2024-02-29', ARRAY(1, 2)")
        (data,) = [file for file in tables.location("plain").iterdir() if file.name.startswith("part-")]
        folder = root / f"delta_{write_id}_{write_id}" / ("HIVE_UNION_SUBDIR_1" if write_id == 2 else "")
        folder.mkdir(parents=True)
        (folder / "some name").write_bytes(data.read_bytes())
        (folder / "_hidden").write_bytes(data.read_bytes())
        txn_id = tables.client.open_transaction("me", "here", "test")
        assert tables.client.allocate_write_id(txn_id, TableName(tables.database, "t")) == write_id
        if name != "open":
            tables.client.commit(txn_id)
    end = ("a b",) if is_partitioned else ()
    row = (Decimal("1.25"), date(2024, 2, 29), [1, 2])
    assert sorted(tables.sql("SELECT * FROM t")) == [(1, "one", *row, *end), (2, "two", *row, *end)]
    assert tables.sql("SELECT count(*) FROM t") == [(2,)]
    where = "WHERE name = 'two'" + (" AND d LIKE 'a%'" if is_partitioned else "")
    assert tables.sql(
        f"SELECT x.day, y.id FROM t x JOIN t y ON x.id = y.id WHERE x.id IN (SELECT id FROM t {where})"
    ) == [(date(2024, 2, 29), 2)]
    if is_partitioned:
        assert tables.sql("SELECT id FROM t WHERE d = 'c'") == []
    tables.create("acid")
    assert tables.sql("INSERT INTO acid SELECT id, name FROM t") == [(2,)]
    assert form in refusal(lambda: tables.sql(f"INSERT OVERWRITE t {part} SELECT * FROM plain"))
    assert "insert-only" in refusal(lambda: tables.sql("DELETE FROM t WHERE id = 1"))
    tables.client.abort(txn_id)


def test_timestamps_in_text_are_read_only_where_spark_reads_them_right(tables: Tables, spark: SparkSession) -> None:
    create(tables, "t", "TEXTFILE", "id INT, at TIMESTAMP")
    txn_id = tables.client.open_transaction("me", "here", "test")
    tables.client.allocate_write_id(txn_id, TableName(tables.database, "t"))
    tables.client.commit(txn_id)
    folder = tables.location("t") / "delta_0000001_0000001_0000"
    folder.mkdir()
    (folder / "000000_0").write_bytes(b"1\x012024-02-29 12:00:00.5\n")
    jvm: Any = spark._jvm
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", jvm.java.util.TimeZone.getDefault().getID())
        assert tables.sql("SELECT id, CAST(at AS STRING) FROM t") == [(1, "2024-02-29 12:00:00.5")]
        spark.conf.set("spark.sql.session.timeZone", "Pacific/Kiritimati")
        assert tables.sql("SELECT id FROM t") == [(1,)]
        assert "TIMESTAMP" in refusal(partial(tables.sql, "SELECT at FROM t"))
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(zone))


TEXTS = {"a": b"h1\na1\na2\nf1\n", "b": b"h2\nb1\nf2", "one": b"only\n", "long": b"h\n" + b"x\n" * 300_000 + b"f\n"}


def put_texts(tables: Tables, root: Path) -> None:
    """A delta with each of TEXTS, and with one of them compressed."""
    folder = root / "delta_0000001_0000001_0000"
    folder.mkdir(parents=True)
    for name, content in TEXTS.items():
        (folder / f"{name}.txt").write_bytes(content)
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"h3\r\nc1\r\nf3\r\n"))
    txn_id = tables.client.open_transaction("me", "here", "test")
    tables.client.allocate_write_id(txn_id, TableName(tables.database, "t"))
    tables.client.commit(txn_id)


@pytest.mark.beyond_the_gate("a text that is read, in the same file")
@pytest.mark.parametrize("is_partitioned", [False, True], ids=("flat", "partitioned"))
def test_the_first_and_the_last_lines_of_each_text_are_no_rows_if_the_table_says_so(
    tables: Tables, spark: SparkSession, is_partitioned: bool
) -> None:
    tables.sql(
        f"CREATE TABLE t (s STRING) {'PARTITIONED BY (p INT)' if is_partitioned else ''} STORED AS TEXTFILE "
        "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    )
    if is_partitioned:
        tables.sql("ALTER TABLE t ADD PARTITION (p = 1)")
    put_texts(tables, tables.location("t") / "p=1" if is_partitioned else tables.location("t"))
    counts = "SELECT s, count(*) FROM t GROUP BY s ORDER BY s"
    long, short = [("x", 300_000)], [("a1", 1), ("a2", 1), ("b1", 1), ("c1", 1)]
    headers, footers = [(f"h{i}", 1) for i in (1, 2, 3)], [(f"f{i}", 1) for i in (1, 2, 3)]
    every = sorted([*short, *headers, *footers, *long, ("h", 1), ("f", 1), ("only", 1)])
    assert tables.sql(counts) == every
    spark.conf.set("spark.sql.files.maxPartitionBytes", "64k")
    tables.sql("ALTER TABLE t SET TBLPROPERTIES ('skip.header.line.count'='1')")
    assert tables.sql(counts) == sorted([*short, *footers, *long, ("f", 1)])
    assert tables.sql("SELECT count(*) FROM t") == [(300_000 + 8,)]
    tables.sql("ALTER TABLE t SET TBLPROPERTIES ('skip.footer.line.count'='1')")
    assert tables.sql(counts) == sorted([*short, *long])
    assert tables.sql("SELECT count(*) FROM t WHERE s LIKE 'c%'") == [(1,)]
    tables.sql("ALTER TABLE t SET TBLPROPERTIES ('skip.header.line.count'='0')")
    assert tables.sql(counts) == sorted([*short, *headers, *long, ("h", 1)])
    tables.sql("ALTER TABLE t SET TBLPROPERTIES ('skip.header.line.count'='-1', 'skip.footer.line.count'='-1')")
    assert tables.sql(counts) == every
    for value in ("x", " 1 "):
        tables.sql(f"ALTER TABLE t SET TBLPROPERTIES ('skip.header.line.count'='{value}')")
        assert "skip.header.line.count" in refusal(partial(tables.sql, counts))
    tables.sql("ALTER TABLE t SET TBLPROPERTIES ('skip.header.line.count'='1', 'skip.footer.line.count'='101')")
    assert "skip.footer.line.count" in refusal(partial(tables.sql, counts))
