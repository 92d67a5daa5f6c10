"""What lies in a folder before it is a table's is never read, and what others made is never taken back."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.execution.executor import Executor
from hive_acid.model.table import TableName
from hive_acid.wire.statements import Statement, StatementAnswer
from hive_acid.writing.engine import Engine
from integration.conftest import Tables
from support.polling import eventually
from support.spark_lines import FAILED_JOB

ACID = "STORED AS ORC TBLPROPERTIES ('transactional' = 'true')"


@pytest.mark.beyond_the_gate("those of dropped tables; `unit/execution/test_new_partitions.py`")
def test_a_dropped_partitions_folder_that_is_still_there_brings_no_rows_back(tables: Tables, tmp_path: Path) -> None:
    tables.create("parts", more="PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO parts VALUES (1, 'old', 'a'), (2, 'kept', 'b')")
    folder = tables.location("parts") / "d=a"
    shutil.copytree(folder, tmp_path / "d=a")
    tables.sql("ALTER TABLE parts DROP PARTITION (d = 'a')")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tmp_path / "d=a", folder)
    for statement in (
        "INSERT INTO parts VALUES (3, 'new', 'a')",
        "INSERT OVERWRITE parts PARTITION (d = 'a') VALUES (3, 'new')",
        "UPDATE parts SET d = 'a' WHERE id = 2",
        "MERGE INTO parts t USING (SELECT 9 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (9, 'n', 'a')",
        "ALTER TABLE parts ADD PARTITION (d = 'a')",
    ):
        with pytest.raises(PySparkException, match="d=a") as raised:
            tables.sql(statement)
        assert raised.value.getCondition() == "HIVE_ACID_FOLDER_NOT_EMPTY", statement
        assert tables.sql("SELECT * FROM parts") == [(2, "kept", "b")]
    assert eventually(lambda: tables.open_transactions() == [])  # DROP PARTITION has the metastore open one
    with pytest.raises(PySparkException):  # the metastore's own refusal
        tables.sql("ALTER TABLE parts PARTITION (d = 'b') RENAME TO PARTITION (d = 'a')")
    assert tables.sql("SELECT * FROM parts") == [(2, "kept", "b")]
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    tables.sql("INSERT INTO parts VALUES (3, 'new', 'a')")
    assert tables.sql("SELECT * FROM parts ORDER BY id") == [(2, "kept", "b"), (3, "new", "a")]


def test_a_dropped_tables_folder_that_is_still_there_brings_no_rows_back(tables: Tables, tmp_path: Path) -> None:
    for name in ("gone", "other"):
        tables.create(name)
        tables.sql(f"INSERT INTO {name} VALUES (1, '{name}')")
    folder = tables.location("gone")
    shutil.copytree(folder, tmp_path / "gone")
    tables.sql("DROP TABLE gone")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tmp_path / "gone", folder)
    for statement in (
        f"CREATE TABLE gone (id INT, name STRING) {ACID}",
        f"CREATE TABLE gone {ACID} AS SELECT 2 AS id, 'new' AS name",
        "CREATE TABLE gone LIKE other TBLPROPERTIES ('transactional' = 'true')",
        "ALTER TABLE other RENAME TO gone",
    ):
        with pytest.raises(PySparkException, match=r"(?i)already exists|not empty"):
            tables.sql(statement)
        assert [row[1] for row in tables.sql("SHOW TABLES")] == ["other"], statement
    assert sorted(path.name for path in folder.rglob("bucket_*")) == ["bucket_00000"]


FAILING = f"CREATE TABLE made {ACID} AS SELECT id, string(raise_error('the query failed')) AS name FROM range(3)"


def fail_after(tables: Tables, monkeypatch: pytest.MonkeyPatch, *others: str) -> PySparkException:
    """The error of a CREATE TABLE … AS SELECT, while whose query runs another session runs the statements."""
    run = Executor.run

    def use() -> None:
        other = tables.spark.newSession()
        other.sql(f"USE {tables.database}")
        for text in others:
            other.sql(text).collect()

    def run_after_others(executor: Executor, statement: Statement, engine: Engine) -> StatementAnswer:
        if not users:  # their own statements run at once
            users.append(threading.Thread(target=use))
            users[0].start()
            users[0].join()
        return run(executor, statement, engine)

    users: list[threading.Thread] = []
    with monkeypatch.context() as patched, pytest.raises(FAILED_JOB) as raised:
        patched.setattr(Executor, "run", run_after_others)
        tables.sql(FAILING)
    assert tables.open_transactions() == []
    return raised.value


def test_a_failed_create_as_select_leaves_nothing_if_nobody_has_used_its_table(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = fail_after(tables, monkeypatch)
    assert "the query failed" in str(error)
    assert "HIVE_ACID_CREATED_TABLE_KEPT" not in str(error)
    assert tables.sql("SHOW TABLES") == []


def test_a_failed_create_as_select_never_drops_rows_that_others_have_committed(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = fail_after(tables, monkeypatch, "INSERT INTO made VALUES (7, 'theirs')")
    assert error.getCondition() == "HIVE_ACID_CREATED_TABLE_KEPT"
    assert "the query failed" in str(error) and "write ID 1" in str(error)
    assert tables.sql("SELECT * FROM made") == [(7, "theirs")]


def test_a_create_as_select_that_fails_once_its_rows_are_committed_keeps_them(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Executor.run

    def fail_late(executor: Executor, statement: Statement, engine: Engine) -> StatementAnswer:
        run(executor, statement, engine)
        with telling(StatementOutcome.COMMITTED):
            raise RuntimeError("on purpose")

    monkeypatch.setattr(Executor, "run", fail_late)
    with pytest.raises(PySparkException, match="on purpose") as raised:
        tables.sql(f"CREATE TABLE made {ACID} AS SELECT 1 AS id, 'kept' AS name")
    assert raised.value.getCondition() == "HIVE_ACID_INTERNAL"
    assert StatementOutcome.COMMITTED.text in str(raised.value)
    assert tables.sql("SELECT * FROM made") == [(1, "kept")]


def test_a_failed_create_as_select_never_drops_a_table_that_others_have_made(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = fail_after(tables, monkeypatch, "DROP TABLE made", f"CREATE TABLE made (id BIGINT, name STRING) {ACID}")
    assert error.getCondition() == "HIVE_ACID_CREATED_TABLE_KEPT"
    assert "made again" in str(error)
    assert tables.sql("SELECT * FROM made") == []


@pytest.mark.beyond_the_gate(
    "one statement on each kind of table", but=["flat-UPDATE t SET name = 'y'", "partitioned-TRUNCATE TABLE t"]
)
@pytest.mark.parametrize(
    "write",
    [
        "INSERT INTO t SELECT id, 'x', 'a' FROM range(5)",
        "INSERT OVERWRITE t SELECT id, 'x', 'a' FROM range(5)",
        "UPDATE t SET name = 'y'",
        "DELETE FROM t WHERE id = 1",
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'",
        "TRUNCATE TABLE t",
    ],
)
@pytest.mark.parametrize("more", ["", "PARTITIONED BY (d STRING)"], ids=["flat", "partitioned"])
def test_a_write_takes_sparks_statistics_back(tables: Tables, more: str, write: str) -> None:
    table = tables.create("t", "id BIGINT, name STRING" if more else "id BIGINT, name STRING, d STRING", more)
    tables.sql("INSERT INTO t VALUES (1, 'one', 'a'), (2, 'two', 'a')")
    tables.sql("ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS")
    if more:
        tables.sql("ANALYZE TABLE t PARTITION (d = 'a') COMPUTE STATISTICS")
    assert counted(tables, table), "there is something to withdraw"
    tables.sql(write)
    assert counted(tables, table) == []
    assert "rowCount" not in explain(tables)


def explain(tables: Tables) -> str:
    """The plan that is costed."""
    return str(tables.sql("EXPLAIN COST SELECT * FROM t")[0][0])


def counted(tables: Tables, table: TableName) -> list[str]:
    """What is stored of Spark's statistics."""
    stored = dict(tables.client.table(table).parameters)
    for partition in tables.client.partitions(table, tables.client.partition_names(table)):
        stored |= {f"{partition.name} {key}": value for key, value in partition.parameters.items()}
    return [key for key in stored if "spark.sql.statistics." in key]
