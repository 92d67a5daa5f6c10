"""Insert-only tables of JSON: what is read, what is an error of its line, and what is refused by name.

The metastore is of 4.0, and so are the conversions; those of the other releases are tested where they are made
(JsonLineParserSuite) and beside the engines (interop).
"""

from __future__ import annotations

import gzip
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.json_tables import add_lines, make_json

INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
OF_EVERY_TYPE = b"""\
{"id":1,"ti":-128,"si":32767,"bi":9223372036854775807,"fl":1.5,"do":0.1,"de":1.235,"st":"a\\u00fc\\t","vc":"abcdef","ch":"ab",\
"bo":true,"bn":"eHk=","dt":"2020-02-29","ts":"1969-07-20 20:17:40.25","ar":[1,"2",null],"mp":{"k":1,"k":2},\
"sr":{"X":"3","y":[4],"z":0}}
{}
"""
COLUMNS = """
    id INT, ti TINYINT, si SMALLINT, bi BIGINT, fl FLOAT, do DOUBLE, de DECIMAL(10,2), st STRING, vc VARCHAR(3),
    ch CHAR(4), bo BOOLEAN, bn BINARY, dt DATE, ts TIMESTAMP, ar ARRAY<INT>, mp MAP<STRING,INT>,
    sr STRUCT<x:INT,y:STRING>"""


def create(tables: Tables, columns: str, more: str = "", properties: dict[str, str] | None = None) -> TableName:
    tables.sql(f"CREATE TABLE t ({columns}) {more} STORED AS TEXTFILE {INSERT_ONLY}")
    name = TableName(tables.database, "t")
    make_json(tables.client, name, properties)
    return name


def fill(tables: Tables, *lines: bytes, folder: str = "") -> None:
    name = TableName(tables.database, "t")
    add_lines(tables.client, name, tables.location("t") / folder, b"\n".join(lines))


def failure(tables: Tables, query: str, condition: str) -> str:
    with pytest.raises(PySparkException) as caught:
        tables.sql(query)
    assert caught.value.getCondition() == condition
    return str(caught.value)


def test_every_type_is_read_in_every_time_zone(tables: Tables, spark: SparkSession) -> None:
    create(tables, COLUMNS)
    fill(tables, OF_EVERY_TYPE)
    row = (1, -128, 32767, 9223372036854775807, 1.5, 0.1, Decimal("1.24"), "aü\t", "abc", "ab  ", True, b"xy")
    expected: tuple[Any, ...] = (*row, date(2020, 2, 29), [1, 2, None], {"k": 2}, (3, "[4]"))
    others = ", ".join(column for column in spark.table("t").columns if column != "ts")
    assert tables.sql(f"SELECT {others} FROM t ORDER BY id") == [(None,) * 16, expected]
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        for other in ("Asia/Kolkata", "America/Los_Angeles", "UTC"):
            tables.sql(f"SET TIME ZONE '{other}'")
            shown = "SELECT CAST(ts AS STRING), ch FROM t WHERE ts = TIMESTAMP '1969-07-20 20:17:40.25' AND ch = 'ab'"
            assert tables.sql(shown) == [("1969-07-20 20:17:40.25", "ab  ")], other
        assert tables.sql("SELECT ts FROM t WHERE id = 1") == [(datetime(1969, 7, 20, 20, 17, 40, 250000),)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(zone))


