"""A session on another Java than the machine's own runs every kind of statement; the metastore keeps its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.spark_lines import is_before
from support.java_runtimes import fetch_runtime, make_home_for_spark
from support.session_process import SessionProcess

RELEASES = (11, 21) if is_before("4.0") else (21,)
ACID = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "STORED AS PARQUET TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
STATEMENTS = (
    f"CREATE TABLE t (id INT, v STRING) {ACID}",
    f"CREATE TABLE b (id INT, v STRING) CLUSTERED BY (id) INTO 3 BUCKETS {ACID}",
    f"CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d INT) {ACID}",
    f"CREATE TABLE io (id INT, v STRING) {INSERT_ONLY}",
    "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    "INSERT INTO b SELECT * FROM t",
    "INSERT INTO p SELECT id, v, id % 2 FROM t",
    "INSERT INTO io SELECT * FROM t",
    "DELETE FROM t WHERE id = 1",
    "UPDATE b SET v = 'u' WHERE id = 2",
    "UPDATE p SET d = 7 WHERE id = 1",
    "MERGE INTO t USING b ON t.id = b.id WHEN MATCHED THEN UPDATE SET v = b.v "
    "WHEN NOT MATCHED THEN INSERT VALUES (b.id, b.v)",
    "INSERT OVERWRITE p PARTITION (d = 7) SELECT 9, 'o'",
    "ALTER TABLE t COMPACT 'major' AND WAIT",
    "ALTER TABLE b COMPACT 'minor' AND WAIT",
    "ALTER TABLE t ADD COLUMNS (w INT)",
    "UPDATE t SET w = id",
)
ROWS = {
    "t": [(1, "a", 1), (2, "u", 2), (3, "c", 3)],
    "b": [(1, "a"), (2, "u"), (3, "c")],
    "p": [(2, "b", 0), (3, "c", 1), (9, "o", 7)],
    "io": [(1, "a"), (2, "b"), (3, "c")],
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("release", RELEASES)
def test_every_kind_of_statement_runs(
    release: int, metastore: EmbeddedMetastore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home_for_spark(fetch_runtime(release), tmp_path / "java")
    monkeypatch.setenv("JAVA_HOME", str(home))
    with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as session:
        ((version,),) = session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')")
        assert version.split(".")[0] == str(release)
        session.sql(f"CREATE DATABASE on_java_{release}")
        session.sql(f"USE on_java_{release}")
        for statement in STATEMENTS:
            session.sql(statement)
        assert {table: session.sql(f"SELECT * FROM {table} ORDER BY id") for table in ROWS} == ROWS
