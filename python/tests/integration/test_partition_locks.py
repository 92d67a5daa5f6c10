"""The partitions that a statement locks: every two statements, of which one would miss what the other does, meet."""

from __future__ import annotations

from typing import Any

import pytest

import hive_acid
from hive_acid.metastore.types import LockKind, OperationKind


@pytest.fixture
def filled(tables: Any) -> Any:
    """`parts` with a row in each of three partitions."""
    tables.create("parts", more="PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO parts VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)")
    return tables


MERGE = "MERGE INTO parts t USING (SELECT 77 AS k) ON id = k"
NOT_MATCHED = "WHEN NOT MATCHED THEN INSERT (id, name, d) VALUES (k, 'new', {d})"
REPLACE = "INSERT INTO parts REPLACE WHERE {where} SELECT 77, 'new', {d}"


@pytest.mark.beyond_the_gate(
    "three of eight; `unit/execution`",
    but=[
        "statement0-partitions0",
        "statement2-partitions2",
        "INSERT INTO parts REPLACE WHERE d > 1 SELECT 77, 'new', 9-partitions7",
    ],
)
@pytest.mark.parametrize(
    ("statement", "partitions"),
    [
        # another one may add the row to a partition that this one reads, and this one to one that the other reads
        (f"{MERGE} {NOT_MATCHED.format(d=2)}", {"d=1", "d=2", "d=3"}),
        (f"{MERGE} AND d = 2 {NOT_MATCHED.format(d=2)}", {"d=2"}),
        (f"{MERGE} AND d = 2 {NOT_MATCHED.format(d=1)}", {None}),
        (f"{MERGE} {NOT_MATCHED.format(d=9)}", {None}),
        (REPLACE.format(where="d = 2", d=2), {"d=2"}),
        (REPLACE.format(where="d = 9", d=9), {"d=9"}),
        (REPLACE.format(where="d > 1", d=2), {"d=2", "d=3"}),
        (REPLACE.format(where="d > 1", d=9), {None}),
    ],
)
def test_statements_that_would_read_each_others_new_rows_lock_a_partition_of_both(
    filled: Any, statement: str, partitions: set[str | None]
) -> None:
    locks = hive_acid.dry_run(filled.spark, statement).locks
    assert {lock.partition for lock in locks} == partitions
    assert all(lock.kind is LockKind.EXCL_WRITE for lock in locks)


@pytest.mark.parametrize("verb", ["INTO", "OVERWRITE"])
def test_partitions_that_are_read_beside_the_one_written_to_are_locked(filled: Any, verb: str) -> None:
    copy = f"INSERT {verb} parts PARTITION (d = 1) SELECT id + 10, name FROM parts WHERE d = 2"
    write, read = hive_acid.dry_run(filled.spark, copy).locks
    assert (write.partition, read.partition) == ("d=1", None)
    assert (read.kind, read.operation) == (LockKind.SHARED_READ, OperationKind.SELECT)
