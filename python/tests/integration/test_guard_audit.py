"""Every plan node of Spark is judged in `commands.tsv` of the shim; here the judgements with an example are tried.

A statement that is refused or harmless leaves the rows and files of transactional tables as they were, to the byte.
Then come ways around the guard that no single node shows: old plans, settings, names that mean another table.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.spark_lines import find_line, is_before
from integration.conftest import Tables
from support.guarded_world import ROWS, descriptions, files, guarded_world, new_database, nothing_changes, rows
from support.polling import eventually
from support.spark_lines import since

BY_SPARK = "by Spark: "
LIST = Path(__file__).parents[3] / f"jvm-shim/lines/spark-{find_line()}/commands.tsv"


@dataclass(frozen=True)
class Judged:
    """One line of the list."""

    name: str
    verdict: str
    why: str
    example: str


def examples(verdict: str) -> list[Judged]:
    """The lines of that verdict that have an example."""
    with LIST.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [judged for judged in (Judged(*line) for line in lines) if judged.verdict == verdict and judged.example]


@pytest.fixture(scope="module")
def shared(spark: SparkSession, client: ThriftMetastore) -> Iterator[Tables]:
    """One world for all statements that change nothing."""
    with guarded_world(Tables(spark, client, new_database())) as tables:
        yield tables


@pytest.fixture
def world(spark: SparkSession, client: ThriftMetastore) -> Iterator[Tables]:
    with guarded_world(Tables(spark, client, new_database())) as tables:
        yield tables


def filled(example: str, folder: Path) -> str:
    """The example with a file of ORC and its folder."""
    orc.write_table(pa.table({"id": [9], "name": ["z"]}), folder / "file")
    return example.replace("{file}", str(folder / "file")).replace("{folder}", str(folder))


@pytest.mark.beyond_the_gate(
    "every fourth of them; `PlanNodesSuite` knows each plan node",
    but=[
        "SELECT * FROM t CHANGES FROM VERSION 1 TO VERSION 2",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)",
        "DROP VIEW t",
        "MERGE INTO v USING plain s ON v.id = s.id WHEN MATCHED THEN DELETE",
        "CREATE OR REPLACE TABLE t (id INT) USING noop",
        "ALTER TABLE t SET LOCATION '{folder}'",
        "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b', 'storage_handler' = 'x.Y')",
    ],
)
@pytest.mark.parametrize("judged", examples("refused"), ids=lambda judged: judged.example)
def test_what_is_judged_as_refused_is_refused_by_name(shared: Tables, tmp_path: Path, judged: Judged) -> None:
    described, before = descriptions(shared), files(shared)
    with pytest.raises(AnalysisException) as caught:
        shared.sql(filled(judged.example, tmp_path))
    condition = caught.value.getCondition()
    if judged.why.startswith(BY_SPARK):
        assert condition == judged.why.removeprefix(BY_SPARK).split(",")[0]
    else:
        main = condition.partition(".")[0]
        assert main in ("HIVE_ACID_UNSUPPORTED_STATEMENT", "HIVE_ACID_UNSUPPORTED_TABLE"), str(caught.value)[:300]
    assert (descriptions(shared), files(shared)) == (described, before)
    assert not shared.spark.catalog.tableExists("created")


def test_the_rows_are_there_after_all_refusals(shared: Tables) -> None:
    assert rows(shared) == ROWS


@pytest.mark.slow
@pytest.mark.parametrize("judged", examples("harmless"), ids=lambda judged: judged.example)
def test_what_is_judged_as_harmless_changes_no_row_and_no_file(shared: Tables, tmp_path: Path, judged: Judged) -> None:
    try:
        with nothing_changes(shared):
            shared.sql(filled(judged.example, tmp_path))
    finally:
        for undo in (
            "TABLE IF EXISTS created",
            "VIEW IF EXISTS new_view",
            "TEMPORARY FUNCTION IF EXISTS function_of_t",
        ):
            shared.sql(f"DROP {undo}")
        shared.spark.catalog.dropTempView("temporary")
        shared.spark.catalog.dropTempView("cached")
        shared.spark.catalog.clearCache()


@pytest.mark.beyond_the_gate("every fourth of them; `PlanNodesSuite` knows each plan node", but=["SELECT * FROM t"])
@pytest.mark.parametrize("judged", examples("ours"), ids=lambda judged: judged.example)
def test_what_is_judged_as_ours_is_planned_by_us(shared: Tables, tmp_path: Path, judged: Judged) -> None:
    """What each does is in the golden files."""
    plan = shared.sql(f"EXPLAIN {filled(judged.example, tmp_path)}")[0][0]
    assert re.search("hive-?acid", plan, re.IGNORECASE), plan


@pytest.mark.slow
@pytest.mark.parametrize("judged", examples("locked"), ids=lambda judged: judged.example)
def test_what_is_judged_as_locked_is_sparks_own_and_run_by_us(world: Tables, judged: Judged) -> None:
    statement = judged.example.replace("{database}", world.database)
    plan = world.sql(f"EXPLAIN {statement}")[0][0]
    assert plan.startswith("== Physical Plan ==\nExecute HiveAcid") and "Command" in plan, plan
    world.sql(statement)
    assert eventually(lambda: world.client.held_locks() == [] and world.open_transactions() == [])


@pytest.mark.beyond_the_gate("a SELECT; names on the path, tables of other catalogs")
def test_a_comment_on_a_nested_column_waits_as_other_changes_of_columns_do(world: Tables) -> None:
    world.create("nested", "s STRUCT<f: INT>")
    comment = "COMMENT ON TABLE nested COLUMN (s.f IS 'of f')"
    if is_before("4.3"):
        with pytest.raises(ParseException):
            world.sql(comment)
        return
    plan = world.sql(f"EXPLAIN {comment}")[0][0]
    assert plan.startswith("== Physical Plan ==\nExecute HiveAcid"), plan
    world.sql(comment)
    assert "of f" in world.spark.table("nested").schema.json()


def refused(action: Callable[[], object]) -> None:
    with pytest.raises(AnalysisException) as caught:
        action()
    assert caught.value.getCondition().partition(".")[0] == "HIVE_ACID_UNSUPPORTED_STATEMENT", str(caught.value)[:300]


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.unset(key)


def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(9, "z")], "id int, name string")


@pytest.mark.beyond_the_gate("a flat table", cells=["PARTITIONED BY (d STRING)"])
@pytest.mark.parametrize("clause", ["", "PARTITIONED BY (d STRING)"])
def test_a_plan_made_before_a_table_became_transactional_is_refused(world: Tables, clause: str) -> None:
    world.sql(f"CREATE TABLE later (id INT{'' if clause else ', d STRING'}) {clause} STORED AS ORC")
    old = world.spark.table("later")
    old.createOrReplaceTempView("old_view")
    world.sql("ALTER TABLE later SET TBLPROPERTIES ('transactional' = 'true')")
    world.sql("INSERT INTO later VALUES (1, 'x'), (2, 'x')")
    world.sql("DELETE FROM later WHERE id = 2")
    written = world.files("later")
    refused(old.collect)
    refused(old.filter("id > 0").collect)
    for statement in (
        "SELECT * FROM old_view",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM old_view)",
        "INSERT INTO old_view VALUES (7, 'x')",
        "INSERT OVERWRITE old_view VALUES (8, 'x')",
    ):
        refused(lambda statement=statement: world.sql(statement))  # type: ignore[misc]
    refused(lambda: frame(world.spark).write.insertInto("old_view"))
    world.spark.catalog.dropTempView("old_view")
    assert world.files("later") == written
    assert world.sql("SELECT * FROM later") == [(1, "x")]


def test_partition_columns_are_not_answered_from_partitions_without_rows(shared: Tables) -> None:
    with nothing_changes(shared), setting(shared.spark, "spark.sql.optimizer.metadataOnly", "true"):
        refused(lambda: shared.sql("SELECT DISTINCT d FROM p"))
        refused(lambda: shared.sql("SELECT 1 WHERE 'y' = (SELECT max(d) FROM p)"))
        assert shared.sql("SELECT max(id) FROM t") == [(2,)]
    assert shared.sql("SELECT max(d) FROM p") == [("x",)]


@pytest.mark.parametrize(
    "key",
    ["spark.sql.hive.convertMetastoreOrc", "spark.sql.hive.manageFilesourcePartitions", "spark.sql.orc.filterPushdown"],
)
def test_a_setting_of_sparks_own_reader_does_not_matter(shared: Tables, key: str) -> None:
    with setting(shared.spark, key, "false"), nothing_changes(shared):
        assert shared.sql("SELECT id FROM p WHERE d = 'x'") == [(1,)]


@since("4.0", "a second analyzer")
def test_the_single_pass_analyzer_reads_no_transactional_table(shared: Tables) -> None:
    with nothing_changes(shared), setting(shared.spark, "spark.sql.analyzer.singlePassResolver.enabled", "true"):
        refused(lambda: shared.sql("SELECT * FROM t"))
        refused(lambda: shared.sql("SELECT * FROM v"))


def test_a_table_of_another_catalog_is_not_taken_for_ours(world: Tables) -> None:
    catalog = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    other = f"other_{world.database}"
    prefix = f"spark.sql.catalog.{other}"
    package = "jdbc" if is_before("4.0") else "iapi.jdbc"
    with (
        setting(world.spark, prefix, catalog),
        setting(world.spark, f"{prefix}.url", f"jdbc:derby:memory:{other};create=true"),
        setting(world.spark, f"{prefix}.driver", f"org.apache.derby.{package}.AutoloadedDriver"),
        nothing_changes(world),
    ):
        world.sql(f"CREATE NAMESPACE {other}.{world.database}")
        world.sql(f"CREATE TABLE {other}.{world.database}.t (id INT, name STRING)")
        world.sql(f"USE {other}")
        frame(world.spark).writeTo(f"{world.database}.t").append()
        assert world.sql(f"SELECT * FROM {world.database}.t") == [(9, "z")]
        world.sql(f"USE spark_catalog.{world.database}")


@pytest.mark.skipif(find_line() in ("4.0", "4.1"), reason="names have a path since 4.2")
@since("4.3", "the path of names")
def test_a_name_on_the_sql_path_means_the_table_that_is_read(world: Tables) -> None:
    second = new_database()
    world.sql(f"CREATE DATABASE {second}")
    try:
        world.sql(f"CREATE TABLE {second}.t (name STRING, id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        with setting(world.spark, "spark.sql.path.enabled", "true"), nothing_changes(world):
            world.sql(f"SET PATH = spark_catalog.{second}, spark_catalog.{world.database}")
            frame(world.spark).writeTo("t").append()
            world.sql("MERGE INTO t USING plain s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.name, s.id)")
            assert world.sql("SELECT id, name FROM t ORDER BY id") == [(1, "p"), (9, "z")]
            world.sql("SET PATH = DEFAULT_PATH")
    finally:
        world.sql(f"DROP DATABASE {second} CASCADE")


@pytest.mark.beyond_the_gate("a SELECT; names on the path, tables of other catalogs")
def test_a_temporary_view_of_the_table_itself_is_a_target_of_insert_only(world: Tables) -> None:
    world.spark.table("t").createOrReplaceTempView("view_of_t")
    frame(world.spark).write.insertInto("view_of_t")
    assert world.sql("SELECT * FROM t ORDER BY id") == [(1, "a"), (2, "b"), (9, "z")]
    assert {Path(file).parent.name for file in world.files("t")} == {
        "delta_0000001_0000001_0000",
        "delete_delta_0000002_0000002_0000",
        "delta_0000003_0000003_0000",
    }
    for statement in ("DELETE FROM view_of_t", "UPDATE view_of_t SET name = 'x'"):
        refused(lambda statement=statement: world.sql(statement))  # type: ignore[misc]
    world.spark.catalog.dropTempView("view_of_t")


@pytest.mark.beyond_the_gate("a SELECT; names on the path, tables of other catalogs")
def test_an_insert_only_table_stays_one(world: Tables) -> None:
    properties = "'transactional'='true', 'transactional_properties'='insert_only'"
    world.sql(f"CREATE TABLE i (id INT) STORED AS ORC TBLPROPERTIES ({properties})")
    refused(lambda: world.sql("ALTER TABLE i UNSET TBLPROPERTIES ('transactional_properties')"))
    assert ("transactional_properties", "insert_only") in world.sql("SHOW TBLPROPERTIES i")


def test_partitions_are_not_recovered_by_a_call(shared: Tables) -> None:
    with nothing_changes(shared):
        refused(lambda: shared.spark.catalog.recoverPartitions("p"))


@pytest.mark.parametrize("option", [("versionAsOf", "1"), ("timestampAsOf", "2020-01-01")])
def test_an_option_does_not_travel_in_time(shared: Tables, option: tuple[str, str]) -> None:
    with nothing_changes(shared), pytest.raises(AnalysisException) as caught:
        shared.spark.read.option(*option).table("t").collect()
    assert caught.value.getCondition() == "UNSUPPORTED_FEATURE.TIME_TRAVEL"
