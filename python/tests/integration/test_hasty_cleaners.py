"""A Cleaner that waits for no reader takes away files that a statement is about to read: the statement runs again.

That of aborted transactions of 4.x is one: it removes what a compaction has replaced, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest
from pyspark.sql import SparkSession

from hive_acid.bridge.jvm import JvmFileSystem
from hive_acid.model.table import TableName
from hive_acid.snapshot.listing import Listing
from integration.conftest import Tables
from support.compactor import Compactor
from support.polling import eventually

ROWS = [(1, "a"), (2, "b"), (3, "c")]
STATEMENTS = {
    "update": ("UPDATE t SET name = 'x' WHERE id > 1", [(1, "a"), (2, "x"), (3, "x")]),
    "delete": ("DELETE FROM t WHERE id = 2", [(1, "a"), (3, "c")]),
    "merge": (
        "MERGE INTO t USING (SELECT 3 AS id UNION ALL SELECT 4) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET name = 'x' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')",
        [(1, "a"), (2, "b"), (3, "x"), (4, "new")],
    ),
    "insert": ("INSERT INTO t SELECT id + 10, name FROM t WHERE id < 3", [*ROWS, (11, "a"), (12, "b")]),
    "overwrite": ("INSERT OVERWRITE t SELECT id + 10, name FROM t", [(11, "a"), (12, "b"), (13, "c")]),
}
beyond = pytest.mark.beyond_the_gate(
    "`unit/execution/test_conflicts.py`; an UPDATE", cells=[*set(STATEMENTS) - {"update"}]
)


@pytest.fixture
def filled(tables: Tables) -> Tables:
    """Rows in a file each."""
    tables.create("t")
    for id_, name in ROWS:
        tables.sql(f"INSERT INTO t VALUES ({id_}, '{name}')")
    return tables


def replace_after_listing(tables: Tables, spark: SparkSession, patch: pytest.MonkeyPatch, nth: int = 1) -> None:
    """After the next listing of the table, or that `nth`, a compaction is done, and what it replaces is gone."""
    table, root = TableName(tables.database, "t"), str(tables.location("t"))
    real, numbers = JvmFileSystem.list_trees, count(1)

    def list_trees(files: JvmFileSystem, roots: Sequence[str]) -> list[Listing]:
        found = real(files, roots)
        if any(root in each for each in roots) and next(numbers) == nth:
            patch.setattr(JvmFileSystem, "list_trees", real)
            Compactor(spark, tables.client).compact(table, is_major=True, hive_4=True, cleans=True)
        return found

    patch.setattr(JvmFileSystem, "list_trees", list_trees)


@beyond
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_whose_files_go_before_it_reads_them_runs_again(
    filled: Tables, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    statement, expected = STATEMENTS[name]
    replace_after_listing(filled, spark, monkeypatch)
    filled.sql(statement)
    assert filled.sql("SELECT * FROM t ORDER BY id") == expected
    table = TableName(filled.database, "t")
    assert filled.client.valid_write_ids([table], None)[table].aborted, "its first transaction was aborted"
    assert eventually(lambda: filled.open_transactions() == [])


@pytest.mark.beyond_the_gate("`unit/compaction/test_worker_failures.py`")
def test_a_compaction_whose_files_go_before_it_reads_them_is_done_anew(
    filled: Tables, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_after_listing(filled, spark, monkeypatch, nth=2)  # the first is the session's look for something to do
    ((*_, state, accepted, _),) = filled.sql("ALTER TABLE t COMPACT 'major'")
    assert (state, accepted) in [("ready for cleaning", True), ("refused", True)]
    assert filled.sql("SELECT * FROM t ORDER BY id") == ROWS
