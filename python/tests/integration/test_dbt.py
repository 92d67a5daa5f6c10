"""The project of the guide to dbt is built twice by dbt, in an environment of its own, as the guide says.

Its statements run in a session of dbt's own process, and on Spark's Thrift server.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import uuid
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from hive_acid.session.setup_settings import DBT_PACKAGE
from support.spark_programs import started_thrift_server

ROOT = DBT_PACKAGE.parents[2]
LOCK = Path(__file__).with_name("requirements-dbt.lock")
ENVIRONMENT = ROOT / ".build/dbt"
_BLOCK = re.compile(r"^`([\w./]+)`:\n\n```[\w+]+\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dbt() -> Path:
    """The program. Packages of the running environment, as PySpark, are found behind those of its own."""
    program, installed = ENVIRONMENT / "bin/dbt", ENVIRONMENT / "installed.lock"
    if not installed.exists() or installed.read_text() != LOCK.read_text():
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        own = [str(ENVIRONMENT / "bin/python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*own, "install", "-q", "--no-deps", "-r", str(LOCK)], check=True, timeout=900)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        others = ENVIRONMENT / "lib" / version / "site-packages/zz-others.pth"
        others.write_text(f"{sysconfig.get_paths()['purelib']}\n{ROOT / 'python'}\n")
        installed.write_text(LOCK.read_text())
    return program


class Project:
    """The guide's project in a folder, on a metastore; `port` is that of a Thrift server, if it is to use one."""

    def __init__(self, dbt: Path, folder: Path, metastore: EmbeddedMetastore, schema: str, port: int | None) -> None:
        self._dbt = dbt
        self._folder = folder
        for name, text in _BLOCK.findall((ROOT / "docs/guide/dbt.md").read_text("utf-8")):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("schema='flights'", f"schema='{schema}'"))
        command = Path(sys.executable).with_name("hive-acid")
        told = subprocess.run(
            [str(command), "settings", "--metastore", metastore.uri, "--format", "dbt"],
            capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        settings = yaml.safe_load(told.stdout)
        profile = yaml.safe_load((folder / "profiles.yml").read_text())
        output = profile["flights"]["outputs"]["dev"]
        output["schema"] = schema
        if port is None:
            output["server_side_parameters"] |= settings["server_side_parameters"]
            output["server_side_parameters"]["spark.sql.warehouse.dir"] = metastore.warehouse.as_uri()
        else:
            del output["server_side_parameters"]
            output |= {"method": "thrift", "host": "127.0.0.1", "port": port, "user": "dbt"}
        (folder / "profiles.yml").write_text(yaml.safe_dump(profile))
        (folder / "packages.yml").write_text(yaml.safe_dump({"packages": settings["packages"]}))

    def run(self, *arguments: str) -> None:
        """Runs dbt, which must end well."""
        environment = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "PYSPARK_PYTHON": sys.executable}
        environment |= {"SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(
            [str(self._dbt), *arguments, "--profiles-dir", "."],
            cwd=self._folder, env=environment, capture_output=True, text=True, check=False, timeout=400,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


@pytest.fixture
def schema(spark: SparkSession) -> Iterator[str]:
    name = f"dbt_{uuid.uuid4().hex[:8]}"
    yield name
    spark.sql(f"DROP DATABASE IF EXISTS {name} CASCADE")


@pytest.fixture(params=["session", "thrift"])
def project(
    request: pytest.FixtureRequest, dbt: Path, metastore: EmbeddedMetastore, schema: str, tmp_path: Path
) -> Iterator[Project]:
    folder = tmp_path / "project"
    if request.param == "session":
        yield Project(dbt, folder, metastore, schema, None)
        return
    with started_thrift_server(metastore, tmp_path / "server") as (_, port):
        yield Project(dbt, folder, metastore, schema, port)


def test_models_seeds_and_snapshots_are_made_and_changed(spark: SparkSession, schema: str, project: Project) -> None:
    def rows(table: str, columns: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row) for row in spark.sql(f"SELECT {columns} FROM {schema}.{table}").collect())

    project.run("deps")
    project.run("build")
    assert rows("departures", "*") == [(flight, "gate of run 1") for flight in range(4)]
    assert rows("log", "run") == [(1,)]
    project.run("build", "--vars", json.dumps({"run": 2, "first": 2, "cancelled": 0}))

    assert rows("airports", "*") == [("FRA", "Frankfurt", 4), ("HAM", "Hamburg", 2)]
    assert rows("cities", "*") == [("Frankfurt", 1), ("Hamburg", 1)]
    runs = [1, 1, 2, 2, 2, 2]
    assert rows("departures", "*") == [(flight, f"gate of run {run}") for flight, run in enumerate(runs)]
    assert rows("passengers", "*") == [(flight, 1, f"run {run}") for flight, run in enumerate(runs)]
    assert rows("days", "*") == [(0, 1, 0), (2, 1, 0), (3, 2, 1), (5, 2, 1)]
    assert rows("log", "run") == [(1,), (2,)]
    old = [(flight, "gate of run 1", flight in (0, 2, 3)) for flight in range(4)]
    new = [(flight, "gate of run 2", False) for flight in range(2, 6)]
    assert rows("gates", "id, gate, dbt_valid_to IS NOT NULL") == sorted([*old, *new])
    tables = {row.tableName for row in spark.sql(f"SHOW TABLES IN {schema}").collect()}
    assert tables == {"airports", "cities", "departures", "passengers", "days", "log", "gates"}
    for table in tables:
        properties = dict(spark.sql(f"SHOW TBLPROPERTIES {schema}.{table}").collect())
        assert properties["transactional"] == "true"
        assert (properties.get("transactional_properties") == "insert_only") == (table == "log")
