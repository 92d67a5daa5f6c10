"""A real metastore keeps the files that its Cleaner removes, for replicas: an erasure finds them there.

On a local disk, which keeps no checksums, the Cleaner fails at the second file of a name (ReplChangeManager.recycle).
An insert-only table leaves one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import orc

from hive_acid.local import EmbeddedMetastore
from integration.test_erasure_releases import CLEANER, INSERT_ONLY, hive_acid
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow

ADA = "ada.lovelace@example.org"
PLAN = """
subjects = ["email"]
[tables."default.sales"]
keys = {email = "lower(email)"}
"""


def test_removed_files_that_a_metastore_keeps_for_replicas_leave_the_verdict_open(tmp_path: Path) -> None:
    kept = tmp_path / "cmroot"
    of_replicas = {"repl.cm.enabled": "true", "repl.cmrootdir": f"file:{kept}/", "repl.cm.retain": "48h"}
    settings = {f"hive.{name}": value for name, value in of_replicas.items()}
    settings |= {f"{prefix}.{name}": value for prefix in ("hive", "metastore") for name, value in CLEANER.items()}
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "people.txt").write_text(f"{ADA}\n")
    with EmbeddedMetastore.start(tmp_path / "metastore", settings=settings) as metastore:
        with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as spark:
            spark.sql("ALTER DATABASE default SET DBPROPERTIES ('repl.source.for' = '1')")
            spark.sql(f"CREATE TABLE sales (id INT, email STRING) STORED AS ORC {INSERT_ONLY}")
            spark.sql(f"INSERT INTO sales VALUES (1, '{ADA}'), (2, 'cyd@example.org')")
        assert hive_acid(tmp_path, "erase", "--new-keys", "keys").returncode == 0
        call = ("erase", "plan.toml", "--subjects", "people.txt", "--hash-key", "keys/hash.key")
        call += ("--signing-key", "keys/signing.key", "--metastore", metastore.uri)
        erased = hive_acid(tmp_path, *call)
        rows = [path for path in kept.iterdir() if path.name[0] not in "._"]
        assert [ADA in orc.read_table(path).column("email").to_pylist() for path in rows] == [True]
        assert erased.returncode == 3, erased.stdout + erased.stderr
        told = [line for line in erased.stdout.splitlines() if f"kept-for-replicas: file:{rows[0]}: 1 of " in line]
        assert told and "(hive.repl.cm.retain)" in told[0], erased.stdout
        for path in kept.iterdir():
            path.unlink()
        again = hive_acid(tmp_path, *call)
        assert again.returncode == 0, again.stdout + again.stderr
        assert again.stdout.startswith("erased: after an erasure, nothing of 1 subject was found in 1 table as of ")
