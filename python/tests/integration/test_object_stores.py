"""Statements on an S3 server: the driver puts files in place, nothing is copied, and no upload is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.objectstore.lake import TRANSACTIONAL, Lake, start_lake
from support.objectstore.session import WAREHOUSE
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.beyond_the_gate(
    "in memory, faults at every step: `unit/execution/test_committer_faults.py`; "
    "the manifest committer on local files: `CommittedOutputSuite`"
)

DATABASE = "lakedb"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with start_lake(tmp_path_factory.mktemp("lake")) as started:
        yield started


@pytest.fixture(scope="module")
def spark(lake: Lake) -> Iterator[SessionProcess]:
    """A task may fail twice."""
    with lake.session(DATABASE, {"spark.master": "local[2,3]", "spark.hadoop.fs.s3a.multipart.size": "5M"}) as session:
        yield session


@pytest.fixture(autouse=True)
def tidy(lake: Lake) -> Iterator[None]:
    """No statement copies an object, or leaves an upload or a folder of its job behind."""
    copies = lake.count_copies()
    yield
    lake.relay.heal()
    assert lake.count_copies() == copies
    assert lake.uploads() == []


def create(spark: SessionProcess, name: str, columns: str = "id INT, v STRING", more: str = "") -> None:
    spark.sql(f"CREATE TABLE {name} ({columns}) {more} {TRANSACTIONAL}")


def read(spark: SessionProcess, table: str) -> list[tuple[object, ...]]:
    return spark.sql(f"SELECT * FROM {table} ORDER BY id")


def test_each_statement_shows_its_rows_at_final_names(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "t")
    assert spark.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')") == [(3,)]
    assert spark.sql("UPDATE t SET v = 'B' WHERE id = 2") == [(1,)]
    assert spark.sql("DELETE FROM t WHERE id = 1") == [(1,)]
    source = "SELECT 3 AS id, 'C' AS v UNION ALL SELECT 4, 'd'"
    spark.sql(
        f"MERGE INTO t USING ({source}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
        " WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)"
    )
    assert read(spark, "t") == [(2, "B"), (3, "C"), (4, "d")]
    folders = [key.rpartition("/")[0] for key in lake.files(DATABASE, "t")]
    assert sorted(set(folders)) == [
        "delete_delta_0000002_0000002_0000",
        "delete_delta_0000003_0000003_0000",
        "delete_delta_0000004_0000004_0000",
        "delta_0000001_0000001_0000",
        "delta_0000002_0000002_0001",
        "delta_0000004_0000004_0001",
        "delta_0000004_0000004_0002",
    ]
    assert all(key.rpartition("/")[2].startswith("bucket_") for key in lake.files(DATABASE, "t"))
    assert not [key for key in lake.keys(DATABASE, "t") if "__magic" in key or "staging" in key]


def test_overwrites_truncations_and_tables_made_of_queries(lake: Lake, spark: SessionProcess) -> None:
    spark.sql(f"CREATE TABLE made {TRANSACTIONAL} AS SELECT int(id) AS id, 'x' AS v FROM range(4)")
    assert len(read(spark, "made")) == 4
    spark.sql("INSERT OVERWRITE made VALUES (7, 'y')")
    assert read(spark, "made") == [(7, "y")]
    spark.sql("TRUNCATE TABLE made")
    assert read(spark, "made") == []
    spark.sql("INSERT INTO made VALUES (8, 'z')")
    assert read(spark, "made") == [(8, "z")]


def test_partitions_also_where_they_lie_elsewhere(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "p", more="PARTITIONED BY (d STRING)")
    spark.sql(f"ALTER TABLE p ADD PARTITION (d = 'far') LOCATION '{WAREHOUSE}/far away'")
    spark.sql("INSERT INTO p VALUES (1, 'a', 'x'), (2, 'b', 'a b'), (3, 'c', 'far')")
    spark.sql("INSERT OVERWRITE p PARTITION (d = 'x') VALUES (9, 'z')")
    spark.sql("UPDATE p SET v = 'new' WHERE id > 2")
    spark.sql("UPDATE p SET d = 'far' WHERE id = 2")
    assert read(spark, "p") == [(2, "b", "far"), (3, "new", "far"), (9, "new", "x")]
    assert {key.partition("/")[0] for key in lake.files(DATABASE, "p")} == {"d=x", "d=a b"}
    spark.sql("TRUNCATE TABLE p PARTITION (d = 'far')")
    assert read(spark, "p") == [(9, "new", "x")]


def test_statements_of_one_transaction_read_each_other(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "pair")
    statements = [
        f"INSERT INTO {DATABASE}.pair VALUES (1, 'a'), (2, 'b')",
        f"UPDATE {DATABASE}.pair SET v = 'c' WHERE id = 2",
        f"SELECT count(*) FROM {DATABASE}.pair WHERE v = 'c'",
    ]
    assert spark.submit_for("one", statements, together=True).result(120)[-1] == (1,)
    assert read(spark, "pair") == [(1, "a"), (2, "c")]
    failing = [*statements[:1], f"INSERT INTO {DATABASE}.pair SELECT raise_error('on purpose'), 'x'"]
    before = lake.files(DATABASE, "pair")
    with pytest.raises(StatementFailed):
        spark.submit_for("one", failing, together=True).result(120)
    assert lake.files(DATABASE, "pair") == before
    assert read(spark, "pair") == [(1, "a"), (2, "c")]


@pytest.mark.parametrize("kind", ["minor", "major"])
def test_compactions(lake: Lake, spark: SessionProcess, kind: str) -> None:
    table = f"to_compact_{kind}"
    create(spark, table)
    for id_ in range(3):
        spark.sql(f"INSERT INTO {table} VALUES ({id_}, 'x')")
    spark.sql(f"DELETE FROM {table} WHERE id = 1")
    ((*_, state, accepted, error),) = spark.sql(f"ALTER TABLE {table} COMPACT '{kind}' AND WAIT")
    assert (state, accepted, error) == ("ready for cleaning", True, None)
    assert any("_v0" in key for key in lake.files(DATABASE, table))
    assert read(spark, table) == [(0, "x"), (2, "x")]


def test_an_insert_only_table_of_parquet(lake: Lake, spark: SessionProcess) -> None:
    properties = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    spark.sql(f"CREATE TABLE plain (id INT, v STRING) STORED AS PARQUET {properties}")
    spark.sql("INSERT INTO plain VALUES (1, 'a')")
    spark.sql("INSERT INTO plain VALUES (2, 'b')")
    spark.sql("ALTER TABLE plain COMPACT 'major' AND WAIT")
    assert read(spark, "plain") == [(1, "a"), (2, "b")]


def test_a_file_of_several_parts(lake: Lake, spark: SessionProcess) -> None:
    before = len(lake.relay.requests)
    spark.sql(f"CREATE TABLE large {TRANSACTIONAL} AS SELECT id, uuid() AS v FROM range(0, 400000, 1, 1)")
    parts = [r for r in lake.relay.requests[before:] if "partNumber" in r.query and "bucket_00000" in r.key]
    assert len(parts) > 1
    assert spark.sql("SELECT count(*), count(DISTINCT v), sum(id) FROM large") == [(400000, 400000, 79999800000)]


def test_a_partition_on_storage_without_such_a_committer_is_refused(
    lake: Lake, spark: SessionProcess, tmp_path: Path
) -> None:
    create(spark, "mixed", more="PARTITIONED BY (d STRING)")
    spark.sql(f"ALTER TABLE mixed ADD PARTITION (d = 'near') LOCATION '{tmp_path.as_uri()}'")
    with pytest.raises(StatementFailed) as failure:
        spark.sql("INSERT INTO mixed VALUES (1, 'a', 'x')")
    assert failure.value.condition == "HIVE_ACID_CONFIGURATION.NO_COMMITTER"
    assert not [key for key in lake.keys(DATABASE, "mixed") if "__magic" in key]


def test_a_statement_that_changes_nothing_leaves_nothing(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "still")
    spark.sql("INSERT INTO still VALUES (1, 'a')")
    before = lake.keys(DATABASE, "still")
    assert spark.sql("DELETE FROM still WHERE id = 5") == [(0,)]
    assert lake.keys(DATABASE, "still") == before


def test_an_attempt_that_fails_is_tried_again_and_its_files_do_not_count(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "again", "id INT")
    marker = lake.folder / "failed-once"
    numbers = "SELECT int(id) AS id FROM range(0, 20000, 1, 4)"
    assert spark.sql(f"INSERT INTO again SELECT fail_once('{marker}', id, 19999) FROM ({numbers})") == [(20000,)]
    assert marker.exists()
    assert spark.sql("SELECT count(*), count(DISTINCT id) FROM again") == [(20000, 20000)]
    assert len(lake.files(DATABASE, "again")) == 4


def test_files_of_a_statement_that_fails_are_given_up(lake: Lake, spark: SessionProcess) -> None:
    """Other tasks have written their files by then."""
    create(spark, "failed", "id INT")
    source = "SELECT int(if(id < 15000, id, raise_error('on purpose'))) FROM range(0, 20000, 1, 4)"
    with pytest.raises(StatementFailed):
        spark.sql(f"INSERT INTO failed {source}")
    assert not [key for key in lake.keys(DATABASE, "failed") if key]


def test_files_that_were_put_in_place_in_part_are_taken_back(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "half", more="PARTITIONED BY (d STRING)")
    lake.relay.refuses = lambda request: request.completes_upload and "d=y" in request.key
    with pytest.raises(StatementFailed) as failure:
        spark.sql("INSERT INTO half VALUES (1, 'a', 'x'), (2, 'b', 'y')")
    assert failure.value.condition == "HIVE_ACID_STORAGE_DENIED"
    assert lake.files(DATABASE, "half") == []
    lake.relay.heal()
    assert read(spark, "half") == []
    spark.sql("INSERT INTO half VALUES (3, 'c', 'y')")
    assert read(spark, "half") == [(3, "c", "y")]


def test_a_transaction_that_is_aborted_meanwhile_is_undone(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "aborted")
    hold = lake.relay.hold(lambda request: request.completes_upload)
    running = spark.submit(f"INSERT INTO {DATABASE}.aborted VALUES (1, 'a')")
    hold.wait()
    ((txn_id, *_),) = [row for row in spark.submit("SHOW TRANSACTIONS").result(60) if "OPEN" in row or "open" in row]
    spark.submit(f"ABORT TRANSACTIONS {txn_id}").result(60)
    hold.release()
    with pytest.raises(StatementFailed) as failure:
        running.result(120)
    assert failure.value.condition == "HIVE_ACID_TRANSACTION_ABORTED"
    assert lake.files(DATABASE, "aborted") == []
    assert read(spark, "aborted") == []


def test_neighbours_in_one_table_leave_each_others_uploads_alone(lake: Lake, spark: SessionProcess) -> None:
    create(spark, "shared")
    hold = lake.relay.hold(lambda request: request.completes_upload and "0000001" in request.key)
    first = spark.submit(f"INSERT INTO {DATABASE}.shared VALUES (1, 'first')")
    hold.wait()
    spark.sql("INSERT INTO shared VALUES (2, 'second')")
    hold.release()
    first.result(120)
    assert read(spark, "shared") == [(1, "first"), (2, "second")]


def test_a_committer_that_keeps_uploads_in_memory_is_refused_before_a_task_writes(
    lake: Lake, spark: SessionProcess
) -> None:
    """What it keeps is not there for the driver of another process."""
    create(spark, "remembered")
    setting = "fs.s3a.committer.magic.track.commits.in.memory.enabled"
    with lake.session("memory", {f"spark.hadoop.{setting}": "true"}) as other:
        with pytest.raises(StatementFailed) as failure:
            other.sql(f"INSERT INTO {DATABASE}.remembered VALUES (1, 'a')")
        assert failure.value.condition == "HIVE_ACID_CONFIGURATION.COMMITTER_IN_MEMORY"
        assert setting in failure.value.text
    assert read(spark, "remembered") == []
    assert lake.files(DATABASE, "remembered") == []
