"""EXPLAIN ACID and `hive_acid.dry_run`: what they tell is what the statement then does, and they do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

import hive_acid
from hive_acid.execution.dry_run_report import DryRun
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from hive_acid.spark_lines import is_before
from support.drivers import wait_until
from support.spark_lines import raised_in_tasks, since

STATEMENTS = (
    "DELETE FROM {t} WHERE id > 100",
    "INSERT INTO {t} SELECT id + 10, name{d} FROM {t}",
    "INSERT INTO {t} VALUES (9, 'z'{v})",
    "UPDATE {t} SET name = 'x' WHERE id > 1",
    "DELETE FROM {t} WHERE id % 5 = 1",
    "MERGE INTO {t} t USING (SELECT * FROM VALUES (2), (3), (7) v(k)) ON id = k "
    "WHEN MATCHED AND id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'm' "
    "WHEN NOT MATCHED THEN INSERT VALUES (k, 'new'{v})",
    "INSERT INTO {t} REPLACE WHERE id > 5 SELECT id + 10, name{d} FROM {t} WHERE id > 2",
    "INSERT OVERWRITE {t} SELECT id, upper(name){d} FROM {t} WHERE id > 3",
    "TRUNCATE TABLE {t}",
)
PARTITIONED = (
    "UPDATE parts SET d = d + 1 WHERE d = 2",
    "DELETE FROM parts WHERE d = 1 AND id = 1",
    "INSERT OVERWRITE parts PARTITION (d = 1) IF NOT EXISTS SELECT 1, 'o'",
    "INSERT OVERWRITE parts PARTITION (d = 3) SELECT 1, 'o'",
    "INSERT OVERWRITE parts PARTITION (d = 9) SELECT 1, 'o'",
    "TRUNCATE TABLE parts PARTITION (d = 1)",
)


def fill(statement: str, table: str) -> str:
    is_partitioned = table == "parts"
    return statement.format(t=table, d=", d" if is_partitioned else "", v=", 5" if is_partitioned else "")


FEW = ("INSERT INTO {t} SELECT", "DELETE FROM {t} WHERE id %", "MERGE", "INSERT OVERWRITE")
CASES = {
    "few": [fill(text, "flat") for text in STATEMENTS if text.startswith(FEW)],
    "flat": [fill(text, "flat") for text in STATEMENTS],
    "parts": [*PARTITIONED, *(fill(text, "parts") for text in STATEMENTS)],
}


@pytest.fixture
def filled(tables: Any) -> Any:
    """`flat` and `parts` with four rows each, one of five deleted."""
    tables.create("flat")
    tables.create("parts", more="PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO flat VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (0, 'gone')")
    tables.sql("INSERT INTO parts VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (4, 'd', 3), (0, 'gone', 1)")
    tables.sql("DELETE FROM flat WHERE id = 0")
    tables.sql("DELETE FROM parts WHERE id = 0")
    return tables


def everything(tables: Any) -> list[Any]:
    """All that a statement could have changed."""
    trees = [sorted(path for path in tables.location(name).rglob("*")) for name in ("flat", "parts")]
    names = [TableName(tables.database, name) for name in ("flat", "parts")]
    seen = tables.client.valid_transactions(0)
    write_ids = [tables.client.valid_write_ids([name], seen)[name].high_water_mark for name in names]
    rows = [sorted(tables.sql(f"SELECT *, ROW__ID FROM {name}")) for name in ("flat", "parts")]
    return [*trees, write_ids, rows, tables.client.partition_names(names[1])]


def ended(tables: Any) -> bool:
    """True if there is no transaction of ours; those of SELECTs end a moment after these have."""
    return not [info for info in tables.open_transactions() if "spark-hive-acid" in info.agent]


def run_and_compare(tables: Any, table: str, statement: str, dry_run: DryRun) -> None:
    """Runs the statement, which must do what the dry run has told."""
    old = set(tables.sql(f"SELECT *, ROW__ID FROM {table}"))
    counts = tables.sql(statement)
    new = set(tables.sql(f"SELECT *, ROW__ID FROM {table}"))
    rows = dry_run.rows
    if counts:
        replaced = (rows.affected, rows.deleted, rows.inserted)
        merged = (rows.affected, rows.updated, rows.deleted, rows.inserted)
        assert counts[0] in ((rows.affected,), replaced, merged)
    assert len(new - old) == rows.inserted + rows.updated
    assert len(old - new) == rows.lost
    if table == "parts":
        assert {f"d={row[2]}" for row in new ^ old} <= set(dry_run.partitions)


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_dry_run.py`; four statements on a flat table; the other tests of the file", but=["few"]
)
@pytest.mark.parametrize("case", CASES)
def test_it_tells_what_the_statement_then_does_and_does_nothing(filled: Any, metastore: Any, case: str) -> None:
    def state() -> list[Any]:
        return [everything(filled), {path: path.stat().st_mtime_ns for path in metastore.warehouse.rglob("*")}]

    before = state()
    wait_until(lambda: ended(filled), "no transaction is open")
    for statement in CASES[case]:
        hive_acid.dry_run(filled.spark, statement)
        assert ended(filled)
    assert state() == before
    table = "parts" if case == "parts" else "flat"
    for statement in CASES[case]:
        run_and_compare(filled, table, statement, hive_acid.dry_run(filled.spark, statement))


@pytest.mark.beyond_the_gate("`unit/execution/test_dry_run.py`; the other tests of the file")
def test_parameters_settings_and_temporary_views_count(filled: Any) -> None:
    filled.sql("CREATE OR REPLACE TEMPORARY VIEW wanted AS SELECT 2 AS id UNION ALL SELECT 3")
    delete = "DELETE FROM flat WHERE id IN (SELECT id FROM wanted) AND name <> {}"
    assert hive_acid.dry_run(filled.spark, delete.format(":n"), {"n": "b"}).rows.deleted == 1
    assert hive_acid.dry_run(filled.spark, delete.format("?"), ["x"]).rows.deleted == 2
    facts = dict(filled.sql("EXPLAIN ACID " + delete.format(":n"), args={"n": "b"}))
    assert (facts["statement"], facts["rows deleted"]) == ("DELETE", "1")
    filled.sql("SET spark.sql.legacy.parameterSubstitution.constantsOnly = true")
    try:
        assert hive_acid.dry_run(filled.spark, delete.format(":n"), {"n": "b"}).rows.deleted == 1
    finally:
        filled.sql("RESET spark.sql.legacy.parameterSubstitution.constantsOnly")
        filled.sql("DROP VIEW wanted")
    filled.sql("SET spark.hiveacid.lock.maxPartitions = 1")
    try:
        (lock,) = hive_acid.dry_run(filled.spark, "TRUNCATE TABLE parts").locks
    finally:
        filled.sql("RESET spark.hiveacid.lock.maxPartitions")
    assert lock.partition is None
    assert len(hive_acid.dry_run(filled.spark, "TRUNCATE TABLE parts").locks) == 3


def test_files_and_locks_are_those_of_the_partitions_that_are_left(filled: Any) -> None:
    dry_run = hive_acid.dry_run(filled.spark, "UPDATE parts SET name = 'x' WHERE d = 2")
    (file,) = (path for path in filled.location("parts").rglob("d=2/delta*/bucket_*") if not path.name.startswith("."))
    assert (dry_run.files, dry_run.bytes) == (1, file.stat().st_size)
    table = TableName(filled.database, "parts")
    assert dry_run.locks == (LockComponent(table, LockKind.EXCL_WRITE, OperationKind.UPDATE, "d=2"),)
    assert (dry_run.partitions, dry_run.buckets) == (("d=2",), (0,))


@pytest.fixture
def holder(filled: Any) -> Iterator[int]:
    """Somebody else's UPDATE lock on `flat`."""
    client = filled.client
    txn_id = client.open_transaction("ada", "elsewhere", "another")
    component = LockComponent(TableName(filled.database, "flat"), LockKind.EXCL_WRITE, OperationKind.UPDATE)
    assert client.lock(txn_id, [component], "ada", "elsewhere", "another")[1] is LockState.ACQUIRED
    yield txn_id
    client.abort(txn_id)


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_dry_run.py`; four statements on a flat table; the other tests of the file"
)
def test_who_is_in_the_way_is_named(filled: Any, holder: int) -> None:
    (blocker,) = hive_acid.dry_run(filled.spark, "DELETE FROM flat").blockers
    assert (blocker.txn_id, blocker.user, blocker.host, blocker.agent) == (holder, "ada", "elsewhere", "another")
    assert (blocker.kind, blocker.state) == (LockKind.EXCL_WRITE, LockState.ACQUIRED)
    assert hive_acid.dry_run(filled.spark, "INSERT INTO flat VALUES (1, 'x')").blockers == ()
    assert hive_acid.dry_run(filled.spark, "DELETE FROM parts").blockers == ()


REFUSED = {
    "UPDATE flat SET id = CAST(name AS INT)": raised_in_tasks("CAST_INVALID_INPUT"),
    "UPDATE flat SET name = raise_error('no')": raised_in_tasks("USER_RAISED_EXCEPTION"),
    "INSERT INTO flat SELECT raise_error('no'), 'x'": raised_in_tasks("USER_RAISED_EXCEPTION"),
    "MERGE INTO flat USING parts ON true WHEN MATCHED THEN UPDATE SET name = 'x'": raised_in_tasks(
        "MERGE_CARDINALITY_VIOLATION"
    ),
    "INSERT INTO flat SELECT 1": "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
    "DELETE FROM nobody": "TABLE_OR_VIEW_NOT_FOUND",
    "TRUNCATE TABLE parts PARTITION (d = 77)": "HIVE_ACID_PARTITION_NOT_FOUND",
    "INSERT INTO buckets VALUES (X'01')": "HIVE_ACID_UNSUPPORTED_TABLE.BINARY_BUCKETS",
}


def condition_of(run: Any) -> str | None:
    with pytest.raises((PySparkException, Py4JJavaError)) as caught:
        run()
    return caught.value.getCondition() if isinstance(caught.value, PySparkException) else None


@pytest.mark.beyond_the_gate("`unit/execution/test_dry_run.py`; the other tests of the file")
def test_what_the_statement_refuses_is_refused_alike(filled: Any) -> None:
    filled.create("buckets", "id BINARY", "CLUSTERED BY (id) INTO 2 BUCKETS")
    before = everything(filled)
    for statement, condition in REFUSED.items():
        assert condition_of(lambda text=statement: hive_acid.dry_run(filled.spark, text)) == condition
        assert condition_of(lambda text=statement: filled.sql(text)) == condition
    wait_until(lambda: ended(filled), "no transaction is open")
    after = everything(filled)
    assert [*after[:2], *after[3:]] == [*before[:2], *before[3:]], "but for write IDs"


NOT_OURS = {
    "SELECT * FROM flat": "OTHER_STATEMENT",
    "EXPLAIN DELETE FROM flat": "OTHER_STATEMENT",
    "EXPLAIN ACID DELETE FROM flat": "OTHER_STATEMENT",
    "DROP TABLE flat": "OTHER_STATEMENT",
    "ALTER TABLE flat SET TBLPROPERTIES ('a' = 'b')": "OTHER_STATEMENT",
    "INSERT INTO plain VALUES (1)": "NOT_TRANSACTIONAL",
    "TRUNCATE TABLE plain": "NOT_TRANSACTIONAL",
    "FROM flat INSERT INTO flat SELECT id, name INSERT INTO flat SELECT id, name": "SEVERAL_INSERTS",
    "CREATE TABLE made STORED AS ORC TBLPROPERTIES ('transactional' = 'true') AS SELECT 1 AS a": "CREATES_TABLE",
    **({} if is_before("4.0") else {"EXECUTE IMMEDIATE 'DELETE FROM flat'": "OTHER_STATEMENT"}),
}


@pytest.mark.beyond_the_gate("`unit/execution/test_dry_run.py`; the other tests of the file")
def test_other_statements_are_refused_by_name_and_not_carried_out(filled: Any) -> None:
    filled.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    filled.sql("INSERT INTO plain VALUES (1)")
    before = everything(filled)
    for statement, sub in NOT_OURS.items():
        with pytest.raises(AnalysisException) as caught:
            filled.sql(f"EXPLAIN ACID {statement}")
        assert (caught.value.getCondition(), caught.value.getSqlState()) == (f"HIVE_ACID_DRY_RUN.{sub}", "0A000")
    assert everything(filled) == before
    assert filled.sql("SELECT * FROM plain") == [(1,)]


def test_within_a_transaction_it_is_refused_and_the_transaction_goes_on(filled: Any) -> None:
    with hive_acid.transaction(filled.spark):
        filled.sql("DELETE FROM flat WHERE id = 1")
        with pytest.raises(AnalysisException, match="within hive_acid"):
            hive_acid.dry_run(filled.spark, "DELETE FROM flat")
        filled.sql("DELETE FROM flat WHERE id = 2")
    assert sorted(filled.sql("SELECT id FROM flat")) == [(3,), (4,)]


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_dry_run.py`; four statements on a flat table; the other tests of the file"
)
@pytest.mark.parametrize("text", ["DELETE FROM flat WHERE (", "DELETE FROM flat WHERE nothing = 1"])
def test_an_error_is_where_the_users_text_has_it(filled: Any, text: str) -> None:
    positions = []
    for words in ("", "EXPLAIN ACID"):
        with pytest.raises(PySparkException) as caught:
            filled.sql(f"{words}\n  {text}")
        positions += re.findall(r"line 2,? pos \d+", str(caught.value))
    assert len(positions) == 2
    assert len(set(positions)) == 1


