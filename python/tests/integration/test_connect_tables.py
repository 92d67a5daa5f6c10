"""`AcidTable` in a plain client of Spark Connect, which has this package and no JVM, Thrift or sqlglot."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.connect_client import find_client, run_client
from support.drivers import open_transactions, wait_until
from support.other_metastore import started_other
from support.spark_lines import since
from support.spark_programs import started_connect_server

pytestmark = pytest.mark.slow
with_plugin = since("4.0", "a server of Spark Connect in its own packages, for whose plugins the shim has one")

BEGIN = """
import sys
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions as F
import hive_acid
from hive_acid import AcidTable

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
{begin}
def rows():
    return [tuple(row) for row in table.toDF().select("id", "name").orderBy("id").collect()]
def failure(call):
    try:
        call()
    except PySparkException as error:
        return error.getCondition()
"""
FILLED = """
spark.sql("CREATE TABLE {table} (id INT, name STRING, s STRUCT<x: INT, y: INT>) STORED AS ORC "
          "TBLPROPERTIES ('transactional'='true')")
spark.sql("INSERT INTO {table} VALUES (1, 'a', named_struct('x', 1, 'y', 1)), (2, 'b', NULL), (3, NULL, NULL)")
NAME = "{table}"
table = AcidTable.forName(spark, NAME)
frame = table.toDF()
"""

Run = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def port(metastore: EmbeddedMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a server answers."""
    with started_connect_server(metastore, tmp_path_factory.mktemp("connect")) as (_, chosen):
        yield chosen


@pytest.fixture
def run(port: int, tmp_path: Path, client: ThriftMetastore) -> Iterator[Run]:
    """Runs a program of a client with `table`, whose rows have the names a, b and NULL: what it prints."""
    begin = FILLED.format(table=f"connect_{uuid.uuid4().hex[:10]}")

    def run_program(text: str) -> list[str]:
        script = tmp_path / "program.py"
        script.write_text(BEGIN.format(port=port, begin=begin) + text)
        return run_client(script, find_client(), with_package=True)

    yield run_program
    wait_until(lambda: not open_transactions(client), "no transaction is left")


@with_plugin
def test_rows_are_deleted_and_updated_once_by_texts_and_columns(run: Run) -> None:
    printed = run(
        """
print(*table.delete("name <> 'a'").first(), rows())
print(*table.update(frame.id == 3, {"name": F.lit("c"), "s.y": frame.id + 1}).first(), rows())
largest = f"id IN (SELECT max(id) FROM {NAME})"
print(*table.update(largest, {"name": "concat(name, '!')"}).first(), rows())
print(*table.update(set={"id": F.col("id") + 10}).first(), rows())
print(*table.delete(F.col("ROW__ID.rowid") == 99).first())
print(*table.delete().first(), rows())
print([row.operation for row in table.history().collect()])
"""
    )
    assert printed == [
        "1 [(1, 'a'), (3, None)]",
        "1 [(1, 'a'), (3, 'c')]",
        "1 [(1, 'a'), (3, 'c!')]",
        "2 [(11, 'a'), (13, 'c!')]",
        "0",
        "2 []",
        "['DELETE', 'UPDATE', 'UPDATE', 'UPDATE', 'DELETE', 'INSERT']",
    ]


@with_plugin
def test_columns_are_those_of_the_tables_frames_and_of_its_alias(run: Run) -> None:
    printed = run(
        """
aliased = table.alias("x")
print(*aliased.update("x.id = 1", {"x.name": "concat(x.name, '!')"}).first(), rows())
print(*aliased.delete((F.col("x.id") == 2) & (aliased.toDF().id == 2) & (frame.id == 2)).first(), rows())
other = spark.range(3).toDF("id")
print(failure(lambda: table.delete(other.id == 1)))
"""
    )
    assert printed == [
        "1 [(1, 'a!'), (2, 'b'), (3, None)]",
        "1 [(1, 'a!'), (3, None)]",
        "CANNOT_RESOLVE_DATAFRAME_COLUMN",
    ]


@with_plugin
def test_another_current_database_or_a_temporary_view_does_not_move_the_table(run: Run) -> None:
    printed = run(
        """
spark.range(1).createOrReplaceTempView(NAME)
spark.sql(f"CREATE DATABASE {NAME}_other")
spark.sql(f"USE {NAME}_other")
print(*table.delete("id = 1").first(), rows(), table.detail().first().numDeleteDeltas)
print(*table.alias("x").delete(F.col("x.id") == 2).first(), rows())
"""
    )
    assert printed == ["1 [(2, 'b'), (3, None)] 1", "1 [(3, None)]"]


@with_plugin
def test_a_source_is_merged_by_all_kinds_of_clauses(run: Run) -> None:
    printed = run(
        """
source = spark.createDataFrame([(1, "x"), (2, "y"), (7, "z"), (8, "w")], "id INT, name STRING").alias("s")
named = table.alias("t")
result = (
    named.merge(source, "t.id = s.id")
    .whenMatchedDelete(source["name"] == "y")
    .whenMatchedUpdate(set={"name": F.concat(F.col("t.name"), source["name"])})
    .whenNotMatchedInsert("s.id = 7", {"id": "s.id", "name": source["name"]})
    .whenNotMatchedBySourceUpdate(F.col("t.id") == 3, {"name": F.lit("left")})
    .execute()
)
print(result.columns, *result.first(), rows())
print(*table.merge(source.withColumn("s", F.lit(None).cast("struct<x: int, y: int>")), table.toDF().id == source.id)
      .whenMatchedUpdateAll().whenNotMatchedInsertAll().whenNotMatchedBySourceDelete().execute().first(), rows())
"""
    )
    names = "['num_affected_rows', 'num_updated_rows', 'num_deleted_rows', 'num_inserted_rows']"
    assert printed == [
        f"{names} 4 2 1 1 [(1, 'ax'), (3, 'left'), (7, 'z')]",
        "5 2 1 2 [(1, 'x'), (2, 'y'), (7, 'z'), (8, 'w')]",
    ]


