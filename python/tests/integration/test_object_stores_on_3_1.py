"""Statements on an S3 server under a metastore of the 3.1 line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.objectstore.lake import TRANSACTIONAL, Lake, start_lake
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.slow
DATABASE = "lakedb"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with start_lake(tmp_path_factory.mktemp("lake"), version="3.1.3") as started:
        yield started


@pytest.fixture(scope="module")
def spark(lake: Lake) -> Iterator[SessionProcess]:
    with lake.session(DATABASE) as session:
        yield session


def read(spark: SessionProcess, table: str) -> list[tuple[object, ...]]:
    return spark.sql(f"SELECT * FROM {table} ORDER BY id")


@pytest.mark.parametrize("partitioning", ["", "PARTITIONED BY (d STRING)"])
def test_each_statement_shows_its_rows_and_leaves_no_upload(
    lake: Lake, spark: SessionProcess, partitioning: str
) -> None:
    table = "parts" if partitioning else "flat"
    columns = "id INT, v STRING" if partitioning else "id INT, v STRING, d STRING"
    spark.sql(f"CREATE TABLE {table} ({columns}) {partitioning} {TRANSACTIONAL}")
    assert spark.sql(f"INSERT INTO {table} VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'y')") == [(3,)]
    assert spark.sql(f"UPDATE {table} SET v = 'B' WHERE id = 2") == [(1,)]
    assert spark.sql(f"DELETE FROM {table} WHERE id = 1") == [(1,)]
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 3 AS id UNION ALL SELECT 4) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET v = 'C' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'd', 'z')"
    )
    assert read(spark, table) == [(2, "B", "y"), (3, "C", "y"), (4, "d", "z")]
    spark.sql(f"INSERT OVERWRITE {table} VALUES (5, 'e', 'y')")
    expected = [(4, "d", "z"), (5, "e", "y")] if partitioning else [(5, "e", "y")]
    assert read(spark, table) == expected
    spark.sql(f"TRUNCATE TABLE {table}")
    assert read(spark, table) == []
    assert lake.uploads() == []
    assert lake.count_copies() == 0


def test_a_statement_that_fails_shows_nothing(lake: Lake, spark: SessionProcess) -> None:
    """An aborted write ID counts as committed there once its transaction is forgotten: no file of it may be left."""
    spark.sql(f"CREATE TABLE failed (id INT) {TRANSACTIONAL}")
    spark.sql("INSERT INTO failed VALUES (1)")
    before = lake.files(DATABASE, "failed")
    with pytest.raises(StatementFailed):
        spark.sql("INSERT INTO failed SELECT int(if(id < 15, id, raise_error('on purpose'))) FROM range(0, 20, 1, 2)")
    assert lake.files(DATABASE, "failed") == before
    assert read(spark, "failed") == [(1,)]


def test_a_compaction_is_refused_before_anything_is_written(lake: Lake, spark: SessionProcess) -> None:
    """Its folder would hide the rows of its inputs before it is whole: no visibility ID is in its name there."""
    spark.sql(f"CREATE TABLE large (id INT) {TRANSACTIONAL}")
    spark.sql("INSERT INTO large VALUES (1)")
    spark.sql("DELETE FROM large")
    before = lake.keys(DATABASE, "large")
    with pytest.raises(StatementFailed) as failure:
        spark.sql("ALTER TABLE large COMPACT 'major' AND WAIT")
    assert failure.value.condition == "HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_ON_OBJECT_STORE"
    assert lake.keys(DATABASE, "large") == before
