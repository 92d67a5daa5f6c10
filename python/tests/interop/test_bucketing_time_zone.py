"""Tables bucketed by TIMESTAMP, whose hash of version 1 depends on the time zone of Hive's JVM, in two such zones."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from interop.hive_engine import HIVE_VERSIONS, HiveEngine
from interop.hive_table import HiveTable
from support.bucket_values import EDGES
from support.session_process import SessionProcess

pytestmark = pytest.mark.interop

BUCKETS = 1021
ZONES = dict(zip(HIVE_VERSIONS, ("America/Los_Angeles", "Europe/Berlin"), strict=True))
"""Of each release: the rules of time zones are one, and so is the hash."""
EDGES_OF_ZONES = (
    *("2024-03-10 02:30:00", "2024-11-03 01:30:00"),  # a gap and an overlap in Los Angeles
    *("2024-03-31 02:30:00", "2024-10-27 02:30:00"),  # and in Berlin
    *("1883-11-18 12:00:00", "1893-04-01 00:00:00", "1900-01-01 00:00:00"),  # local mean time ended
    *("1582-10-04 23:59:59", "1582-10-15 00:00:00"),  # neighbours in the hybrid calendar
)
VALUES = tuple(edge.sql for edge in EDGES["timestamp"]) + tuple(f"TIMESTAMP '{text}'" for text in EDGES_OF_ZONES)


class Beside(NamedTuple):
    """A Hive, and a Spark in another time zone that knows Hive's."""

    hive: HiveEngine
    spark: SessionProcess


@pytest.fixture(scope="module", params=ZONES.items(), ids=str)
def beside(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    version, zone = request.param
    conf = {"spark.sql.session.timeZone": "Asia/Kolkata", "spark.hiveacid.bucketing.hiveTimeZone": zone}
    with (
        HiveEngine.started(version, tmp_path_factory.mktemp("hive"), time_zone=zone) as hive,
        SessionProcess(tmp_path_factory.mktemp("spark"), hive.metastore_uri, hive.warehouse, conf) as spark,
    ):
        hive.sql("SET hive.exec.reducers.max=1")
        yield Beside(hive, spark)


def create(beside: Beside, name: str, column: str, version: int, more: str = "") -> HiveTable:
    beside.hive.sql(
        f"CREATE TABLE {name} (id INT, c {column}) CLUSTERED BY (c) INTO {BUCKETS} BUCKETS STORED AS ORC "
        f"TBLPROPERTIES ('transactional'='true', 'bucketing_version'='{version}'{more})"
    )
    return HiveTable(beside.hive, name)


def fill(beside: Beside, name: str, value: str) -> None:
    """Rows 0 to 99 by Spark; 100 more by Hive's row writer and 200 more by its vectorised one, of the same values."""
    rows = " UNION ALL ".join(f"SELECT {n}, {value.format(v)}" for n, v in enumerate(VALUES))
    beside.spark.sql(f"INSERT INTO {name} {rows} UNION ALL SELECT 99, NULL")
    for added, is_vectorised in ((100, "false"), (200, "true")):
        beside.hive.sql(f"SET hive.vectorized.execution.enabled={is_vectorised}")
        beside.hive.sql(f"INSERT INTO {name} SELECT id + {added}, c FROM {name} WHERE id < 100")


def buckets(table: HiveTable) -> dict[int, int]:
    """The number of the file of each row, by its ID."""
    rows = table.engine.sql(f"SELECT id, INPUT__FILE__NAME FROM {table.name}").rows
    names = {id_: path.rpartition("/")[2].removeprefix("bucket_") for id_, path in rows}
    return {id_: int(name.partition("_")[0]) for id_, name in names.items()}


@pytest.mark.parametrize("kind", ["", ", 'transactional_properties'='insert_only'"], ids=["acid", "insert-only"])
def test_both_put_every_edge_timestamp_into_the_bucket_of_hives_hash(beside: Beside, kind: str) -> None:
    table = create(beside, f"edges_{len(kind)}", "TIMESTAMP", 1, kind)
    fill(beside, table.name, "{}")
    found = buckets(table)
    hashes = dict(beside.hive.sql(f"SELECT id, hash(c) FROM {table.name} WHERE id < 100").rows)
    assert len(hashes) == len(VALUES) + 1
    for n, hash_ in hashes.items():
        assert found[n] == found[n + 100] == found[n + 200] == (hash_ & 0x7FFFFFFF) % BUCKETS, n
    texts = beside.hive.sql(f"SELECT id, c FROM {table.name} WHERE id < 99").rows
    seen = beside.spark.sql(f"SELECT id, CAST(c AS STRING) FROM {table.name} WHERE id < 99")
    assert sorted(texts) == sorted(tuple(row) for row in seen)


@pytest.mark.parametrize(
    ("type_", "value", "version"),
    [
        ("MAP<INT,TIMESTAMP>", "MAP(1, {}, 2, TIMESTAMP '2024-07-01 00:00:00')", 2),
        ("ARRAY<STRUCT<t:TIMESTAMP>>", "ARRAY(NAMED_STRUCT('t', {}))", 1),
    ],
)
def test_both_put_nested_timestamps_into_the_same_bucket(beside: Beside, type_: str, value: str, version: int) -> None:
    table = create(beside, f"nested_v{version}", type_, version)
    fill(beside, table.name, value)
    found = buckets(table)
    assert all(found[n] == found[n + 100] == found[n + 200] for n in (*range(len(VALUES)), 99))
    assert len(set(found.values())) > 10


def test_rows_that_spark_moves_lie_where_hive_would_put_them(beside: Beside) -> None:
    table = create(beside, "moved", "TIMESTAMP", 1)
    beside.hive.sql("INSERT INTO moved VALUES (1, '2024-07-01 12:00:00'), (2, '1500-01-01 00:00:00')")
    assert beside.spark.sql("UPDATE moved SET c = c + INTERVAL 1 DAY") == [(2,)]
    hashes = beside.hive.sql("SELECT id, hash(c) FROM moved").rows
    assert buckets(table) == {id_: (hash_ & 0x7FFFFFFF) % BUCKETS for id_, hash_ in hashes}
