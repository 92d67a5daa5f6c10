"""The documents' matrix of statements and kinds of tables is true, cell by cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.matrix_lines import REFUSED, SPARK, YES, Line
from support.polling import eventually
from support.support_matrix import LINES
from support.table_kinds import BUCKETED, INSERT_ONLY_TEXT, KINDS, ORIGINALS, OTHER, ROWS, Kind

IN_THE_GATE = (BUCKETED,)
SLOW = [pytest.param(kind, id=kind.title, marks=pytest.mark.slow) for kind in KINDS if kind not in IN_THE_GATE]


def add_text(tables: Tables, name: TableName) -> None:
    """The rows as a writer of Hive leaves them in a text table."""
    txn_id = tables.client.open_transaction("test", "here", "test")
    write_id = tables.client.allocate_write_id(txn_id, name)
    folder = tables.location(name.table) / f"delta_{write_id:07d}_{write_id:07d}_0000"
    folder.mkdir()
    (folder / "000000_0").write_text("".join(f"{number}\x01{text}\n" for number, text in ROWS))
    tables.client.commit(txn_id)


def add_originals(tables: Tables, name: TableName) -> None:
    """The rows as a plain table of Hive holds them when it becomes transactional."""
    tables.sql(f"INSERT INTO {name.table} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    root: Path = tables.location(name.table)
    for number, path in enumerate(sorted(root.glob("part-*"))):
        path.rename(root / f"{number:06d}_0")
        (root / f".{path.name}.crc").unlink(missing_ok=True)
    tables.sql(f"ALTER TABLE {name.table} SET TBLPROPERTIES ('transactional' = 'true')")


def create(tables: Tables, kind: Kind, number: int) -> str:
    name = TableName(tables.database, f"t{number}")
    tables.sql(kind.text(kind.create, name.table, "o"))
    if kind is INSERT_ONLY_TEXT:
        add_text(tables, name)
    elif kind is ORIGINALS:
        add_originals(tables, name)
    else:
        tables.sql(kind.text(kind.fill, name.table, "o"))
    return name.table


def try_cell(tables: Tables, kind: Kind, line: Line, table: str) -> None:
    cell = line.cell(kind)
    for example in line.examples:
        if cell == REFUSED:
            with pytest.raises((AnalysisException, HiveAcidError)) as refused:
                example.run(tables.spark, kind, table, "o")
            assert str(refused.value.getCondition()).startswith("HIVE_ACID_"), line.title
        else:
            assert cell in (YES, SPARK), f"{cell} says nothing that could be tried"
            example.run(tables.spark, kind, table, "o")
        rows = ROWS if cell == REFUSED else example.rows
        if rows is not None:
            assert sorted(tables.sql(f"SELECT id, name FROM {table}")) == sorted(rows), line.title


@pytest.mark.beyond_the_gate("the tests of each statement; the golden files")
@pytest.mark.parametrize("kind", [*(pytest.param(kind, id=kind.title) for kind in IN_THE_GATE), *SLOW])
def test_the_matrix_is_true(tables: Tables, kind: Kind) -> None:
    tried = [
        line for line in LINES if line.cell(kind) in (YES, REFUSED) or (line.cell(kind) == SPARK and kind is not OTHER)
    ]
    assert tried
    for number, line in enumerate(tried):
        tables.create("o")
        tables.sql("INSERT INTO o VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        try_cell(tables, kind, line, create(tables, kind, number))
        tables.sql("DROP TABLE o")
    assert eventually(lambda: tables.open_transactions() == [])
