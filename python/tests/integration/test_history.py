"""Who wrote what: the notes of real statements, from Python and from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from pyspark.errors import AnalysisException, PySparkTypeError, PySparkValueError
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import AcidTable
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.names import HISTORY_FILE
from integration.conftest import Tables


def statements(spark: SparkSession, name: str) -> list[tuple[str | None, str | None]]:
    """Operation and text of each, the newest first."""
    return [(row.operation, row.statement) for row in AcidTable.forName(spark, name).history().collect()]


def test_a_statement_is_told_with_its_author_and_amounts(tables: Tables, spark: SparkSession) -> None:
    tables.create("p", "id INT, name STRING", "PARTITIONED BY (k INT)")
    tables.sql("INSERT INTO p VALUES (1, 'a', 1), (2, 'b', 2), (3, NULL, 2)")
    begun = datetime.now()
    tables.sql("UPDATE p SET name = 'new' WHERE id <> 3")
    newest, _ = AcidTable.forName(spark, "p").history().collect()
    (only,) = AcidTable.forName(spark, "p").history(1).collect()
    assert newest == only
    assert begun - timedelta(seconds=1) < newest.timestamp < datetime.now()
    assert (newest.writeId, newest.firstWriteId, newest.operation) == (2, 2, "UPDATE")
    assert newest.statement == "UPDATE p SET name = ? WHERE id <> ?"
    assert (newest.application, newest.applicationId) == (spark.sparkContext.appName, spark.sparkContext.applicationId)
    counts = (newest.numInsertedRows, newest.numUpdatedRows, newest.numDeletedRows)
    assert counts == (0, 2, 0)
    assert (newest.numFiles, newest.numPartitions, newest.partitions) == (4, 2, ["k=1", "k=2"])
    sizes = [path.stat().st_size for path in tables.location("p").rglob("*_0000002_*/bucket_*")]
    assert newest.sizeInBytes == sum(sizes)
    assert newest.folders == ["delete_delta_0000002_0000002_0000", "delta_0000002_0000002_0001"]
    assert (newest.foldedInto, newest.remark) == ([], None)
    assert len(list(tables.location("p").rglob(HISTORY_FILE))) == 2, "one for each statement"


def test_describe_history_has_the_rows_of_the_method(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    tables.sql("DELETE FROM t WHERE id = 1")
    rows = AcidTable.forName(spark, "t").history()
    told = spark.sql(f"DESCRIBE HISTORY {tables.database}.t")
    assert told.schema == rows.schema
    assert told.collect() == rows.collect()
    assert spark.sql("desc history `t` LIMIT 1").collect() == rows.collect()[:1]
    tables.sql("CREATE TABLE history (t INT COMMENT 'of a table of that name') STORED AS ORC")
    assert "of a table of that name" in {row.info_value for row in spark.sql("DESCRIBE HISTORY t").collect()}
    tables.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    tables.sql("DROP TABLE history")
    with pytest.raises(AnalysisException) as caught:
        spark.sql("DESCRIBE HISTORY plain").collect()
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"


def test_every_front_is_noted_and_a_method_of_a_data_frame_has_no_text(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    spark.sql("INSERT INTO t VALUES (:id, 'x')", args={"id": 7}).collect()
    spark.sql("SELECT 1 AS id, 'secret' AS name").write.insertInto("t")
    spark.sql("SELECT 2 AS id, 'secret' AS name").writeTo("t").append()
    AcidTable.forName(spark, "t").delete("id = 2")
    assert statements(spark, "t") == [
        ("DELETE", None),
        ("INSERT", None),
        ("INSERT", None),
        ("INSERT", "INSERT INTO t VALUES (:id, ?)"),
    ]


def test_names_of_tables_columns_and_fields_stay_and_those_of_a_statement_do_not(
    tables: Tables, spark: SparkSession
) -> None:
    tables.create("t", "id INT, name STRUCT<first: STRING>")
    tables.sql("CREATE TABLE s STORED AS ORC AS SELECT 1 AS amount")
    tables.sql("CREATE VIEW v AS SELECT amount AS total FROM s")
    spark.sql("SELECT 1 AS figure").createOrReplaceTempView("martin")
    tables.sql("INSERT INTO t SELECT amount AS `Martin King`, named_struct('first', 'x') FROM s King WHERE amount > 0")
    tables.sql("INSERT INTO t SELECT total, named_struct('first', 'x') FROM v JOIN martin ON figure = total")
    assert [text for _, text in statements(spark, "t")][::-1] == [
        "INSERT INTO t SELECT amount AS _1, named_struct(?, ?) FROM s _2 WHERE amount > ?",
        "INSERT INTO t SELECT total, named_struct(?, ?) FROM v JOIN _1 ON _2 = total",
    ]


def test_the_user_is_a_column_of_that_name(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (path,) = tables.location("t").rglob(HISTORY_FILE)
    path.with_name(f".{HISTORY_FILE}.crc").unlink()
    found = json.loads(path.read_text())
    found["notes"][0]["user"] = "etl"
    path.write_text(json.dumps(found))
    assert [row.user for row in AcidTable.forName(spark, "t").history().select("user").collect()] == ["etl"]


def test_statements_of_one_transaction_are_told_when_it_is_committed(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    with hive_acid.transaction(spark):
        tables.sql("INSERT INTO t VALUES (1, 'a')")
        tables.sql("DELETE FROM t WHERE id = 1")
        assert statements(spark, "t") == []
    found = AcidTable.forName(spark, "t").history().collect()
    assert [(row.writeId, row.operation, len(row.folders)) for row in found] == [(1, "DELETE", 1), (1, "INSERT", 1)]
    assert len({row.txnId for row in found}) == 1


def test_the_longest_text_costs_no_more_than_its_beginning(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    values = ", ".join(f"({number}, 'it\\'s {number}')" for number in range(3_000))
    tables.sql(f"INSERT INTO t VALUES {values}")
    (path,) = tables.location("t").rglob(HISTORY_FILE)
    assert path.stat().st_size < 3_000
    ((_, text),) = statements(spark, "t")
    assert text is not None and len(text) == 2_000
    assert text.startswith("INSERT INTO t VALUES (?, ?), (?, ?), ") and text.endswith("…")


def test_what_cannot_be_told_is_refused(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    table = AcidTable.forName(spark, "t")
    assert table.history().collect() == []
    with pytest.raises(PySparkTypeError):
        table.history("5")  # type: ignore[arg-type]
    with pytest.raises(PySparkValueError):
        table.history(0)
    tables.sql("DROP TABLE t")
    with pytest.raises(AnalysisException):
        table.history()


def test_a_file_of_that_name_with_anything_in_it_harms_no_statement(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    (path,) = tables.location("t").rglob(HISTORY_FILE)
    path.with_name(f".{HISTORY_FILE}.crc").unlink()
    for content in (b"", b"\xff\xfe rubbish", b"[" * 15_000, b"x" * 100_000):
        path.write_bytes(content)
        (row,) = AcidTable.forName(spark, "t").history().collect()
        assert (row.application, row.remark) == ("unknown", "its note cannot be read")
    tables.sql("UPDATE t SET name = 'b'")
    assert tables.sql("SELECT * FROM t") == [(1, "b")]


@pytest.mark.slow
def test_the_command_tells_the_same(tables: Tables, metastore: EmbeddedMetastore) -> None:
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    tables.sql("DELETE FROM t WHERE id = 1")
    command = [sys.executable, "-m", "hive_acid.cli", "history", f"{tables.database}.t", "--metastore", metastore.uri]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split("  ")[0] for line in text.splitlines() if not line.startswith(" ")] == [
        "write ID 2",
        "write ID 1",
    ]
    assert "    DELETE FROM t WHERE id = ?" in text.splitlines()
    found = subprocess.run([*command, "--json", "--limit", "1"], capture_output=True, text=True, check=True).stdout
    ((entry),) = json.loads(found)["history"]
    assert (entry["write_id"], entry["deleted"], entry["statement"]) == (2, 1, "DELETE FROM t WHERE id = ?")
