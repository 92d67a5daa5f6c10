"""Rounds of statements, for sessions that run many: `HIVE_ACID_STATEMENTS=n` makes the long tests run about n.

A leak of one for each statement is then several times what may be spare.

A round is run by a number of its own.
"""

from __future__ import annotations

import os

STATEMENTS = int(os.environ.get("HIVE_ACID_STATEMENTS", "300"))

TABLES = tuple(
    text
    for table, partitions in (("t", ""), ("p", "PARTITIONED BY (d INT)"))
    for text in (
        f"DROP TABLE IF EXISTS {table}",
        f"CREATE TABLE {table} (id INT, v INT) {partitions} STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    )
)
"""The tables of the rounds, made anew."""

ROUND = (
    "INSERT INTO t VALUES ({n}, 0), (-{n}, 0)",
    "UPDATE t SET v = v + 1 WHERE id = {n}",
    "MERGE INTO t USING (SELECT {n} AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 7",
    "INSERT OVERWRITE p PARTITION (d = {d}) SELECT id, v FROM t WHERE id = {n}",
    "SELECT t.v, count(*) FROM t JOIN p USING (id) GROUP BY t.v",
    "DELETE FROM t WHERE abs(id) = {n}",
    "INSERT INTO t SELECT int(raise_error('on purpose')), 0",
    "CREATE TABLE made_{n} STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT {n} AS id",
    "DROP TABLE made_{n}",
    "ALTER TABLE t COMPACT 'major' AND WAIT",
)

SPARKS_POOLS = ("block-m", "broadca", "shuffle", "QuerySt", "ResultQ", "Thread-")
"""Threads of Spark's pools: `block-manager-ask-thread-pool` and `block-manager-storage-async-thread-pool`, of 100 each,
`broadcast-exchange`, `shuffle-exchange`, `QueryStageCreator`, `ResultQueryStageExecution`.

Such a pool starts a thread for each task until it is full, even if others are idle (its core size is its maximum), and
ends those that were idle for a minute: their number tells what Spark did in the last minute. `Thread-1` and so on are
the JDK's for asynchronous reading of files, and those of py4j's connections, which count as files.
"""