@pytest.mark.beyond_the_gate("`unit/execution/test_dry_run.py`; the other tests of the file")
@since("4.0", "statements in strings")
def test_a_statement_in_a_string_may_be_explained(filled: Any) -> None:
    facts = filled.sql("EXECUTE IMMEDIATE 'EXPLAIN ACID DELETE FROM flat WHERE id < ?' USING 3")
    assert ("rows deleted", "2") in facts


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_dry_run.py`; four statements on a flat table; the other tests of the file"
)
def test_hives_merge_without_columns_may_be_explained(filled: Any) -> None:
    merge = "MERGE INTO flat USING parts ON false WHEN NOT MATCHED THEN INSERT VALUES (parts.id, 'x')"
    assert hive_acid.dry_run(filled.spark, merge).rows.inserted == 4


@pytest.mark.beyond_the_gate("`unit/execution/test_dry_run.py`; the other tests of the file")
def test_the_result_is_a_value_and_a_table_of_the_same(filled: Any) -> None:
    dry_run = hive_acid.dry_run(filled.spark, "DELETE FROM flat")
    frame = filled.spark.sql("EXPLAIN ACID DELETE FROM flat")
    assert isinstance(dry_run, DryRun)
    assert frame.schema.simpleString() == "struct<item:string,value:string>"
    assert [tuple(row) for row in frame.collect()] == dry_run.facts()


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_dry_run.py`; four statements on a flat table; the other tests of the file"
)
def test_a_session_that_was_set_up_otherwise_is_refused_by_name(spark: SparkSession, monkeypatch: Any) -> None:
    session = spark.newSession()
    monkeypatch.setattr(type(session.conf), "get", lambda *_: None)
    with pytest.raises(PySparkException, match="a dry run needs a session"):
        hive_acid.dry_run(session, "DELETE FROM t")
