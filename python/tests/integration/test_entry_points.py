"""Where people start it: spark-submit, the pyspark shell, a notebook's kernel."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import pyspark
import pytest

import hive_acid
from hive_acid.local import EmbeddedMetastore
from support.spark_settings import SHORT_LIVED

SCRIPTS = Path(sys.executable).parent
LIMIT_SECONDS = 300

ROUND = """
def round_trip(spark, name):
    spark.sql(f"CREATE TABLE {name} (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    spark.sql(f"INSERT INTO {name} SELECT int(id), 0 FROM range(0, 10, 1, 2)")
    spark.sql(f"UPDATE {name} SET v = 1 WHERE id < 3")
    spark.sql(f"DELETE FROM {name} WHERE id = 9")
    print("ROWS", *spark.sql(f"SELECT count(*), sum(v) FROM {name}").first())
"""

JOB = """
import hive_acid
from pyspark.sql import SparkSession

spark = hive_acid.configure(SparkSession.builder).getOrCreate()
print("EXTENSIONS", spark.conf.get("spark.sql.extensions"))
print("JARS", spark.conf.get("spark.jars"))
round_trip(spark, "{name}")
spark.sql("CREATE DATABASE {name}_db")
print("LOCATION", spark.catalog.getDatabase("{name}_db").locationUri)
spark.sql("DROP DATABASE {name}_db")
spark.stop()
"""

REFUSED_SHELL = """
import hive_acid
from pyspark.sql import SparkSession

try:
    hive_acid.configure(SparkSession.builder, metastore="{uri}").getOrCreate()
except Exception as error:
    print("REFUSED", error)

spark.stop()
spark = hive_acid.configure(SparkSession.builder, metastore="{uri}").getOrCreate()
round_trip(spark, "{name}")
"""

SET_UP_SHELL = """
import hive_acid

same = hive_acid.configure(SparkSession.builder).getOrCreate()
print("SAME", same._jsparkSession.equals(spark._jsparkSession))
round_trip(spark, "{name}")
"""

KERNEL = """
import hive_acid
from pyspark.sql import SparkSession

SparkSession.builder.config(map={conf}).getOrCreate().stop()


def cell():
    return hive_acid.configure(SparkSession.builder.config(map={conf}), metastore="{uri}").getOrCreate()


spark = cell()
round_trip(spark, "{name}")
print("SAME", cell()._jsparkSession.equals(spark._jsparkSession))
print("SAME", hive_acid.configure(SparkSession.builder).getOrCreate()._jsparkSession.equals(spark._jsparkSession))
other = spark.newSession()
other.sql("INSERT INTO {name} VALUES (10, 10)")
print("SUM", *other.sql("SELECT sum(v) FROM {name}").first())
spark.stop()
spark = cell()
spark.sql("DELETE FROM {name} WHERE id < 2")
print("SUM", *spark.sql("SELECT sum(v) FROM {name}").first())
spark.stop()
"""


def run(command: Sequence[str], folder: Path, text: str = "", **variables: str) -> str:
    """What the command prints, given a text as input."""
    home = str(Path(hive_acid.__file__).parent.parent)
    outer = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    path = os.pathsep.join((str(SCRIPTS), os.environ["PATH"]))
    # Spark's scripts look for these themselves, but not in a folder whose name has a blank
    found = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": Path(sys.executable).name}
    environment = {**outer, "PYTHONPATH": home, "PATH": path, **found, **variables}
    with (folder / "log").open("ab") as log:
        ended = subprocess.run(
            command, cwd=folder, env=environment, input=text.encode(), stdout=subprocess.PIPE, stderr=log,
            timeout=LIMIT_SECONDS, check=False,
        )  # fmt: skip
    assert ended.returncode == 0, (folder / "log").read_text()
    return ended.stdout.decode()


def arguments(settings: dict[str, str]) -> list[str]:
    return [argument for key, value in settings.items() for argument in ("--conf", f"{key}={value}")]


@pytest.fixture
def settings(metastore: EmbeddedMetastore, tmp_path: Path) -> dict[str, str]:
    """Of a small Spark on the metastore's warehouse."""
    return {**SHORT_LIVED, "spark.sql.warehouse.dir": metastore.warehouse.as_uri(), "spark.local.dir": str(tmp_path)}


@pytest.fixture
def name() -> str:
    return f"entry_{uuid.uuid4().hex[:10]}"


@pytest.mark.parametrize(
    "master", ["local-cluster[1,1,1024]", pytest.param("local[2]", marks=pytest.mark.slow)]
)  # the classes must reach other processes, too
def test_spark_submit_runs_a_job_that_configures_its_session(
    metastore: EmbeddedMetastore, settings: dict[str, str], name: str, tmp_path: Path, master: str
) -> None:
    (tmp_path / "job.py").write_text(ROUND + JOB.format(name=name))
    other = tmp_path / "other.jar"
    other.write_bytes(b"PK\5\6" + bytes(18))  # an empty archive
    del settings["spark.sql.warehouse.dir"]
    submitted = {
        **settings,
        "spark.sql.extensions": "org.apache.spark.sql.hiveacid.Missing",
        "spark.hadoop.hive.metastore.uris": metastore.uri,
    }
    command = [str(SCRIPTS / "spark-submit"), "--master", master, "--jars", str(other), *arguments(submitted)]
    printed = run([*command, "job.py"], tmp_path)
    assert "ROWS 9 3" in printed
    assert re.search(rf"LOCATION file:/*{re.escape(str(metastore.warehouse))}/{name}_db\.db\n", printed), printed
    assert "EXTENSIONS org.apache.spark.sql.hiveacid.Missing,hiveacid.Extensions" in printed
    assert re.search(r"^JARS .*other\.jar,.*hive-acid-shim\.jar$", printed, re.MULTILINE)


@pytest.mark.beyond_the_gate("`spark-submit` in the same file; `unit/spark/test_configure.py`")
def test_a_shell_that_was_not_set_up_says_how_and_one_that_was_is_served(
    metastore: EmbeddedMetastore, settings: dict[str, str], name: str, tmp_path: Path
) -> None:
    shell = [str(SCRIPTS / "pyspark"), "--master", "local[2]", *arguments(settings)]
    interactive = {"PYSPARK_DRIVER_PYTHON_OPTS": "-i"}  # else a text that comes through a pipe is a script
    printed = run(shell, tmp_path, ROUND + REFUSED_SHELL.format(uri=metastore.uri, name=name), **interactive)
    (refusal,) = re.findall(r"^(?:[>. ]*)REFUSED (.*)$", printed, re.MULTILINE)
    assert refusal.startswith("[HIVE_ACID_CONFIGURATION.SPARK_WITHOUT_SHIM]")
    assert "ROWS 9 3" in printed
    told = shlex.split(refusal.split("start it with ")[1].split(". SQLSTATE")[0])
    text = ROUND + SET_UP_SHELL.format(name=f"{name}_2")
    printed = run([*shell, *told], tmp_path, text, **interactive)
    assert "SAME True" in printed
    assert "ROWS 9 3" in printed


@pytest.mark.beyond_the_gate("`spark-submit` in the same file; `unit/spark/test_configure.py`")
def test_a_kernel_configures_again_and_again(
    metastore: EmbeddedMetastore, settings: dict[str, str], name: str, tmp_path: Path
) -> None:
    conf = {**settings, "spark.master": "local[2]"}
    (tmp_path / "kernel.py").write_text(ROUND + KERNEL.format(conf=conf, uri=metastore.uri, name=name))
    printed = run([sys.executable, "kernel.py"], tmp_path).splitlines()
    assert printed == ["ROWS 9 3", "SAME True", "SAME True", "SUM 13", "SUM 11"]
