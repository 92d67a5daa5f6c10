"""The entries by which statements come: each runs a list of them, and tells the failures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.connect_client import find_client, run_client
from support.jdbc import Refused, jdbc_client
from support.one_list import find_failure
from support.session_process import SessionProcess, StatementFailed
from support.spark_programs import (
    SPARK_HOME,
    program_settings,
    started,
    started_connect_server,
    started_thrift_server,
)

Entry = Callable[[EmbeddedMetastore, Path, Sequence[str]], list[str]]
_LIMIT_S: Final = 400

_PYTHON: Final = """
import json, sys
from pyspark.sql import SparkSession

builder = SparkSession.builder
spark = (builder.remote(sys.argv[2]) if len(sys.argv) > 2 else builder).getOrCreate()
for text in json.load(open(sys.argv[1])):
    try:
        spark.sql(text).collect()
    except Exception as error:
        print("FAILED " + str(error).replace("\\n", " "))
spark.stop()
"""
_SCALA: Final = """
import org.apache.spark.sql.SparkSession

object Entry {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    val texts = scala.io.Source.fromFile(arguments(0)).mkString.split("\\u0000")
    for (text <- texts; error <- scala.util.Try(spark.sql(text).collect()).failed)
      println("FAILED " + error.toString.replace("\\n", " "))
    spark.stop()
  }
}
"""


def _failures(printed: str) -> list[str]:
    lines = (line.replace("scala> ", "") for line in printed.splitlines())  # a shell's prompt
    return [find_failure(line) for line in lines if line.startswith("FAILED ")]


def by_configure(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """PySpark, in a session of `hive_acid.configure`."""
    found = []
    with SessionProcess(folder, metastore.uri, metastore.warehouse) as session:
        for text in texts:
            try:
                session.sql(text)
            except StatementFailed as error:
                found.append(find_failure(str(error)))
    return found


def by_pyspark(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """PySpark by settings alone, in a job of spark-submit."""
    (folder / "job.py").write_text(_PYTHON)
    (folder / "texts.json").write_text(json.dumps(texts))
    command = ["spark-submit", str(folder / "job.py"), str(folder / "texts.json")]
    variables = {"PYSPARK_PYTHON": sys.executable}
    with started(command, program_settings(metastore, folder), folder / "run", variables) as job:
        assert job.process.wait(_LIMIT_S) == 0, job.log.read_text()
        return _failures(job.output.read_text())


def by_scala_job(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """A job of Scala, compiled by the compiler that Spark's shell has."""
    source, jar = folder / "Entry.scala", folder / "job.jar"
    source.write_text(_SCALA)
    (folder / "texts").write_text("\0".join(texts))
    compiler = ["java", "-cp", f"{SPARK_HOME}/jars/*", "scala.tools.nsc.Main", "-usejavacp"]
    subprocess.run([*compiler, "-d", str(jar), str(source)], check=True, capture_output=True, cwd=folder)
    command = ["spark-submit", "--class", "Entry", str(jar), str(folder / "texts")]
    with started(command, program_settings(metastore, folder), folder / "run") as job:
        assert job.process.wait(_LIMIT_S) == 0, job.log.read_text()
        return _failures(job.output.read_text())


def by_spark_shell(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """Spark's shell of Scala."""
    once = (
        "def once(text: String): Unit = for (e <- util.Try(spark.sql(text).collect()).failed) "
        'println("FAILED " + e.toString.replace("\\n", " "))\n'
    )
    with started(["spark-shell"], program_settings(metastore, folder), folder) as shell:
        shell.say(once + "".join(f"once({json.dumps(text)})\n" for text in texts) + 'println("THE " + "END")\n')
        shell.wait_for("THE END\n")
        return _failures(shell.output.read_text())


def by_spark_sql(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """The shell of SQL: an error is a line of its log, and of its traces."""
    with started(["spark-sql"], program_settings(metastore, folder), folder) as shell:
        shell.say("".join(f"{text};\n" for text in texts) + "SELECT concat('THE ', 'END');\n")
        shell.wait_for("THE END\n")
        lines = map(find_failure, shell.log.read_text().splitlines())
        known = [line for line in lines if line.startswith("HIVE_ACID_") or line == "on purpose"]
        return list(dict.fromkeys(known))


def by_jdbc(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """The Thrift server, by Hive's JDBC driver."""
    found = []
    with (
        started_thrift_server(metastore, folder) as (_, port),
        jdbc_client(port) as client,
        client.connect() as session,
    ):
        for text in texts:
            try:
                session.sql(text)
            except Refused as error:
                found.append(find_failure(error.message))
    return found


def by_connect(metastore: EmbeddedMetastore, folder: Path, texts: Sequence[str]) -> list[str]:
    """The plain client of Spark Connect."""
    script = folder / "client.py"
    (folder / "texts.json").write_text(json.dumps(texts))
    with started_connect_server(metastore, folder / "server") as (_, port):
        arguments = [str(script), str(folder / "texts.json"), f"sc://127.0.0.1:{port}"]
        script.write_text(_PYTHON.replace("import json, sys", f"import json, sys\nsys.argv = {arguments!r}"))
        return _failures("\n".join(run_client(script, find_client(), limit_s=_LIMIT_S)))


ENTRIES: Final[Sequence[Entry]] = (
    by_configure,
    by_pyspark,
    by_scala_job,
    by_spark_shell,
    by_spark_sql,
    by_jdbc,
    by_connect,
)