@pytest.mark.beyond_the_gate("the Scala tests of `formats/json`; the other tests of the file")
def test_files_are_read_in_parts_compressed_and_by_partition(tables: Tables, spark: SparkSession) -> None:
    create(tables, "id INT, s STRING", "PARTITIONED BY (d STRING)")
    tables.sql("ALTER TABLE t ADD PARTITION (d = 'x') PARTITION (d = 'y')")
    lines = [b'{"id":%d,"s":"%s"}' % (i, b"x" * (i % 50)) for i in range(1000)]
    fill(tables, *lines, folder="d=x")
    fill(tables, b"", folder="d=x")
    delta = tables.location("t") / "d=y"
    fill(tables, b"", folder="d=y")
    (empty,) = delta.rglob("000000_0")
    (empty.parent / "000001_0.gz").write_bytes(gzip.compress(b'{"id":-1}\r\n{"ID":-2}'))
    try:
        spark.conf.set("spark.sql.files.maxPartitionBytes", "1000")
        ((parts,),) = tables.sql("SELECT count(DISTINCT part) FROM (SELECT spark_partition_id() AS part FROM t)")
        assert parts > 10
        wanted = [(i, "x" * (i % 50), "x") for i in range(1000)]
        assert tables.sql("SELECT * FROM t WHERE id >= 0 ORDER BY id") == wanted
        assert tables.sql("SELECT count(*), count(s) FROM t") == [(1002, 1000)]
        assert sorted(tables.sql("SELECT id, s FROM t WHERE d = 'y'")) == [(-2, None), (-1, None)]
        fill(tables, *lines, b'{"id":', *lines, folder="d=x")
        text = failure(tables, "SELECT sum(id) FROM t", "HIVE_ACID_CORRUPT_FILE.NO_JSON")
        assert f"{tables.database}.t" in text and "line 1001 " in text and "delta_0000004" in text
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


@pytest.mark.beyond_the_gate("`unit`; the other tests of JSON tables", but=[""])
@pytest.mark.parametrize(
    "line", [b"", b"  ", b"x", b"[1]", b'{"id":1', b'{"id":[1]}', b'{"id":1,}', b'{"d":"2024-02-30"}']
)
def test_a_line_that_hive_does_not_read_is_an_error_that_names_it(tables: Tables, line: bytes) -> None:
    create(tables, "id INT, d DATE")
    fill(tables, b'{"id":1}', line, b'{"id":3}')
    text = failure(tables, "SELECT * FROM t", "HIVE_ACID_CORRUPT_FILE.NO_JSON")
    assert f"{tables.database}.t" in text and "line 2 " in text and "000000_0" in text


def test_what_hive_passes_over_is_passed_over(tables: Tables) -> None:
    create(tables, "id INT, s STRING")
    lines = (
        b'\xef\xbb\xbf{"id":1} trailing',
        b'{"ID":2,"more":{"id":9}}\r',
        b"null",
        b'{"id":"x","_col1":"by position"}',
    )
    fill(tables, *lines)
    assert sorted(tables.sql("SELECT * FROM t"), key=str) == [
        (0, "by position"),
        (1, None),
        (2, None),
        (None, None),
    ]


def test_properties_are_followed_or_refused_by_name(tables: Tables) -> None:
    name = create(
        tables, "id INT, b BINARY", properties={"text.null.empty.line": "true", "json.binary.format": "rawstring"}
    )
    fill(tables, b'{"id":1,"b":"eHk=","c":1}', b"", b'{"id":2}')
    assert sorted(tables.sql("SELECT * FROM t"), key=str) == [(1, b"eHk="), (2, None), (None, None)]
    make_json(tables.client, name, {"text.ignore.extra.fields": "false"})
    assert "key c" in failure(tables, "SELECT * FROM t", "HIVE_ACID_CORRUPT_FILE.NO_JSON")
    for key, value, sub in (
        ("timestamp.formats", "millis", "JSON_PROPERTY"),
        ("skip.header.line.count", "1", "JSON_PROPERTY"),
        ("json.binary.format", "hex", "JSON_BINARY_FORMAT"),
    ):
        make_json(tables.client, name, {key: value})
        assert key in failure(tables, "SELECT * FROM t", f"HIVE_ACID_UNSUPPORTED_TABLE.{sub}")


def test_nothing_is_written(tables: Tables) -> None:
    create(tables, "id INT")
    for statement in ("INSERT INTO t VALUES (1)", "INSERT OVERWRITE t SELECT 1", "TRUNCATE TABLE t"):
        assert "JSONFILE" in failure(tables, statement, "HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_NOT_WRITTEN")
    assert tables.open_transactions() == []
    assert tables.sql("SELECT * FROM t") == []
