"""`AcidTable.truncate` and `AcidTable.detail`."""

from __future__ import annotations

import getpass
from datetime import date, datetime
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkTypeError, PySparkValueError
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import AcidTable
from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.polling import eventually
from support.spark_lines import named_by_spark


@pytest.fixture
def table(tables: Tables, spark: SparkSession) -> AcidTable:
    """Rows 1, 2, 3 of `id`, `name`."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    return AcidTable.forName(spark, "t")


@pytest.fixture
def parts(tables: Tables, spark: SparkSession) -> AcidTable:
    """Five rows of `id`, each in a partition of its own by `d`, `k`."""
    tables.create("p", "id INT", "PARTITIONED BY (d DATE, k STRING)")
    values = "(1, DATE'2024-01-01', 'a'), (2, DATE'2024-01-01', NULL), (3, DATE'2024-01-02', 'a'), (4, NULL, 'b')"
    tables.sql(f"INSERT INTO p VALUES {values}")
    return AcidTable.forName(spark, "p")


def ids(table: AcidTable) -> list[int]:
    return sorted(row.id for row in table.toDF().select("id").collect())


def test_all_rows_are_truncated(table: AcidTable, parts: AcidTable, tables: Tables) -> None:
    for one, name in ((table, "t"), (parts, "p")):
        one.truncate()
        assert ids(one) == []
        assert all("base_0000002" in path for path in tables.files(name) if "delta" not in path)
    assert len(tables.sql("SHOW PARTITIONS p")) == 4
    assert eventually(lambda: tables.open_transactions() == [])


@pytest.mark.beyond_the_gate("values of both columns, and of one of them", but=["partition0-left0", "partition1-left1"])
@pytest.mark.parametrize(
    ("partition", "left"),
    [
        ({"d": date(2024, 1, 1), "k": "a"}, [2, 3, 4]),
        ({"d": "2024-01-01"}, [3, 4]),
        ({"D": date(2024, 1, 1), "K": None}, [1, 3, 4]),
        ({"k": "a"}, [2, 4]),
        ({"d": None}, [1, 2, 3]),
        ({"k": "nothing"}, [1, 2, 3, 4]),
    ],
)
def test_the_partitions_with_these_values_are_truncated(
    parts: AcidTable, partition: dict[str, Any], left: list[int]
) -> None:
    parts.truncate(partition)
    assert ids(parts) == left


def test_partitions_by_numbers_and_booleans_are_truncated(tables: Tables, spark: SparkSession) -> None:
    tables.create("n", "id INT", "PARTITIONED BY (b BOOLEAN, n INT)")
    tables.sql("INSERT INTO n VALUES (1, true, 1), (2, true, 2), (3, false, 1)")
    table = AcidTable.forName(spark, "n")
    table.truncate({"b": True, "n": 1})
    assert ids(table) == [2, 3]
    table.truncate({"n": "01"})
    assert ids(table) == [2]


def test_what_cannot_be_truncated_is_refused_and_changes_nothing(table: AcidTable, parts: AcidTable) -> None:
    wrong: Any = {"k": 1.5}
    with pytest.raises(PySparkTypeError):
        parts.truncate(wrong)
    with pytest.raises(PySparkTypeError):
        parts.truncate({"d": datetime(2024, 1, 1), "k": "a"})
    with pytest.raises(PySparkValueError):
        parts.truncate({})
    for values, condition in (
        ({"d": date(2030, 1, 1), "k": "a"}, "HIVE_ACID_PARTITION_NOT_FOUND"),
        ({"id": 1}, named_by_spark("PARTITIONS_NOT_FOUND")),
    ):
        with pytest.raises(AnalysisException) as caught:
            parts.truncate(values)  # type: ignore[arg-type]
        assert caught.value.getCondition() == condition
    with pytest.raises(AnalysisException) as caught:
        table.truncate({"id": 1})
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS"
    assert (ids(parts), ids(table)) == ([1, 2, 3, 4], [1, 2, 3])


def test_a_table_is_truncated_within_a_transaction(table: AcidTable, spark: SparkSession) -> None:
    with pytest.raises(ZeroDivisionError), hive_acid.transaction(spark):
        table.truncate()
        assert ids(table) == []
        assert counted(table) == (1, 1, 0, 1), "which waits for nobody"
        raise ZeroDivisionError
    assert ids(table) == [1, 2, 3]
    with hive_acid.transaction(spark):
        table.truncate()
    assert ids(table) == []


# detail


def test_the_detail_tells_what_is_known_of_a_table(tables: Tables, spark: SparkSession) -> None:
    before = datetime.now().replace(microsecond=0)
    tables.sql(
        "CREATE TABLE b (id INT, x INT) PARTITIONED BY (d INT) CLUSTERED BY (x) INTO 3 BUCKETS STORED AS ORC "
        "TBLPROPERTIES ('transactional' = 'true', 'orc.compress' = 'SNAPPY', 'mine' = 'yes')"
    )
    (row,) = AcidTable.forName(spark, "b").detail().collect()
    assert row.asDict() == row.asDict() | {
        "format": "hive-acid",
        "name": f"{tables.database}.b",
        "kind": "full_acid",
        "location": tables.client.table(TableName(tables.database, "b")).location,
        "owner": getpass.getuser(),
        "partitionColumns": ["d"],
        "bucketColumns": ["x"],
        "numBuckets": 3,
        "numFiles": 0,
        "sizeInBytes": 0,
        "numDeltas": 0,
        "numDeleteDeltas": 0,
        "latestWriteId": 0,
    }
    assert row.properties.items() >= {"transactional": "true", "orc.compress": "SNAPPY", "mine": "yes"}.items()
    assert before <= row.createdAt <= datetime.now()


def counted(table: AcidTable) -> tuple[int, int, int, int]:
    """Files, deltas, delete deltas, latest write ID."""
    (row,) = table.detail().collect()
    return row.numFiles, row.numDeltas, row.numDeleteDeltas, row.latestWriteId


def test_the_detail_counts_the_files_that_make_up_the_rows(table: AcidTable, tables: Tables) -> None:
    assert counted(table) == (1, 1, 0, 1)
    table.update("id = 1", {"name": "'z'"})
    assert counted(table) == (3, 2, 1, 2)
    sizes = sum(path.stat().st_size for path in tables.location("t").glob("*/bucket_*"))
    assert table.detail().first().sizeInBytes == sizes  # type: ignore[union-attr]
    tables.sql("INSERT OVERWRITE t VALUES (1, 'a')")
    assert counted(table) == (1, 0, 0, 3)
    assert eventually(lambda: tables.open_transactions() == [])


def test_the_detail_sums_partitions_and_counts_nothing_that_is_not_committed(
    parts: AcidTable, tables: Tables, spark: SparkSession
) -> None:
    assert counted(parts) == (4, 4, 0, 1)
    with hive_acid.transaction(spark):
        tables.sql("DELETE FROM p WHERE k = 'a'")
        assert counted(parts) == (4, 4, 0, 1)
    assert counted(parts) == (6, 4, 2, 2)


def test_describe_detail_has_the_row_of_the_method(table: AcidTable, tables: Tables, spark: SparkSession) -> None:
    table.update("id = 1", {"name": "'z'"})
    row = table.detail()
    told = spark.sql(f"DESCRIBE DETAIL {tables.database}.t")
    assert told.schema == row.schema
    assert told.collect() == row.collect()
    assert spark.sql("desc detail `t`").collect() == row.collect()
    tables.sql("CREATE TABLE detail (t INT COMMENT 'of a table of that name') STORED AS ORC")
    assert "of a table of that name" in {row.info_value for row in spark.sql("DESCRIBE DETAIL t").collect()}
    tables.sql("DROP TABLE detail")
    tables.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    with pytest.raises(AnalysisException) as caught:
        spark.sql("DESCRIBE DETAIL plain").collect()
    assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND", "Spark's own words about a plain table"


def test_the_detail_takes_no_write_id(table: AcidTable, tables: Tables) -> None:
    table.detail()
    assert tables.sql("INSERT INTO t (id) VALUES (9)") == [(1,)]
    assert counted(table)[-1] == 2


def test_neither_is_asked_of_a_table_that_is_no_longer_transactional(table: AcidTable, tables: Tables) -> None:
    tables.sql("DROP TABLE t")
    tables.sql("CREATE TABLE t (id INT) STORED AS ORC")
    tables.sql("INSERT INTO t VALUES (1)")
    for call in (table.truncate, table.detail):
        with pytest.raises(AnalysisException) as caught:
            call()
        assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"
    assert tables.sql("SELECT * FROM t") == [(1,)]