@with_plugin
def test_a_table_is_described_compacted_and_emptied(run: Run) -> None:
    printed = run(
        """
table.delete("id = 3")
(detail,) = table.detail().collect()
print(detail.format, detail.kind, detail.numDeltas, detail.numDeleteDeltas, detail.latestWriteId)
print([tuple(row) for row in table.history(1).select("writeId", "operation", "numDeletedRows").collect()])
(compaction,) = table.compact(wait=True).collect()
print(compaction.type, compaction.state, compaction.accepted, rows())
print(table.detail().first().numDeltas)
table.truncate()
print(rows())
"""
    )
    assert printed == [
        "hive-acid full_acid 1 1 2",
        "[(2, 'DELETE', 1)]",
        "MAJOR ready for cleaning True [(1, 'a'), (2, 'b')]",
        "0",
        "[]",
    ]


@with_plugin
def test_refusals_have_their_conditions_and_change_nothing(run: Run) -> None:
    printed = run(
        """
spark.sql(f"CREATE TABLE {NAME}_plain (id INT) STORED AS ORC")
calls = [
    lambda: AcidTable.forName(spark, "nowhere"),
    lambda: AcidTable.forName(spark, f"{NAME}_plain"),
    lambda: table.delete("nope = 1"),
    lambda: table.delete(7),
    lambda: table.update(set={}),
    lambda: table.compact("huge"),
    lambda: table.delete("raise_error('on purpose') IS NULL"),
    lambda: table.truncate({"day": "1"}),
    lambda: hive_acid.transaction(spark),
    lambda: hive_acid.verify(spark, subjects=[], tables={}, columns=[], hash_key=b""),
    lambda: hive_acid.configure(SparkSession.builder.remote("sc://nowhere")),
]
for call in calls:
    print(failure(call))
print(hive_acid.dry_run(spark, f"DELETE FROM {NAME} WHERE id = 1").rows.deleted, rows())
print(*sorted({name.split(".")[0] for name in sys.modules} & {"thrift", "sqlglot"}))
"""
    )
    assert printed == [
        "TABLE_OR_VIEW_NOT_FOUND",
        "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "NOT_EXPECTED_TYPE",
        "CANNOT_BE_EMPTY",
        "VALUE_NOT_ALLOWED",
        "USER_RAISED_EXCEPTION",
        "HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS",
        "HIVE_ACID_CONFIGURATION.CONNECT_SESSION",
        "HIVE_ACID_CONFIGURATION.CONNECT_SESSION",
        "HIVE_ACID_CONFIGURATION.CONNECT_SESSION",
        "1 [(1, 'a'), (2, 'b'), (3, None)]",
        "",
    ]


@with_plugin
def test_a_package_of_another_version_is_refused(run: Run) -> None:
    printed = run(
        """
from hive_acid_connect import table_calls

table_calls.find_version = lambda: "0.0.9"
try:
    AcidTable.forName(spark, NAME)
except PySparkException as error:
    print(error.getCondition(), error.getMessageParameters()["found"])
"""
    )
    assert printed == ["HIVE_ACID_CONFIGURATION.CONNECT_CLIENT_OF_OTHER_VERSION 0.0.9"]


def test_a_server_without_the_plugin_is_told_from_one_without_the_table(
    metastore: EmbeddedMetastore, tmp_path: Path
) -> None:
    script = tmp_path / "program.py"
    with started_connect_server(metastore, tmp_path / "server", {"spark.connect.extensions.relation.classes": ""}) as (
        _,
        port,
    ):
        script.write_text(
            BEGIN.format(port=port, begin="") + "print(failure(lambda: AcidTable.forName(spark, 'nowhere')))"
        )
        assert run_client(script, find_client(), with_package=True) == ["HIVE_ACID_CONFIGURATION.NO_CONNECT_PLUGIN"]


LAKE = """
acid = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
spark.sql(f"CREATE TABLE lake.default.{NAME} (id INT, name STRING) {acid}")
spark.sql(f"INSERT INTO lake.default.{NAME} VALUES (7, 'lake')")
table = AcidTable.forName(spark, f"lake.default.{NAME}")
print(*table.update(F.col("id") == 7, {"name": F.lit("new")}).first(), rows())
print(table.history(1).first().operation, table.detail().first().numDeltas)
print(AcidTable.forName(spark, NAME).toDF().count())
"""


@with_plugin
def test_a_table_of_another_metastore_is_not_that_of_its_name(metastore: EmbeddedMetastore, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    begin = FILLED.format(table=f"connect_{uuid.uuid4().hex[:10]}")
    with (
        started_other(tmp_path / "other") as other,
        started_connect_server(metastore, tmp_path / "server", other.catalog_settings) as (_, port),
    ):
        script.write_text(BEGIN.format(port=port, begin=begin) + LAKE)
        assert run_client(script, find_client(), with_package=True) == ["1 [(7, 'new')]", "UPDATE 2", "3"]
        wait_until(lambda: not open_transactions(other.client), "no transaction is left")
