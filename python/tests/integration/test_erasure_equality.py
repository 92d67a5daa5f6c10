"""The matrix of equality: the rows that SQL finds by a person's text are those that an erasure deletes, and no others.

Each cell is a column of one table: the type of the key, the type in older files, a text, and values near it. The column
is renamed between these files and newer ones. Texts that name no one value are refused in `test_erasure_key_types`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.conftest import Tables
from support.altered_by_hive import alter
from support.equal_values import CELLS, PARTITION_CELLS, Cell
from support.erasure_calls import erase_once
from support.session_settings import set_for

_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "as it comes": {},
    "no ANSI": {"spark.sql.ansi.enabled": "false"},
    "another zone": {"spark.sql.session.timeZone": "Asia/Kathmandu"},
    "letters count": {"spark.sql.caseSensitive": "true"},
    "no vectors": {"spark.sql.orc.enableVectorizedReader": "false"},
    "no code": {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
}


def write_rows(tables: Tables, first: int, cells: Sequence[Cell], types: Sequence[str]) -> None:
    """A row for each value of each cell, with NULL in all other columns; IDs begin with `first`."""
    columns, number = [], first
    for cell, kind in zip(cells, types, strict=True):
        values = "".join(f" WHEN {number + at} THEN CAST({value} AS {kind})" for at, value in enumerate(cell.values))
        columns.append(f"CASE id{values} END")
        number += len(cell.values)
    tables.sql(f"INSERT INTO t SELECT /*+ COALESCE(1) */ id, {', '.join(columns)} FROM range({first}, {number})")


def find_rows(tables: Tables, cells: Sequence[Cell], name: str) -> list[int]:
    conditions = [cell.condition(f"{name}{at}") for at, cell in enumerate(cells)]
    return sorted(row[0] for row in tables.sql(f"SELECT id FROM t WHERE {' OR '.join(conditions)}"))


def erase(spark: SparkSession, tables: Tables, folder: Path, cells: Sequence[Cell], name: str) -> set[tuple[str, str]]:
    """The person whom each cell knows by a column; the places that are left."""
    columns = [f"s{at}" for at in range(len(cells))]
    keys = [{column: f"{name}{at}"} for at, column in enumerate(columns)]
    subjects = [tuple(cell.subject for cell in cells)]
    outcome = erase_once(spark, folder, subjects, {f"{tables.database}.t": {"keys": keys}}, columns)  # type: ignore[arg-type]
    return {(place.kind.value, place.detail) for place in outcome.verdict.places}


@pytest.mark.beyond_the_gate("the session as it comes", but=["as it comes"])
@pytest.mark.parametrize("settings", _SETTINGS)
def test_rows_are_deleted_that_sql_calls_equal(
    spark: SparkSession, tables: Tables, tmp_path: Path, settings: str
) -> None:
    with set_for(spark, _SETTINGS[settings]):
        tables.create("t", "id BIGINT, " + ", ".join(f"c{at} {cell.written}" for at, cell in enumerate(CELLS)))
        write_rows(tables, 0, CELLS, [cell.written for cell in CELLS])
        alter(tables, {"id": "bigint", **{f"n{at}": cell.now.lower() for at, cell in enumerate(CELLS)}})
        write_rows(tables, 1000, CELLS, [cell.now for cell in CELLS])
        everybody = {row[0] for row in tables.sql("SELECT id FROM t")}
        person = find_rows(tables, CELLS, "n")
        assert len(person) >= len(CELLS)
        assert erase(spark, tables, tmp_path, CELLS, "n") == set()
        assert {row[0] for row in tables.sql("SELECT id FROM t")} == everybody - set(person)


@pytest.mark.beyond_the_gate("the session as it comes", but=["as it comes"])
@pytest.mark.parametrize("settings", _SETTINGS)
def test_rows_of_partitions_are_deleted_that_sql_calls_equal(
    spark: SparkSession, tables: Tables, tmp_path: Path, settings: str
) -> None:
    """The name of a partition and of its folder stay until it is dropped, and are told."""
    cells = PARTITION_CELLS
    with set_for(spark, _SETTINGS[settings]):
        kinds = ", ".join(f"p{at} {cell.now}" for at, cell in enumerate(cells))
        tables.create("t", "id INT", f"PARTITIONED BY ({kinds})")
        others = [f"CAST({cell.values[1]} AS {cell.now})" for cell in cells]
        rows = [f"SELECT {len(cells)}, {', '.join(others)}"]
        for at, cell in enumerate(cells):
            values = [*others[:at], f"CAST({cell.values[0]} AS {cell.now})", *others[at + 1 :]]
            rows.append(f"SELECT {at}, {', '.join(values)}")
        tables.sql(f"INSERT INTO t {' UNION ALL '.join(rows)}")
        assert find_rows(tables, cells, "p") == list(range(len(cells)))
        places = erase(spark, tables, tmp_path, cells, "p")
        assert {kind for kind, _ in places} == {"partition-name", "path"}
        assert tables.sql("SELECT id FROM t") == [(len(cells),)]
