"""Every command of `hive-acid` that asks a metastore, on one with Kerberos: each logs in as sessions do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hive_acid
from support.secured.kdc import Kdc
from support.secured.metastore import (
    PRINCIPAL,
    SERVICE,
    client_settings,
    environment,
    java_options,
    kerberos_settings,
    keytab_settings,
    secured_metastore,
    write_core_site,
    write_site,
)
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow
PLAN = """subjects = ["customer"]
[tables."default.sales"]
keys = {customer = "customer"}
"""


class Commands:
    """Commands of a user with a keytab. Settings are where a cluster has them: files of Hadoop, Hive and Spark."""

    def __init__(self, folder: Path, address: str, kdc: Kdc) -> None:
        sasl = {"hive.metastore.sasl.enabled": "true", "hive.metastore.kerberos.principal": PRINCIPAL}
        write_site(folder / "hive" / "hive-site.xml", {**sasl, "hive.metastore.uris": address})
        write_core_site(folder / "hadoop", "authentication")
        lines = {**java_options(kdc), **keytab_settings(kdc, "alice"), "spark.driver.memory": "900m"}
        (folder / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in lines.items()))
        self.folder = folder
        self.variables = {
            "HADOOP_CONF_DIR": str(folder / "hadoop"),
            "HIVE_CONF_DIR": str(folder / "hive"),
            "SPARK_CONF_DIR": str(folder),
        }

    def run(self, line: str, expected_code: int = 0) -> str:
        """What the command writes to standard output."""
        home = str(Path(hive_acid.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-m", "hive_acid.cli", *line.split()],
            env={**os.environ, **self.variables, "PYTHONPATH": home, "PYSPARK_PYTHON": sys.executable},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expected_code, done.stdout + done.stderr
        return done.stdout

    def objects(self, line: str, expected_code: int = 0) -> list[Any]:
        """The JSON objects of its lines."""
        return [json.loads(row) for row in self.run(f"{line} --json", expected_code).splitlines()]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Of a metastore with a table of eleven deltas, more than the Initiator lets be."""
    folder = tmp_path_factory.mktemp("site")
    with (
        Kdc(folder / "kdc", [SERVICE, "alice"]) as kdc,
        secured_metastore(folder / "metastore", kerberos_settings(kdc), kdc) as metastore,
    ):
        address = f"thrift://localhost:{metastore.port}"
        made = Commands(folder, address, kdc)
        conf = {**client_settings(kdc), **keytab_settings(kdc, "alice")}
        with (
            environment(made.variables),
            SessionProcess(folder / "spark", address, metastore.warehouse, conf) as spark,
        ):
            spark.sql("CREATE TABLE sales (customer STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
            for number in range(11):
                spark.sql(f"INSERT INTO sales VALUES ('name{number}')")
        yield made


def test_transactions_history_and_doctor(commands: Commands) -> None:
    assert commands.objects("txn status 999999", 5)[0]["id"] == 999999
    assert len(commands.objects("history default.sales")[0]) > 0
    assert "delta-pile-up" in commands.run("doctor default.sales", 1)


def test_the_initiator_asks_and_the_worker_compacts(commands: Commands) -> None:
    assert "sales" in commands.run("initiator --once --force")
    assert "sales" in commands.run("worker --once --master local[1]")
    assert commands.run("worker --once --master local[1] --json") == ""


def test_people_are_found_and_erased(commands: Commands) -> None:
    (commands.folder / "plan.toml").write_text(PLAN, "utf-8")
    (commands.folder / "people.txt").write_text("name3\n", "utf-8")
    commands.run("erase --new-keys keys")
    commands.run("verify --plan plan.toml --subjects people.txt --hash-key keys/hash.key --master local[1]", 3)
    erase = "erase plan.toml --subjects people.txt --hash-key keys/hash.key --signing-key keys/signing.key"
    commands.run(f"{erase} --dry-run --master local[1]")
    commands.run(f"{erase} --master local[1]")
    verify = "verify plan.json --public-key keys/signing.pub --hash-key keys/hash.key --master local[1]"
    assert "erased" in commands.run(verify)
