"""Statements with one surviving partition in a table of very many, beside the same table with few."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from measures import Measure, ensure_equal, measure_rounds
from single_deletes import counted_calls
from workbench import Workbench

from hive_acid.model.table import TableName

PARTITIONS = 10_000
FILLED = 20
ROWS_EACH = 1000


def measure_pruning(bench: Workbench) -> Sequence[Measure]:
    """SELECT, DELETE and UPDATE with a condition on the key; the calls of the last one are in the note."""
    create(bench, "many", PARTITIONS)
    create(bench, "few", FILLED)
    statements: dict[str, Callable[[str, int], int]] = {
        "SELECT, one partition left": lambda table, _: count(bench, table, 7),
        "DELETE in one partition": lambda table, row: change(bench, f"DELETE FROM {table}", row),
        "UPDATE in one partition": lambda table, row: change(bench, f"UPDATE {table} SET v = 'new'", ROWS_EACH - row),
    }
    measures = []
    for name, statement in statements.items():
        expected = ROWS_EACH if name.startswith("SELECT") else 1
        cases = {name: (bind(statement, "many", expected), bind(statement, "few", expected))}
        (measure,) = measure_rounds(cases, bench.rounds)
        with counted_calls(bench) as calls:
            ensure_equal("rows", statement("many", bench.rounds + 1), expected)
        asked = ", ".join(f"{method} {number}" for method, number in calls.items())
        measures.append(replace(measure, note=f"{PARTITIONS} partitions against {FILLED}; {asked}"))
    for table in ("many", "few"):
        bench.spark.sql(f"DROP TABLE {table}")
    return measures


def create(bench: Workbench, table: str, partitions: int) -> None:
    """A table with rows in the first partitions; the others are known to the metastore and empty."""
    bench.spark.sql(
        f"CREATE TABLE {table} (id INT, v STRING) PARTITIONED BY (k INT) STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true')"
    )
    rows = f"SELECT CAST(id DIV {FILLED} AS INT), 'v', CAST(id % {FILLED} AS INT) FROM range({FILLED * ROWS_EACH})"
    inserted = bench.spark.sql(f"INSERT INTO {table} {rows}").collect()[0][0]
    ensure_equal("rows inserted", inserted, FILLED * ROWS_EACH)
    metastore, name = bench.attachment.metastore, TableName("default", table)
    root = metastore.table(name).location
    txn_id = metastore.open_transaction("bench", "localhost", "bench")
    write_id = metastore.allocate_write_id(txn_id, name)
    write_ids = metastore.valid_write_ids([name], metastore.valid_transactions(txn_id))[name]
    locations = {f"k={key}": f"{root}/k={key}" for key in range(FILLED, partitions)}
    metastore.add_partitions(name, locations, write_id, write_ids)
    metastore.commit(txn_id)
    ensure_equal("partitions", len(metastore.partition_names(name)), partitions)


def count(bench: Workbench, table: str, key: int) -> int:
    """Rows of one partition, planned anew."""
    return int(bench.spark.sql(f"SELECT count(id) FROM {table} WHERE k = {key}").collect()[0][0])


def change(bench: Workbench, statement: str, row: int) -> int:
    """A statement on one row; the number of rows it reports."""
    return int(bench.spark.sql(f"{statement} WHERE k = 7 AND id = {row}").collect()[0][0])


def bind(statement: Callable[[str, int], int], table: str, expected: int) -> Callable[[], object]:
    """The statement on the table, with another row each time."""
    rows: Iterator[int] = itertools.count(1)
    return lambda: ensure_equal("rows", statement(table, next(rows)), expected)
