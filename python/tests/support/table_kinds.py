"""Kinds of tables that differ in what is supported on them, with the clauses and the rows that make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Kind:
    """A kind of table with the columns `id INT, name STRING` and, if it is partitioned, `k INT`.

    `clauses` make it; `fill` is its first INSERT, or empty if somebody else has to put the rows there.
    """

    title: str
    clauses: str
    is_partitioned: bool = False
    fill: str = "INSERT INTO {t} VALUES (1, 'a'{v}), (2, 'b'{v}), (3, 'c'{v})"

    @property
    def create(self) -> str:
        """The statement that makes it, as `{t}`."""
        partitions = "PARTITIONED BY (k INT) " if self.is_partitioned else ""
        return f"CREATE TABLE {{t}} (id INT, name STRING) {partitions}{self.clauses}"

    def text(self, statement: str, table: str, other: str) -> str:
        """The statement on `table`: `{k}` and `{v}` are the partition column and a value for it, each with its comma.

        `{o}` is a transactional table of the same rows and columns, without partitions; `{part}`, `{as_k}` and `{by}`
        are what a partition is called in a PARTITION clause, its value in a list of columns, and the clause of a new
        table.
        """
        words = (", k", ", 1", "PARTITION (k = 1)", "AS k", "PARTITIONED BY (k)")
        named = zip(("k", "v", "part", "as_k", "by"), words if self.is_partitioned else ("",) * 5, strict=True)
        properties = _INSERT_ONLY if "insert_only" in self.clauses else _TRANSACTIONAL
        return statement.format(t=table, o=other, clauses=self.clauses, properties=properties, **dict(named))


_TRANSACTIONAL = "TBLPROPERTIES ('transactional'='true')"
_ACID = f"STORED AS ORC {_TRANSACTIONAL}"
_INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"

PLAIN = Kind("plain ACID table", _ACID)
PARTITIONED = Kind("partitioned", _ACID, is_partitioned=True)
BUCKETED = Kind("bucketed", f"CLUSTERED BY (id) INTO 3 BUCKETS {_ACID}")
ORIGINALS = Kind("with originals", "STORED AS ORC", fill="")
INSERT_ONLY = Kind("insert-only, ORC or Parquet", f"STORED AS PARQUET {_INSERT_ONLY}")
INSERT_ONLY_BUCKETED = Kind(
    "insert-only, bucketed", f"CLUSTERED BY (id) INTO 3 BUCKETS STORED AS PARQUET {_INSERT_ONLY}"
)
INSERT_ONLY_TEXT = Kind("insert-only, other formats", f"STORED AS TEXTFILE {_INSERT_ONLY}", fill="")
OTHER = Kind("not transactional", "STORED AS ORC")

KINDS: Final = (PLAIN, PARTITIONED, BUCKETED, ORIGINALS, INSERT_ONLY, INSERT_ONLY_BUCKETED, INSERT_ONLY_TEXT, OTHER)
FULL_ACID: Final = (PLAIN, PARTITIONED, BUCKETED, ORIGINALS)
INSERT_ONLY_KINDS: Final = (INSERT_ONLY, INSERT_ONLY_BUCKETED, INSERT_ONLY_TEXT)

ROWS = ((1, "a"), (2, "b"), (3, "c"))
"""The rows of every table before the statement; `k` is 1."""
