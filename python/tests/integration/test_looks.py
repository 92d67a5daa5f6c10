"""Tables, histories and transactions as people look at them, and commands that start no Spark, on real files."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

import hive_acid
from hive_acid import AcidTable
from hive_acid.cli import main
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_ops.files import text as files_text
from hive_acid_ops.files.loading import load_files
from hive_acid_ops.history import report as history_report
from hive_acid_ops.history.reader import load_history
from hive_acid_ops.looks import table as table_look
from hive_acid_ops.looks.table import look_at
from integration.conftest import Tables


@pytest.fixture
def name(tables: Tables) -> str:
    """A table of two inserts, and of a delete in one of its partitions."""
    table = tables.create("looked_at", "id INT", "PARTITIONED BY (k INT)")
    tables.sql("INSERT INTO looked_at VALUES (1, 1), (2, 2)")
    tables.sql("INSERT INTO looked_at VALUES (3, 1)")
    tables.sql("DELETE FROM looked_at WHERE id = 1")
    return str(table)


def test_a_table_tells_its_rows_and_folders(name: str, spark: SparkSession) -> None:
    table = AcidTable.forName(spark, name)
    lines = [" ".join(line.split()) for line in repr(table).splitlines()]
    assert lines[:3] == [
        f"AcidTable {name}",
        "kind full ACID",
        "rows about 2, by the files' footers",
    ]
    assert "folders 0 bases, 3 deltas, 1 delete delta" in lines and "partitions 2 by k" in lines
    assert table._repr_html_().startswith("<table")


def test_a_table_that_is_gone_is_told_and_not_raised(tables: Tables, spark: SparkSession) -> None:
    tables.create("gone", "id INT")
    table = AcidTable.forName(spark, "gone")
    tables.sql("DROP TABLE gone")
    assert repr(table).startswith("AcidTable gone (")


def test_its_files_are_a_picture_of_each_partition(name: str, spark: SparkSession) -> None:
    files = AcidTable.forName(spark, name).files()
    assert [(root.partition, len(root.folders)) for root in files.roots] == [("k=1", 3), ("k=2", 1)]
    assert files._repr_html_().count("<svg") == 2
    (only,) = AcidTable.forName(spark, name).files("k=2").roots
    assert only.folders[0].name in str(AcidTable.forName(spark, name).files("k=2"))


def test_its_history_shows_the_newest_and_is_a_frame_as_before(name: str, spark: SparkSession) -> None:
    history = AcidTable.forName(spark, name).history()
    assert repr(history).splitlines()[0].split()[:3] == ["write", "ID", "3"]
    assert "<b>DELETE</b>" in history._repr_html_()
    assert history.where("operation = 'DELETE'").count() == 1


def test_a_transaction_tells_where_it_stands(name: str, tables: Tables, spark: SparkSession) -> None:
    with hive_acid.transaction(spark) as transaction:
        assert repr(transaction) == "transaction open, without a statement so far"
        tables.sql("INSERT INTO looked_at VALUES (4, 1)")
        number = transaction.id
        assert repr(transaction) == f"transaction {number} open, changed: {name} (write ID 4)"
    assert repr(transaction) == f"transaction {number} committed"


def test_without_spark_commands_tell_what_a_session_finds(
    name: str, metastore: EmbeddedMetastore, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(command: str) -> str:
        assert main([command, name, "--json", "--metastore", metastore.uri]) == 0
        return capsys.readouterr().out.strip()

    session, table = attach(spark), TableName(*name.split("."))
    reached = session.metastore, session.file_system, table
    assert told("files") == files_text.format_json(load_files(*reached))
    assert told("describe") == table_look.format_json(look_at(*reached))
    assert told("history") == history_report.format_json(load_history(*reached, None))
    assert json.loads(told("doctor")) == {"findings": []}


def test_a_compaction_is_asked_for_without_spark(
    name: str, metastore: EmbeddedMetastore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compact", name, "--partition", "k=1", "--json", "--metastore", metastore.uri]) == 0
    (row,) = json.loads(capsys.readouterr().out)["partitions"]
    assert (row["partition"], row["type"], row["accepted"]) == ("k=1", "MAJOR", True)
