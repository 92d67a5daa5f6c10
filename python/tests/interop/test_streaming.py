"""What Hive's streaming ingest writes, while it writes and afterwards: Spark reads and changes it as Hive does."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable

pytestmark = pytest.mark.interop

VERSION = "3.1.3"
"""The artefact of later releases cannot be had."""
FLUSHES = {"fs.file.impl": "FlushedFileSystem"}
"""What ingest flushes can be read, as in HDFS."""
CREATE = "CREATE TABLE {} (id INT, name STRING) {} STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    """An engine with streaming ingest, whose files can be read while they are written."""
    with HiveEngine.started(VERSION, tmp_path_factory.mktemp("hive"), settings=FLUSHES) as engine:
        yield engine


class Stream:
    """A connection of streaming ingest, with a batch of transactions; rows are numbers, named after themselves."""

    def __init__(self, hive: HiveEngine, more: str = "") -> None:
        self._hive = hive
        self._more = more

    def commit(self, *ids: int) -> None:
        """One transaction."""
        self._send("commit", ids)

    def abort(self, *ids: int) -> None:
        """One that is undone."""
        self._send("abort", ids)

    def write(self, *ids: int) -> None:
        """One that stays open."""
        self._send("write", ids)

    def _send(self, what: str, ids: tuple[int, ...]) -> None:
        self._hive.sql(f"!stream {what} " + "\n".join(f"{id_},row {id_}{self._more}" for id_ in ids))


@contextmanager
def streaming(hive: HiveEngine, table: str, batch: int, more: str = "") -> Iterator[Stream]:
    """A connection to the table; `more` follows each row."""
    hive.sql(f"!stream open default.{table} {batch}")
    try:
        yield Stream(hive, more)
    finally:
        hive.sql("!stream close")


def named(*ids: int) -> list[tuple[int, str]]:
    return [(id_, f"row {id_}") for id_ in ids]


def spark_rows(spark: SparkSession, table: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.sql(f"SELECT * FROM {table}").collect())


def check_all_read(hive: HiveEngine, spark: SparkSession, table: str, expected: list[tuple[object, ...]]) -> None:
    """Spark and both readers of Hive return these rows."""
    assert spark_rows(spark, table) == expected
    HiveTable(hive, table).check_rows("id", expected)


def check_row_ids(hive: HiveEngine, spark: SparkSession, table: str) -> None:
    """Spark gives rows the IDs that Hive gives them."""
    found = spark.sql(f"SELECT ROW__ID.*, id FROM {table}").collect()
    assert {(row[3],): tuple(row)[:3] for row in found} == HiveTable(hive, table).row_ids("id")


@pytest.mark.parametrize("clustered", ["", "CLUSTERED BY (id) INTO 3 BUCKETS"], ids=["flat", "bucketed"])
def test_a_table_is_read_and_changed_while_it_is_streamed_into(
    hive: HiveEngine, spark: SparkSession, clustered: str
) -> None:
    table = f"while_{'bucketed' if clustered else 'flat'}"
    hive.sql(CREATE.format(table, clustered))
    with streaming(hive, table, batch=6) as stream:
        stream.commit(1, 2)
        assert any(file.endswith("_flush_length") for file in HiveTable(hive, table).files())
        check_all_read(hive, spark, table, named(1, 2))
        stream.commit(3)
        stream.abort(10, 11)
        stream.commit(*range(4, 9))
        check_all_read(hive, spark, table, named(*range(1, 9)))
        check_row_ids(hive, spark, table)
        spark.sql(f"UPDATE {table} SET name = 'by spark' WHERE id IN (2, 8)")
        spark.sql(f"DELETE FROM {table} WHERE id = 3")
        changed = [(1, "row 1"), (2, "by spark"), *named(4, 5, 6, 7), (8, "by spark")]
        check_all_read(hive, spark, table, changed)
        stream.write(12)
        assert spark_rows(spark, table) == changed
    check_all_read(hive, spark, table, changed)
    check_row_ids(hive, spark, table)


def test_what_was_streamed_is_changed_by_both_and_compacted(hive: HiveEngine, spark: SparkSession) -> None:
    hive.sql(CREATE.format("afterwards", ""))
    with streaming(hive, "afterwards", batch=3) as stream:
        stream.commit(*range(1, 5))
        stream.abort(20)
        stream.commit(5, 6)
    with streaming(hive, "afterwards", batch=2) as stream:
        stream.commit(7)
        stream.commit(8)
    hive.sql("DELETE FROM afterwards WHERE id = 5")
    source = "(SELECT stack(2, 1, 9) AS id)"
    spark.sql(
        f"MERGE INTO afterwards t USING {source} s ON t.id = s.id WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'merged')"
    )
    rows = [*named(2, 3, 4, 6, 7, 8), (9, "merged")]
    check_all_read(hive, spark, "afterwards", rows)
    for kind in ("minor", "major"):
        HiveTable(hive, "afterwards").compact(kind)
        check_all_read(hive, spark, "afterwards", rows)


def test_spark_compacts_what_was_streamed(hive: HiveEngine, spark: SparkSession) -> None:
    hive.sql(CREATE.format("compacted", ""))
    with streaming(hive, "compacted", batch=4) as stream:
        stream.commit(1, 2)
        stream.abort(20)
        stream.commit(3)
    spark.sql("DELETE FROM compacted WHERE id = 2")
    before = HiveTable(hive, "compacted").row_ids("id")
    spark.sql("ALTER TABLE compacted COMPACT 'major'")
    assert any(file.startswith("base_") for file in HiveTable(hive, "compacted").files())
    check_all_read(hive, spark, "compacted", named(1, 3))
    assert HiveTable(hive, "compacted").row_ids("id") == before


def test_partitions_are_streamed_into(hive: HiveEngine, spark: SparkSession) -> None:
    hive.sql(CREATE.format("parts", "PARTITIONED BY (d STRING)"))
    with streaming(hive, "parts", batch=3, more=",x") as stream:
        stream.commit(1, 2)
        spark.sql("INSERT INTO parts VALUES (3, 'by spark', 'x'), (4, 'by spark', 'y')")
        stream.commit(5)
        spark.sql("UPDATE parts SET d = 'y' WHERE id = 2")
        rows = [(1, "row 1", "x"), (2, "row 2", "y"), (3, "by spark", "x"), (4, "by spark", "y"), (5, "row 5", "x")]
        check_all_read(hive, spark, "parts", rows)
    check_all_read(hive, spark, "parts", rows)
