"""One list of statements, with every row of the README's matrix, to be run through each entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

ACID: Final = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY: Final = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"

STATEMENTS: Final[Sequence[tuple[str, str | None]]] = (
    (f"CREATE TABLE f (id INT, v INT) {ACID}", None),
    (f"CREATE TABLE p (id INT, v INT) PARTITIONED BY (d INT) CLUSTERED BY (id) INTO 2 BUCKETS {ACID}", None),
    (f"CREATE TABLE i (id INT) STORED AS PARQUET {INSERT_ONLY}", None),
    (f"CREATE TABLE x (id INT) STORED AS TEXTFILE {INSERT_ONLY}", None),
    ("CREATE TABLE plain (id INT) STORED AS PARQUET", None),
    ("INSERT INTO f VALUES (1, 10), (2, 20), (3, 30), (4, 40)", None),
    ("UPDATE f SET v = v + 1 WHERE id = 2", None),
    ("DELETE FROM f WHERE id = 1", None),
    (
        "MERGE INTO f USING (SELECT explode(array(3, 5)) AS id) s ON f.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 33 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 50)",
        None,
    ),
    ("INSERT INTO f REPLACE WHERE id = 4 VALUES (4, 44)", None),
    ("INSERT INTO p SELECT id, v, id % 2 FROM f", None),
    ("INSERT OVERWRITE p PARTITION (d = 1) VALUES (9, 90)", None),
    ("TRUNCATE TABLE p PARTITION (d = 0)", None),
    ("FROM f INSERT INTO p PARTITION (d = 2) SELECT id, 1 WHERE id < 4 INSERT INTO i SELECT id WHERE id = 5", None),
    (f"CREATE TABLE made {ACID} AS SELECT count(*) AS n FROM f", None),
    ("ALTER TABLE f ADD COLUMNS (w STRING)", None),
    ("UPDATE f SET w = 'new' WHERE id = 5", None),
    ("ANALYZE TABLE f COMPUTE STATISTICS", None),
    ("ALTER TABLE f COMPACT 'major' AND WAIT", None),
    ("CREATE VIEW seen AS SELECT max(v) AS v FROM f", None),
    ("INSERT INTO f SELECT 6, v, 'seen' FROM seen", None),
    ("EXPLAIN DELETE FROM f", None),
    ("EXPLAIN ACID DELETE FROM f", None),
    ("SHOW LOCKS", None),
    ("INSERT OVERWRITE i SELECT id + 1 FROM i", None),
    ("DELETE FROM i", "HIVE_ACID_UNSUPPORTED_TABLE.NO_ROW_IDS"),
    ("INSERT INTO x VALUES (1)", "HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_NOT_WRITTEN"),
    ("SELECT * FROM x", None),
    ("INSERT OVERWRITE plain SELECT 7", None),
    ("ALTER TABLE plain COMPACT 'major'", "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"),
    ("ABORT TRANSACTIONS", "HIVE_ACID_SYNTAX_ERROR"),
    ("DELETE FROM f WHERE id = 6 AND int(raise_error('on purpose')) = 1", "on purpose"),
    ("DROP VIEW seen", None),
)
"""Each with what its error says, if it ends in one."""

ROWS: Final = {
    "SELECT * FROM f ORDER BY id": [(2, 21, None), (3, 33, None), (4, 44, None), (5, 50, "new"), (6, 50, "seen")],
    "SELECT * FROM p ORDER BY d, id": [(9, 90, 1), (2, 1, 2), (3, 1, 2)],
    "SELECT * FROM i": [(6,)],
    "SELECT * FROM x": [],
    "SELECT * FROM plain": [(7,)],
    "SELECT * FROM made": [(4,)],
    "SHOW VIEWS": [],
}
"""The rows of queries after the list."""

OWN_CATALOG_FAILURES: Final = {
    "CREATE TABLE plain": "HIVE_ACID_UNSUPPORTED_TABLE.OWN_CATALOG",
    "ALTER TABLE f ADD COLUMNS": "HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG",
    "UPDATE f SET w": "",
    "ANALYZE TABLE f": "",
    "CREATE VIEW seen": "",
    "INSERT INTO f SELECT 6, v, 'seen'": "",
    "DELETE FROM i": "HIVE_ACID_UNSUPPORTED_TABLE.NO_ROW_IDS",
    "INSERT INTO x": "HIVE_ACID_UNSUPPORTED_TABLE.SERDE_IN_OWN_CATALOG",
    "SELECT * FROM x": "HIVE_ACID_UNSUPPORTED_TABLE.SERDE_IN_OWN_CATALOG",
    "INSERT OVERWRITE plain": "",
    "ALTER TABLE plain COMPACT": "",
    "ABORT TRANSACTIONS": "HIVE_ACID_SYNTAX_ERROR",
    "DROP VIEW seen": "",
}
"""In a catalog with a metastore of its own: how each statement begins that fails, and what its error says.

An empty text is Spark's own error: there are no views, ALTER is refused, and what was refused is missing afterwards.
"""

OWN_CATALOG_ROWS: Final = {
    "SELECT * FROM f ORDER BY id": [(2, 21), (3, 33), (4, 44), (5, 50)],
    "SELECT * FROM p ORDER BY d, id": [(9, 90, 1), (2, 1, 2), (3, 1, 2)],
    "SHOW PARTITIONS p": [("d=0",), ("d=1",), ("d=2",)],
    "SELECT * FROM i": [(6,)],
    "SELECT * FROM made": [(4,)],
}
"""The rows of queries after the list, there."""

_CONDITION: Final = re.compile(r"HIVE_ACID_[A-Z_]+(?:\.[A-Z_]+)?|on purpose")


def texts(database: str) -> list[str]:
    """The list, in a new database."""
    return [f"CREATE DATABASE {database}", f"USE {database}", *(text for text, _ in STATEMENTS)]


def find_failure(message: str) -> str:
    """What an error of a statement says, in a word; the message itself where it says nothing that is known."""
    found = _CONDITION.search(message)
    return found[0] if found else message


def expected_failures() -> list[str]:
    """Those of the list, in order."""
    return [failure for _, failure in STATEMENTS if failure is not None]
