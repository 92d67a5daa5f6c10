"""Shells, jobs of Scala and PySpark by settings alone, and a Python that cannot serve them."""

from __future__ import annotations

import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_acid import cli
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.drivers import open_transactions, wait_until
from support.spark_programs import SPARK_HOME, program_settings, started

pytestmark = pytest.mark.beyond_the_gate("`test_pyspark_is_served_without_configure_and_taken_over_by_it`")

JOB = """
import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.Duration
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession

object Job {
  def round(spark: SparkSession, name: String): Unit = {
    spark.sql(s"CREATE TABLE $name (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    spark.range(10).selectExpr("int(id)", "0").write.insertInto(name)
    val updates = (0 until 4).map(id => Future(spark.newSession().sql(s"UPDATE $name SET v = 1 WHERE id = $id")))
    updates.foreach(Await.result(_, Duration.Inf))
    spark.sql(s"DELETE FROM $name WHERE id = 9")
    println("ROWS " + spark.table(name).selectExpr("count(*)", "sum(v)").head())
    spark.conf.set("spark.hiveacid.guard.maxRows", "1")
    try spark.sql(s"DELETE FROM $name")
    catch { case e: SparkThrowable => println(s"REFUSED ${e.getCondition} ${e.getSqlState}") }
    try spark.sql("ABORT TRANSACTIONS")
    catch { case e: SparkThrowable => println(s"REFUSED ${e.getCondition}") }
    println("SAME " + (SparkSession.builder().getOrCreate() eq spark))
  }

  def main(arguments: Array[String]): Unit = {
    round(SparkSession.builder().getOrCreate(), arguments(0))
    SparkSession.active.stop()
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    val again = SparkSession.builder().getOrCreate()
    println("AGAIN " + again.table(arguments(0)).count())
    again.stop()
  }
}
"""

PYSPARK = """
import hive_acid
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE TABLE {name} (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
spark.sql("INSERT INTO {name} SELECT int(id), 0 FROM range(10)")
spark.newSession().sql("UPDATE {name} SET v = 1 WHERE id < :end", args={{"end": 3}})
hive_acid.AcidTable.forName(spark, "{name}").delete("id = 9")
print("ROWS", *spark.sql("SELECT count(*), sum(v) FROM {name}").first())
try:
    spark.sql("ABORT TRANSACTIONS")
except Exception as error:
    print("REFUSED", error.getCondition())
with hive_acid.transaction(spark):
    spark.sql("DELETE FROM {name} WHERE id = 8")
print("SAME", hive_acid.configure(SparkSession.builder).getOrCreate() is spark)
print("ROWS", *spark.sql("SELECT count(*), sum(v) FROM {name}").first())
spark.stop()
"""


@pytest.fixture(autouse=True)
def nothing_is_left(client: ThriftMetastore) -> Iterator[None]:
    """No program leaves a transaction open that has ended."""
    before = {info.id for info in open_transactions(client)}
    yield
    wait_until(lambda: {info.id for info in open_transactions(client)} <= before, "no transaction is left", 20)


@pytest.fixture
def name() -> str:
    return f"alone_{uuid.uuid4().hex[:10]}"


