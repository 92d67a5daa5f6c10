"""Tables of every type, changed by random statements and compacted in between, hold the rows of a plain list.

One history of each kind of table is run, always the same. `HIVE_ACID_HISTORIES=n` runs n of each kind, also always the
same (about a minute each), and `HIVE_ACID_HISTORY_STATEMENTS=n` makes them n statements long (default and least 40,
up to 120: a longer one is more than hypothesis makes).
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.acid_merge import read_rows
from support.compactor import Compactor
from support.random_statements import Compaction, History, Statement, columns_of, histories
from support.typed_columns import PARTITION_COLUMN, PARTITION_TYPE, TYPES, Row, freeze

HISTORIES = int(os.environ.get("HIVE_ACID_HISTORIES", "1"))
STATEMENTS = int(os.environ.get("HIVE_ACID_HISTORY_STATEMENTS", "40"))
SHOWN = 2
"""How many wrong rows are shown."""


@dataclass
class ComparedTable:
    """A table `t` and the list of rows that it should hold."""

    tables: Tables
    is_partitioned: bool
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
        partitioned_by = f"PARTITIONED BY ({PARTITION_COLUMN} {PARTITION_TYPE})" if self.is_partitioned else ""
        self.name: TableName = self.tables.create("t", columns, partitioned_by)
        self.columns = columns_of(self.is_partitioned)

    def run(self, statement: Statement) -> None:
        """Runs it on both and compares the number of affected rows."""
        expected = statement.apply(self.rows)
        ((affected, *_),) = self.tables.sql(statement.sql)
        assert affected == expected, statement.sql

    def compact(self, compaction: Compaction) -> None:
        """Compacts the table, which changes no row."""
        compactor = Compactor(self.tables.spark, self.tables.client)
        compactor.compact(self.name, compaction.is_major, compaction.hive_4, compaction.cleans)

    def compare(self, when: str) -> None:
        """All rows as Spark reads them."""
        found = self.tables.sql("SELECT * FROM t")
        self._compare((dict(zip(self.columns, map(freeze, row), strict=True)) for row in found), f"Spark, {when}")

    def compare_files(self, when: str) -> None:
        """All rows as a reader finds them that has nothing of ours but names."""
        self._compare(read_rows(self.tables.client, self.name), f"files, {when}")

    def _compare(self, found: Iterable[Row], who: str) -> None:
        actual, expected = (Counter(tuple(row[c] for c in self.columns) for row in rows) for rows in (found, self.rows))
        surplus, missing = (list(rows.elements())[:SHOWN] for rows in (actual - expected, expected - actual))
        if surplus or missing:
            pytest.fail(f"{who}:\ntoo many {surplus}\nmissing  {missing}")


def run_history(tables: Tables, is_partitioned: bool, history: History) -> None:
    """Runs it in a table of its own."""
    table = ComparedTable(tables, is_partitioned)
    for number, step in enumerate(history.steps):
        if isinstance(step, Compaction):
            table.compare(f"before step {number}, {step}")
            table.compare_files(f"before step {number}, {step}")
            table.compact(step)
            table.compare(f"after step {number}, {step}")
        else:
            table.run(step)
    table.compare_files("at the end")


@pytest.mark.beyond_the_gate("the tests of each statement; the golden files; `unit/execution/test_fault_matrix.py`")
@pytest.mark.parametrize("statements", [STATEMENTS, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_partitioned", [False, True], ids=["flat", "partitioned"])
def test_a_table_holds_the_rows_of_a_plain_list(tables: Tables, is_partitioned: bool, statements: int) -> None:
    ran: list[History] = []

    # The first history that hypothesis tries is the plainest, which is not varied and is not counted.
    @seed(int(is_partitioned))  # or both kinds of table would see the same statements
    @settings(
        max_examples=HISTORIES,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(histories(is_partitioned, statements))
    def run(history: History) -> None:
        ran.append(history)
        try:
            run_history(tables, is_partitioned, history)
        finally:
            tables.sql("DROP TABLE IF EXISTS t")

    run()
    assert len(ran) == HISTORIES


def test_a_delete_event_that_got_lost_is_noticed(tables: Tables) -> None:
    table = ComparedTable(tables, is_partitioned=False)
    tables.sql("INSERT INTO t (id) VALUES (1), (2)")
    tables.sql("DELETE FROM t WHERE id = 1")
    table.rows = [dict.fromkeys(table.columns) | {"id": 2}]
    table.compare("before the fault")
    table.compare_files("before the fault")
    (lost,) = tables.location("t").glob("delete_delta_*")
    shutil.rmtree(lost)
    for compare in (table.compare, table.compare_files):
        with pytest.raises(pytest.fail.Exception, match="too many"):
            compare("after the fault")
