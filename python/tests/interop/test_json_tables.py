"""Insert-only tables of JSON: Spark shows of each line what Hive shows of it, or an error.

The lines are put into a file that Hive has written, in place of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.all_types import COLUMNS, SPARK_ROW, VALUES
from interop.hive_engine import HiveEngine, HiveError
from interop.hive_table import HiveTable
from interop.test_insert_only import INSERT_ONLY, JSONFILE

pytestmark = pytest.mark.interop

ODD_NUMBERS = [
    "-1",
    "300",
    "2147483648",
    "9223372036854775808",
    "1.50",
    "-2.5",
    "100.0",
    "1e10",
    "-0.0",
    "true",
    "null",
]
ODD_NUMBERS += ["12345678901234567890.125"]
ODD_TEXTS = """
 12 |+12|1.5|99999999999|true|FALSE|no|YWI=|YWI|abcdefg||\\u00fc\\ud83d\\ude00
|2024-2-9|2024-02-30|0001-01-01|1582-10-10|2024-01-02 03:04:05.6|2024-01-02T03:04:05|2024-01-02 24:00:00
""".replace("\n", "").split("|")
A_FRACTION = re.compile(r"-?\d+\.\d+")
TYPES = ["INT", "BOOLEAN", "DOUBLE", "DECIMAL(30,5)", "STRING", "CHAR(4)", "BINARY", "DATE", "TIMESTAMP"]
ROWS = [
    *("{}", '{"A":1,"S":"x"}', '{"a":1,"A":2}', '{"A":1,"a":2,"A":3}', '{"a":1,"a":null}', '{"zz":{"a":[5]},"a":1}'),
    *(
        '{"s":[1,2.50,{"k":null}]}',
        '{"a":1} trailing',
        '{"a":1}{"a":2}',
        "null",
        '{"_col0":5}',
        '{"_col9":5}',
        '{"1":"x"}',
    ),
    *('{"r":{"x":"3","Y":"u","z":{"q":[1,null]}},"m":{"1":"a","2":null,"1":"c"}}', '{"r":null,"m":null}', '{"r":{}}'),
    *(
        '{"r":[]}',
        '{"m":{"x":"a"}}',
        '{"m":[]}',
        '{"r":{"z":{"q":1}}}',
        '{"a":1',
        '{"a":',
        '{"a":1,}',
        "x",
        "[]",
        "1",
        "{'a':1}",
    ),
    *(
        '{"a":01}',
        '{"s":"\\u0041\\n\\/"}',
        '{"s":"\\x"}',
        '{"\\u0061":5}',
        '{"s":"a',
        '{"a":1 "s":"x"}',
        '{"a":/*c*/1}',
        "  ",
    ),
]


@pytest.fixture(scope="module")
def stored(hive: HiveEngine) -> str:
    """How a table of JSON is declared."""
    return f"{JSONFILE.get(hive.version, 'STORED AS JSONFILE')} {INSERT_ONLY}"


class Lines:
    """A table of one file, whose lines are replaced."""

    def __init__(self, hive: HiveEngine, spark: SparkSession, name: str, columns: str, stored: str) -> None:
        self.hive, self.spark, self.name = hive, spark, name
        hive.sql(f"CREATE TABLE {name} (id INT, {columns}) {stored}")
        hive.sql(f"INSERT INTO {name} (id) VALUES (0)")
        table = HiveTable(hive, name)
        (file,) = table.files()
        self.file = table.location() / file

    def put(self, lines: Sequence[str]) -> None:
        """Each line is of one row, so that rows are known by their order."""
        for checksum in self.file.parent.glob(".*.crc"):
            checksum.unlink()
        self.file.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def in_hive(self, query: str) -> list[tuple[Any, ...]] | None:
        """The rows, None if Hive fails."""
        try:
            return [tuple(map(plain, row)) for row in self.hive.sql(query).rows]
        except HiveError:
            return None

    def in_spark(self, query: str) -> list[tuple[Any, ...]] | None:
        """The rows as Hive's are given, None if the line is an error here."""
        try:
            return [tuple(map(plain, row)) for row in self.spark.sql(query).collect()]
        except PySparkException as error:
            assert error.getCondition() == "HIVE_ACID_CORRUPT_FILE.NO_JSON", error
            assert self.name in str(error) and "line 1 " in str(error)
            return None

    def check(self, lines: Sequence[str], query: str) -> int:
        """Compares what both make of the lines; the number of those that Hive reads."""
        read, expected = [], []
        for line in lines:
            self.put([line])
            found = self.in_hive(query)
            if found is None:
                assert self.in_spark(query) is None, f"Hive does not read {line}"
            else:
                read.append(line)
                expected += found
        self.put(read)
        shown = self.in_spark(query)
        assert shown is not None
        assert list(zip(read, shown, strict=True)) == list(zip(read, expected, strict=True))
        return len(read)


