"""Makes the archive of `class_archive.py`, unless it is there, from the classes that a few statements need."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.class_archive import archive_path, find_archives, quote
from support.polling import eventually
from support.session_process import SessionProcess
from support.spark_settings import JAVA_OPTIONS, SHORT_LIVED

_STATEMENTS: Final = (
    "CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    "UPDATE t SET name = concat(name, '!') WHERE id = 1",
    "DELETE FROM t WHERE id = 2",
    "MERGE INTO t USING (SELECT 3 AS id, 'd' AS name) s ON t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "SELECT name, count(*) FROM t GROUP BY name ORDER BY name",
)
_LIMIT_SECONDS: Final = 600.0


def make_archive(archive: Path) -> None:
    """The JVM writes it when it ends. Archives of other releases of this line, or other Javas, are removed."""
    new = archive.with_suffix(".new")
    option = quote(f"-XX:ArchiveClassesAtExit={new}")
    recording = {JAVA_OPTIONS: f"{SHORT_LIVED[JAVA_OPTIONS]} {option} -Xlog:cds*=off"}
    with tempfile.TemporaryDirectory() as folder, EmbeddedMetastore.start() as metastore:
        with SessionProcess(Path(folder), metastore.uri, metastore.warehouse, recording) as session:
            jvm = session.wait_started()
            for statement in _STATEMENTS:
                session.sql(statement)
        assert eventually(lambda: not _is_running(jvm), _LIMIT_SECONDS), "the JVM has not ended"
    for old in find_archives():
        old.unlink()
    new.rename(archive)


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    if not archive_path().exists():
        make_archive(archive_path())