def compile_job(folder: Path) -> Path:
    """The jar of the job, by the compiler that Spark's shell has."""
    source, jar = folder / "Job.scala", folder / "job.jar"
    source.write_text(JOB)
    command = ["java", "-cp", f"{SPARK_HOME}/jars/*", "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return jar


def test_a_job_of_scala_has_statements_threads_and_errors_with_their_conditions(
    metastore: EmbeddedMetastore, name: str, tmp_path: Path
) -> None:
    jar = compile_job(tmp_path)
    command = ["spark-submit", "--class", "Job", str(jar), name]
    with started(command, program_settings(metastore, tmp_path), tmp_path / "run") as job:
        assert job.process.wait(300) == 0, job.log.read_text()
        printed = job.output.read_text()
    assert "ROWS [9,4]" in printed
    assert "REFUSED HIVE_ACID_TOO_MANY_ROWS 54000" in printed
    assert "REFUSED HIVE_ACID_SYNTAX_ERROR" in printed
    assert "SAME true" in printed
    assert "AGAIN 9" in printed


def test_a_shell_of_scala_is_served(metastore: EmbeddedMetastore, name: str, tmp_path: Path) -> None:
    with started(["spark-shell"], program_settings(metastore, tmp_path), tmp_path) as shell:
        shell.say(f'spark.sql("CREATE TABLE {name} (id INT) STORED AS ORC ')
        shell.say("TBLPROPERTIES ('transactional'='true')\")\n")
        shell.say(f'spark.sql("INSERT INTO {name} VALUES (1), (2)")\nspark.sql("DELETE FROM {name} WHERE id = 1")\n')
        shell.say(f'println("LEFT " + spark.table("{name}").head().getInt(0))\n:quit\n')
        shell.wait_for("LEFT 2")
        assert shell.process.wait(60) == 0


@pytest.mark.in_the_gate
def test_pyspark_is_served_without_configure_and_taken_over_by_it(
    metastore: EmbeddedMetastore, name: str, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(PYSPARK.format(name=name))
    variables = {"PYSPARK_PYTHON": sys.executable}
    settings = program_settings(metastore, tmp_path)
    with started(["spark-submit", str(tmp_path / "job.py")], settings, tmp_path / "run", variables) as job:
        assert job.process.wait(300) == 0, job.log.read_text()
        printed = job.output.read_text().splitlines()
    assert printed == ["ROWS 9 3", "REFUSED HIVE_ACID_SYNTAX_ERROR", "SAME True", "ROWS 8 3"]


@pytest.mark.parametrize(
    ("python", "condition"),
    [("/nowhere/python", "PYTHON_NOT_FOUND"), ("python-without-the-package", "PYTHON_NOT_USABLE")],
)
def test_a_python_that_cannot_serve_is_named_and_plain_tables_need_none(
    metastore: EmbeddedMetastore, name: str, tmp_path: Path, python: str, condition: str
) -> None:
    if not python.startswith("/"):
        program = tmp_path / python
        program.write_text(f"#!/bin/sh\nPYTHONPATH= exec '{sys.executable}' -I -S \"$@\"\n")
        program.chmod(0o755)
        python = str(program)
    settings = {**program_settings(metastore, tmp_path), "spark.hiveacid.python": python}
    text = f"SELECT 'PLAIN', count(*) FROM range(3); CREATE TABLE {name} (id INT) STORED AS ORC "
    with started(["spark-sql", "-e", text + "TBLPROPERTIES ('transactional'='true')"], settings, tmp_path) as shell:
        assert shell.process.wait(300) != 0
        assert re.search(r"PLAIN\s+3", shell.output.read_text())
        log = shell.log.read_text()
    assert f"[HIVE_ACID_CONFIGURATION.{condition}]" in log
    assert f"{python}, which spark.hiveacid.python names" in log


def test_the_settings_that_the_command_prints_are_enough(
    metastore: EmbeddedMetastore, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["settings", "--metastore", metastore.uri]) == 0
    told = dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())
    own = ("spark.driver", "spark.ui", "spark.sql.warehouse", "spark.local", "spark.master")
    small = {key: value for key, value in program_settings(metastore, tmp_path).items() if key.startswith(own)}
    text = f"CREATE TABLE {name} STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT 1 AS id;"
    text += f"INSERT INTO {name} VALUES (2); DELETE FROM {name} WHERE id = 1; SELECT 'LEFT', id FROM {name}"
    (tmp_path / "statements.sql").write_text(text)
    command = ["spark-sql", "-f", str(tmp_path / "statements.sql")]
    with started(command, {**small, **told}, tmp_path / "run") as shell:
        assert shell.process.wait(300) == 0, shell.log.read_text()
        assert re.search(r"LEFT\s+2", shell.output.read_text())