def plain(value: Any) -> Any:
    """A value of Spark or of the engine in one form: the zeros at the end of a DECIMAL are shown by some only."""
    if isinstance(value, bytearray | bytes):
        return value.hex()
    text = str(value) if isinstance(value, Decimal) else value
    return text.rstrip("0").rstrip(".") if isinstance(text, str) and A_FRACTION.fullmatch(text) else text


def test_every_type_that_hive_wrote_is_the_same_in_spark(hive: HiveEngine, spark: SparkSession, stored: str) -> None:
    hive.sql(f"CREATE TABLE by_hive ({COLUMNS}) {stored}")
    hive.sql(f"INSERT INTO by_hive SELECT {VALUES}")
    hive.sql("INSERT INTO by_hive (id) VALUES (2)")
    others = ", ".join(column for column in spark.table("by_hive").columns if column != "ts")
    expected = tuple(value for value in SPARK_ROW if value != SPARK_ROW[13])
    found = [tuple(row) for row in spark.sql(f"SELECT {others} FROM by_hive ORDER BY id").collect()]
    assert found == [expected, (2, *[None] * 15)]
    clock = "1969-07-20 20:17:40.25"
    (row,) = spark.sql(f"SELECT CAST(ts AS STRING) FROM by_hive WHERE ts = TIMESTAMP '{clock}'").collect()
    assert row[0] == clock


@pytest.mark.parametrize("kind", TYPES)
def test_each_odd_value_is_what_it_is_in_hive(hive: HiveEngine, spark: SparkSession, stored: str, kind: str) -> None:
    table = Lines(hive, spark, f"v_{''.join(filter(str.isalnum, kind)).lower()}", f"a {kind}", stored)
    lines = [f'{{"a":{value}}}' for value in ODD_NUMBERS] + [f'{{"a":"{value}"}}' for value in ODD_TEXTS]
    shown = {"DATE": "CAST(a AS STRING)", "TIMESTAMP": "CAST(a AS STRING)"}.get(kind, "a")
    query = f"SELECT {shown} FROM {table.name}"
    assert table.check(lines, query) > 3


def test_each_odd_line_is_what_it_is_in_hive(hive: HiveEngine, spark: SparkSession, stored: str) -> None:
    columns = "a INT, s STRING, r STRUCT<x:INT,y:STRING,z:STRUCT<q:ARRAY<DOUBLE>>>, m MAP<INT,STRING>"
    table = Lines(hive, spark, "odd_lines", columns, stored)
    lines = ROWS
    query = f"SELECT a, s, r.x, r.y, r.z.q[0], r.z.q[1], m[1], m[2] FROM {table.name}"
    if hive.version == "3.1.3":
        # it goes on with bytes of a buffer, or with what follows a bracket that it takes for the text
        refused = ['{"a":1', '{"a":', '{"s":[1,2.50,{"k":null}]}', "  "]
        for line in refused:
            table.put([line])
            assert table.in_spark(query) is None
        lines = [line for line in ROWS if line not in refused]
    assert table.check(lines, query) > 10


def test_partitions_are_read_and_nothing_is_written(hive: HiveEngine, spark: SparkSession, stored: str) -> None:
    hive.sql(f"CREATE TABLE parts (id INT, s STRING) PARTITIONED BY (d DATE) {stored}")
    for day in ("2024-01-01", "2024-01-02"):
        hive.sql(f"INSERT INTO parts PARTITION (d = '{day}') VALUES ({int(day[-1])}, 'x')")
    query = "SELECT id, s, CAST(d AS STRING) FROM parts WHERE d > DATE '2024-01-01'"
    assert [tuple(row) for row in spark.sql(query).collect()] == hive.sql(query).rows == [(2, "x", "2024-01-02")]
    with pytest.raises(PySparkException, match=r"parts.*JSONFILE"):
        spark.sql("INSERT INTO parts VALUES (1, 'a', DATE '2024-01-01')")
