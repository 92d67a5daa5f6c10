"""An erasure by the command line on the newest metastore, with its own Cleaner.

3.1.3 and 4.1.0 erase beside their own Hive, in `interop/test_erasure.py`. 4.0.0 is the embedded metastore of all other
tests of erasures (buckets among them), and 4.0.1 has its Cleaner.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.metastore_releases import started_release
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow

RELEASE = "4.2.0"
BOTH_PREFIXES = ("hive", "metastore")
CLEANER = {
    "compactor.cleaner.on": "true",
    "compactor.cleaner.run.interval": "500ms",
    "client.capability.check": "false",  # Spark's own client of the metastore says nothing of insert-only tables
}
ADA = "ada.lovelace@example.org"
PLAN = """
subjects = ["email"]
[tables."default.sales"]
keys = {email = "lower(email)"}
[tables."default.visits"]
keys = {email = "guest.email"}
[tables."default.clicks"]
keys = {email = "email"}
[tables."default.logs"]
keys = {email = "lower(email)"}
"""
FULL = "TBLPROPERTIES ('transactional'='true')"
INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
MAIL = {
    "sales": f"PARTITIONED BY (day STRING) STORED AS ORC {FULL}",
    "logs": f"PARTITIONED BY (day STRING) STORED AS PARQUET {INSERT_ONLY}",
}
"""Tables of `(id, email, day)`."""


def fill(spark: SessionProcess) -> None:
    """All tables, each with Ada and others."""
    for name, more in MAIL.items():
        spark.sql(f"CREATE TABLE {name} (id INT, email STRING) {more}")
        spark.sql(f"INSERT INTO {name} VALUES (1, '{ADA}', 'mon'), (2, 'cyd@example.org', 'mon'), (3, 'x', 'tue')")
        if FULL in more:
            spark.sql(f"UPDATE {name} SET email = upper(email) WHERE email = '{ADA}'")
    spark.sql(f"CREATE TABLE visits (guest STRUCT<email: STRING>) STORED AS ORC {FULL}")
    spark.sql(f"INSERT INTO visits VALUES (named_struct('email', '{ADA}')), (named_struct('email', 'y'))")
    spark.sql(f"CREATE TABLE clicks (id INT, email STRING) PARTITIONED BY (day STRING) STORED AS ORC {INSERT_ONLY}")
    spark.sql(f"INSERT INTO clicks VALUES (1, '{ADA}', 'mon'), (2, '{ADA}', NULL), (3, 'y', NULL)")


def hive_acid(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, run in the folder."""
    command = [sys.executable, "-m", "hive_acid.cli", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)


def test_people_are_erased_verified_and_certified(tmp_path: Path) -> None:
    chosen = {f"{prefix}.{name}": value for prefix in BOTH_PREFIXES for name, value in CLEANER.items()}
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "people.txt").write_text(f"{ADA}\n")
    with started_release(RELEASE, tmp_path / "metastore", chosen) as metastore:
        with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as spark:
            fill(spark)
        assert hive_acid(tmp_path, "erase", "--new-keys", "keys").returncode == 0
        call = ("plan.toml", "--subjects", "people.txt", "--hash-key", "keys/hash.key", "--metastore", metastore.uri)
        counted = hive_acid(tmp_path, "erase", *call, "--dry-run")
        assert (counted.returncode, sorted(counted.stdout.splitlines())) == (
            0,
            sorted(
                [
                    *(f"default.{name}: 1 of 3 rows belong to subjects" for name in MAIL),
                    "default.visits: 1 of 2 rows belong to subjects",
                    "default.clicks: 2 of 3 rows belong to subjects",
                ]
            ),
        ), counted.stderr
        erased = hive_acid(tmp_path, "erase", *call, "--signing-key", "keys/signing.key")
        assert erased.returncode == 0, erased.stdout + erased.stderr
        again = hive_acid(
            tmp_path,
            "verify",
            "plan.json",
            "--public-key",
            "keys/signing.pub",
            *call[3:5],
            "--metastore",
            metastore.uri,
        )
        assert again.returncode == 0, again.stdout + again.stderr
        assert " unchanged, 0 changed, 0 not there any more" in again.stdout
        with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as spark:
            for name in MAIL:
                assert spark.sql(f"SELECT id, day FROM {name} ORDER BY id") == [(2, "mon"), (3, "tue")], name
            assert spark.sql("SELECT guest.email FROM visits") == [("y",)]
            assert spark.sql("SELECT id, day FROM clicks") == [(3, None)]
    written = [tmp_path / name for name in ("plan.ledger", "plan.json", "plan.html")]
    assert [path for path in written if "lovelace" in path.read_text("utf-8")] == []
    data = [path for path in metastore.warehouse.rglob("*") if path.is_file()]
    assert [path for path in data if b"lovelace" in path.read_bytes().lower()] == []
