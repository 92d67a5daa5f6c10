"""The bucket of Spark's rows is that of Hive's hash, for the edges of every type and for values drawn at random."""

from __future__ import annotations

import random
import string
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from support.bucket_values import types_of
from support.hive_bucketing import bucket_of

pytestmark = pytest.mark.slow

BUCKETS = 1021
BOTH = pytest.mark.parametrize("version", [1, 2])


def create(tables: Any, types: list[str], version: int) -> str:
    """The columns of a table `t (id, c0, …)` that is clustered by all of them but `id`."""
    by = ", ".join(f"c{i}" for i in range(len(types)))
    columns = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(types))
    tables.sql(
        f"CREATE TABLE t (id INT, {columns}) CLUSTERED BY ({by}) INTO {BUCKETS} BUCKETS STORED AS ORC "
        f"TBLPROPERTIES ('transactional'='true', 'bucketing_version'='{version}')"
    )
    return by


def buckets(tables: Any) -> dict[int, int]:
    """The bucket of each row by `id`."""
    return {id_: bucket >> 16 & 4095 for id_, bucket in tables.sql("SELECT id, ROW__ID.bucketid FROM t")}


@BOTH
def test_edge_values_of_every_type(tables: Any, version: int) -> None:
    edges = types_of(version)
    by = create(tables, list(edges), version)
    rows = [[values[n % len(values)] for values in edges.values()] for n in range(10)]
    selects = (f"SELECT {n}, {', '.join(edge.sql for edge in row)}" for n, row in enumerate(rows))
    tables.sql(f"INSERT INTO t {' UNION ALL '.join(selects)}")
    expected = [bucket_of([edge.value for edge in row], list(edges), version, BUCKETS) for row in rows]
    assert buckets(tables) == dict(enumerate(expected))
    tables.sql(f"INSERT OVERWRITE t SELECT id, {by} FROM t")
    assert buckets(tables) == dict(enumerate(expected))


TYPES = {
    "smallint": lambda draw: draw.randint(-(2**15), 2**15 - 1),
    "int": lambda draw: draw.randint(-(2**31), 2**31 - 1),
    "bigint": lambda draw: draw.randint(-(2**63), 2**63 - 1),
    "double": lambda draw: draw.gauss(0, 1e6),
    "string": lambda draw: "".join(draw.choices(string.ascii_letters + "äß数\U0001f600", k=draw.randrange(12))),
    "decimal(38,10)": lambda draw: Decimal(f"{draw.randint(-(10**37), 10**37)}e-10"),
    "date": lambda draw: date(1, 1, 1) + timedelta(days=draw.randrange(3_600_000)),
    "timestamp": lambda draw: datetime(1900, 1, 1) + timedelta(microseconds=draw.randrange(10**16)),
}


@BOTH
def test_values_drawn_at_random(tables: Any, version: int) -> None:
    draw = random.Random(version)
    types = [type_ for type_ in TYPES if type_ in types_of(version)]
    create(tables, types, version)
    rows = [[None if draw.random() < 0.05 else TYPES[type_](draw) for type_ in types] for _ in range(400)]
    schema = ", ".join(["id INT", *(f"c{i} {type_}" for i, type_ in enumerate(types))])
    frame = tables.spark.createDataFrame([(n, *row) for n, row in enumerate(rows)], schema)
    frame.write.insertInto("t")
    assert buckets(tables) == {n: bucket_of(row, types, version, BUCKETS) for n, row in enumerate(rows)}
