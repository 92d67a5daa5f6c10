"""A session with the tests' own extension beside ours: it masks and filters rows, asks for rights, and keeps lineage.

The extension is `Policies.scala` beside this file, compiled by the compiler that Spark's shell has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import hive_acid
from hive_acid.session.shim import find_shim_jar
from support.serving_process import ServingProcess
from support.spark_programs import SPARK_HOME
from support.spark_settings import SHORT_LIVED

_WORKER: Final = """
import json, os, pathlib, sys, traceback
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # JVMs write warnings to it
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions
import hive_acid
from hive_acid.errors import condition_of
wish = json.loads(sys.stdin.readline())
builder = SparkSession.builder.config(map=wish["conf"])
spark = hive_acid.configure(builder, metastore=wish["metastore"]).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
known = {"spark": spark, "hive_acid": hive_acid, "functions": functions, "pathlib": pathlib}
for line in sys.stdin:
    try:
        answer = {"value": eval(compile(json.loads(line), "<test>", "eval"), known)}
    except Exception as error:
        traceback.print_exc()
        condition = condition_of(error) if isinstance(error, PySparkException) else None
        answer = {"condition": condition or type(error).__name__, "text": str(error)}
    answers.write(json.dumps(answer, default=str) + "\\n")
    answers.flush()
spark.stop()
"""


class Failed(Exception):
    """What was asked for ended in an error, whose condition and text these are."""

    def __init__(self, condition: str, text: str) -> None:
        super().__init__(f"{condition}: {text}")
        self.condition = condition
        self.text = text


class ExtensionSession(ServingProcess):
    """A driver whose session has the extension."""

    _process: subprocess.Popen[bytes]
    _longest_end_s = 120

    def __init__(self, folder: Path, metastore: str, warehouse: Path) -> None:
        """Compiles the extension and starts the session; the first call waits."""
        folder.mkdir(parents=True, exist_ok=True)
        self._seen, log = folder / "seen", folder / "log"
        conf = {
            **SHORT_LIVED,
            "spark.master": "local[2]",
            "spark.driver.memory": "1g",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": warehouse.as_uri(),
            "spark.jars": str(compile_policies(folder)),
            "spark.sql.extensions": "policies.Extension",
            "spark.sql.queryExecutionListeners": "policies.Lineage",
            "spark.policies.log": str(self._seen),
        }
        home = str(Path(hive_acid.__file__).parent.parent)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": home, "PYTHONSAFEPATH": "1", "PYSPARK_PYTHON": sys.executable},
            )
        self._log = log
        self._send({"conf": conf, "metastore": metastore})

    def call(self, expression: str) -> Any:
        """The value of an expression over `spark`, `functions`, `pathlib` and `hive_acid`, as JSON has it.

        Raises Failed.
        """
        self._send(expression)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._log.read_text()
        answer = json.loads(line)
        if "condition" in answer:
            raise Failed(answer["condition"], answer["text"])
        return answer["value"]

    def sql(self, text: str) -> list[list[Any]]:
        """Rows of a statement."""
        found: list[list[Any]] = self.call(f"[list(row) for row in spark.sql({text!r}).collect()]")
        return found

    def refusal(self, expression: str) -> Failed:
        """The error of an expression. Fails if it ends well."""
        try:
            value = self.call(expression)
        except Failed as failed:
            return failed
        raise AssertionError(f"{expression} gave {value}")

    @contextmanager
    def policies(self, **settings: str) -> Iterator[None]:
        """The extension with these policies; see `Policies.scala`."""
        for name, value in settings.items():
            self.call(f"spark.conf.set('spark.policies.{name}', {value!r})")
        try:
            yield
        finally:
            for name in settings:
                self.call(f"spark.conf.unset('spark.policies.{name}')")

    def seen(self) -> list[str]:
        """What the extension has seen since this was asked for the last time."""
        self.call("spark._jsc.sc().listenerBus().waitUntilEmpty()")  # listeners hear of the end of a query later on
        lines = self._seen.read_text().splitlines() if self._seen.exists() else []
        self._seen.unlink(missing_ok=True)
        return lines

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def compile_policies(folder: Path) -> Path:
    """The jar of the extension."""
    source, jar = Path(__file__).with_name("Policies.scala"), folder / "policies.jar"
    path = os.pathsep.join((f"{SPARK_HOME}/jars/*", str(find_shim_jar())))
    command = ["java", "-cp", path, "scala.tools.nsc.Main", "-usejavacp", "-d", str(jar), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return jar
