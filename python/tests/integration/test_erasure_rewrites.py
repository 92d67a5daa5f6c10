"""An insert-only table is written anew without a person, and every value of others is the one that it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.model.table import TableName
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables
from support.erasure_searches import matcher

SECRET = b"a secret that is nowhere to be seen"
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
NANOSECONDS = 1_700_000_000_123_456_789
SKIPPED = 1_585_449_000_000_000_000
"""Half past two of the night in which Berlin's clocks went from two to three."""
REPEATED = 1_603_589_400_000_000_000
"""Half past one in UTC of the night in which Berlin's clocks went from three to two: the second half past two."""


@pytest.fixture
def in_berlin(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


def place(tables: Tables, form: str, moment: int, zone: str | None) -> Path:
    """A file of two people in a table with a moment: a clock of the zone in Parquet, an instant without one."""
    tables.sql(f"CREATE TABLE t (name STRING, ts TIMESTAMP) STORED AS {form} TBLPROPERTIES ({INSERT_ONLY})")
    tables.sql("INSERT INTO t VALUES ('Cyd', NULL)")
    (file,) = tables.location("t").glob("delta_*/0*")
    found = pa.table({"name": ["Ada", "Bob"], "ts": pa.array([moment, moment], pa.timestamp("ns"))})
    if form == "ORC":
        orc.write_table(found, file)
    elif zone:
        told = found.replace_schema_metadata({"writer.time.zone": zone})
        pq.write_table(told, file, use_deprecated_int96_timestamps=True)
    else:
        pq.write_table(found.set_column(1, "ts", found.column("ts").cast(pa.timestamp("us", "UTC"))), file)
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    return file


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize(
    ("form", "moment", "zone", "reason"),
    [
        ("ORC", NANOSECONDS, None, "NANOSECONDS"),
        ("PARQUET", NANOSECONDS, "UTC", "NANOSECONDS"),
        ("ORC", SKIPPED, None, "SKIPPED_WALL_CLOCK"),
        ("PARQUET", SKIPPED, "UTC", "SKIPPED_WALL_CLOCK"),
        ("PARQUET", REPEATED, "Europe/Berlin", "REPEATED_WALL_CLOCK"),
        ("PARQUET", 1_700_000_000_000_000_000, None, "UNKNOWN_TIME_ZONE"),
    ],
)
def test_a_moment_that_would_come_back_as_another_is_not_written_back(
    spark: SparkSession, tables: Tables, form: str, moment: int, zone: str | None, reason: str
) -> None:
    file = place(tables, form, moment, zone)
    before = file.read_bytes()
    engine = SparkErasureEngine(spark, SECRET)
    ada = matcher(engine, TableName(tables.database, "t"), "Ada")
    with pytest.raises(PySparkException, match=reason) as raised:
        engine.delete([ada], {})
    assert not {"2020", "2023"} & set(re.findall("[0-9]+", str(raised.value))), "no value of a row is told"
    assert file.read_bytes() == before
    assert tables.sql("SELECT name FROM t ORDER BY name") == [("Ada",), ("Bob",)]


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_other_moments_are_written_back_as_they_are(spark: SparkSession, tables: Tables, form: str) -> None:
    place(tables, form, 1_700_000_000_123_456_000, "UTC")
    before = tables.sql("SELECT ts FROM t WHERE name = 'Bob'")
    engine = SparkErasureEngine(spark, SECRET)
    engine.delete([matcher(engine, TableName(tables.database, "t"), "Ada")], {})
    assert tables.sql("SELECT name, ts FROM t") == [("Bob", *before[0])]
