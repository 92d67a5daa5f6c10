"""The program of a session process (see session_process): commands on standard input, answers on standard output.

A line is JSON. Commands run in the main thread, as those of a program or a shell do, each in a thread of its own, or in
the thread of a client, which has a session of its own.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TextIO

from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import hive_acid
from hive_acid.bridge.jvm import JvmFileSystem
from hive_acid.errors import condition_of

GATE_LIMIT_SECONDS = 280.0


def gate(folder: str, value: int, first: int = -1) -> int:
    """`value`; from `first` on only once the gate is open: the task waits, and everybody can see that it does."""
    if value >= first:
        wait_at(folder)
    return value


def wait_at(folder: str) -> None:
    """Waits at a gate, and everybody can see who does."""
    waits, opened = Path(folder, f"waiting-{os.getpid()}"), Path(folder, "open")
    deadline = time.monotonic() + GATE_LIMIT_SECONDS
    waits.touch()
    while not opened.exists():
        if time.monotonic() > deadline:
            Path(folder, "given-up").touch()
            raise TimeoutError(f"the gate {folder} was not opened")
        time.sleep(0.02)


def gate_once(folder: str, value: int, first: int = -1) -> int:
    """`value`; whoever is the first to come with one from `first` on waits at the gate, all others pass."""
    if value >= first:
        try:
            os.close(os.open(f"{folder}/taken", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return value
        wait_at(folder)
    return value


def fail_once(marker: str, value: int, fatal: int) -> int:
    """`value`, but the first time that anybody asks for the `fatal` one, an error."""
    if value != fatal:
        return value
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return value
    raise RuntimeError("failed once, on purpose")


def start(conf: dict[str, str], metastore: str) -> SparkSession:
    """The session, with the functions of the tests."""
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    builder = hive_acid.configure(builder, metastore=metastore)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.udf.register("gate_once", udf(gate_once, "int"))
    spark.udf.register("gate", udf(gate, "int"))
    spark.udf.register("fail_once", udf(fail_once, "int"))
    return spark


class KillPoints(threading.local):
    """Where the statement of this thread waits: before the `nth` call of a method of the file system, at a gate."""

    method = ""
    nth = 0
    gate = ""

    def install(self) -> None:
        """Watches the storage of this process."""
        for name in ("write_text", "rename", "delete_tree"):
            self._watch(name, getattr(JvmFileSystem, name))

    def _watch(self, name: str, real: Any) -> None:
        def call(system: JvmFileSystem, *args: Any) -> Any:
            if name == self.method:
                self.nth -= 1
                if self.nth == 0:
                    wait_at(self.gate)
            return real(system, *args)

        setattr(JvmFileSystem, name, call)


class Worker:
    """Carries out commands until standard input ends."""

    def __init__(self, spark: SparkSession, answers: TextIO) -> None:
        self._spark = spark
        self._answers = answers
        self._guard = threading.Lock()
        self._for_main: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._clients: dict[str, tuple[ThreadPoolExecutor, SparkSession]] = {}
        self._held: dict[tuple[str, str], DataFrame] = {}
        self._kill_points = KillPoints()
        self._kill_points.install()

    def run(self) -> None:
        """The main thread's part."""
        threading.Thread(target=self._read, daemon=True).start()
        while (command := self._for_main.get()) is not None:
            if "end" in command:
                self._end(command["end"])
                return
            self._carry_out(command)

    def _end(self, way: str) -> None:
        """As the program's own text would end it, whatever its other threads do."""
        match way:
            case "sys.exit":
                sys.exit(3)
            case "an exception":
                raise ValueError("of the program")
            case "spark.stop":
                self._spark.stop()

    def answer(self, message: dict[str, Any]) -> None:
        with self._guard:
            self._answers.write(json.dumps(message, default=str) + "\n")
            self._answers.flush()

    def _read(self) -> None:
        for line in sys.stdin:
            command = json.loads(line)
            if "client" in command:
                thread, command["session"] = self._client(command["client"])
                thread.submit(self._carry_out, command)
            elif command["thread"] == "main":
                self._for_main.put(command)
            else:
                InheritableThread(target=self._carry_out, args=(command,), daemon=True).start()
        self._for_main.put(None)

    def _client(self, name: str) -> tuple[ThreadPoolExecutor, SparkSession]:
        if name not in self._clients:
            session = self._spark.newSession()
            session.udf.register("gate", udf(gate, "int"))
            self._clients[name] = ThreadPoolExecutor(1, thread_name_prefix=name), session
        return self._clients[name]

    def _carry_out(self, command: dict[str, Any]) -> None:
        try:
            self.answer({"id": command["id"], "rows": self._do(command)})
        except BaseException as error:  # noqa: BLE001 (an interrupt too is the answer)
            self.answer({"id": command["id"], "error": describe(error)})

    def _do(self, command: dict[str, Any]) -> list[list[Any]]:
        context = self._spark.sparkContext
        if "client" in command:
            return self._do_for_client(command)
        if "heap" in command:
            return [[live_heap_mb(self._spark)]]
        if "cancel" in command:
            context.cancelJobGroup(command["cancel"])
            return []
        for key, value in (command["hold"] or {"method": ""}).items():
            setattr(self._kill_points, key, value)
        if command["group"]:
            context.setJobGroup(command["group"], command["group"])
        return [list(row) for row in self._spark.sql(command["sql"]).collect()]

    def _do_for_client(self, command: dict[str, Any]) -> list[list[Any]]:
        spark, statements = command["session"], command["statements"]
        match command["way"]:
            case "hold":
                self._held[command["client"], command["name"]] = frame = spark.sql(*statements)
                frame.createOrReplaceTempView(command["name"])
                return []
            case "collect":
                frame = self._held[command["client"], command["name"]]
                return [list(row) for row in frame.selectExpr(*statements).collect()]
            case "undo":
                return read_again_after_rollback(spark, statements)
            case way:
                return run_for_client(spark, statements, way == "together")


