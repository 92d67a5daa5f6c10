"""The statements that all engines run one after the other on the same rows, and how their results are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from columns import COLUMNS
from pyspark.sql import SparkSession

from peers.environments import OURS

FLAT: Final = "flat ORC"
"""The same rows in plain files, read and written by the session of ours."""


@dataclass(frozen=True)
class Side:
    """One of those that are compared: its engine, its two tables, and what is particular to its SQL.

    `compact` is the statement after which no deleted row is left in the files; `{name}` is the table without its
    catalog.
    """

    name: str
    engine: str
    table: str
    few: str
    clauses: str
    compact: str

    @property
    def parts(self) -> str:
        """Its table with partitions."""
        return f"{self.table}_parts"


SIDES: Final = (
    Side(
        OURS,
        OURS,
        "default.facts",
        "default.few",
        "STORED AS ORC TBLPROPERTIES ('transactional'='true')",
        "ALTER TABLE {table} COMPACT 'major' AND WAIT",
    ),
    Side(FLAT, OURS, "default.flat", "", "STORED AS ORC", ""),
    Side(
        "delta",
        "delta",
        "facts",
        "few",
        "USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true')",
        "REORG TABLE {table} APPLY (PURGE)",
    ),
    Side(
        "iceberg",
        "iceberg",
        "bench.db.facts",
        "bench.db.few",
        "USING iceberg TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read', "
        "'write.update.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')",
        "CALL bench.system.rewrite_data_files(table => '{name}', options => "
        "map('delete-file-threshold', '1', 'remove-dangling-deletes', 'true'))",
    ),
)


class Kind(Enum):
    """Which sides take part in a step, and what is compared."""

    LOAD = "flat files too; the rows are compared"
    CHANGE = "transactional tables; the rows are compared"
    SCAN = "flat files of the same rows too; the answers are compared"


@dataclass(frozen=True)
class Step:
    """A statement that is measured.

    It has `{table}`, `{few}`, `{parts}`, `{source}`, `{rows}` and `{i}`, the repetition.
    """

    name: str
    statement: str
    kind: Kind = Kind.CHANGE
    repeats: int = 1


CHECK: Final = (
    "SELECT count(*), sum(id), sum(number), sum(length(remark)), sum(CAST(price * 100 AS BIGINT)) FROM {table}"
)
_SCANS: Final[Mapping[str, str]] = {
    "all columns": f"SELECT {', '.join(f'max({name})' for name in COLUMNS)} FROM {{table}}",
    "one column": "SELECT sum(number) FROM {table}",
    "filter on clustered values": "SELECT count(code) FROM {table} "
    "WHERE id BETWEEN {rows} DIV 2 AND {rows} * 51 DIV 100",
    "filter on random values": "SELECT count(code) FROM {table} WHERE number BETWEEN 0 AND 9999",
    "count(*)": "SELECT count(*) FROM {table}",
}


def _scans(when: str) -> tuple[Step, ...]:
    return tuple(Step(f"scan {when}: {name}", text, Kind.SCAN) for name, text in _SCANS.items())


def _update(name: str, condition: str) -> Step:
    statement = "UPDATE {table} SET remark = 'updated', number = number + 1 WHERE " + condition
    return Step(f"UPDATE of {name}", statement)


def _merge(percent: int, new_from: int) -> Step:
    """Half of the source's rows have keys of rows, half are new."""
    count, apart = f"{{rows}} * {percent} / 200", 200 // percent
    others = ", ".join(name for name in COLUMNS if name not in ("id", "remark"))
    rows = f"{others}, 'merged' AS remark FROM {{source}} WHERE id < {count}"
    known, new = (
        f"SELECT CAST({key} AS BIGINT) AS id, {rows}" for key in (f"id * {apart}", f"id + {{rows}} * {new_from}")
    )
    return Step(
        f"MERGE of {percent} %, half of it new",
        f"MERGE INTO {{table}} t USING ({known} UNION ALL {new}) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    )


LOAD: Final = Step("INSERT of all rows", "INSERT INTO {table} SELECT * FROM {source}", Kind.LOAD)
COMPACT: Final = "compaction"
STEPS: Final = (
    LOAD,
    *_scans("without deletes"),
    _update("one row", "id = {rows} DIV 3"),
    _update("0.01 %", "pmod(xxhash64(id, 7), 10000) = 0"),
    _update("1 %", "pmod(xxhash64(id, 8), 100) = 0"),
    *_scans("after 1 % was changed"),
    _update("10 %", "pmod(xxhash64(id, 9), 10) = 0"),
    Step("DELETE of 1 %", "DELETE FROM {table} WHERE pmod(xxhash64(id, 10), 100) = 0"),
    Step("DELETE of 10 %", "DELETE FROM {table} WHERE pmod(xxhash64(id, 11), 10) = 0"),
    _merge(1, 1),
    _merge(10, 2),
    *_scans("after all changes"),
    Step(COMPACT, ""),
    *_scans("after the compaction"),
)


def small_steps(repeats: int) -> tuple[Step, ...]:
    """Statements about one row each, in a row, on a small table."""
    key = "{i} * 37"
    return tuple(
        Step(f"{name} of one row of 10,000", statement, Kind.CHANGE, repeats)
        for name, statement in (
            ("INSERT", "INSERT INTO {few} VALUES (1000000 + {i}, 'new', {i})"),
            ("UPDATE", f"UPDATE {{few}} SET v = 'updated' WHERE id = {key}"),
            ("SELECT", f"SELECT * FROM {{few}} WHERE id = {key}"),
            (
                "MERGE",
                f"MERGE INTO {{few}} t USING (SELECT {key} + 1 AS id, 'merged' AS v, 0 AS n) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, n) VALUES (s.id, s.v, s.n)",
            ),
            ("DELETE", f"DELETE FROM {{few}} WHERE id = {key} + 2"),
        )
    )


PARTITIONS: Final = 200
INTO_PARTITIONS: Final = Step(
    f"INSERT of all rows into {PARTITIONS} new partitions",
    f"INSERT INTO {{parts}} SELECT *, CAST(pmod(id, {PARTITIONS}) AS INT) AS part FROM {{source}}",
    Kind.LOAD,
)
PARTS_CHECK: Final = f"{CHECK.replace('{table}', '{parts}')}".replace("count(*)", "count(*), count(DISTINCT part)")

FEW_COLUMNS: Final = "id BIGINT, v STRING, n INT"
FEW_FILL: Final = "INSERT INTO {few} SELECT id, concat('v', id), CAST(id AS INT) FROM range(0, 10000, 1, 4)"
FEW_CHECK: Final = "SELECT count(*), sum(id), sum(length(v)), sum(n) FROM {few}"


def write_rows(session: SparkSession, folder: str, rows: int, tasks: int) -> None:
    """The source of all tables, as Parquet."""
    expressions = (f"{expression} AS {name}" for name, (_, expression) in COLUMNS.items())
    frame: Any = session.range(0, rows, 1, tasks)
    frame.selectExpr(*expressions).write.parquet(folder)