def live_heap_mb(spark: SparkSession) -> int:
    """What of the JVM's heap is left by a full collection, once this process has let go of what it does not use.

    Each object of py4j's that a method was called on refers to itself (JavaObject._methods), so that the JVM keeps its
    DataFrames until Python collects cycles.
    """
    gc.collect()
    jvm: Any = spark._jvm
    jvm.java.lang.System.gc()
    runtime = jvm.java.lang.Runtime.getRuntime()
    return int(runtime.totalMemory() - runtime.freeMemory()) >> 20


class OnPurpose(Exception):
    """Ends a transaction that is to be rolled back."""


def read_again_after_rollback(spark: SparkSession, statements: list[str]) -> list[list[Any]]:
    """What a DataFrame of the last statement gives after the transaction in which it was collected first."""
    try:
        with hive_acid.transaction(spark):
            for statement in statements[:-1]:
                spark.sql(statement).collect()
            frame = spark.sql(statements[-1])
            frame.collect()
            raise OnPurpose
    except OnPurpose:
        return [list(row) for row in frame.collect()]


def run_for_client(spark: SparkSession, statements: list[str], together: bool) -> list[list[Any]]:
    """The rows of all statements, one after the other; `together` is in one transaction."""
    with hive_acid.transaction(spark) if together else nullcontext():
        return [list(row) for statement in statements for row in spark.sql(statement).collect()]


def describe(error: BaseException) -> dict[str, Any]:
    """What a user of PySpark can tell of an error."""
    known: dict[str, Any] = {"type": type(error).__name__, "text": str(error)}
    told = isinstance(error, PySparkException)
    known["condition"] = condition_of(error) if told else None
    known["state"] = error.getSqlState() if told else None
    return known


def own_standard_output() -> TextIO:
    """Standard output, which from now on is no process's that this one starts: JVMs write warnings to it."""
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return own


def main() -> None:
    answers = own_standard_output()
    wish = json.loads(sys.stdin.readline())
    spark = start(wish["conf"], wish["metastore"])
    jvm: Any = spark._jvm
    worker = Worker(spark, answers)
    worker.answer({"id": 0, "rows": [[jvm.java.lang.ProcessHandle.current().pid()]]})
    worker.run()
    spark.stop()


if __name__ == "__main__":
    main()
